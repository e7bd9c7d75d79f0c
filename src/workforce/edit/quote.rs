//! Quotes pieces of lines: escaped, so that white space shows, and shortened.

use alloc::{format, string::String};
use core::fmt::Write;

use crate::escape::Escaped;
use crate::whitespace::is_space;

/// The line between quotation marks. Of a long line, the part about the byte offset `about`, which is a character's start.
pub(super) fn line(line: &str, about: usize) -> String {
    let ahead = line[..about].char_indices().rev().take(LINE / 3).last().map_or(about, |(at, _)| at);
    let start = if line[..about].chars().take(LINE / 2 + 1).count() <= LINE / 2 { 0 } else { ahead };
    let dots = if start > 0 { "…" } else { "" };
    format!("{dots}{}", shortened(&line[start..], LINE))
}

/// The two sides of a difference, each between quotation marks, or in words if it is white space. An empty one stays empty.
/// Where one of them is not plain ASCII, and the difference might not show, both are named by their code points.
pub(super) fn sides(old: &str, file: &str) -> [String; 2] {
    let is_plain = |side: &str| side.chars().all(|c| c.is_ascii_graphic());
    let is_long = |side: &str| side.chars().nth(NAMED).is_some();
    let named = !(is_plain(old) && is_plain(file) || is_long(old) || is_long(file));
    [old, file].map(|side| {
        if side.is_empty() {
            String::new()
        } else if side.chars().all(is_space) {
            space(side)
        } else {
            let mut quoted = shortened(side, PIECE);
            if named {
                push_code_points(&mut quoted, side);
            }
            quoted
        }
    })
}

/// White space in words, and by its code points.
pub(super) fn space(space: &str) -> String {
    let count = space.chars().take(1_000).count();
    let plural = if count == 1 { "" } else { "s" };
    match space.chars().next() {
        None => "none".into(),
        Some(' ') if space.chars().all(|c| c == ' ') => format!("{count} space{plural} (U+0020)"),
        Some('\t') if space.chars().all(|c| c == '\t') => format!("{count} tab{plural} (U+0009)"),
        Some(_) => {
            let mut quoted = shortened(space, PIECE);
            push_code_points(&mut quoted, space);
            quoted
        }
    }
}

fn push_code_points(quoted: &mut String, text: &str) {
    let mut before = " (";
    for c in text.chars().take(NAMED) {
        let _ = write!(quoted, "{before}U+{:04X}", u32::from(c));
        before = " ";
    }
    quoted.push_str(if text.chars().nth(NAMED).is_some() { " …)" } else { ")" });
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

/// The characters of a quoted line at most, as they are shown.
const LINE: usize = 80;
/// The characters of a quoted piece at most.
const PIECE: usize = 24;
/// The code points of a piece that are named at most.
const NAMED: usize = 6;
