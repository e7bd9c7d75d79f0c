//! What differs between a line of OLD and a line of the file.

use super::{
    bigrams::{boundary_before, longest_ends, visible},
    error::What,
    quote,
};
use crate::whitespace::{is_space, trim, trim_start};

/// Where a line stands in OLD. OLD may start and end within lines of the file.
#[derive(Copy, Clone)]
pub(super) struct LinePosition {
    pub(super) first: bool,
    pub(super) last: bool,
}

impl LinePosition {
    pub(super) fn new(index: usize, count: usize) -> Self {
        LinePosition { first: index == 0, last: index + 1 == count }
    }

    /// Whether a line of OLD at this position matches a line of the file.
    pub(super) fn matches(self, old: &str, file: &str) -> bool {
        count_work!(1 + old.len().min(file.len()));
        match (self.first, self.last) {
            (true, true) => file.contains(old),
            (true, false) => file.ends_with(old),
            (false, true) => file.starts_with(old),
            (false, false) => file == old,
        }
    }

    /// Whether only the white space about the line's text may differ.
    pub(super) fn matches_trimmed(self, old: &str, file: &str) -> bool {
        self.matches(trim(old), trim(file))
    }
}

/// The first difference, or the kind of it that is named most simply; `None` where the lines match.
pub(super) fn line_diff(old: &str, file: &str, position: LinePosition) -> Option<What> {
    if position.matches(old, file) {
        return None;
    }
    let quotes = |about_old: usize, about_file: usize| [quote::line(old, about_old), quote::line(file, about_file)];
    let text = trim(old);
    let ([old_indent, old_rest], [file_indent, file_rest]) = (indent(old), indent(file));
    let same_text = if position.last { file_rest.starts_with(text) } else { trim(file_rest) == text };
    if same_text && !text.is_empty() {
        if old_indent != file_indent && !(position.first && file_indent.ends_with(old_indent)) {
            let (old, file) = (quote::space(old_indent), quote::space(file_indent));
            return Some(What::Indent { old, file, quotes: quotes(0, 0) });
        }
        let (old_end, file_end) = (&old_rest[text.len()..], &file_rest[text.len()..]);
        let file_end = indent(file_end)[0];
        if old_end != file_end {
            let about = [old, file].map(|line| indent(line)[0].len() + text.len());
            let (old, file) = (quote::space(old_end), quote::space(file_end));
            return Some(What::Trailing { old, file, quotes: quotes(about[0], about[1]) });
        }
    }

    let [old_start, file_start] = if !position.first {
        [0, 0]
    } else if visible(old).eq(visible(file)) {
        [old_indent.len(), file_indent.len()]
    } else {
        [0, locate(old, file)]
    };
    let same = common_start(&old[old_start..], &file[file_start..]);
    let [about_old, about_file] = [old_start + same, file_start + same];
    let (old_rest, file_rest) = (&old[about_old..], &file[about_file..]);
    let [old_piece, file_piece] = match invisible_difference(old_rest, file_rest) {
        Some([old_len, file_len]) => [&old_rest[..old_len], &file_rest[..file_len]],
        None => visible_difference(old_rest, file_rest, position),
    };
    let [old_piece, file_piece] = quote::sides(old_piece, file_piece);
    Some(What::Text {
        character: file[..about_file].chars().count() + 1,
        old: old_piece,
        file: file_piece,
        quotes: quotes(about_old, about_file),
    })
}

/// The lengths of the starts of two texts that differ, but not visibly; none where what follows them differs at once.
fn invisible_difference(old: &str, file: &str) -> Option<[usize; 2]> {
    let goes_on =
        |[old_len, file_len]: [usize; 2]| match [&old[old_len..], &file[file_len..]].map(|rest| visible(rest).next()) {
            // The line of OLD may be but a part of that of the file.
            [None, _] => old[old_len..].is_empty(),
            [old, file] => old == file,
        };
    let spaces = [old, file].map(|text| indent(text)[0].len());
    if spaces != [0, 0] && goes_on(spaces) {
        return Some(spaces);
    }
    let ends = |text: &str| {
        let mut ends = [0; INVISIBLE + 1];
        let count = text.char_indices().take(INVISIBLE).map(|(at, c)| at + c.len_utf8());
        let count = count.zip(&mut ends[1..]).map(|(end, entry)| *entry = end).count();
        (ends, count)
    };
    let ((old_ends, old_count), (file_ends, file_count)) = (ends(old), ends(file));
    let pairs = (1..=INVISIBLE).flat_map(|total| (0..=total).map(move |old| (old, total - old)));
    pairs
        .filter(|&(old, file)| old <= old_count && file <= file_count)
        .map(|(old, file)| [old_ends[old], file_ends[file]])
        .find(|&[old_len, file_len]| {
            visible(&old[..old_len]).eq(visible(&file[..file_len])) && goes_on([old_len, file_len])
        })
}

/// What differs until the common end of two texts.
fn visible_difference<'t>(old: &'t str, mut file: &'t str, position: LinePosition) -> [&'t str; 2] {
    let mut end = common_end(old, file);
    if end == 0 && position.last {
        // The rest of the file's line may not matter to OLD.
        file = match longest_ends(old, file)[1] {
            (0..=1, _) => &file[..boundary_before(file, old.len().max(1))],
            (len, at) => &file[..at + len],
        };
        end = common_end(old, file);
    }
    [&old[..old.len() - end], &file[..file.len() - end]]
}

/// The white space at the start, and the rest.
fn indent(line: &str) -> [&str; 2] {
    let rest = trim_start(line);
    [&line[..line.len() - rest.len()], rest]
}

/// The offset in the file's line at which the line of OLD most likely starts.
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

/// The characters, of both sides together, of an invisible difference at most.
const INVISIBLE: usize = 12;
