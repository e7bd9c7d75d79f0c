//! The naive twin: a second implementation of the protocol's rules, slow and simple.
//!
//! It shares nothing with the library: it has the whole text, finds a token, searches the rest for its close, and continues
//! after it, without states, chunks or optimizations, so that each rule reads as it is specified. The library must agree
//! with it event by event.
//!
//! The events of a *stream* so far are derived from it: [`Twin::decided`] reads a prefix with a dozen continuations and keeps
//! the common events, [`Twin::pending`] looks at the first tag without a close.

use std::ops::Range;

/// Bytes in the reply, half open.
pub type Span = Range<usize>;

/// Keys and values in resolved order.
pub type Pairs = Vec<(String, String)>;

/// One tag of a protocol.
#[derive(Clone, Debug)]
pub struct TwinTag {
    pub name: String,
    pub has_body: bool,
    /// The name of the budget it draws on.
    pub budget: Option<String>,
}

/// Which tags one role may use in one mode.
#[derive(Clone, Debug)]
pub struct TwinGrant {
    pub role: String,
    pub mode: String,
    pub names: Vec<String>,
}

/// A protocol as plain data.
#[derive(Clone, Debug, Default)]
pub struct TwinProtocol {
    pub tags: Vec<TwinTag>,
    pub budgets: Vec<(String, u32)>,
    /// Without any, everything is granted to everyone.
    pub grants: Vec<TwinGrant>,
}

/// A protocol for one role and mode, which reads texts.
#[derive(Clone, Debug)]
pub struct Twin {
    pub protocol: TwinProtocol,
    pub role: String,
    pub mode: String,
    pub granted: Vec<String>,
    pub max_tag_bytes: Option<usize>,
}

/// An expected event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TwinEvent {
    Prose(Span),
    Tag { name: String, attrs: Pairs, body: String, raw: String, span: Span },
    Dropped(Span),
    Diagnostic { code: &'static str, tag: Option<String>, span: Span, message: String },
}

/// The open part after a text that has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TwinPending {
    Token { text: String, start: usize },
    Open { name: String, attrs: Pairs, body: String, over_budget: bool, start: usize },
    Held { name: String, code: &'static str, text: String, start: usize },
    TooLong { start: usize },
}

impl TwinProtocol {
    /// The protocol of the seed, as data.
    pub fn workforce() -> Self {
        const PLAIN: &str = "ASSIGN REJECT COMPLETE REVISE RESOLVE_ERROR CANCEL PAUSE_TASK RESUME_TASK CANCEL_TASK \
                             HIRE UPDATE_EMPLOYEE FIRE READ_FILE LIST_DIR SEARCH RUN";
        const WITH_BODY: &str = "WRITE_FILE EDIT_FILE KNOWLEDGE ASK_USER CREATE_TASK SPLIT PLAN_SPEC WORK_REPORT \
                                 REVIEW_PASS REVIEW_CHANGES TEST_PASS TEST_FAIL";
        const TOOLKIT: &str = "READ_FILE WRITE_FILE EDIT_FILE LIST_DIR SEARCH RUN";
        let tag = |name: &str, has_body| TwinTag {
            name: name.to_owned(),
            has_body,
            budget: match name {
                "CREATE_TASK" => Some("tasks".to_owned()),
                "HIRE" | "UPDATE_EMPLOYEE" | "FIRE" => Some("team".to_owned()),
                "KNOWLEDGE" => Some("knowledge".to_owned()),
                _ => None,
            },
        };
        let grant = |role: &str, mode: &str, names: &str| TwinGrant {
            role: role.to_owned(),
            mode: mode.to_owned(),
            names: words(names),
        };
        let worker = |role, own: &str| grant(role, "work", &format!("{own} {TOOLKIT}"));
        let chat = "CREATE_TASK PAUSE_TASK RESUME_TASK CANCEL_TASK HIRE UPDATE_EMPLOYEE FIRE KNOWLEDGE";
        let plain = PLAIN.split_whitespace().map(|name| tag(name, false));
        let with_body = WITH_BODY.split_whitespace().map(|name| tag(name, true));
        Self {
            tags: plain.chain(with_body).collect(),
            budgets: ["tasks", "team", "knowledge"].map(|name| (name.to_owned(), 3)).into(),
            grants: vec![
                grant("manager", "triage", "ASSIGN REJECT ASK_USER KNOWLEDGE"),
                grant("manager", "final", "COMPLETE REVISE KNOWLEDGE"),
                grant("manager", "error", "RESOLVE_ERROR CANCEL KNOWLEDGE"),
                grant("manager", "chat", chat),
                worker("planner", "PLAN_SPEC SPLIT ASK_USER"),
                worker("developer", "WORK_REPORT ASK_USER"),
                worker("reviewer", "REVIEW_PASS REVIEW_CHANGES"),
                worker("tester", "TEST_PASS TEST_FAIL"),
            ],
        }
    }

    /// The twin for one role and mode. A pair without a grant may use no tag.
    pub fn twin(&self, role: &str, mode: &str) -> Twin {
        let granted = if self.grants.is_empty() {
            self.tags.iter().map(|tag| tag.name.clone()).collect()
        } else {
            let here = |grant: &&TwinGrant| grant.role == role && grant.mode == mode;
            let grants = self.grants.iter().filter(here);
            grants.flat_map(|grant| grant.names.clone()).collect()
        };
        Twin { protocol: self.clone(), role: role.to_owned(), mode: mode.to_owned(), granted, max_tag_bytes: None }
    }
}

impl Twin {
    /// Sets a limit on the bytes of a tag, from its token's start.
    pub fn with_max_tag_bytes(mut self, limit: Option<usize>) -> Self {
        self.max_tag_bytes = limit;
        self
    }

    /// All expected events of this text, in order.
    pub fn events(&self, text: &str) -> Vec<TwinEvent> {
        self.read(text).events
    }

    /// The open part after this text, if more may come.
    pub fn pending(&self, text: &str) -> Option<TwinPending> {
        let reading = self.read(text);
        let Some(open) = reading.first_open else {
            // The prose so far may end in the beginning of a token.
            let Some(TwinEvent::Prose(prose)) = reading.events.last() else {
                return None;
            };
            return self.token_begun(text, prose.clone());
        };
        let start = open.token.start;
        if self.outgrown(text, start) {
            return Some(TwinPending::TooLong { start });
        }
        let behind = &text[open.token.end..];
        Some(match open.standing {
            Standing::Accepted { attrs, over_budget } => TwinPending::Open {
                body: without_begun_close(behind, &open.name).to_owned(),
                name: open.name,
                attrs,
                over_budget,
                start,
            },
            Standing::Turned { code } => TwinPending::Held { name: open.name, code, text: behind.to_owned(), start },
        })
    }

    /// The events that no text after this prefix can change: those common to a dozen or more continuations.
    pub fn decided(&self, prefix: &str) -> Vec<TwinEvent> {
        let mut ends: Vec<String> = CONTINUATIONS.map(str::to_owned).into();
        // An open tag may get its close.
        if let Some(open) = self.read(prefix).first_open {
            ends.push(format!("[[/{}]]", open.name));
            ends.push(format!("[[/ {} ]] more", open.name.to_lowercase()));
        }
        let readings = ends.iter().map(|end| self.events(&format!("{prefix}{end}")));
        readings.reduce(common).expect("at least one continuation")
    }

    /// All of the rules: the next token, its kind, its end, and on from there.
    fn read(&self, text: &str) -> Reading {
        let mut reading = Reading::default();
        let mut at = 0;
        while let Some(token) = self.next_token(text, at) {
            reading.prose(at..token.start);
            at = self.read_token(text, token, &mut reading);
        }
        reading.prose(at..text.len());
        reading
    }

    /// The leftmost `[[…]]` without a bracket inside.
    fn next_token(&self, text: &str, from: usize) -> Option<Span> {
        // Every offset, not the matches of "[[": in "[[[RUN/]]" the token starts at the second bracket.
        let brackets = text[from..].match_indices('[').map(|(at, _)| from + at);
        for start in brackets {
            let Some(inner) = text[start..].strip_prefix("[[") else {
                continue;
            };
            let Some(length) = inner.find(['[', ']']) else {
                // No bracket follows at all.
                return None;
            };
            let end = start + 2 + length + 2;
            // A token that reaches beyond the limit is prose.
            let short = self.max_tag_bytes.is_none_or(|limit| end <= start + limit);
            if inner[length..].starts_with("]]") && short {
                return Some(start..end);
            }
        }
        None
    }

    /// Reads one token with its body and close; returns the offset after them.
    fn read_token(&self, text: &str, token: Span, reading: &mut Reading) -> usize {
        let mut inner = strip(text, token.start + 2..token.end - 2);
        if text[inner.clone()].starts_with('/') {
            let message = format!("ERROR: stray closing tag [[{}]] ignored", &text[inner.clone()]);
            reading.diagnose("stray-close", None, &token, message);
            return reading.drop(token);
        }
        let self_closing = text[inner.clone()].ends_with('/');
        if self_closing {
            inner = strip(text, inner.start..inner.end - 1);
        }
        let name_length = word_length(&text[inner.clone()]);
        let name = text[inner.start..inner.start + name_length].to_ascii_uppercase();
        let rest = inner.start + name_length..inner.end;

        let spec = self.protocol.tags.iter().find(|tag| tag.name == name);
        let refusal = match spec {
            None => Some(("unknown-tag", format!("ERROR: unknown tag [[{name}]] ignored"))),
            Some(_) if !self.granted.contains(&name) => Some((
                "not-allowed",
                format!("ERROR: tag [[{name}]] is not allowed for role={} mode={}", self.role, self.mode),
            )),
            Some(_) => None,
        };
        if let Some((code, message)) = refusal {
            reading.diagnose(code, Some(&name), &token, message);
            if self_closing {
                return reading.drop(token);
            }
            return match self.ending(text, &token, &name) {
                Ending::Close(close) => reading.drop(token.start..close.end),
                Ending::TooLong(close) => {
                    if close.is_none() {
                        reading.open(&name, &token, Standing::Turned { code });
                    }
                    self.drop_too_long(text, token, &name, close, reading)
                }
                Ending::Missing => {
                    reading.open(&name, &token, Standing::Turned { code });
                    reading.drop(token)
                }
            };
        }

        let spec = spec.expect("no unknown tag comes here");
        let (attrs, leftover) = attributes(text, rest);
        if !leftover.is_empty() {
            let message =
                format!("ERROR: malformed attribute fragment '{}' (expected key=\"value\")", &text[leftover.clone()]);
            reading.diagnose("malformed-attribute", Some(&name), &leftover, message);
        }
        if self_closing || !spec.has_body {
            let body = token.end..token.end;
            return self.complete(text, spec, attrs, token.clone(), body, token, reading);
        }
        let standing = |attrs, reading: &Reading| Standing::Accepted {
            attrs,
            over_budget: self.over_budget(spec, reading).is_some(),
        };
        match self.ending(text, &token, &name) {
            Ending::Close(close) => {
                let body = token.end..close.start;
                let whole = token.start..close.end;
                self.complete(text, spec, attrs, token, body, whole, reading)
            }
            Ending::TooLong(close) => {
                if close.is_none() {
                    reading.open(&name, &token, standing(attrs, reading));
                }
                self.drop_too_long(text, token, &name, close, reading)
            }
            Ending::Missing => {
                reading.open(&name, &token, standing(attrs, reading));
                let message = format!("ERROR: unclosed tag [[{name}]] ignored");
                reading.diagnose("unclosed", Some(&name), &token, message);
                reading.drop(token)
            }
        }
    }

    /// A complete tag: returned, or over its budget.
    #[allow(clippy::too_many_arguments)] // one tag, in its parts
    fn complete(
        &self,
        text: &str,
        spec: &TwinTag,
        attrs: Pairs,
        token: Span,
        body: Span,
        whole: Span,
        reading: &mut Reading,
    ) -> usize {
        let name = spec.name.clone();
        let over = self.over_budget(spec, reading);
        reading.used.extend(spec.budget.clone());
        if let Some(limit) = over {
            let message = format!("ERROR: too many [[{name}]] in one reply (max {limit}); the extra was ignored");
            reading.diagnose("over-budget", Some(&name), &token, message);
            return reading.drop(whole);
        }
        let end = whole.end;
        reading.events.push(TwinEvent::Tag {
            name,
            attrs,
            body: text[body].to_owned(),
            raw: text[whole.clone()].to_owned(),
            span: whole,
        });
        end
    }

    /// The limit that one more tag of this kind would break.
    fn over_budget(&self, spec: &TwinTag, reading: &Reading) -> Option<u32> {
        let budget = spec.budget.as_ref()?;
        let (_, limit) = self.protocol.budgets.iter().find(|(name, _)| name == budget)?;
        let used = reading.used.iter().filter(|name| *name == budget).count();
        (used >= *limit as usize).then_some(*limit)
    }

    /// The end of a tag with this token: the nearest close, if within the limit.
    fn ending(&self, text: &str, token: &Span, name: &str) -> Ending {
        let close = find_close(text, token.end, name);
        let reach = close.as_ref().map_or(text.len(), |close| close.end);
        if self.max_tag_bytes.is_some_and(|limit| reach > token.start + limit) {
            return Ending::TooLong(close);
        }
        close.map_or(Ending::Missing, Ending::Close)
    }

    /// A tag still open at the limit: everything up to its close, or to the end, is dropped in one piece.
    fn drop_too_long(&self, text: &str, token: Span, name: &str, close: Option<Span>, reading: &mut Reading) -> usize {
        let limit = self.max_tag_bytes.expect("too long for a limit");
        let message = format!("ERROR: tag [[{name}]] is longer than {limit} bytes; ignored");
        reading.diagnose("too-long", Some(name), &token, message);
        reading.drop(token.start..close.map_or(text.len(), |close| close.end))
    }

    /// Whether a tag that starts here and is still open is over the limit.
    fn outgrown(&self, text: &str, start: usize) -> bool {
        self.max_tag_bytes.is_some_and(|limit| text.len() > start + limit)
    }

    /// The longest suffix of the prose that may still become a token.
    fn token_begun(&self, text: &str, prose: Span) -> Option<TwinPending> {
        let brackets = text[prose.clone()].match_indices('[');
        let mut starts = brackets.map(|(at, _)| prose.start + at);
        let start = starts.find(|&start| {
            let begun = &text[start..prose.end];
            missing_of_token(begun)
                .is_some_and(|missing| self.max_tag_bytes.is_none_or(|limit| begun.len() + missing <= limit))
        })?;
        Some(TwinPending::Token { text: text[start..prose.end].to_owned(), start })
    }
}

/// The prose of a reply: its pieces joined, stripped once.
pub fn prose(text: &str, events: &[TwinEvent]) -> String {
    let pieces = events.iter().filter_map(|event| match event {
        TwinEvent::Prose(span) => Some(&text[span.clone()]),
        _ => None,
    });
    pieces.collect::<String>().trim_matches(is_space).to_owned()
}

/// The lines for the model: in the order of the events, except that budget lines come last.
pub fn errors(events: &[TwinEvent]) -> Vec<String> {
    let lines = |budget: bool| {
        events.iter().filter_map(move |event| match event {
            TwinEvent::Diagnostic { code, message, .. } if (*code == "over-budget") == budget => Some(message.clone()),
            _ => None,
        })
    };
    lines(false).chain(lines(true)).collect()
}

/// White space of the protocol: Python's `str.isspace`. (Rust excludes U+001C to U+001F.)
pub fn is_space(c: char) -> bool {
    matches!(
        c,
        '\u{9}'..='\u{d}'
            | '\u{1c}'..='\u{20}'
            | '\u{85}'
            | '\u{a0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200a}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202f}'
            | '\u{205f}'
            | '\u{3000}'
    )
}

/// Continuations of a prefix. The end, each way to end a token, and text that ends nothing are needed; the rest would reveal a
/// forgotten rule.
const CONTINUATIONS: [&str; 16] = [
    "",
    "]",
    "]]",
    "[]]",
    "/]]",
    "RUN/]]",
    " text",
    "[",
    "[[",
    "[[/",
    "[[x",
    "[[x]]",
    "[[/x]]",
    "\"/]] x",
    "'=\"\"]]",
    " a=\"b\" ]] [[ASK_USER]] y [[/ASK_USER]]",
];

/// The result of reading a text.
#[derive(Default)]
struct Reading {
    events: Vec<TwinEvent>,
    /// The budgets that complete tags have drawn on, one entry per tag.
    used: Vec<String>,
    /// The first tag without a close: a stream would wait here.
    first_open: Option<Open>,
}

struct Open {
    name: String,
    token: Span,
    standing: Standing,
}

enum Standing {
    Accepted { attrs: Pairs, over_budget: bool },
    Turned { code: &'static str },
}

enum Ending {
    Close(Span),
    Missing,
    /// Over the limit, with the nearest close, if there is one.
    TooLong(Option<Span>),
}

impl Reading {
    fn prose(&mut self, span: Span) {
        if !span.is_empty() {
            self.events.push(TwinEvent::Prose(span));
        }
    }

    /// Drops the span and returns its end.
    fn drop(&mut self, span: Span) -> usize {
        let end = span.end;
        self.events.push(TwinEvent::Dropped(span));
        end
    }

    fn diagnose(&mut self, code: &'static str, tag: Option<&str>, span: &Span, message: String) {
        self.events.push(TwinEvent::Diagnostic { code, tag: tag.map(str::to_owned), span: span.clone(), message });
    }

    fn open(&mut self, name: &str, token: &Span, standing: Standing) {
        self.first_open.get_or_insert_with(|| Open { name: name.to_owned(), token: token.clone(), standing });
    }
}

/// The attributes of a token, and the text after the last one.
fn attributes(text: &str, rest: Span) -> (Pairs, Span) {
    let mut attrs = Pairs::new();
    let mut at = rest.start;
    let mut leftover = rest.start;
    while at < rest.end {
        let here = &text[at..rest.end];
        let Some((key, value, length)) = attribute_at(here) else {
            at += here.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        // The position of the first, the value of the last.
        match attrs.iter_mut().find(|(known, _)| known == key) {
            Some((_, known)) => *known = value.to_owned(),
            None => attrs.push((key.to_owned(), value.to_owned())),
        }
        at += length;
        leftover = at;
    }
    (attrs, strip(text, leftover..rest.end))
}

/// The attribute that starts exactly here: key, value, and its length.
fn attribute_at(here: &str) -> Option<(&str, &str, usize)> {
    let (key, behind_key) = here.split_at(word_length(here));
    if key.is_empty() {
        return None;
    }
    let equals = behind_key.trim_start_matches(is_space);
    let value = equals.strip_prefix('=')?.trim_start_matches(is_space);
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (value, behind) = value[1..].split_once(quote)?;
    Some((key, value, here.len() - behind.len()))
}

/// The nearest `[[/NAME]]` at or after `from`.
pub fn find_close(text: &str, from: usize, name: &str) -> Option<Span> {
    let starts = text[from..].match_indices("[[/").map(|(at, _)| from + at);
    starts
        .filter_map(|start| match close_at(&text[start..], name) {
            Fit::Whole(length) => Some(start..start + length),
            Fit::Begun | Fit::Not => None,
        })
        .next()
}

/// The body so far, without the longest suffix that may begin its close.
fn without_begun_close<'t>(body: &'t str, name: &str) -> &'t str {
    let mut starts = body.match_indices('[').map(|(at, _)| at);
    let begun = starts.find(|&at| matches!(close_at(&body[at..], name), Fit::Begun));
    &body[..begun.unwrap_or(body.len())]
}

/// How a text matches `[[/`, white space, the name, white space, `]]`.
enum Fit {
    Whole(usize),
    /// The text ends before the close does.
    Begun,
    Not,
}

fn close_at(here: &str, name: &str) -> Fit {
    let mut rest = here.chars();
    let skip_space = |rest: &mut std::str::Chars<'_>| {
        *rest = rest.as_str().trim_start_matches(is_space).chars();
    };
    for part in ["[[/", name, "]]"] {
        if part != "[[/" {
            skip_space(&mut rest);
        }
        for wanted in part.chars() {
            match rest.next() {
                None => return Fit::Begun,
                Some(c) if same_letter(c, wanted) => {}
                Some(_) => return Fit::Not,
            }
        }
    }
    Fit::Whole(here.len() - rest.as_str().len())
}

/// Letters as a close compares them: ignoring case, with the four that Python's `re.IGNORECASE` adds.
fn same_letter(written: char, wanted: char) -> bool {
    written.eq_ignore_ascii_case(&wanted)
        || match written {
            '\u{17f}' => wanted.eq_ignore_ascii_case(&'S'),
            '\u{212a}' => wanted.eq_ignore_ascii_case(&'K'),
            '\u{130}' | '\u{131}' => wanted.eq_ignore_ascii_case(&'I'),
            _ => false,
        }
}

/// The least number of bytes that this beginning of a token lacks, if it is one.
fn missing_of_token(begun: &str) -> Option<usize> {
    if begun == "[" {
        return Some("[]]".len());
    }
    let inner = begun.strip_prefix("[[")?;
    match inner.find(['[', ']']) {
        None => Some("]]".len()),
        Some(at) if &inner[at..] == "]" => Some("]".len()),
        Some(_) => None,
    }
}

/// The length of the `[A-Za-z_][A-Za-z0-9_]*` at the start.
fn word_length(text: &str) -> usize {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return 0;
    }
    let outside = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    outside.unwrap_or(text.len())
}

fn strip(text: &str, span: Span) -> Span {
    let inner = text[span.clone()].trim_start_matches(is_space);
    let start = span.end - inner.len();
    start..start + inner.trim_end_matches(is_space).len()
}

fn words(list: &str) -> Vec<String> {
    list.split_whitespace().map(str::to_owned).collect()
}

/// The common prefix of two lists of events; of a piece of prose, the part that both have.
fn common(mut left: Vec<TwinEvent>, right: Vec<TwinEvent>) -> Vec<TwinEvent> {
    let pairs = left.iter().zip(&right);
    let alike = pairs.take_while(|(left, right)| left == right).count();
    let prose = match (left.get(alike), right.get(alike)) {
        (Some(TwinEvent::Prose(left)), Some(TwinEvent::Prose(right))) if left.start == right.start => {
            Some(left.start..left.end.min(right.end))
        }
        _ => None,
    };
    left.truncate(alike);
    left.extend(prose.map(TwinEvent::Prose));
    left
}
