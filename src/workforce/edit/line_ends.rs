//! Line ends: blocks are matched whatever ends their lines, and written in the line ends of the file.

use alloc::{borrow::Cow, string::String};

use memchr::{memchr, memchr_iter, memmem};

/// What ends a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineEnd {
    Lf,
    Crlf,
    Cr,
}

impl LineEnd {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            LineEnd::Lf => "\n",
            LineEnd::Crlf => "\r\n",
            LineEnd::Cr => "\r",
        }
    }
}

/// What ends the lines of a file. A carriage return that no newline follows ends a line only in a file without newlines;
/// elsewhere it is a character like any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineEnds {
    /// No line ends: the file is empty or a single line.
    None,
    All(LineEnd),
    /// Both LF and CRLF.
    Mixed,
}

impl LineEnds {
    pub(super) fn of(text: &str) -> Self {
        count_work!(text.len());
        let bytes = text.as_bytes();
        let has_cr = memchr(b'\r', bytes).is_some();
        if memchr(b'\n', bytes).is_none() {
            return if has_cr { LineEnds::All(LineEnd::Cr) } else { LineEnds::None };
        }
        if !has_cr || memmem::find(bytes, b"\r\n").is_none() {
            return LineEnds::All(LineEnd::Lf);
        }
        match memchr_iter(b'\n', bytes).all(|newline| newline > 0 && bytes[newline - 1] == b'\r') {
            true => LineEnds::All(LineEnd::Crlf),
            false => LineEnds::Mixed,
        }
    }

    /// The file with each line end as `\n`.
    pub(super) fn normalize_file(self, text: &str) -> Cow<'_, str> {
        match self {
            LineEnds::None | LineEnds::All(LineEnd::Lf) => text.into(),
            LineEnds::All(LineEnd::Crlf) | LineEnds::Mixed => without_crlf(text),
            LineEnds::All(LineEnd::Cr) => text.replace('\r', "\n").into(),
        }
    }

    /// One side of a block with each line end as `\n`. The carriage return that belongs to the line end before a marker is
    /// removed.
    pub(super) fn normalize_side(self, side: &str) -> Cow<'_, str> {
        count_work!(side.len());
        let side = without_crlf(side.strip_suffix('\r').unwrap_or(side));
        match self {
            LineEnds::All(LineEnd::Cr) if side.contains('\r') => side.replace('\r', "\n").into(),
            _ => side,
        }
    }
}

/// The line ends of one side of a block as it was written.
pub(super) fn as_written(side: &str) -> impl Iterator<Item = LineEnd> {
    let bytes = side.as_bytes();
    memchr_iter(b'\n', bytes).map(|newline| match newline > 0 && bytes[newline - 1] == b'\r' {
        true => LineEnd::Crlf,
        false => LineEnd::Lf,
    })
}

fn without_crlf(text: &str) -> Cow<'_, str> {
    let mut crlfs = memmem::find_iter(text.as_bytes(), b"\r\n").peekable();
    if crlfs.peek().is_none() {
        return text.into();
    }
    let mut normal = String::with_capacity(text.len());
    let mut from = 0;
    for at in crlfs {
        normal.push_str(&text[from..at]);
        from = at + 1;
    }
    normal.push_str(&text[from..]);
    normal.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_ends_of_a_file() {
        for (text, expected) in [
            ("", LineEnds::None),
            ("a", LineEnds::None),
            ("a\n\nb", LineEnds::All(LineEnd::Lf)),
            ("a\rb\n", LineEnds::All(LineEnd::Lf)),
            ("\r\na\r\n", LineEnds::All(LineEnd::Crlf)),
            ("a\rb\r\n", LineEnds::All(LineEnd::Crlf)),
            ("a\rb\r", LineEnds::All(LineEnd::Cr)),
            ("\na\r\n", LineEnds::Mixed),
            ("a\r\nb\n", LineEnds::Mixed),
        ] {
            assert_eq!(LineEnds::of(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_side_loses_the_carriage_return_of_its_marker_only() {
        let lf = LineEnds::All(LineEnd::Lf);
        for (side, expected) in [("a\r", "a"), ("a\r\r", "a\r"), ("a\rb", "a\rb"), ("a\r\nb\nc\r", "a\nb\nc"), ("", "")]
        {
            assert_eq!(lf.normalize_side(side), expected, "{side:?}");
        }
        assert_eq!(LineEnds::All(LineEnd::Cr).normalize_side("a\rb\r\nc\nd\r"), "a\nb\nc\nd");
    }
}
