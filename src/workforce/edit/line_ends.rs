//! Line ends: a block is matched and written in those of the file.

use alloc::{borrow::Cow, string::String};

use memchr::{memchr_iter, memmem};

use super::EditBlock;

/// OLD and NEW in the line ends of `file`.
///
/// Only where all lines of the file end one way and all lines of the block the other way is there anything to change.
/// The last lines of OLD and NEW count: the body ends them by a newline, which is part of the marker, so in a body of
/// CRLF each ends in a lone carriage return, which goes where the file has LF. Anything mixed is taken as written.
pub(super) fn adapt<'a>(block: EditBlock<'a>, file: &str) -> (Cow<'a, str>, Cow<'a, str>) {
    let EditBlock { old, new } = block;
    let both = [old, new];
    steps!(old.len() + new.len() + file.len());
    let crlf = both.iter().all(|side| all_crlf(side) && side.ends_with('\r'));
    let lf = both.iter().all(|side| !has_crlf(side) && !side.ends_with('\r'));
    if crlf && is_lf(file) {
        (to_lf(old).into(), to_lf(new).into())
    } else if lf && both.iter().any(|side| side.contains('\n')) && is_crlf(file) {
        (to_crlf(old).into(), to_crlf(new).into())
    } else {
        (old.into(), new.into())
    }
}

/// Whether there is a line end in `file` and all are CRLF.
fn is_crlf(file: &str) -> bool {
    file.contains('\n') && all_crlf(file)
}

/// Whether there is a line end in `file` and none is CRLF.
fn is_lf(file: &str) -> bool {
    file.contains('\n') && !has_crlf(file)
}

fn all_crlf(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr_iter(b'\n', bytes).all(|newline| newline > 0 && bytes[newline - 1] == b'\r')
}

fn has_crlf(text: &str) -> bool {
    memmem::find(text.as_bytes(), b"\r\n").is_some()
}

fn to_lf(text: &str) -> String {
    text.strip_suffix('\r').unwrap_or(text).replace("\r\n", "\n")
}

fn to_crlf(text: &str) -> String {
    text.replace('\n', "\r\n")
}
