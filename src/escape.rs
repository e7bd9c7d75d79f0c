//! Text that others wrote, made visible: what breaks a line, hides, or acts on a terminal is shown as an escape.
//!
//! One set of characters and one rule about backslashes, for what goes back to a model, for messages, and for terminals.

use core::fmt::{self, Write as _};

use crate::whitespace::is_space;

/// A text with what could deceive in it escaped. Prints on one line.
///
/// Escaped are control characters, of both ASCII and Latin-1, line and paragraph separators, marks of the direction of writing,
/// characters that show as nothing, and tag characters: a newline, a carriage return and a tab as `\n`, `\r` and `\t`, all
/// others as `\u{1b}`. The joiners U+200C and U+200D and the variation selectors stay as they are: they are parts of words and
/// emoji.
///
/// A backslash is doubled where it could be taken for the start of an escape: before `n`, `r`, `t`, `u{`, another backslash,
/// and what is escaped itself. So no two texts look the same, and most backslashes stay as they were written. Not so in the
/// form of [`Escaped::line`].
///
/// ```
/// use tagwire::Escaped;
///
/// assert_eq!(Escaped::new("a\u{1b}[2J\nERROR: \u{202e}é").to_string(), r"a\u{1b}[2J\nERROR: \u{202e}é");
/// assert_eq!(Escaped::new(r"\d+ \new").to_string(), r"\d+ \\new");
/// assert_eq!(Escaped::line("\tprintf(\"\\n\");\r").to_string(), "\tprintf(\"\\n\");\\r");
/// ```
///
/// Takes linear time and no memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Escaped<'a> {
    text: &'a str,
    form: Form,
}

impl<'a> Escaped<'a> {
    /// A text to be quoted, in which each character can be told from every other.
    pub const fn new(text: &'a str) -> Self {
        Escaped { text, form: Form::Quote }
    }

    /// A line that is shown for its own sake, as one of a file, or a message that quotes what is escaped already: tabs and
    /// backslashes stay.
    pub const fn line(text: &'a str) -> Self {
        Escaped { text, form: Form::Line }
    }

    /// A text to be quoted where white space matters: all but the space itself is escaped.
    pub(crate) const fn spaces(text: &'a str) -> Self {
        Escaped { text, form: Form::Spaces }
    }

    /// The characters one by one, each as it is shown.
    pub fn chars(&self) -> impl DoubleEndedIterator<Item = EscapedChar> + Clone + use<'a> {
        let Escaped { text, form } = *self;
        text.char_indices().map(move |(at, c)| EscapedChar::new(c, &text[at + c.len_utf8()..], form))
    }

    /// Whether the text is shown as it is.
    pub fn is_unchanged(&self) -> bool {
        self.chars().all(|c| matches!(c.shown, Shown::Plain))
    }
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.chars().try_for_each(|c| c.fmt(f))
    }
}

/// A character of an [`Escaped`] text. Prints as it is shown there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EscapedChar {
    c: char,
    shown: Shown,
}

impl EscapedChar {
    fn new(c: char, behind: &str, form: Form) -> Self {
        let shown = match c {
            '\\' if form != Form::Line && looks_like_escape(behind, form) => Shown::Behind('\\'),
            '\n' => Shown::Behind('n'),
            '\r' => Shown::Behind('r'),
            '\t' if form != Form::Line => Shown::Behind('t'),
            '\t' => Shown::Plain,
            c if is_escaped(c, form) => Shown::Number,
            _ => Shown::Plain,
        };
        EscapedChar { c, shown }
    }

    /// The character itself.
    pub fn as_char(&self) -> char {
        self.c
    }

    /// How many characters show it.
    pub fn width(&self) -> usize {
        match self.shown {
            Shown::Plain => 1,
            Shown::Behind(_) => 2,
            Shown::Number => self.c.escape_unicode().len(),
        }
    }
}

impl fmt::Display for EscapedChar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.shown {
            Shown::Plain => f.write_char(self.c),
            Shown::Behind(letter) => {
                f.write_char('\\')?;
                f.write_char(letter)
            }
            Shown::Number => self.c.escape_unicode().fmt(f),
        }
    }
}

/// What a text is escaped for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Form {
    Quote,
    Line,
    Spaces,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Shown {
    Plain,
    /// As this behind a backslash.
    Behind(char),
    /// As `\u{…}`.
    Number,
}

/// Whether a backslash in front of this text could be taken for the start of an escape.
fn looks_like_escape(behind: &str, form: Form) -> bool {
    behind.starts_with("u{") || behind.starts_with(|c| matches!(c, 'n' | 'r' | 't' | '\\') || is_escaped(c, form))
}

fn is_escaped(c: char, form: Form) -> bool {
    is_deceptive(c) || (form == Form::Spaces && c != ' ' && is_space(c))
}

/// Whether a character may act on a terminal, break a line, turn the direction of what is around it, or show as nothing.
pub(crate) fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{AD}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}'
        )
        || matches!(c, '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}')
        || matches!(c, '\u{FFF9}'..='\u{FFFB}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString as _};
    use alloc::vec::Vec;

    use super::*;

    /// Reads back what [`Escaped::new`] shows.
    fn unescaped(shown: &str) -> String {
        let mut text = String::new();
        let mut rest = shown;
        while let Some(c) = rest.chars().next() {
            let (c, len) = match rest.as_bytes() {
                [b'\\', b'\\', ..] => ('\\', 2),
                [b'\\', b'n', ..] => ('\n', 2),
                [b'\\', b'r', ..] => ('\r', 2),
                [b'\\', b't', ..] => ('\t', 2),
                [b'\\', b'u', b'{', ..] => {
                    let end = rest.find('}').expect("the end of a number");
                    let number = u32::from_str_radix(&rest[3..end], 16).expect("a number");
                    (char::from_u32(number).expect("a character"), end + 1)
                }
                _ => (c, c.len_utf8()),
            };
            text.push(c);
            rest = &rest[len..];
        }
        text
    }

    #[test]
    fn no_two_texts_look_the_same() {
        const PIECES: [&str; 13] = ["\\", "n", "r", "t", "u", "{", "1b}", "\n", "\r", "\t", "\u{1b}", "\u{202e}", "é "];
        for number in 0..PIECES.len().pow(4) {
            let pieces = (0..4).map(|place| PIECES[number / PIECES.len().pow(place) % PIECES.len()]);
            let text: String = pieces.collect();
            for escaped in [Escaped::new(&text), Escaped::spaces(&text)] {
                let shown = escaped.to_string();
                assert_eq!(unescaped(&shown), text, "{shown}");
                assert!(!shown.chars().any(is_deceptive), "{shown:?}");
                assert_eq!(escaped.chars().map(|c| c.width()).sum::<usize>(), shown.chars().count());
                assert_eq!(escaped.is_unchanged(), shown == text);
            }
        }
    }

    #[test]
    fn few_backslashes_are_doubled() {
        for (text, shown) in [
            (r"C:\dir\new", r"C:\dir\\new"),
            (r"\\server\share", r"\\\server\share"),
            (r"^\s+\w*\(\.\)$", r"^\s+\w*\(\.\)$"),
            (r"\users \u{7}", r"\users \\u{7}"),
            ("end\\", "end\\"),
            ("\\\u{7}", "\\\\\\u{7}"),
        ] {
            assert_eq!(Escaped::new(text).to_string(), shown);
            assert_eq!(Escaped::new(text).is_unchanged(), text == shown);
        }
    }

    #[test]
    fn what_is_part_of_words_and_emoji_stays() {
        for text in
            ["نمی\u{200c}خواهم", "👩\u{200d}🔬", "❤\u{fe0f}", "葛\u{e0100}", "a\u{301}", "\u{3000}日本語\u{a0}!"]
        {
            assert!(Escaped::new(text).is_unchanged(), "{text}");
            assert!(Escaped::line(text).is_unchanged(), "{text}");
        }
    }

    #[test]
    fn what_deceives_does_not() {
        let hostile = "\0\u{7}\u{1b}\u{7f}\u{85}\u{9b}\u{ad}\u{61c}\u{180e}\u{200b}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202e}\
            \u{2060}\u{2066}\u{206f}\u{3164}\u{feff}\u{fff9}\u{fffb}\u{e0001}\u{e0041}\u{e007f}";
        for form in [Escaped::new, Escaped::line, Escaped::spaces] {
            let shown: Vec<_> = form(hostile).chars().map(|c| c.to_string()).collect();
            assert!(shown.iter().all(|shown| shown.starts_with("\\u{") && shown.is_ascii()), "{shown:?}");
        }
    }

    #[test]
    fn a_line_keeps_its_tabs_and_backslashes() {
        assert_eq!(Escaped::line("\ta\\n\\\\\\u{7}\u{7}\r\n").to_string(), "\ta\\n\\\\\\u{7}\\u{7}\\r\\n");
    }

    #[test]
    fn white_space_shows_where_it_matters() {
        assert_eq!(Escaped::spaces("a\u{a0}\u{3000} \u{1c}\t").to_string(), r"a\u{a0}\u{3000} \u{1c}\t");
    }

    #[test]
    fn backwards_as_forwards() {
        let text = "\\\\n\n\\\u{1b}\\x";
        let forwards: Vec<_> = Escaped::new(text).chars().collect();
        let mut backwards: Vec<_> = Escaped::new(text).chars().rev().collect();
        backwards.reverse();
        assert_eq!(forwards, backwards);
    }
}
