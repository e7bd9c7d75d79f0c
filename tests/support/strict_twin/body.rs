//! Section 6: what the kinds of bodies hold, and their faults.

use super::close::after_slash;
use super::protocol::Section;
use super::words::{after_blanks, is_blank, is_blank_text, is_space, without_line_break};

/// A reason, and the position of the character, in bytes of the body.
pub type BodyFault = (&'static str, usize);

/// JSON by RFC 8259, as a walk that stops at the first character which cannot go on.
pub fn json(body: &str) -> Result<(), BodyFault> {
    let mut walk = Json { bytes: body.as_bytes(), at: 0, depth: 0 };
    walk.space();
    walk.value()?;
    walk.space();
    if walk.at == body.len() { Ok(()) } else { walk.fault() }
}

const DEEPEST: usize = 128;

struct Json<'b> {
    bytes: &'b [u8],
    at: usize,
    depth: usize,
}

impl Json<'_> {
    fn fault<T>(&self) -> Result<T, BodyFault> {
        Err(("not-json", self.at))
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while self.peek().is_some_and(|byte| is_space(byte.into())) {
            self.at += 1;
        }
    }

    fn expect(&mut self, fits: impl Fn(u8) -> bool) -> Result<u8, BodyFault> {
        match self.peek() {
            Some(byte) if fits(byte) => {
                self.at += 1;
                Ok(byte)
            }
            _ => self.fault(),
        }
    }

    fn value(&mut self) -> Result<(), BodyFault> {
        match self.peek() {
            Some(b'[' | b'{') => self.list(),
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.literal("true"),
            Some(b'f') => self.literal("false"),
            Some(b'n') => self.literal("null"),
            _ => self.fault(),
        }
    }

    /// An array or an object.
    fn list(&mut self) -> Result<(), BodyFault> {
        if self.depth == DEEPEST {
            return Err(("too-deep", self.at));
        }
        self.depth += 1;
        let is_object = self.expect(|_| true)? == b'{';
        let end = if is_object { b'}' } else { b']' };
        self.space();
        if self.peek() != Some(end) {
            loop {
                self.space();
                if is_object {
                    self.string()?;
                    self.space();
                    self.expect(|byte| byte == b':')?;
                    self.space();
                }
                self.value()?;
                self.space();
                if self.peek() != Some(b',') {
                    break;
                }
                self.at += 1;
            }
        }
        self.depth -= 1;
        self.expect(|byte| byte == end).map(drop)
    }

    fn string(&mut self) -> Result<(), BodyFault> {
        self.expect(|byte| byte == b'"')?;
        loop {
            match self.expect(|byte| byte >= b' ')? {
                b'"' => return Ok(()),
                b'\\' if self.expect(|byte| b"\"\\/bfnrtu".contains(&byte))? == b'u' => {
                    for _ in 0..4 {
                        self.expect(|byte| byte.is_ascii_hexdigit())?;
                    }
                }
                _ => {}
            }
        }
    }

    fn number(&mut self) -> Result<(), BodyFault> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.expect(|byte| byte.is_ascii_digit())? != b'0' {
            self.digits();
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.expect(|byte| byte.is_ascii_digit())?;
            self.digits();
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.expect(|byte| byte.is_ascii_digit())?;
            self.digits();
        }
        Ok(())
    }

    fn digits(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
    }

    fn literal(&mut self, literal: &str) -> Result<(), BodyFault> {
        literal.bytes().try_for_each(|expected| self.expect(|byte| byte == expected).map(drop))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Marker {
    Old,
    Divider,
    New,
}

/// Edit blocks: pairs of OLD and NEW.
pub fn edits(body: &str) -> Result<Vec<(String, String)>, BodyFault> {
    let mut blocks: Vec<(String, String)> = Vec::new();
    // The marker that came last; the one that closes, outside of blocks.
    let mut within = Marker::New;
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        match (within, marker(line)) {
            (Marker::New, Some(Marker::Old)) => {
                blocks.push((String::new(), String::new()));
                within = Marker::Old;
            }
            (Marker::Old, Some(Marker::Divider)) => {
                if blocks.last().is_some_and(|(old, _)| is_blank_text(old)) {
                    return Err(("blank-old", at));
                }
                within = Marker::Divider;
            }
            (Marker::Divider, Some(Marker::New)) => within = Marker::New,
            (_, Some(_)) => return Err(("order", at)),
            (Marker::New, None) => {
                if let Some(first) = line.find(|c| !is_space(c)) {
                    return Err(("outside", at + first));
                }
            }
            (_, None) => {
                let (old, new) = blocks.last_mut().expect("an open block");
                let side = if within == Marker::Old { old } else { new };
                let is_escaped = line.starts_with('\\') && marker(line.trim_start_matches('\\')).is_some();
                side.push_str(if is_escaped { &line[1..] } else { line });
            }
        }
        at += line.len();
    }
    if within != Marker::New {
        Err(("no-end", body.len()))
    } else if blocks.is_empty() {
        Err(("no-block", body.len()))
    } else {
        Ok(blocks)
    }
}

fn marker(line: &str) -> Option<Marker> {
    let line = line.strip_suffix("\r\n").or_else(|| line.strip_suffix('\n')).unwrap_or(line);
    match line.trim_end_matches(is_blank) {
        "<<<OLD" => Some(Marker::Old),
        "===" => Some(Marker::Divider),
        "NEW>>>" => Some(Marker::New),
        _ => None,
    }
}

/// The sections of a body, by their declared names.
pub fn sections(body: &str, declared: &[Section]) -> Result<Vec<(String, String)>, BodyFault> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut rest = 0;
    while rest < body.len() {
        // Outside of sections.
        let at = rest + body[rest..].find(|c| !is_space(c)).unwrap_or(body.len() - rest);
        if at == body.len() {
            break;
        }
        if close_of(body, at, declared).is_some() {
            return Err(("order", at));
        }
        let Some((section, text_start)) = opening_of(body, at, declared) else {
            return Err(("outside", at));
        };
        if !section.repeat && found.iter().any(|(name, _)| *name == section.name) {
            return Err(("repeated", at));
        }
        // Inside of one.
        let mut end = text_start;
        rest = loop {
            if end == body.len() || opening_of(body, end, declared).is_some() {
                break end;
            }
            if let Some((closed, after)) = close_of(body, end, declared) {
                if closed.name != section.name {
                    return Err(("order", end));
                }
                break after;
            }
            end += body[end..].chars().next().map_or(0, char::len_utf8);
        };
        found.push((section.name.clone(), without_line_break(&body[text_start..end]).to_owned()));
    }
    let is_missing = |section: &Section| section.required && !found.iter().any(|(name, _)| *name == section.name);
    if declared.iter().any(is_missing) { Err(("missing", body.len())) } else { Ok(found) }
}

fn opening_of<'d>(body: &str, at: usize, declared: &'d [Section]) -> Option<(&'d Section, usize)> {
    body[at..].strip_prefix("[[")?;
    named(body, after_blanks(body, at + 2), declared)
}

fn close_of<'d>(body: &str, at: usize, declared: &'d [Section]) -> Option<(&'d Section, usize)> {
    named(body, after_slash(body, at)?, declared)
}

/// A section's name, blanks and `]]`: which it is, and where that ends.
fn named<'d>(body: &str, at: usize, declared: &'d [Section]) -> Option<(&'d Section, usize)> {
    declared.iter().find_map(|section| {
        let after = at + section.name.len();
        let written = body.get(at..after)?;
        let end = after_blanks(body, after);
        (written.eq_ignore_ascii_case(&section.name) && body[end..].starts_with("]]")).then_some((section, end + 2))
    })
}
