//! What opens a token: `[[`, and of a run of brackets its last two.

use memchr::memmem::Finder;

use crate::bytes::{self, ShortSearch};
use crate::window::Window;

/// Returns the offset of the first `[[` at or after `pos`; of a run of brackets, that of its last two, since none before them can begin a
/// token.
#[inline(always)]
pub(super) fn find_opening(finder: &Finder<'_>, window: &Window<'_>, pos: usize) -> Option<usize> {
    match window.from(pos) {
        // A tag right after another, or on the next line, needs no search: 6 % of the time of the corpus `dense`.
        [b'[', b'[', next, ..] if *next != b'[' => Some(pos),
        [_, b'[', b'[', next, ..] if *next != b'[' => {
            count_work!(1);
            Some(pos + 1)
        }
        [] | [_] => None,
        text => search_opening(finder, text).map(|start| pos + start),
    }
}

/// Slow path of [`find_opening`]; the result is relative to `text`.
#[inline(never)]
fn search_opening(finder: &Finder<'_>, text: &[u8]) -> Option<usize> {
    let start = match bytes::find_pair(b'[', text) {
        ShortSearch::Found(start) => start,
        ShortSearch::Absent => return None,
        ShortSearch::Continue(from) => {
            let found = finder.find(&text[from..]);
            count_work!(found.unwrap_or(text.len() - from));
            from + found?
        }
    };
    let run = text[start + 2..].iter().take_while(|&&byte| byte == b'[').count();
    count_work!(run);
    Some(start + run)
}

/// Returns the offset from which a text without `[[` at or after `pos` is undecided: that of a `[` at its end, or its end.
#[inline]
pub(super) fn undecided_from(window: &Window<'_>, pos: usize) -> usize {
    let end = window.end();
    if window.from(pos).last() == Some(&b'[') { end - 1 } else { end }
}

/// The length of `[[]]` in bytes, the shortest token.
pub(super) const SHORTEST_TOKEN: usize = 4;
