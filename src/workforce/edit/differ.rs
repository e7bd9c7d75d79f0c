//! What differs between a line of OLD and a line of the file.

use super::{
    error::What,
    profile::{boundary_before, dense, longest_ends},
    quote,
};
use crate::whitespace::{is_space, trim, trim_start};

/// Where a line stands in OLD. OLD may start and end within lines of the file.
#[derive(Copy, Clone)]
pub(super) struct Place {
    pub(super) first: bool,
    pub(super) last: bool,
}

impl Place {
    pub(super) fn new(index: usize, count: usize) -> Self {
        Place { first: index == 0, last: index + 1 == count }
    }

    /// Whether the lines fit where nothing else hinders.
    pub(super) fn fits(self, old: &str, file: &str) -> bool {
        count_work!(1 + old.len().min(file.len()));
        match (self.first, self.last) {
            (true, true) => file.contains(old),
            (true, false) => file.ends_with(old),
            (false, true) => file.starts_with(old),
            (false, false) => file == old,
        }
    }

    /// Whether nothing but the white space about the line's text differs.
    pub(super) fn fits_trimmed(self, old: &str, file: &str) -> bool {
        self.fits(trim(old), trim(file))
    }
}

/// What differs first, or the kind of it that is named most simply; nothing where the lines fit.
pub(super) fn differ(old: &str, file: &str, place: Place) -> Option<What> {
    if place.fits(old, file) {
        return None;
    }
    let quotes = |about_old: usize, about_file: usize| [quote::line(old, about_old), quote::line(file, about_file)];
    let (old_line, old_crlf) = split_return(old);
    let (file_line, file_crlf) = split_return(file);
    if old_crlf != file_crlf && place.fits(old_line, file_line) {
        return Some(What::LineEnd { old_crlf });
    }

    let text = trim(old_line);
    let ([old_indent, old_rest], [file_indent, file_rest]) = (indent(old_line), indent(file_line));
    let same_text = if place.last { file_rest.starts_with(text) } else { trim(file_rest) == text };
    if same_text && !text.is_empty() {
        if old_indent != file_indent && !(place.first && file_indent.ends_with(old_indent)) {
            let (old, file) = (quote::space(old_indent), quote::space(file_indent));
            return Some(What::Indent { old, file, quotes: quotes(0, 0) });
        }
        let (old_end, file_end) = (&old_rest[text.len()..], &file_rest[text.len()..]);
        let file_end = indent(file_end)[0];
        if old_end != file_end {
            let about = [old_line, file_line].map(|line| indent(line)[0].len() + text.len());
            let (old, file) = (quote::space(old_end), quote::space(file_end));
            return Some(What::Trailing { old, file, quotes: quotes(about[0], about[1]) });
        }
    }

    let start = if place.first { locate(old_line, file_line) } else { 0 };
    let file_part = &file_line[start..];
    let same = common_start(old_line, file_part);
    let about = start + same;
    if dense(old_line).eq(dense(file_line)) {
        return Some(What::Space { quotes: quotes(same, about) });
    }
    let (old_rest, mut file_rest) = (&old_line[same..], &file_part[same..]);
    let mut end = common_end(old_rest, file_rest);
    if end == 0 && place.last {
        // What follows in the file's line may be no matter of OLD.
        file_rest = match longest_ends(old_rest, file_rest)[1] {
            (0..=1, _) => &file_rest[..boundary_before(file_rest, old_rest.len().max(1))],
            (len, at) => &file_rest[..at + len],
        };
        end = common_end(old_rest, file_rest);
    }
    Some(What::Text {
        character: file_line[..about].chars().count() + 1,
        old: quote::piece(&old_rest[..old_rest.len() - end]),
        file: quote::piece(&file_rest[..file_rest.len() - end]),
        quotes: quotes(same, about),
    })
}

fn split_return(line: &str) -> (&str, bool) {
    line.strip_suffix('\r').map_or((line, false), |line| (line, true))
}

/// The white space at the start, and the rest.
fn indent(line: &str) -> [&str; 2] {
    let rest = trim_start(line);
    [&line[..line.len() - rest.len()], rest]
}

/// Where in the file's line the line of OLD most likely starts.
fn locate(old: &str, file: &str) -> usize {
    let [(start, at), (end, end_at)] = longest_ends(old, file);
    let from_end = (end_at + end).saturating_sub(old.len());
    let together = at.abs_diff(from_end) <= 8.max(old.len() / 4);
    match start.max(end) {
        0..=1 => 0,
        _ if start >= end || (start > 1 && together) => at,
        _ => boundary_before(file, from_end),
    }
}

/// The bytes of the characters that both start with.
fn common_start(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

fn common_end(a: &str, b: &str) -> usize {
    a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

/// Whether a line has no text.
pub(super) fn is_blank(line: &str) -> bool {
    line.chars().all(is_space)
}
