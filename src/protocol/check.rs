//! What makes parts a protocol, checked in a `const` where they are constant.

use core::fmt;

use super::source::Source;
use crate::ident;

/// Why parts make no protocol. Prints what is wrong and the name at fault, also where a `const` is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct InvalidProtocol {
    text: [u8; MESSAGE_LEN],
    len: u8,
}

impl InvalidProtocol {
    pub(super) const fn new() -> Self {
        InvalidProtocol { text: [0; MESSAGE_LEN], len: 0 }
    }

    pub(super) const fn say(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        let mut i = 0;
        while i < text.len() && (self.len as usize) < MESSAGE_LEN {
            self.text[self.len as usize] = text[i];
            self.len += 1;
            i += 1;
        }
        self
    }

    /// A name in quotes, shortened where it is long, so that what is said about it fits.
    pub(super) const fn quote(self, name: &str) -> Self {
        let mut end = name.len();
        if end > QUOTED_LEN {
            end = QUOTED_LEN;
            while !name.is_char_boundary(end) {
                end -= 1;
            }
        }
        let shown = name.split_at(end).0;
        let more = if end < name.len() { "…" } else { "" };
        self.say("\"").say(shown).say(more).say("\"")
    }

    pub(super) const fn message(&self) -> &str {
        match core::str::from_utf8(self.text.split_at(self.len as usize).0) {
            Ok(text) => text,
            Err(_) => "invalid protocol",
        }
    }
}

impl fmt::Display for InvalidProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl fmt::Debug for InvalidProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("InvalidProtocol").field(&self.message()).finish()
    }
}

impl core::error::Error for InvalidProtocol {}

pub(super) const fn check_name(source: Source<'_>, i: usize) -> Result<(), InvalidProtocol> {
    let name = source.tag(i).name;
    if source.tag_among(name, i).is_some() {
        let error = InvalidProtocol::new().say("tag ").quote(name);
        return Err(error.say(" is there twice (names are compared in any case)"));
    }
    let bytes = name.as_bytes();
    let mut valid = !bytes.is_empty() && !bytes[0].is_ascii_digit();
    let mut i = 0;
    while i < bytes.len() {
        valid = valid && ident::is_ident(bytes[i]) && !bytes[i].is_ascii_lowercase();
        i += 1;
    }
    if valid {
        return Ok(());
    }
    let error = InvalidProtocol::new().say("tag name ").quote(name);
    Err(error.say(" is not in upper case (letters A to Z, _, and digits behind the first)"))
}

pub(super) const fn check_budgets(source: Source<'_>) -> Result<(), InvalidProtocol> {
    let mut i = 0;
    while i < source.budget_count() {
        let name = source.budget(i).name;
        if source.budget_among(name, i).is_some() {
            return Err(InvalidProtocol::new().say("budget ").quote(name).say(" is there twice"));
        }
        let mut used = false;
        let mut j = 0;
        while j < source.tag_count() {
            if let Some(budget) = source.tag(j).budget {
                used = used || same(budget, name);
            }
            j += 1;
        }
        if !used {
            return Err(InvalidProtocol::new().say("budget ").quote(name).say(" is used by no tag"));
        }
        i += 1;
    }
    Ok(())
}

pub(super) const fn check_grants(source: Source<'_>) -> Result<(), InvalidProtocol> {
    let mut i = 0;
    while i < source.grant_count() {
        let grant = source.grant(i);
        let pair = InvalidProtocol::new().say("role ").quote(grant.role).say(" mode ").quote(grant.mode);
        if grant.role.is_empty() || grant.mode.is_empty() {
            return Err(pair.say(": a role or mode needs a name"));
        }
        let mut j = 0;
        while j < i {
            if same(source.grant(j).role, grant.role) && same(source.grant(j).mode, grant.mode) {
                return Err(pair.say(" is granted twice"));
            }
            j += 1;
        }
        let mut j = 0;
        while j < grant.tags.len() {
            let name = grant.tags.at(j);
            match source.tag_among(name, source.tag_count()) {
                Some(tag) if same(source.tag(tag).name, name) => {}
                _ => return Err(pair.say(" is granted the unknown tag ").quote(name)),
            }
            j += 1;
        }
        i += 1;
    }
    Ok(())
}

/// `a == b`, which no const function may say.
pub(super) const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// The longest message is the one with a role, a mode and a tag.
const MESSAGE_LEN: usize = 126;
const QUOTED_LEN: usize = 20;
