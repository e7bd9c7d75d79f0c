//! Shortens an escaped text with "…", at its end or in its middle. An escape is never cut.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use crate::escape::{Escaped, EscapedChar};

impl Escaped<'_> {
    /// The escaped text in at most `max_chars` characters (code points), an ellipsis at its end included if it is longer.
    ///
    /// Reads no more of the text than it returns.
    ///
    /// ```
    /// use tagwire::Escaped;
    ///
    /// assert_eq!(Escaped::quoted("a\nbcdef").truncated(6), "a\\nbc…");
    /// assert_eq!(Escaped::quoted("a\nbcd").truncated(6), "a\\nbcd");
    /// ```
    pub fn truncated(&self, max_chars: usize) -> String {
        self.whole(max_chars).unwrap_or_else(|| match max_chars.checked_sub(1) {
            Some(room) => join(&fitting(self.chars(), room), "…", &[]),
            None => String::new(),
        })
    }

    /// The escaped text in at most `max_chars` characters (code points): its start and its end around an ellipsis if it is
    /// longer.
    ///
    /// Reads no more of the text than it returns.
    ///
    /// ```
    /// use tagwire::Escaped;
    ///
    /// assert_eq!(Escaped::quoted("a\nbcdefg").shortened(6), "a\\n…fg");
    /// ```
    pub fn shortened(&self, max_chars: usize) -> String {
        self.whole(max_chars).unwrap_or_else(|| match max_chars.checked_sub(1) {
            Some(room) => join(&fitting(self.chars(), room - room / 2), "…", &fitting(self.chars().rev(), room / 2)),
            None => String::new(),
        })
    }

    /// All of it, if it fits.
    fn whole(&self, max_chars: usize) -> Option<String> {
        let start = fitting(self.chars(), max_chars);
        self.chars().nth(start.len()).is_none().then(|| join(&start, "", &[]))
    }
}

/// The first of `chars` that fit into `room` characters.
fn fitting(chars: impl Iterator<Item = EscapedChar>, mut room: usize) -> Vec<EscapedChar> {
    let fits = |c: &EscapedChar| match room.checked_sub(c.char_count()) {
        Some(left) => {
            room = left;
            true
        }
        None => false,
    };
    chars.take_while(fits).collect()
}

/// `start`, `between`, and `end`, which is backwards.
fn join(start: &[EscapedChar], between: &str, end: &[EscapedChar]) -> String {
    let mut shown = String::new();
    start.iter().for_each(|c| push(&mut shown, c));
    shown.push_str(between);
    end.iter().rev().for_each(|c| push(&mut shown, c));
    shown
}

fn push(shown: &mut String, c: &EscapedChar) {
    write!(shown, "{c}").expect("a String takes everything");
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;

    use super::*;

    #[test]
    fn never_longer_than_asked_for_and_never_a_part_of_an_escape() {
        const TEXTS: [&str; 7] =
            ["", "abc", "\u{1b}", "a\u{202e}b\nc\u{feff}d", "日本語 テキスト", "\\n\\n\\n", "\u{1b}\u{1b}\u{1b}"];
        for text in TEXTS {
            let escaped = Escaped::quoted(text);
            let whole = escaped.to_string();
            for max in 0..40 {
                for shown in [escaped.truncated(max), escaped.shortened(max)] {
                    assert!(shown.chars().count() <= max, "{shown}");
                    if whole.chars().count() <= max {
                        assert_eq!(shown, whole);
                    } else if max > 0 {
                        let (start, end) = shown.split_once('…').expect("it is marked");
                        assert!(whole.starts_with(start) && whole.ends_with(end), "{shown}");
                        let is_cut = |part: &str| part.matches("\\u{").count() != part.matches('}').count();
                        assert!(!is_cut(start) && !is_cut(end), "{shown}");
                    }
                }
            }
        }
    }

    #[test]
    fn room_is_shared_and_the_start_has_the_odd_character() {
        assert_eq!(Escaped::line("abcdefgh").shortened(5), "ab…gh");
        assert_eq!(Escaped::line("abcdefgh").shortened(6), "abc…gh");
        assert_eq!(Escaped::line("abcdefgh").truncated(5), "abcd…");
        assert_eq!(Escaped::line("abcdefgh").truncated(1), "…");
        assert_eq!(Escaped::line("abcdefgh").truncated(0), "");
    }
}
