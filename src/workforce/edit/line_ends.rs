//! Line ends: a block is matched and written in those of the file.

use alloc::{borrow::Cow, string::String};

use memchr::{memchr_iter, memmem};

use super::EditBlock;

/// How the lines of a text end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineEnds {
    /// There is but one line.
    None,
    Lf,
    Crlf,
    Mixed,
}

impl LineEnds {
    pub(super) fn of(text: &str) -> Self {
        count_work!(text.len());
        match (text.contains('\n'), has_crlf(text)) {
            (false, _) => LineEnds::None,
            (true, false) => LineEnds::Lf,
            (true, true) if all_crlf(text) => LineEnds::Crlf,
            (true, true) => LineEnds::Mixed,
        }
    }
}

/// OLD and NEW in the line ends of the file, as they are to be looked for and written.
///
/// The body ends the last lines of OLD and NEW by a newline, which is part of the marker. So in a body of CRLF each of them
/// ends in a lone carriage return, which belongs to the marker as well and is taken off: such a block says the same as one
/// in LF, and is found as often. Beyond that there is only something to change where all lines of the file end one way and
/// all lines of the block the other way. What is mixed is taken as written.
pub(super) fn adapt<'a>(block: EditBlock<'a>, file: LineEnds) -> (Cow<'a, str>, Cow<'a, str>) {
    let EditBlock { old, new } = block;
    count_work!(old.len() + new.len());
    if let (Some(old), Some(new)) = (crlf_lines(old), crlf_lines(new)) {
        if file == LineEnds::Lf { (to_lf(old).into(), to_lf(new).into()) } else { (old.into(), new.into()) }
    } else if file == LineEnds::Crlf && is_lf_lines(old) && is_lf_lines(new) {
        (to_crlf(old).into(), to_crlf(new).into())
    } else {
        (old.into(), new.into())
    }
}

/// The lines of one side of a block, without the last carriage return, if all of them end in CRLF.
fn crlf_lines(side: &str) -> Option<&str> {
    side.strip_suffix('\r').filter(|_| all_crlf(side))
}

fn is_lf_lines(side: &str) -> bool {
    !has_crlf(side) && !side.ends_with('\r')
}

fn all_crlf(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr_iter(b'\n', bytes).all(|newline| newline > 0 && bytes[newline - 1] == b'\r')
}

fn has_crlf(text: &str) -> bool {
    memmem::find(text.as_bytes(), b"\r\n").is_some()
}

fn to_lf(text: &str) -> String {
    text.replace("\r\n", "\n")
}

fn to_crlf(text: &str) -> String {
    text.replace('\n', "\r\n")
}
