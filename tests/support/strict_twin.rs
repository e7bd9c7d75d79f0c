//! The naive twin of the strict dialect: its rules once more, slow and plain, over whole replies.
//!
//! It shares nothing with the library. It has the whole text, looks a token up, looks its close up in all that follows, and
//! goes on after it. There are no states and no chunks, and nothing is done to be fast, so that each rule can be read here as
//! it is written down.

pub mod body;
pub mod close;
pub mod code;
pub mod early;
pub mod protocol;
pub mod token;
pub mod words;

use std::collections::BTreeMap;
use std::ops::Range;

use close::CloseRule;
use code::Fence;
use protocol::{BodyKind, Code, Entry, Selector, StrictProtocol, UnknownAttributes, UnknownTags};
use serde_json::{Value, json};
use token::{Due, End, Token, Written};
use words::{character, distance, is_mark, is_space, line_end, next_line, without_line_break};

/// Bytes in the reply, half open.
pub type Span = Range<usize>;

/// A protocol for one role and mode: what reads a text.
#[derive(Clone, Debug)]
pub struct StrictTwin<'p> {
    pub protocol: &'p StrictProtocol,
    pub role: Option<String>,
    pub mode: Option<String>,
    pub is_truncated: bool,
    /// The region that the reply begins inside of.
    pub begins_inside: Option<String>,
}

/// What must be said of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// They cover the text; adjacent pieces of prose, and of what is dropped, are one.
    pub tiles: Vec<Tile>,
    pub diagnostics: Vec<Said>,
    /// Of each diagnostic, where the text starts that it speaks of: nothing of a tag, or of what is dropped, comes before it.
    pub about: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tile {
    Prose(Span),
    Dropped(Span),
    Region { name: String, span: Span },
    Tag(Box<GivenTag>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenTag {
    pub span: Span,
    pub name: String,
    /// Declared names and canonical values, in the order in which they were written.
    pub attrs: Vec<(String, String)>,
    /// As it was written, its quotes and escapes resolved.
    pub argument: Option<String>,
    pub body: String,
    pub content: String,
    pub edits: Option<Vec<(String, String)>>,
    pub sections: Option<Vec<(String, String)>>,
}

/// A diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub code: &'static str,
    pub severity: &'static str,
    pub tag: String,
    pub span: Span,
    pub reason: Option<&'static str>,
    pub attribute: Option<String>,
    pub nearest: Option<Vec<String>>,
}

impl StrictProtocol {
    pub fn twin(&self, role: Option<&str>, mode: Option<&str>) -> StrictTwin<'_> {
        StrictTwin {
            protocol: self,
            role: role.map(str::to_owned),
            mode: mode.map(str::to_owned),
            is_truncated: false,
            begins_inside: None,
        }
    }
}

impl StrictTwin<'_> {
    pub fn truncated(mut self, is_truncated: bool) -> Self {
        self.is_truncated = is_truncated;
        self
    }

    pub fn beginning_inside(mut self, region: Option<&str>) -> Self {
        self.begins_inside = region.map(str::to_owned);
        self
    }

    /// Reads a whole reply.
    pub fn read(&self, text: &str) -> Reading {
        let mut reader = Reader {
            twin: self,
            protocol: self.protocol,
            granted: self.protocol.granted(self.role.as_deref(), self.mode.as_deref()),
            text,
            given: 0,
            spent: self.protocol.unspent(),
            is_over_limit: false,
            reading: Reading::default(),
        };
        reader.reply();
        reader.reading
    }
}

impl Tile {
    pub fn span(&self) -> Span {
        match self {
            Self::Prose(span) | Self::Dropped(span) | Self::Region { span, .. } => span.clone(),
            Self::Tag(tag) => tag.span.clone(),
        }
    }
}

impl Said {
    fn error(code: &'static str, tag: impl Into<String>, span: Span) -> Self {
        let tag = tag.into();
        Self { code, severity: "error", tag, span, reason: None, attribute: None, nearest: None }
    }

    fn warning(code: &'static str, tag: impl Into<String>, span: Span) -> Self {
        Self { severity: "warning", ..Self::error(code, tag, span) }
    }

    fn because(self, reason: &'static str) -> Self {
        Self { reason: Some(reason), ..self }
    }

    fn of_attribute(self, attribute: &str) -> Self {
        Self { attribute: Some(attribute.to_owned()), ..self }
    }
}

impl Reading {
    /// As the vectors write it.
    pub fn to_json(&self) -> Value {
        let diagnostics: Vec<Value> = self.diagnostics.iter().map(Said::to_json).collect();
        json!({ "tiles": self.tiles.iter().map(Tile::to_json).collect::<Vec<_>>(), "diagnostics": diagnostics })
    }

    pub fn tags(&self) -> impl Iterator<Item = &GivenTag> {
        self.tiles.iter().filter_map(|tile| match tile {
            Tile::Tag(tag) => Some(&**tag),
            _ => None,
        })
    }
}

impl Tile {
    fn to_json(&self) -> Value {
        let span = [self.span().start, self.span().end];
        match self {
            Self::Prose(_) => json!({ "kind": "prose", "span": span }),
            Self::Dropped(_) => json!({ "kind": "dropped", "span": span }),
            Self::Region { name, .. } => json!({ "kind": "region", "span": span, "name": name }),
            Self::Tag(tag) => {
                let attrs: serde_json::Map<String, Value> =
                    tag.attrs.iter().map(|(key, value)| (key.clone(), value.as_str().into())).collect();
                let mut tile = json!({ "kind": "tag", "span": span, "name": tag.name, "attrs": attrs });
                if let Some(argument) = &tag.argument {
                    tile["argument"] = argument.as_str().into();
                }
                tile["body"] = tag.body.as_str().into();
                tile["content"] = tag.content.as_str().into();
                if let Some(edits) = &tag.edits {
                    tile["edits"] = json!(edits);
                }
                if let Some(sections) = &tag.sections {
                    tile["sections"] = json!(sections);
                }
                tile
            }
        }
    }
}

impl Said {
    fn to_json(&self) -> Value {
        let span = [self.span.start, self.span.end];
        let mut said = json!({ "code": self.code, "severity": self.severity, "tag": self.tag, "span": span });
        if let Some(attribute) = &self.attribute {
            said["attribute"] = attribute.as_str().into();
        }
        if let Some(reason) = self.reason {
            said["reason"] = reason.into();
        }
        if let Some(nearest) = &self.nearest {
            said["nearest"] = json!(nearest);
        }
        said
    }
}

/// One reading of one text.
struct Reader<'r> {
    twin: &'r StrictTwin<'r>,
    protocol: &'r StrictProtocol,
    granted: Vec<String>,
    text: &'r str,
    given: usize,
    spent: BTreeMap<String, u32>,
    is_over_limit: bool,
    reading: Reading,
}

/// Where a token ends that may be broken or too long.
struct Extent {
    end: usize,
    /// Nothing before this is read: the fault, if that is further on than the end.
    read_from: usize,
    closes_itself: bool,
}

/// What a checked tag is.
struct Checked {
    attrs: Vec<(String, String)>,
    said: Vec<Said>,
}

/// Prose, code and regions (sections 3 and 7).
impl<'r> Reader<'r> {
    fn reply(&mut self) {
        let mut at = 0;
        if let Some(name) = self.twin.begins_inside.clone() {
            let regions = &self.protocol.regions;
            let close = regions.iter().find(|region| region.name == name).expect("a region").close.clone();
            at = self.region(&name, 0..0, &close);
        }
        while at < self.text.len() {
            at = self.prose_at(at);
        }
    }

    /// Reads what stands at a position of prose; returns the position after it.
    fn prose_at(&mut self, at: usize) -> usize {
        let text = self.text;
        let rest = &text[at..];
        if let Some(region) = self.protocol.regions.iter().find(|region| rest.starts_with(&region.open)) {
            return self.region(&region.name, at..at + region.open.len(), &region.close);
        }
        if self.protocol.code == Code::Prose {
            if let Some(fence) = Fence::at(text, at) {
                return self.fence(at, fence);
            }
            if code::is_quote_at(text, at) {
                let end = line_end(text, at);
                self.code(at, end, "quote");
                return self.prose(at, end);
            }
            if rest.starts_with('`') {
                let (start, end, after) = code::inline(text, at);
                self.code(start, end, "inline");
                return self.prose(at, after);
            }
        }
        if rest.starts_with("[[") {
            return self.brackets(at);
        }
        self.prose(at, character(text, at).end)
    }

    /// A region from its opening marker to its closing one, or to the end.
    fn region(&mut self, name: &str, open: Span, close: &str) -> usize {
        let end = match self.text[open.end..].find(close) {
            Some(length) => open.end + length + close.len(),
            None => {
                self.say(open.start, Said::warning("unclosed-region", name, open.clone()));
                self.text.len()
            }
        };
        if end > open.start {
            self.reading.tiles.push(Tile::Region { name: name.to_owned(), span: open.start..end });
        }
        end
    }

    /// A fence from its opening run to the end of its closing line.
    fn fence(&mut self, at: usize, fence: Fence) -> usize {
        let text = self.text;
        self.code(at + fence.length, line_end(text, at), "inline");
        let mut line = next_line(text, at);
        // Until there, a tag with a body holds it open.
        let mut held_to = 0;
        while line < text.len() {
            let (end, next) = (line_end(text, line), next_line(text, line));
            if line >= held_to && fence.is_closed_by(&text[line..end]) {
                return self.prose(at, next);
            }
            for token in self.code(line, end, "fence") {
                if token.start >= held_to
                    && let Some((token_end, false)) = token.complete()
                    && self.body_of(&token) == Some(true)
                {
                    let rule = self.close_rule(&token, token_end);
                    let close = close::find(text, token_end, token.word, &rule, self.protocol.limits.token_bytes);
                    held_to = close.close.map_or(text.len(), |close| close.end);
                }
            }
            line = next;
        }
        self.prose(at, text.len())
    }

    /// Looks for tags in a piece of code, and returns the complete ones of the protocol.
    fn code(&mut self, from: usize, to: usize, reason: &'static str) -> Vec<Token<'r>> {
        let mut found = Vec::new();
        let mut at = from;
        while let Some(length) = self.text.get(at..to).and_then(|code| code.find("[[")) {
            at += length;
            let token = Token::read(self.protocol, self.text, at, to);
            let Some(token) = token.filter(|token| token.has_shape(self.protocol, &self.text[..to])) else {
                at += 1;
                continue;
            };
            at = token.stop(&self.text[..to]);
            if let (Some((end, _)), Some(entry)) = (token.complete(), self.entry_of(&token)) {
                if self.is_granted(entry) {
                    self.say(
                        token.start,
                        Said::warning("tag-in-code", entry.own_name(), token.start..end).because(reason),
                    );
                }
                found.push(token);
            }
        }
        found
    }

    /// Reads `[[` in prose.
    fn brackets(&mut self, at: usize) -> usize {
        if close::after_slash(self.text, at).is_some() {
            let close = close::of_any_word(self.text, at, self.protocol.limits.token_bytes);
            return match close.map(|(word, end)| (self.protocol.entries(word), end)) {
                Some((entries, end)) if !entries.is_empty() => {
                    self.say(at, Said::error("stray-close", &entries[0].name, at..end));
                    self.dropped(at, end)
                }
                _ => self.prose(at, at + 1),
            };
        }
        let token = Token::read(self.protocol, self.text, at, self.text.len());
        match token.filter(|token| token.has_shape(self.protocol, self.text)) {
            None => self.prose(at, at + 1),
            Some(token) if self.protocol.entries(token.word).is_empty() => self.unknown(&token),
            Some(token) => self.known(&token),
        }
    }

    /// Makes a piece prose, if there is any; returns its end.
    fn prose(&mut self, start: usize, end: usize) -> usize {
        match self.reading.tiles.last_mut() {
            _ if end <= start => return start,
            Some(Tile::Prose(last)) => last.end = end,
            _ => self.reading.tiles.push(Tile::Prose(start..end)),
        }
        end
    }

    fn dropped(&mut self, start: usize, end: usize) -> usize {
        match self.reading.tiles.last_mut() {
            Some(Tile::Dropped(last)) => last.end = end,
            _ => self.reading.tiles.push(Tile::Dropped(start..end)),
        }
        end
    }

    fn say(&mut self, about: usize, said: Said) {
        let most = self.protocol.limits.diagnostics;
        let said = match self.reading.diagnostics.len() {
            before if before < most => said,
            before if before == most => Said::error("over-limit", said.tag, said.span).because("diagnostics"),
            _ => return,
        };
        self.reading.diagnostics.push(said);
        self.reading.about.push(about);
    }
}

/// Section 4.
impl Reader<'_> {
    fn unknown(&mut self, token: &Token<'_>) -> usize {
        let stop = token.stop(self.text);
        if self.protocol.unknown == UnknownTags::Prose || token.too_long().is_some() {
            return self.prose(token.start, stop);
        }
        let Some(extent) = self.extent(token) else {
            return self.prose(token.start, stop);
        };
        let nearest = self.nearest_words(token.word);
        let span = self.span_of(token, Some(&extent));
        self.say(token.start, Said { nearest: Some(nearest), ..Said::error("unknown-tag", token.word, span) });
        self.wait(token, &extent)
    }

    /// What a tag takes with it that may have a body.
    fn wait(&mut self, token: &Token<'_>, extent: &Extent) -> usize {
        let text = self.text;
        if extent.closes_itself {
            self.dropped(token.start, extent.end);
            return self.prose(extent.end, extent.read_from);
        }
        let rule = match until_of(token) {
            Some(mark) if is_mark(mark) => CloseRule::Until(mark.to_owned()),
            _ => CloseRule::Plain { argument: self.mark_of(token) },
        };
        let close = close::find(text, extent.end, token.word, &rule, self.protocol.limits.token_bytes).close;
        let body_end = close.as_ref().map_or(text.len(), |close| close.start);
        let is_long = body_end.saturating_sub(extent.end) > self.protocol.limits.body_bytes;
        match close {
            Some(close) if !is_long => {
                self.dropped(token.start, close.end);
                self.prose(close.end, extent.read_from)
            }
            _ => {
                self.dropped(token.start, extent.end);
                let unread_to = match close {
                    Some(close) => close.end.max(extent.read_from),
                    None if is_long || self.twin.is_truncated => text.len(),
                    None => extent.read_from,
                };
                self.prose(extent.end, unread_to)
            }
        }
    }
}

/// Section 5.
impl<'r> Reader<'r> {
    fn known(&mut self, token: &Token<'_>) -> usize {
        let entries = self.protocol.entries(token.word);
        let entry = self.entry_of(token);
        let name = entry.map_or(entries[0].name.clone(), Entry::own_name);
        let extent = self.extent(token);
        let span = self.span_of(token, extent.as_ref());
        if !entries.iter().any(|entry| self.is_granted(entry)) {
            self.say(token.start, Said::error("not-allowed", name, span));
        } else if let Some((span, reason)) = self.malformed(token) {
            self.say(token.start, Said::error("malformed-tag", name, span).because(reason));
        } else if let Some(entry) = entry {
            if !self.is_granted(entry) {
                self.say(token.start, Said::error("not-allowed", name, span));
            } else {
                let checked = self.checked(entry, token, span);
                let is_refused = checked.said.iter().any(|said| said.severity == "error");
                checked.said.into_iter().for_each(|said| self.say(token.start, said));
                if !is_refused {
                    return self.sound(entry, token, checked.attrs);
                }
            }
        } else {
            let nearest = self.nearest_entries(token, &entries);
            self.say(token.start, Said { nearest: Some(nearest), ..Said::error("unknown-tag", name, span) });
        }
        self.refused(token, extent)
    }

    /// What a refused tag takes with it.
    fn refused(&mut self, token: &Token<'_>, extent: Option<Extent>) -> usize {
        let text = self.text;
        let Some(extent) = extent else {
            return self.prose(token.start, token.stop(text));
        };
        match self.body_of(token) {
            None if self.close_rule(token, extent.end) != CloseRule::Never => self.wait(token, &extent),
            None | Some(true) if !extent.closes_itself => {
                let rule = self.close_rule(token, extent.end);
                let close = close::find(text, extent.end, token.word, &rule, self.protocol.limits.token_bytes);
                let end = close.close.map_or(text.len(), |close| close.end);
                self.dropped(token.start, end);
                self.prose(end, extent.read_from)
            }
            _ => {
                self.dropped(token.start, extent.end);
                self.prose(extent.end, extent.read_from)
            }
        }
    }

    /// The place and the reason of the fault of a token.
    fn malformed(&self, token: &Token<'_>) -> Option<(Span, &'static str)> {
        let text = self.text;
        if let Some(at) = token.too_long() {
            return Some((character(text, at), "too-long"));
        }
        let (at, due) = match token.end {
            End::Complete { .. } => return None,
            End::Cut { quote: Some(quote) } if !self.twin.is_truncated => {
                return Some((quote..quote + 1, "unclosed-quote"));
            }
            End::Cut { .. } => return Some((text.len()..text.len(), "cut-off")),
            End::Fault { at, due } => (at, due),
        };
        let found = text[at..].chars().next().expect("a fault is a character");
        let last_was_plain = token.attrs.last().is_some_and(|written| !written.is_quoted);
        let is_value_due = matches!(due, Due::Value | Due::Argument);
        let reason = if words::is_invisible(found) {
            "invisible"
        } else if is_value_due && words::is_typographic_quote(found) {
            "smart-quote"
        } else if due == Due::Value {
            "unquoted-value"
        } else if due == Due::Argument {
            "no-argument"
        } else if due == Due::Colon {
            "unexpected-argument"
        } else if found == ',' && due != Due::Equals {
            "comma"
        } else if due == Due::AfterQuote {
            "inner-quote"
        } else if last_was_plain {
            "unquoted-value"
        } else if due == Due::Equals {
            "no-value"
        } else {
            "unexpected"
        };
        Some((character(text, at), reason))
    }

    /// Where a token ends. None where it is malformed and no `]]` follows in time.
    fn extent(&self, token: &Token<'_>) -> Option<Extent> {
        let text = self.text;
        if let End::Complete { end, closes_itself } = token.end {
            return Some(Extent { end, read_from: end, closes_itself });
        }
        let stop = token.stop(text);
        let brackets_after = |from: usize| text[from..].find("]]").map(|length| from + length + 2);
        let end = if token.too_long().is_some() {
            brackets_after(stop).unwrap_or(text.len())
        } else {
            brackets_after(token.word_end).filter(|end| end - token.start <= self.protocol.limits.token_bytes)?
        };
        let rule = self.close_rule(token, end);
        let most = self.protocol.limits.token_bytes;
        let close = close::find(text, stop, token.word, &rule, most).close;
        let is_own_close = close.is_some_and(|close| close.end == end);
        let before = text[token.word_end..end].strip_suffix("]]").unwrap_or("");
        let closes_itself = is_own_close || before.trim_end_matches(is_space).ends_with('/');
        Some(Extent { end, read_from: end.max(stop), closes_itself })
    }

    /// The token up to its end or its fault, whichever comes first.
    fn span_of(&self, token: &Token<'_>, extent: Option<&Extent>) -> Span {
        let fault = token.fault(self.text).unwrap_or(usize::MAX);
        token.start..extent.map_or(usize::MAX, |extent| extent.end).min(fault)
    }

    /// The only entry of the word, or the variant that is selected before the fault.
    fn entry_of(&self, token: &Token<'_>) -> Option<&'r Entry> {
        self.protocol.entries(token.word).into_iter().find(|entry| match &entry.select {
            None => true,
            Some(select) => self.selector_of(token, select).as_deref() == Some(select.value()),
        })
    }

    /// What is written where the selector should be.
    fn selector_of(&self, token: &Token<'_>, select: &Selector) -> Option<String> {
        match select {
            Selector::Argument { .. } => token.sound_argument(self.text).map(|argument| argument.value.clone()),
            Selector::Attribute { attribute, .. } => {
                let mut attrs = token.sound_attrs(self.text);
                attrs.find(|written| written.key.eq_ignore_ascii_case(attribute)).map(|written| written.value.clone())
            }
        }
    }

    /// Whether the tag has a body. None where that is not said, and its entries differ.
    fn body_of(&self, token: &Token<'_>) -> Option<bool> {
        if let Some(entry) = self.entry_of(token) {
            return Some(entry.has_body());
        }
        let entries = self.protocol.entries(token.word);
        let has_body = entries.first()?.has_body();
        entries.iter().all(|entry| entry.has_body() == has_body).then_some(has_body)
    }

    /// Which closes end the body of a token that ends here. Of one that is too long, all that the grammar reads counts.
    fn close_rule(&self, token: &Token<'_>, end: usize) -> CloseRule {
        let behind = self.text.get(token.stop(self.text)..end).unwrap_or("");
        match until_of(token) {
            _ if has_until(behind) => CloseRule::Never,
            Some(mark) if is_mark(mark) => CloseRule::Until(mark.to_owned()),
            Some(_) => CloseRule::Never,
            None => CloseRule::Plain { argument: self.mark_of(token) },
        }
    }

    /// The argument that a close may repeat.
    fn mark_of(&self, token: &Token<'_>) -> Option<String> {
        token.sound_argument(self.text).map(|argument| argument.value.clone()).filter(|value| is_mark(value))
    }

    fn is_granted(&self, entry: &Entry) -> bool {
        self.granted.contains(&entry.own_name())
    }

    /// Check 5: attributes.
    fn checked(&self, entry: &Entry, token: &Token<'_>, span: Span) -> Checked {
        let name = entry.own_name();
        let mut attrs: Vec<(String, String)> = Vec::new();
        let mut said = Vec::new();
        let mut seen: Vec<String> = Vec::new();
        let argument = entry.argument.as_ref().zip(token.argument.as_ref()).map(|(name, argument)| Written {
            key: name.clone(),
            value: argument.value.clone(),
            is_quoted: true,
            span: argument.span.clone(),
        });
        for written in argument.iter().chain(&token.attrs) {
            let declared = entry.attribute(&written.key);
            let selecting = match &entry.select {
                Some(Selector::Attribute { attribute, .. }) if attribute.eq_ignore_ascii_case(&written.key) => {
                    Some(attribute)
                }
                _ => None,
            };
            let is_until = entry.has_body() && written.key.eq_ignore_ascii_case("until");
            let canonical_name = match (declared, selecting) {
                (Some(attribute), _) => attribute.name.clone(),
                (_, Some(attribute)) => attribute.clone(),
                _ if is_until => "until".to_owned(),
                _ => written.key.clone(),
            };
            let is_repeated = seen.iter().any(|seen| seen.eq_ignore_ascii_case(&canonical_name));
            seen.push(canonical_name.clone());
            let error = |code| Said::error(code, &name, written.span.clone()).of_attribute(&canonical_name);
            if is_repeated {
                said.push(error("repeated-attribute"));
            } else if let Some(attribute) = declared {
                let is_missing = attribute.required && protocol::is_blank(&written.value);
                let value = if is_missing {
                    Ok(written.value.clone())
                } else if attribute.wants_quotes() && !written.is_quoted {
                    Err("unquoted-value")
                } else {
                    attribute.canonical(&written.value)
                };
                match value {
                    Ok(value) => attrs.push((canonical_name, value)),
                    Err(reason) => said.push(error("invalid-attribute").because(reason)),
                }
            } else if is_until {
                if !is_mark(&written.value) {
                    said.push(error("invalid-attribute").because("type"));
                }
            } else {
                if selecting.is_none() {
                    match entry.unknown_attributes {
                        UnknownAttributes::Keep => {}
                        UnknownAttributes::Refuse => said.push(error("unknown-attribute")),
                        UnknownAttributes::Warn => {
                            said.push(Said { severity: "warning", ..error("unknown-attribute") });
                        }
                    }
                }
                attrs.push((canonical_name, written.value.clone()));
            }
        }
        for attribute in entry.attributes.iter().filter(|attribute| attribute.required) {
            let mut values = argument.iter().chain(&token.attrs).filter(|written| {
                entry.attribute(&written.key).is_some_and(|declared| declared.name == attribute.name)
            });
            let span = match values.next() {
                None => span.clone(),
                Some(written) if protocol::is_blank(&written.value) => written.span.clone(),
                Some(_) => continue,
            };
            said.push(Said::error("missing-attribute", &name, span).of_attribute(&attribute.name));
        }
        Checked { attrs, said }
    }

    /// Nearest names to an unknown word.
    fn nearest_words(&self, word: &str) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for entry in self.protocol.tags.iter().filter(|entry| self.is_granted(entry)) {
            if !names.contains(&entry.name) {
                names.push(entry.name.clone());
            }
        }
        nearest(word, names.into_iter().map(|name| (name.clone(), name)).collect())
    }

    /// Nearest entries where no variant is selected.
    fn nearest_entries(&self, token: &Token<'_>, entries: &[&Entry]) -> Vec<String> {
        let selects = entries.iter().filter(|entry| self.is_granted(entry));
        let selects: Vec<(String, String)> = selects
            .filter_map(|entry| entry.select.as_ref().map(|select| (select.value().to_owned(), entry.own_name())))
            .collect();
        let written = entries[0].select.as_ref().and_then(|select| self.selector_of(token, select));
        nearest(&written.unwrap_or_default(), selects)
    }
}

/// Sections 6 and 9: a tag whose token is without a fault.
impl Reader<'_> {
    fn sound(&mut self, entry: &Entry, token: &Token<'_>, attrs: Vec<(String, String)>) -> usize {
        let text = self.text;
        let (token_end, closes_itself) = token.complete().expect("a sound token is complete");
        let (mut body, mut end) = (token_end..token_end, token_end);
        if entry.has_body() && !closes_itself {
            let rule = self.close_rule(token, token_end);
            let found = close::find(text, token_end, token.word, &rule, self.protocol.limits.token_bytes);
            body.end = found.close.as_ref().map_or(text.len(), |close| close.start);
            end = found.close.as_ref().map_or(text.len(), |close| close.end);
            let span = token.start..token_end;
            if body.len() > self.protocol.limits.body_bytes {
                self.say(token.start, Said::error("too-long", entry.own_name(), span));
                return self.dropped(token.start, end);
            }
            if found.close.is_none() {
                let reason = match rule {
                    CloseRule::Until(_) => "until",
                    _ if found.was_quoted => "quoted",
                    _ => "no-close",
                };
                self.say(token.start, Said::error("unclosed", entry.own_name(), span).because(reason));
                return self.dropped(token.start, end);
            }
        }
        let (mut edits, mut sections) = (None, None);
        let body_text = &text[body.clone()];
        let checked = match entry.body {
            BodyKind::None | BodyKind::Text => Ok(()),
            BodyKind::Json => body::json(body_text),
            BodyKind::Edits => body::edits(body_text).map(|blocks| edits = Some(blocks)),
            BodyKind::Sections => body::sections(body_text, &entry.sections).map(|found| sections = Some(found)),
        };
        if let Err((reason, at)) = checked {
            let fault = body.start + at;
            let fault = if fault < body.end { character(text, fault) } else { fault..fault };
            self.say(token.start, Said::error("invalid-body", entry.own_name(), fault).because(reason));
            return self.dropped(token.start, end);
        }
        if !self.is_admitted(entry, token.start..token_end) {
            return self.dropped(token.start, end);
        }
        self.reading.tiles.push(Tile::Tag(Box::new(GivenTag {
            span: token.start..end,
            name: entry.own_name(),
            attrs,
            argument: token.argument.as_ref().map(|argument| argument.value.clone()),
            body: body_text.to_owned(),
            content: without_line_break(body_text).to_owned(),
            edits,
            sections,
        })));
        end
    }

    /// Limits and budgets.
    fn is_admitted(&mut self, entry: &Entry, span: Span) -> bool {
        if self.given == self.protocol.limits.tags {
            if !std::mem::replace(&mut self.is_over_limit, true) {
                self.say(span.start, Said::error("over-limit", entry.own_name(), span.clone()).because("tags"));
            }
            return false;
        }
        if let Some(budget) = &entry.budget {
            let spent = self.spent.get_mut(budget).expect("a declared budget");
            if *spent == self.protocol.budget(budget) {
                self.say(span.start, Said::error("over-budget", entry.own_name(), span.clone()));
                return false;
            }
            *spent += 1;
        }
        self.given += 1;
        true
    }
}

/// The value of the first `until` that the grammar reads.
fn until_of<'t>(token: &'t Token<'_>) -> Option<&'t str> {
    token.attrs.iter().find(|written| written.key.eq_ignore_ascii_case("until")).map(|written| &*written.value)
}

/// Whether `until`, white space and `=` stand in a text.
fn has_until(text: &str) -> bool {
    (0..text.len()).any(|at| {
        let until = text.get(at..at + 5).is_some_and(|written| written.eq_ignore_ascii_case("until"));
        until && text[at + 5..].trim_start_matches(is_space).starts_with('=')
    })
}

/// At most three of the names whose keys are near to what was written.
fn nearest(written: &str, names: Vec<(String, String)>) -> Vec<String> {
    let begins = |long: &str, short: &str| {
        short.len() >= 3 && long.get(..short.len()).is_some_and(|start| start.eq_ignore_ascii_case(short))
    };
    let mut near: Vec<(usize, String)> = Vec::new();
    for (key, name) in names {
        let distance = distance(written, &key);
        let longer = written.chars().count().max(key.chars().count());
        if 3 * distance <= longer || begins(written, &key) || begins(&key, written) {
            near.push((distance, name));
        }
    }
    near.sort_by_key(|(distance, _)| *distance);
    near.into_iter().take(3).map(|(_, name)| name).collect()
}
