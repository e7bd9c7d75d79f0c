//! Adversarial replies: each shape takes a backtracking pattern, or a parser that searches for each close anew, quadratic time or
//! worse. All are read as a developer at work.

use tagwire::Policy;
use tagwire::workforce::{self, Mode, Role};

/// A shape of text of any length.
#[derive(Clone, Copy)]
pub struct Shape {
    pub name: &'static str,
    /// Whether many distinct names meet: a look-up takes the logarithm of their number.
    pub has_many_names: bool,
    text: fn(usize) -> String,
}

impl Shape {
    /// Returns about `size` bytes of it.
    pub fn text(&self, size: usize) -> String {
        (self.text)(size)
    }
}

pub fn policy() -> Policy<'static> {
    workforce::policy(Role::Developer, Mode::Work)
}

pub const SHAPES: [Shape; 36] = [
    plain("run of [", |n| "[".repeat(n)),
    plain("run of ]", |n| "]".repeat(n)),
    plain("pairs of [[ and a blank", |n| "[[ ".repeat(n / 3)),
    plain("tokens that meet the next", |n| "[[RUN cmd=\"x\" ".repeat(n / 14)),
    plain("tokens that end in one ]", |n| "[[RUN] ".repeat(n / 7)),
    plain("one token that never ends", |n| format!("[[RUN {}", "x".repeat(n - 6))),
    plain("one token of white space", |n| format!("[[{}]]", " ".repeat(n - 4))),
    plain("one token of wide white space", |n| format!("[[{}]]", "\u{3000}".repeat(n / 3))),
    plain("empty tokens", |n| "[[]]".repeat(n / 4)),
    plain("one long name", |n| format!("[[{}]]", "a".repeat(n - 4))),
    plain("unclosed tags", |n| "[[WRITE_FILE]]".repeat(n / 14)),
    plain("unclosed tags with attributes", |n| "[[WRITE_FILE path=\"a.py\"]]\nx = 1\n".repeat(n / 33)),
    plain("unclosed tags of all kinds", |n| "[[WRITE_FILE]][[EDIT_FILE]][[ASK_USER]][[WORK_REPORT]]".repeat(n / 54)),
    plain("unknown tags of one name", |n| "[[NOTE]]".repeat(n / 8)),
    names("unknown tags, each of its own name", |n| numbered(n, |i| format!("[[N{i}]]"))),
    plain("refused tags", |n| "[[ASSIGN employee=\"a\"]]".repeat(n / 23)),
    plain("stray closes", |n| "[[/RUN]]".repeat(n / 8)),
    plain("near closes in a body", |n| format!("[[WRITE_FILE]]{}", "[[/WRITE_FIL]]".repeat(n / 14))),
    plain("closes cut short in a body", |n| format!("[[WRITE_FILE]]{}", "[[/WRITE_FILE".repeat(n / 13))),
    plain("closes with white space that end in nothing", |n| format!("[[WRITE_FILE]]{}", "[[/    ".repeat(n / 7))),
    plain("one close of white space", |n| format!("[[WRITE_FILE]][[/{}", " ".repeat(n - 17))),
    plain("closes with wide white space", |n| {
        format!("[[ASK_USER]]{}", "[[/\u{3000}\u{3000}ASK_USER\u{3000}]".repeat(n / 21))
    }),
    plain("closes with folded letters", |n| {
        format!("[[ASK_USER]]{}", "[[/A\u{17f}\u{212a}_U\u{17f}ER]".repeat(n / 16))
    }),
    plain("run of [ in a body", |n| format!("[[WRITE_FILE]]{}", "[".repeat(n - 14))),
    names("closes of other names in a body", |n| format!("[[WRITE_FILE]]{}", numbered(n, |i| format!("[[/N{i}]]")))),
    names("names that are opened, then others closed", |n| {
        numbered(n / 2, |i| format!("[[N{i}]]")) + &numbered(n / 2, |i| format!("[[/M{i}]]"))
    }),
    names("names that are closed in the wrong order", |n| {
        numbered(n / 2, |i| format!("[[/N{i}]]")) + &numbered(n / 2, |i| format!("[[N{i}]]"))
    }),
    names("names that each close behind the next", |n| {
        numbered(n, |i| format!("[[N{i}]][[/N{}]]", i.saturating_sub(1)))
    }),
    names("long names that differ at their end", |n| {
        let long = "A".repeat(200);
        numbered(n / 2, |i| format!("[[{long}{i}]]")) + &numbered(n / 2, |i| format!("[[/{long}{i}x]]"))
    }),
    plain("tags in tags of one name", |n| "[[WRITE_FILE]]".repeat(n / 29) + &"[[/WRITE_FILE]]".repeat(n / 29)),
    names("attributes, each of its own key", |n| format!("[[RUN {}]]", numbered(n - 8, |i| format!("k{i}=\"v\" ")))),
    plain("attributes of one key", |n| format!("[[RUN {}]]", "k=\"v\" ".repeat(n / 6))),
    plain("keys without a value", |n| format!("[[RUN {}]]", "key  =  ".repeat(n / 8))),
    plain("one key without an end", |n| format!("[[RUN {}]]", "k".repeat(n - 8))),
    plain("quotes that open in quotes", |n| format!("[[RUN {}]]", "a='b\" ".repeat(n / 6))),
    plain("tags over their budget, malformed", |n| "[[RUN x]][[KNOWLEDGE y]]z[[/KNOWLEDGE]]".repeat(n / 38)),
];

pub(super) const fn plain(name: &'static str, text: fn(usize) -> String) -> Shape {
    Shape { name, has_many_names: false, text }
}

pub(super) const fn names(name: &'static str, text: fn(usize) -> String) -> Shape {
    Shape { name, has_many_names: true, text }
}

/// Numbered pieces, up to `size` bytes.
pub(super) fn numbered(size: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(size + 256);
    for i in 0.. {
        if text.len() >= size {
            break;
        }
        text.push_str(&piece(i));
    }
    text
}
