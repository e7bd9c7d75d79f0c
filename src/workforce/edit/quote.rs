//! Quotes pieces of lines: escaped, so that white space shows, and shortened.

use alloc::{format, string::String};
use core::fmt::Write;

use crate::escape::Escaped;

/// The characters of a quoted line at most, as they are shown.
const LINE: usize = 80;
/// Of a quoted piece.
const PIECE: usize = 24;

/// The line between quotation marks. Where it is long, the part about the byte offset `about`, a character's start.
pub(super) fn line(line: &str, about: usize) -> String {
    let ahead = line[..about].char_indices().rev().take(LINE / 3).last().map_or(about, |(at, _)| at);
    let start = if line[..about].chars().take(LINE / 2 + 1).count() <= LINE / 2 { 0 } else { ahead };
    let dots = if start > 0 { "…" } else { "" };
    format!("{dots}{}", shortened(&line[start..], LINE))
}

/// A piece of a line between quotation marks. A lone character that is not ASCII is named, too: many look alike.
pub(super) fn piece(piece: &str) -> String {
    let mut quoted = if piece.is_empty() { String::new() } else { shortened(piece, PIECE) };
    let mut chars = piece.chars();
    if let (Some(c), None) = (chars.next(), chars.next())
        && !c.is_ascii()
        && Escaped::spaces(piece).is_unchanged()
    {
        let _ = write!(quoted, " (U+{:04X})", u32::from(c));
    }
    quoted
}

/// White space in words.
pub(super) fn space(space: &str) -> String {
    let count = space.chars().take(1_000).count();
    let plural = if count == 1 { "" } else { "s" };
    match space.chars().next() {
        None => "none".into(),
        Some(' ') if space.chars().all(|c| c == ' ') => format!("{count} space{plural}"),
        Some('\t') if space.chars().all(|c| c == '\t') => format!("{count} tab{plural}"),
        Some(_) => shortened(space, PIECE),
    }
}

fn shortened(text: &str, most: usize) -> String {
    let mut quoted = String::from("\"");
    let mut room = most;
    let mut dots = "";
    for c in Escaped::spaces(text).chars() {
        let Some(left) = room.checked_sub(c.char_count()) else {
            dots = "…";
            break;
        };
        room = left;
        let _ = write!(quoted, "{c}");
    }
    quoted.push('"');
    quoted.push_str(dots);
    quoted
}
