//! Replies built from tags, attributes, bodies, closes and budgets, in all roles and modes: well-formed parts are returned, and
//! mistakes are reported; for arbitrary pieces, the parser agrees with the twin.

use arbitrary::{Arbitrary, Unstructured};

use super::bounds;
use super::input::{Workforce, floor, pair_byte};
use super::seeds::{self, Seed};
use crate::library::{self, pairs};
use crate::support::generator::Rng;
use crate::support::twin::{Pairs, Twin, TwinProtocol, find_close, is_space};

const MOST_PIECES: usize = 24;
const LONGEST_TEXT: usize = 60;

pub fn run(data: &[u8]) {
    let Ok(reply) = Reply::arbitrary(&mut Unstructured::new(data)) else {
        return;
    };
    let pair = super::input::Input::new(&[reply.pair]).pair();
    let (twin, policy) = Workforce::shared().pair(pair, None);
    let mut writer = Writer::new(&twin);
    reply.pieces.iter().for_each(|piece| writer.piece(piece));
    let Writer { text, expected, mut is_plain, alone, .. } = writer;
    // An unknown tag meant to stay open was closed by chance.
    is_plain &= alone.iter().all(|(name, from)| find_close(&text, *from, name).is_none());

    let events = twin.events(&text);
    super::twin::assert_whole(&policy, &text, &events);
    let cuts = reply.cuts(&text);
    library::assert_pieces(&policy, &text, &cuts, &events);
    bounds::assert_whole(&policy, &text, 1);
    bounds::assert_stream(&policy, &text, &cuts, 1);
    if !is_plain {
        return;
    }
    let parsed = policy.parse(&text);
    let tags: Vec<Put> = parsed
        .tags()
        .iter()
        .map(|tag| Put {
            name: tag.name().to_owned(),
            attrs: pairs(*tag),
            body: tag.body().to_owned(),
            span: tag.span().range(),
        })
        .collect();
    assert_eq!(tags, expected.tags, "{text:?}");
    let lines: Vec<String> = parsed.errors().map(|line| line.to_string()).collect();
    assert_eq!(lines, [expected.errors, expected.budget_errors].concat(), "{text:?}");
    assert_eq!(parsed.prose(), expected.prose.trim_matches(is_space), "{text:?}");
    assert_eq!(parsed.tag_names().collect::<Vec<_>>(), expected.tags.iter().map(|tag| &*tag.name).collect::<Vec<_>>());
}

/// The tags and the prose of vectors, as pieces.
pub fn seeds() -> Vec<Seed> {
    seeds::of_vectors(4, |vector, rng| {
        let twin = TwinProtocol::workforce().twin(&vector.role, &vector.mode);
        let mut data = vec![pair_byte(&vector.role, &vector.mode), rng.below(40) as u8];
        let put_text = |data: &mut Vec<u8>, text: &str| {
            let text = &text[..floor(text, LONGEST_TEXT)];
            data.push(text.len() as u8);
            data.extend_from_slice(text.as_bytes());
        };
        for tag in &vector.tags {
            let number = twin.granted.iter().position(|name| *name == tag.name).unwrap_or(0);
            data.extend([1, number as u8, rng.below(256) as u8, tag.attrs.len() as u8]);
            for (number, (_, value)) in (0..).zip(&tag.attrs) {
                data.extend([number, rng.below(256) as u8]);
                put_text(&mut data, value);
            }
            put_text(&mut data, &tag.body);
        }
        data.push(0);
        put_text(&mut data, &vector.prose);
        for _ in 0..vector.errors.len() {
            data.push(2 + rng.below(4) as u8);
            data.extend((0..4).map(|_| rng.below(256) as u8));
            put_text(&mut data, "x");
        }
        data.extend([6, rng.below(256) as u8, rng.below(6) as u8, rng.below(256) as u8]);
        data.push(7);
        put_text(&mut data, &vector.text);
        data
    })
}

/// A reply as a list of choices.
struct Reply {
    pair: u8,
    /// The length of its chunks.
    chunk: u8,
    pieces: Vec<Piece>,
}

impl Reply {
    fn cuts(&self, text: &str) -> Vec<usize> {
        match usize::from(self.chunk) {
            0 => Vec::new(),
            length => (1..).map(|n| n * length).take_while(|&at| at < text.len()).map(|at| floor(text, at)).collect(),
        }
    }
}

impl<'a> Arbitrary<'a> for Reply {
    fn arbitrary(data: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let (pair, chunk) = (data.arbitrary()?, data.arbitrary()?);
        let mut pieces = Vec::new();
        while !data.is_empty() && pieces.len() < MOST_PIECES {
            pieces.push(data.arbitrary()?);
        }
        Ok(Reply { pair, chunk, pieces })
    }
}

/// A piece of a reply.
enum Piece {
    Prose(Text),
    /// A granted tag, complete.
    Tag {
        number: u8,
        style: u8,
        attrs: Vec<Attr>,
        body: Text,
    },
    /// A tag that is not granted.
    Refused {
        number: u8,
        style: u8,
        body: Text,
    },
    /// An unknown tag.
    Unknown {
        style: u8,
        body: Text,
    },
    Stray(Text),
    /// A granted tag with text after its attributes.
    Malformed {
        number: u8,
        junk: u8,
        attrs: Vec<Attr>,
        body: Text,
    },
    /// A tag with a budget, repeated.
    Again {
        number: u8,
        count: u8,
        style: u8,
    },
    /// Arbitrary text.
    Raw(Text),
}

impl<'a> Arbitrary<'a> for Piece {
    fn arbitrary(data: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let kind: u8 = data.arbitrary()?;
        Ok(match kind % 8 {
            0 => Piece::Prose(data.arbitrary()?),
            1 => Piece::Tag {
                number: data.arbitrary()?,
                style: data.arbitrary()?,
                attrs: attrs(data)?,
                body: data.arbitrary()?,
            },
            2 => Piece::Refused { number: data.arbitrary()?, style: data.arbitrary()?, body: data.arbitrary()? },
            3 => Piece::Unknown { style: data.arbitrary()?, body: data.arbitrary()? },
            4 => Piece::Stray(data.arbitrary()?),
            5 => Piece::Malformed {
                number: data.arbitrary()?,
                junk: data.arbitrary()?,
                attrs: attrs(data)?,
                body: data.arbitrary()?,
            },
            6 => Piece::Again { number: data.arbitrary()?, count: data.arbitrary()?, style: data.arbitrary()? },
            _ => Piece::Raw(data.arbitrary()?),
        })
    }
}

/// An attribute: its key, its quoting and its value.
struct Attr {
    key: u8,
    style: u8,
    value: Text,
}

fn attrs(data: &mut Unstructured<'_>) -> arbitrary::Result<Vec<Attr>> {
    let count: u8 = data.arbitrary()?;
    let attr = |_| Ok(Attr { key: data.arbitrary()?, style: data.arbitrary()?, value: data.arbitrary()? });
    (0..count % 16).map(attr).collect()
}

/// A text preceded by its length.
struct Text(String);

impl<'a> Arbitrary<'a> for Text {
    fn arbitrary(data: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let length = usize::from(data.arbitrary::<u8>()?) % (LONGEST_TEXT + 1);
        let bytes = data.bytes(length.min(data.len()))?;
        Ok(Text(String::from_utf8_lossy(bytes).into_owned()))
    }
}

/// An expected tag.
#[derive(Debug, PartialEq, Eq)]
struct Put {
    name: String,
    attrs: Pairs,
    body: String,
    span: std::ops::Range<usize>,
}

#[derive(Default)]
struct Expected {
    tags: Vec<Put>,
    errors: Vec<String>,
    budget_errors: Vec<String>,
    prose: String,
}

/// Writes pieces and the expected result.
struct Writer<'t> {
    twin: &'t Twin,
    text: String,
    expected: Expected,
    /// Whether the whole result is known.
    is_plain: bool,
    /// Unknown tags without a close, and their ends.
    alone: Vec<(String, usize)>,
    used: Vec<String>,
}

impl<'t> Writer<'t> {
    fn new(twin: &'t Twin) -> Self {
        let expected = Expected::default();
        Self { twin, text: String::new(), expected, is_plain: true, alone: Vec::new(), used: Vec::new() }
    }

    fn piece(&mut self, piece: &Piece) {
        match piece {
            Piece::Prose(Text(prose)) => {
                let prose = prose.replace('[', "(");
                self.text.push_str(&prose);
                self.expected.prose.push_str(&prose);
            }
            Piece::Tag { number, style, attrs, body } => self.tag(*number, *style, attrs, "", body),
            Piece::Malformed { number, junk, attrs, body } => {
                self.tag(*number, *junk & 0x5A, attrs, JUNK[usize::from(*junk) % JUNK.len()], body);
            }
            Piece::Refused { number, style, body } => {
                let tags = &self.twin.protocol.tags;
                let refused: Vec<&str> = tags.iter().map(|tag| &*tag.name).filter(|name| !self.grants(name)).collect();
                let Some(&name) = refused.get(usize::from(*number) % refused.len().max(1)) else {
                    return;
                };
                self.turned(name, *style | 2, body);
                let Twin { role, mode, .. } = self.twin;
                let line = format!("ERROR: tag [[{name}]] is not allowed for role={role} mode={mode}");
                self.expected.errors.push(line);
            }
            Piece::Unknown { style, body } => {
                let name = format!("SKI{}", self.alone.len() + self.expected.errors.len());
                self.turned(&name, *style, body);
                self.expected.errors.push(format!("ERROR: unknown tag [[{name}]] ignored"));
            }
            Piece::Stray(Text(inner)) => {
                let inner = inner.replace(['[', ']'], "");
                self.text.push_str(&format!("[[/{inner}]]"));
                let inner = format!("/{inner}");
                let inner = inner.trim_end_matches(is_space);
                self.expected.errors.push(format!("ERROR: stray closing tag [[{inner}]] ignored"));
            }
            Piece::Again { number, count, style } => {
                let tags = &self.twin.protocol.tags;
                let has_budget = |name: &str| tags.iter().any(|tag| tag.name == name && tag.budget.is_some());
                let granted = self.twin.granted.iter().enumerate();
                let numbers: Vec<usize> = granted.filter(|(_, name)| has_budget(name)).map(|(i, _)| i).collect();
                for _ in 0..count % 6 {
                    if let Some(&number) = numbers.get(usize::from(*number) % numbers.len().max(1)) {
                        self.tag(number as u8, *style, &[], "", &Text(String::new()));
                    }
                }
            }
            Piece::Raw(Text(raw)) => {
                self.text.push_str(raw);
                self.is_plain = false;
            }
        }
    }

    fn grants(&self, name: &str) -> bool {
        self.twin.granted.iter().any(|granted| granted == name)
    }

    /// A granted tag: its token with text after the attributes, its body, its close.
    fn tag(&mut self, number: u8, style: u8, attrs: &[Attr], junk: &str, body: &Text) {
        let granted = &self.twin.granted;
        let Some(name) = granted.get(usize::from(number) % granted.len().max(1)).cloned() else {
            return;
        };
        let spec = self.twin.protocol.tags.iter().find(|tag| tag.name == name).expect("granted tags are known");
        let (has_body, budget) = (spec.has_body, spec.budget.clone());
        let start = self.text.len();
        self.text.push_str("[[");
        self.space(style);
        self.name(&name, style);
        let attrs = self.attrs(attrs);
        if !junk.is_empty() {
            self.text.extend([" ", junk]);
            let line = format!("ERROR: malformed attribute fragment '{junk}' (expected key=\"value\")");
            self.expected.errors.push(line);
        }
        let closes_itself = style & 2 == 2;
        self.end_of_token(closes_itself, style);
        let body = if has_body && !closes_itself { self.body(body, &name, style) } else { String::new() };
        let span = start..self.text.len();
        if let Some(budget) = budget {
            let used = self.used.iter().filter(|used| **used == budget).count();
            self.used.push(budget);
            if used >= 3 {
                let line = format!("ERROR: too many [[{name}]] in one reply (max 3); the extra was ignored");
                self.expected.budget_errors.push(line);
                return;
            }
        }
        self.expected.tags.push(Put { name, attrs, body, span });
    }

    /// An unknown or refused tag: with a close, self-closing, or alone where allowed.
    fn turned(&mut self, name: &str, style: u8, body: &Text) {
        self.text.push_str("[[");
        self.space(style);
        self.name(name, style);
        self.text.push_str([" ", " a=\"b\"", " ? "][usize::from(style >> 3) % 3]);
        let closes_itself = style & 4 == 4;
        self.end_of_token(closes_itself, style);
        match style & 2 {
            _ if closes_itself => {}
            0 => self.alone.push((name.to_owned(), self.text.len())),
            _ => drop(self.body(body, name, style)),
        }
    }

    fn end_of_token(&mut self, closes_itself: bool, style: u8) {
        self.space(style >> 1);
        if closes_itself {
            self.text.push('/');
            self.space(style >> 2);
        }
        self.text.push_str("]]");
    }

    /// A body without a close of the tag, and the close.
    fn body(&mut self, Text(body): &Text, name: &str, style: u8) -> String {
        let whole = format!("{body}[[/{name}]]");
        let is_first = find_close(&whole, 0, name).is_some_and(|close| close.start == body.len());
        let body = if is_first { body.clone() } else { body.replace("[[/", "[ [/") };
        self.text.push_str(&body);
        self.text.push_str("[[/");
        self.space(style >> 3);
        let folds = style & 0x40 != 0;
        for c in name.chars() {
            self.text.push(match c {
                'S' if folds => 'ſ',
                'K' if folds => '\u{212a}',
                'I' if folds => ['İ', 'ı'][usize::from(style >> 5) % 2],
                c if style & 1 == 1 => c.to_ascii_lowercase(),
                c => c,
            });
        }
        self.space(style >> 4);
        self.text.push_str("]]");
        body
    }

    fn name(&mut self, name: &str, style: u8) {
        if style & 0x21 == 0x21 {
            self.text.push_str(&name.to_ascii_lowercase());
        } else {
            self.text.push_str(name);
        }
    }

    fn space(&mut self, style: u8) {
        self.text.push_str(["", "", "", "", " ", "\n", "\u{1c}", "\u{3000} "][usize::from(style) % 8]);
    }

    /// Attributes: each key in the position of its first occurrence, with the value of its last.
    fn attrs(&mut self, attrs: &[Attr]) -> Pairs {
        let mut pairs = Pairs::new();
        for (number, Attr { key, style, value }) in attrs.iter().enumerate() {
            let key = KEYS[usize::from(*key) % KEYS.len()];
            let quote = ['"', '\''][usize::from(style & 1)];
            let value = value.0.replace(['[', ']', quote], "");
            // No space is needed after a quote.
            if number == 0 || style & 2 == 0 {
                self.text.push(' ');
            }
            self.text.push_str(key);
            self.space(style >> 2);
            self.text.push('=');
            self.space(style >> 4);
            self.text.push(quote);
            self.text.push_str(&value);
            self.text.push(quote);
            match pairs.iter_mut().find(|(known, _)| known == key) {
                Some((_, known)) => *known = value,
                None => pairs.push((key.to_owned(), value)),
            }
        }
        pairs
    }
}

const KEYS: [&str; 20] = [
    "path",
    "cmd",
    "a",
    "A",
    "b",
    "_",
    "a1",
    "aa",
    "title",
    "name",
    "k0",
    "k1",
    "k2",
    "k3",
    "k4",
    "k5",
    "k6",
    "k7",
    "k8",
    "employee_id",
];

/// Text that is no attribute, does not turn the text before it into one, and adds no slash.
const JUNK: [&str; 9] = ["?", "please", "a=", "=", "a=b", "1", "\"", "'x", "é b"];

/// A random reply.
pub fn random(rng: &mut Rng) -> Vec<u8> {
    let mut data = vec![rng.below(12) as u8, rng.below(20) as u8];
    for _ in 0..rng.between(1, 12) {
        data.push(rng.below(8) as u8);
        data.extend(
            (0..rng.between(2, 30)).map(|_| if rng.percent(60) { rng.below(16) } else { rng.below(256) } as u8),
        );
    }
    data
}
