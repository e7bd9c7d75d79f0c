//! The kinds of bodies, section 6 of the dialect: what is wrong with a body, and what it holds.
//!
//! Offsets are in bytes from the start of the body.

use alloc::borrow::Cow;
use alloc::string::String;

use crate::charset::{is_blank, is_space, is_word_byte};
use crate::diagnostic::raw::BodyFault;
use crate::protocol::TagSpec;
use crate::storage::List;

/// The first fault of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) reason: BodyFault,
}

const fn fault<T>(at: usize, reason: BodyFault) -> Result<T, Fault> {
    Err(Fault { at, reason })
}

/// Checks that `body` is one JSON value. Linear; allocates nothing.
pub(crate) fn check_json(body: &[u8]) -> Result<(), Fault> {
    count_work!(body.len());
    let mut json = Json { body, at: 0 };
    // One bit for each open bracket, 1 for a `{`.
    let (mut stack, mut depth): (u128, u32) = (0, 0);
    let mut wanted = Wanted::Value;
    loop {
        json.skip_space();
        let byte = json.byte();
        let is_object = stack & 1 == 1;
        match (byte, wanted) {
            (None, Wanted::End) => return Ok(()),
            (Some(open @ (b'[' | b'{')), Wanted::Value | Wanted::ValueOrClose) => {
                if depth == MAX_DEPTH {
                    return fault(json.at, BodyFault::TooDeep);
                }
                stack = stack << 1 | u128::from(open == b'{');
                depth += 1;
                json.at += 1;
                wanted = if open == b'{' { Wanted::KeyOrClose } else { Wanted::ValueOrClose };
            }
            (Some(close), Wanted::More | Wanted::ValueOrClose | Wanted::KeyOrClose)
                if depth > 0 && close == if is_object { b'}' } else { b']' } =>
            {
                stack >>= 1;
                depth -= 1;
                json.at += 1;
                wanted = if depth > 0 { Wanted::More } else { Wanted::End };
            }
            (_, Wanted::Value | Wanted::ValueOrClose) => {
                json.scalar()?;
                wanted = if depth > 0 { Wanted::More } else { Wanted::End };
            }
            (Some(b'"'), Wanted::Key | Wanted::KeyOrClose) => {
                json.string()?;
                json.skip_space();
                json.expect(b':')?;
                wanted = Wanted::Value;
            }
            (Some(b','), Wanted::More) => {
                json.at += 1;
                wanted = if is_object { Wanted::Key } else { Wanted::Value };
            }
            _ => return json.wrong(),
        }
    }
}

/// The deepest nesting of a JSON body.
const MAX_DEPTH: u32 = 128;

#[derive(Clone, Copy)]
enum Wanted {
    Value,
    ValueOrClose,
    Key,
    KeyOrClose,
    /// A comma or a close.
    More,
    End,
}

struct Json<'b> {
    body: &'b [u8],
    at: usize,
}

impl Json<'_> {
    fn byte(&self) -> Option<u8> {
        self.body.get(self.at).copied()
    }

    fn wrong<T>(&self) -> Result<T, Fault> {
        fault(self.at, BodyFault::NotJson)
    }

    fn skip_space(&mut self) {
        while self.byte().is_some_and(is_space) {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), Fault> {
        if self.byte() != Some(byte) {
            return self.wrong();
        }
        self.at += 1;
        Ok(())
    }

    fn scalar(&mut self) -> Result<(), Fault> {
        match self.byte() {
            Some(b'"') => self.string(),
            Some(b't') => self.word(b"true"),
            Some(b'f') => self.word(b"false"),
            Some(b'n') => self.word(b"null"),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Fault> {
        word.iter().try_for_each(|&byte| self.expect(byte))
    }

    fn string(&mut self) -> Result<(), Fault> {
        self.at += 1;
        loop {
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    self.at += 1;
                    match self.byte() {
                        Some(b'u') => {
                            for _ in 0..4 {
                                self.at += 1;
                                if !self.byte().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                                    return self.wrong();
                                }
                            }
                        }
                        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {}
                        _ => return self.wrong(),
                    }
                    self.at += 1;
                }
                Some(b' '..) => self.at += 1,
                _ => return self.wrong(),
            }
        }
    }

    fn number(&mut self) -> Result<(), Fault> {
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        match self.byte() {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.byte(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.byte(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    /// At least one digit.
    fn digits(&mut self) -> Result<(), Fault> {
        let start = self.at;
        while self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { self.wrong() } else { Ok(()) }
    }
}

/// Checks that `body` is edit blocks. Linear; allocates nothing.
pub(crate) fn check_edits(body: &str) -> Result<(), Fault> {
    count_work!(body.len());
    let (mut state, mut blocks, mut is_blank_old) = (Part::Outside, 0, true);
    for Line { start, text, marker, .. } in lines(body) {
        match (marker, state) {
            (Some(Marker::Old), Part::Outside) => (state, is_blank_old) = (Part::Old, true),
            (Some(Marker::Divider), Part::Old) if is_blank_old => return fault(start, BodyFault::BlankOld),
            (Some(Marker::Divider), Part::Old) => state = Part::New,
            (Some(Marker::End), Part::New) => {
                state = Part::Outside;
                blocks += 1;
            }
            (Some(_), _) => return fault(start, BodyFault::Order),
            (None, Part::Outside) => {
                if let Some(at) = text.bytes().position(|byte| !is_space(byte)) {
                    return fault(start + at, BodyFault::Outside);
                }
            }
            (None, Part::Old) => is_blank_old &= text.bytes().all(is_space),
            (None, Part::New) => {}
        }
    }
    match state {
        Part::Outside if blocks > 0 => Ok(()),
        Part::Outside => fault(body.len(), BodyFault::NoBlock),
        Part::Old | Part::New => fault(body.len(), BodyFault::NoEnd),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Outside,
    Old,
    New,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marker {
    Old,
    Divider,
    End,
}

const MARKERS: [(&str, Marker); 3] = [("<<<OLD", Marker::Old), ("===", Marker::Divider), ("NEW>>>", Marker::End)];

/// A line of a body of edits.
struct Line<'b> {
    start: usize,
    /// With its line break.
    text: &'b str,
    marker: Option<Marker>,
    /// It begins with backslashes and then is a marker.
    is_escaped: bool,
}

fn lines(body: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    body.split_inclusive('\n').map(move |text| {
        let line = Line::read(start, text);
        start += text.len();
        line
    })
}

impl<'b> Line<'b> {
    fn read(start: usize, text: &'b str) -> Self {
        let bare = match text.strip_suffix('\n') {
            Some(line) => line.strip_suffix('\r').unwrap_or(line),
            None => text,
        };
        let bare = bare.trim_end_matches([' ', '\t']);
        let unescaped = bare.trim_start_matches('\\');
        let marker = MARKERS.into_iter().find(|(name, _)| *name == unescaped).map(|(_, marker)| marker);
        let is_escaped = unescaped.len() < bare.len();
        Line { start, text, marker: marker.filter(|_| !is_escaped), is_escaped: marker.is_some() && is_escaped }
    }
}

/// The OLD and NEW texts of a checked body.
pub(crate) fn edits(body: &str) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
    let mut lines = lines(body);
    core::iter::from_fn(move || {
        lines.find(|line| line.marker == Some(Marker::Old))?;
        let old = part(body, &mut lines, Marker::Divider);
        let new = part(body, &mut lines, Marker::End);
        Some((old, new))
    })
}

/// The lines up to a marker.
fn part<'b>(body: &'b str, lines: &mut impl Iterator<Item = Line<'b>>, end: Marker) -> Cow<'b, str> {
    let mut part: Option<(usize, Cow<'b, str>)> = None;
    for line in lines.take_while(|line| line.marker != Some(end)) {
        let (start, text) = part.take().unwrap_or((line.start, Cow::Borrowed("")));
        let text = match text {
            Cow::Borrowed(_) if !line.is_escaped => Cow::Borrowed(&body[start..line.start + line.text.len()]),
            text => {
                let mut owned = text.into_owned();
                owned.push_str(if line.is_escaped { &line.text[1..] } else { line.text });
                Cow::Owned(owned)
            }
        };
        part = Some((start, text));
    }
    part.map_or(Cow::Borrowed(""), |(_, text)| text)
}

/// Checks that `body` is the declared sections. Linear in its length times the number of sections.
pub(crate) fn check_sections(body: &str, tag: &TagSpec<'_>, seen: &mut impl List<u8>) -> Result<(), Fault> {
    count_work!(body.len());
    seen.clear();
    tag.section_specs().for_each(|_| seen.push(0));
    let outside = |from: usize, to: usize| match body[from..to].bytes().position(|byte| !is_space(byte)) {
        Some(at) => fault(from + at, BodyFault::Outside),
        None => Ok(()),
    };
    let (mut open, mut end) = (None, 0);
    for mark in section_marks(body, SectionNames::Declared(*tag)) {
        if open.is_none() {
            outside(end, mark.start)?;
        }
        if mark.is_close {
            if open != Some(mark.section) {
                return fault(mark.start, BodyFault::Order);
            }
            open = None;
        } else {
            if seen[mark.section] != 0 && !tag.section(mark.section).may_repeat() {
                return fault(mark.start, BodyFault::Repeated);
            }
            seen[mark.section] = 1;
            open = Some(mark.section);
        }
        end = mark.end;
    }
    if open.is_none() {
        outside(end, body.len())?;
    }
    let is_missing = tag.section_specs().zip(seen.iter()).any(|(spec, &seen)| spec.is_required() && seen == 0);
    if is_missing { fault(body.len(), BodyFault::Missing) } else { Ok(()) }
}

/// The names of the sections of a tag, as they are declared.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SectionNames<'a> {
    Declared(TagSpec<'a>),
    Copied(&'a [String]),
}

impl<'a> SectionNames<'a> {
    /// The position of `name`, in any ASCII case.
    fn find(&self, name: &[u8]) -> Option<usize> {
        match self {
            SectionNames::Declared(tag) => tag.find_section(name),
            SectionNames::Copied(names) => names.iter().position(|other| other.as_bytes().eq_ignore_ascii_case(name)),
        }
    }

    fn name(&self, i: usize) -> &'a str {
        match *self {
            SectionNames::Declared(tag) => tag.section(i).name(),
            SectionNames::Copied(names) => &names[i],
        }
    }
}

/// An opening or a close of a section.
#[derive(Clone, Copy, Debug)]
struct SectionMark {
    start: usize,
    end: usize,
    section: usize,
    is_close: bool,
}

fn section_marks<'a>(body: &'a str, names: SectionNames<'a>) -> impl Iterator<Item = SectionMark> + use<'a> {
    let mut at = 0;
    core::iter::from_fn(move || {
        while let Some(found) = memchr::memchr(b'[', &body.as_bytes()[at..]) {
            let start = at + found;
            at = start + 1;
            if let Some(mark) = section_mark(body.as_bytes(), start, &names) {
                at = mark.end;
                return Some(mark);
            }
        }
        None
    })
}

fn section_mark(body: &[u8], start: usize, names: &SectionNames<'_>) -> Option<SectionMark> {
    let skip = |mut at: usize| {
        while body.get(at).is_some_and(|&byte| is_blank(byte)) {
            at += 1;
        }
        at
    };
    let rest = body[start..].strip_prefix(b"[[")?;
    let mut at = skip(body.len() - rest.len());
    let is_close = body.get(at) == Some(&b'/');
    if is_close {
        at = skip(at + 1);
    }
    let len = body[at..].iter().take_while(|&&byte| is_word_byte(byte)).count();
    let end = skip(at + len);
    if !body[end..].starts_with(b"]]") {
        return None;
    }
    let name = &body[at..at + len];
    let section = names.find(name)?;
    Some(SectionMark { start, end: end + 2, section, is_close })
}

/// The names and texts of the sections of a checked body.
pub(crate) fn sections<'a>(
    body: &'a str,
    names: SectionNames<'a>,
) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
    let mut marks = section_marks(body, names).peekable();
    core::iter::from_fn(move || {
        let mark = marks.by_ref().find(|mark| !mark.is_close)?;
        let end = marks.peek().map_or(body.len(), |next| next.start);
        Some((names.name(mark.section), without_line_break(&body[mark.end..end])))
    })
}

/// `text` without one line break at its start.
pub(crate) fn without_line_break(text: &str) -> &str {
    text.strip_prefix('\n').or_else(|| text.strip_prefix("\r\n")).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn edits_are_borrowed_where_no_marker_is_escaped() {
        let body = "\n<<<OLD\na\n===\nNEW>>>\n<<<OLD\nx\n\\===\n===\n\\\\NEW>>>\nNEW>>>";
        assert_eq!(check_edits(body), Ok(()));
        let edits: Vec<_> = edits(body).collect();
        assert_eq!(edits, [("a\n".into(), "".into()), ("x\n===\n".into(), "\\NEW>>>\n".into())]);
        assert!(matches!(edits[0], (Cow::Borrowed(_), Cow::Borrowed(_))));
        assert!(matches!(edits[1], (Cow::Owned(_), Cow::Owned(_))));
    }

    #[test]
    fn the_json_check_agrees_with_serde_json() {
        let values = [
            "1",
            "-0.5e+3",
            "01",
            "-",
            "1.",
            "[]",
            "[1,]",
            "[,]",
            "{}",
            "{\"a\":1}",
            "{\"a\":1,}",
            "{\"a\"}",
            "{1:2}",
            "tru",
            "true",
            "nul",
            "\"\\u00e9\"",
            "\"\\x\"",
            "\"a\tb\"",
            "\"\\ud83d\\ude00\"",
            " [ 1 , 2 ] ",
            "",
            " ",
            "1 2",
            "]",
            "[1}",
            "{\"a\":[}]",
        ];
        for value in values {
            assert_eq!(
                check_json(value.as_bytes()).is_ok(),
                serde_json::from_str::<serde_json::Value>(value).is_ok(),
                "{value}"
            );
        }
    }

    #[test]
    fn a_json_fault_is_the_first_character_that_cannot_be() {
        let cases = [
            ("{\"a\": 1,}", 8),
            ("[1 2]", 3),
            ("tru", 3),
            ("nul1", 3),
            ("01", 1),
            ("-", 1),
            ("1.5e", 4),
            ("\"\\u12G4\"", 5),
            ("{} {}", 3),
        ];
        for (body, at) in cases {
            assert_eq!(check_json(body.as_bytes()), fault(at, BodyFault::NotJson), "{body}");
        }
        let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert_eq!(check_json(deep(128).as_bytes()), Ok(()));
        assert_eq!(check_json(deep(129).as_bytes()), fault(128, BodyFault::TooDeep));
    }
}
