//! Escapes untrusted text for models, messages and terminals: what breaks a line, hides, or acts on a terminal becomes visible.

use core::fmt::{self, Write as _};

use crate::whitespace::is_space;

/// A text on one line, with every character that could deceive its reader escaped.
///
/// [`is_deceptive`] says which characters these are. A newline, a carriage return and a tab become `\n`, `\r` and `\t`, every
/// other one `\u{1b}` with its code point. Joiners inside words and emoji, and one variation selector after a character, stay.
///
/// A backslash is doubled where it could be mistaken for the start of an escape: before `n`, `r`, `t`, `u{`, another backslash,
/// or an escaped character. So no two texts look the same, and most backslashes stay as they were written.
/// [`Escaped::line`] differs: it keeps tabs and backslashes.
///
/// ```
/// use tagwire::Escaped;
///
/// assert_eq!(Escaped::quoted("a\u{1b}[2J\nERROR: \u{202e}é").to_string(), r"a\u{1b}[2J\nERROR: \u{202e}é");
/// assert_eq!(Escaped::quoted(r"\d+ \new").to_string(), r"\d+ \\new");
/// assert_eq!(Escaped::line("\tprintf(\"\\n\");\r").to_string(), "\tprintf(\"\\n\");\\r");
/// ```
///
/// Takes linear time and allocates nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Escaped<'a> {
    text: &'a str,
    form: Form,
}

impl<'a> Escaped<'a> {
    /// Escapes a quotation: distinct texts stay distinct.
    pub const fn quoted(text: &'a str) -> Self {
        Escaped { text, form: Form::Quote }
    }

    /// Escapes a line that is shown for its own sake, such as a line of a file, or a message whose quotations are escaped
    /// already: tabs and backslashes stay.
    pub const fn line(text: &'a str) -> Self {
        Escaped { text, form: Form::Line }
    }

    /// Escapes a quotation in which white space matters: all of it but U+0020 is escaped.
    pub(crate) const fn spaces(text: &'a str) -> Self {
        Escaped { text, form: Form::Spaces }
    }

    /// Iterates over the characters of the text, each as it is shown.
    pub fn chars(&self) -> impl DoubleEndedIterator<Item = EscapedChar> + Clone + use<'a> {
        let Escaped { text, form } = *self;
        text.char_indices().map(move |(at, c)| EscapedChar::new(text, at, c, form))
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

/// A character of an [`Escaped`] text. Prints the way it is shown there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EscapedChar {
    c: char,
    shown: Shown,
}

impl EscapedChar {
    /// The character `c` at byte `at` of `text`.
    fn new(text: &str, at: usize, c: char, form: Form) -> Self {
        let shown = match c {
            ' '..='[' | ']'..='~' => Shown::Plain,
            '\\' if form != Form::Line && looks_like_escape(text, at, form) => Shown::Letter('\\'),
            '\n' => Shown::Letter('n'),
            '\r' => Shown::Letter('r'),
            '\t' if form != Form::Line => Shown::Letter('t'),
            '\t' => Shown::Plain,
            c if is_escaped(text, at, c, form) => Shown::Number,
            _ => Shown::Plain,
        };
        EscapedChar { c, shown }
    }

    /// The character itself.
    pub fn as_char(&self) -> char {
        self.c
    }

    /// The number of characters that show it.
    pub fn char_count(&self) -> usize {
        match self.shown {
            Shown::Plain => 1,
            Shown::Letter(_) => 2,
            Shown::Number => self.c.escape_unicode().len(),
        }
    }
}

impl fmt::Display for EscapedChar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.shown {
            Shown::Plain => f.write_char(self.c),
            Shown::Letter(letter) => {
                f.write_char('\\')?;
                f.write_char(letter)
            }
            Shown::Number => self.c.escape_unicode().fmt(f),
        }
    }
}

/// Whether the character `c`, between `before` and `after`, could deceive a reader: it breaks the line, acts on a terminal,
/// changes the direction of the text around it, or is invisible.
///
/// Such are control characters (ASCII, DEL and U+0080 to U+009F, so also tabs and newlines), line and paragraph separators,
/// marks of the direction of writing, the anchors of annotations, and every code point that Unicode calls default-ignorable.
/// Two exceptions are parts of words and emoji:
///
/// - a joiner, U+200C or U+200D, between two letters; U+200D also between two emoji;
/// - one variation selector after a base character, which is any visible one but a combining mark.
///
/// Whatever has a string notation of its own, such as JSON, escapes these characters in that notation; [`Escaped`] is for
/// plain text. `before` and `after` may be all the text on that side, or none at a boundary; constant time.
///
/// ```
/// use tagwire::is_deceptive;
///
/// assert!(is_deceptive("", '\u{202e}', "txt.exe"));
/// assert!(!is_deceptive("نمی", '\u{200c}', "خواهم"));
/// assert!(is_deceptive("rm ", '\u{200c}', "-rf"));
/// ```
pub fn is_deceptive(before: &str, c: char, after: &str) -> bool {
    match c {
        ' '..='~' => false,
        '\u{200C}' | '\u{200D}' => !joins(before, c, after),
        c if is_variation_selector(c) => !before.chars().next_back().is_some_and(is_base),
        c => is_always_deceptive(c),
    }
}

/// Whether the joiner `c` joins letters, or emoji.
fn joins(before: &str, c: char, after: &str) -> bool {
    let mut before = before.chars();
    let mut left = before.next_back();
    if left.is_some_and(is_variation_selector) {
        left = before.next_back();
    }
    let (Some(left), Some(right)) = (left, after.chars().next()) else { return false };
    (is_letter(left) && is_letter(right)) || (c == '\u{200D}' && is_emoji(left) && is_emoji(right))
}

/// Whether a word can go on after `c`: a letter, or the sign that takes a letter's vowel in the scripts of India, after which
/// joiners are most common.
fn is_letter(c: char) -> bool {
    c.is_alphabetic() && !is_always_deceptive(c)
        || matches!(
            c,
            '\u{94D}'
                | '\u{9CD}'
                | '\u{A4D}'
                | '\u{ACD}'
                | '\u{B4D}'
                | '\u{BCD}'
                | '\u{C4D}'
                | '\u{CCD}'
                | '\u{D4D}'
                | '\u{DCA}'
                | '\u{1039}'
                | '\u{103A}'
                | '\u{17D2}'
        )
}

/// Whether `c` is in the blocks of symbols that sequences of emoji are made of.
fn is_emoji(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{21FF}' | '\u{2300}'..='\u{23FF}' | '\u{2600}'..='\u{27BF}' | '\u{2B00}'..='\u{2BFF}')
        || matches!(c, '\u{1F000}'..='\u{1FAFF}')
}

/// Whether a variation selector can apply to `c`.
fn is_base(c: char) -> bool {
    let is_mark = matches!(c, '\u{300}'..='\u{36F}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}')
        || matches!(c, '\u{20D0}'..='\u{20FF}' | '\u{FE20}'..='\u{FE2F}');
    let is_invisible =
        is_space(c) || is_always_deceptive(c) || is_variation_selector(c) || matches!(c, '\u{200C}' | '\u{200D}');
    !is_mark && !is_invisible
}

/// The Mongolian ones, the standard ones, and their supplement.
fn is_variation_selector(c: char) -> bool {
    matches!(
        c,
        '\u{180B}'..='\u{180D}' | '\u{180F}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}'
    )
}

/// Whether `c` deceives wherever it stands; joiners and variation selectors do not.
fn is_always_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180E}'
        )
        || matches!(c, '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}')
        || matches!(c, '\u{3164}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}')
        || matches!(c, '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}')
        || matches!(c, '\u{E0000}'..='\u{E00FF}' | '\u{E01F0}'..='\u{E0FFF}')
}

/// The purpose that a text is escaped for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Form {
    Quote,
    Line,
    Spaces,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Shown {
    Plain,
    /// This letter after a backslash.
    Letter(char),
    /// `\u{…}`.
    Number,
}

/// Whether the backslash at byte `at` could be mistaken for the start of an escape.
fn looks_like_escape(text: &str, at: usize, form: Form) -> bool {
    let after = &text[at + 1..];
    let Some(c) = after.chars().next() else { return false };
    after.starts_with("u{") || matches!(c, 'n' | 'r' | 't' | '\\') || is_escaped(text, at + 1, c, form)
}

/// Whether the character `c` at byte `at` of `text` is escaped.
fn is_escaped(text: &str, at: usize, c: char, form: Form) -> bool {
    (form == Form::Spaces && c != ' ' && is_space(c)) || is_deceptive(&text[..at], c, &text[at + c.len_utf8()..])
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString as _};
    use alloc::vec::Vec;

    use super::*;

    /// Reverses [`Escaped::quoted`].
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
            let pieces = (0..4).map(|digit| PIECES[number / PIECES.len().pow(digit) % PIECES.len()]);
            let text: String = pieces.collect();
            for escaped in [Escaped::quoted(&text), Escaped::spaces(&text)] {
                let shown = escaped.to_string();
                assert_eq!(unescaped(&shown), text, "{shown}");
                assert!(Escaped::line(&shown).is_unchanged(), "{shown:?}");
                assert_eq!(escaped.chars().map(|c| c.char_count()).sum::<usize>(), shown.chars().count());
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
            assert_eq!(Escaped::quoted(text).to_string(), shown);
            assert_eq!(Escaped::quoted(text).is_unchanged(), text == shown);
        }
    }

    #[test]
    fn parts_of_words_and_emoji_stay() {
        const PARTS: [&str; 16] = [
            "نمی\u{200c}خواهم",
            "क्\u{200d}ष",
            "ශ්\u{200d}රී",
            "a\u{200d}b",
            "葛\u{e0100}\u{200d}飾",
            "👩\u{200d}🔬",
            "👩🏽\u{200d}🚀",
            "🏳\u{fe0f}\u{200d}🌈",
            "❤\u{fe0f}\u{200d}🔥",
            "❤\u{fe0f}",
            "1\u{fe0f}\u{20e3}",
            "ᠠ\u{180b}",
            "葛\u{e0100}",
            "≨\u{fe00}",
            "a\u{301}",
            "\u{3000}日本語\u{a0}!",
        ];
        for text in PARTS {
            assert!(Escaped::quoted(text).is_unchanged(), "{text}");
            assert!(Escaped::line(text).is_unchanged(), "{text}");
        }
    }

    #[test]
    fn a_joiner_elsewhere_is_escaped() {
        for text in [
            "\u{200d}",
            "\u{200d}a",
            "a\u{200d}",
            "1\u{200c}2",
            "a \u{200c}b",
            "a\u{200c}-",
            "a\u{200c}\u{200d}b",
            "a\u{200d}\u{fe0f}b",
            "👩\u{200c}🔬",
            "a\u{200d}🔬",
            "🔬\u{200d}a",
            "\n\u{200d}a",
            "a\u{200c}\n",
            "\u{3164}\u{200d}a",
            "a\u{200d}\u{115f}",
            "[\u{200d}]",
            "a\u{200b}\u{200d}b",
        ] {
            for escaped in [Escaped::quoted(text), Escaped::line(text), Escaped::spaces(text)] {
                assert!(!escaped.to_string().contains(['\u{200c}', '\u{200d}']), "{text:?}");
            }
        }
    }

    #[test]
    fn only_one_variation_selector_after_a_base_character_stays() {
        for (text, shown) in [
            ("\u{fe0f}", r"\u{fe0f}"),
            ("a\u{fe0f}\u{fe0f}", "a\u{fe0f}\\u{fe0f}"),
            ("😀\u{e0101}\u{e0102}\u{fe00}", "😀\u{e0101}\\u{e0102}\\u{fe00}"),
            (" \u{fe0f}", r" \u{fe0f}"),
            ("\u{a0}\u{fe01}", "\u{a0}\\u{fe01}"),
            ("\n\u{e01ef}", r"\n\u{e01ef}"),
            ("a\u{301}\u{fe0f}", "a\u{301}\\u{fe0f}"),
            ("a\u{200d}\u{fe0f}", r"a\u{200d}\u{fe0f}"),
            ("\u{1b}\u{180b}", r"\u{1b}\u{180b}"),
        ] {
            assert_eq!(Escaped::quoted(text).to_string(), shown);
        }
    }

    /// Default_Ignorable_Code_Point of Unicode 17, as DerivedCoreProperties.txt lists it: 4,174 code points.
    const DEFAULT_IGNORABLE: [(u32, u32); 17] = [
        (0xAD, 0xAD),
        (0x34F, 0x34F),
        (0x61C, 0x61C),
        (0x115F, 0x1160),
        (0x17B4, 0x17B5),
        (0x180B, 0x180F),
        (0x200B, 0x200F),
        (0x202A, 0x202E),
        (0x2060, 0x206F),
        (0x3164, 0x3164),
        (0xFE00, 0xFE0F),
        (0xFEFF, 0xFEFF),
        (0xFFA0, 0xFFA0),
        (0xFFF0, 0xFFF8),
        (0x1BCA0, 0x1BCA3),
        (0x1D173, 0x1D17A),
        (0xE0000, 0xE0FFF),
    ];

    #[test]
    fn every_default_ignorable_character_is_escaped_and_few_others() {
        let is_ignorable = |c: char| DEFAULT_IGNORABLE.iter().any(|&(first, last)| (first..=last).contains(&c.into()));
        assert_eq!(('\0'..=char::MAX).filter(|&c| is_ignorable(c)).count(), 4_174);
        for c in '\0'..=char::MAX {
            let is_expected =
                is_ignorable(c) || c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FFF9}'..='\u{FFFB}');
            // At a boundary no exception holds.
            assert_eq!(is_deceptive("", c, ""), is_expected, "U+{:04X}", u32::from(c));
            assert_eq!(is_deceptive(" ", c, " "), is_expected, "U+{:04X}", u32::from(c));
            let is_kept = matches!(c, '\u{200C}' | '\u{200D}') || is_variation_selector(c);
            assert_eq!(is_deceptive("a", c, "b"), is_expected && !is_kept, "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn what_deceives_is_escaped_in_every_form() {
        let hostile = "\0\u{7}\u{1b}\u{7f}\u{85}\u{9b}\u{ad}\u{61c}\u{180e}\u{200b}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202e}\
            \u{2060}\u{2066}\u{206f}\u{3164}\u{feff}\u{fff9}\u{fffb}\u{e0001}\u{e0041}\u{e007f}";
        for form in [Escaped::quoted, Escaped::line, Escaped::spaces] {
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
        let forwards: Vec<_> = Escaped::quoted(text).chars().collect();
        let mut backwards: Vec<_> = Escaped::quoted(text).chars().rev().collect();
        backwards.reverse();
        assert_eq!(forwards, backwards);
    }
}
