//! A plain port of the seed to the `regex` crate: the code a user would write to read these tags. It follows the seed pattern by
//! pattern, except that it caches compiled patterns.

use std::collections::HashMap;

use regex::Regex;
use tagwire::workforce::{self, Mode, Role, TEAM_CHANGE_TAGS, TagName};

/// The port, with its patterns.
pub struct Port {
    role: Role,
    mode: Mode,
    granted: Vec<TagName>,
    token: Regex,
    word: Regex,
    attr: Regex,
    closes: HashMap<String, Regex>,
}

/// The content of a reply.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Parsed<'t> {
    pub tags: Vec<Tag<'t>>,
    pub errors: Vec<String>,
    pub prose: String,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Tag<'t> {
    pub name: TagName,
    pub attrs: Vec<(&'t str, &'t str)>,
    pub body: &'t str,
    pub raw: &'t str,
}

impl Port {
    pub fn new(role: Role, mode: Mode) -> Self {
        let pattern = |pattern: &str| Regex::new(pattern).expect("a valid pattern");
        Self {
            role,
            mode,
            granted: workforce::allowed_tags(role, mode).collect(),
            token: pattern(r"\[\[([^\[\]]*)\]\]"),
            word: pattern(r"^[A-Za-z_][A-Za-z0-9_]*"),
            attr: pattern(&format!(r#"([A-Za-z_][A-Za-z0-9_]*){SPACE}*={SPACE}*(?:"([^"]*)"|'([^']*)')"#)),
            closes: HashMap::new(),
        }
    }

    pub fn parse<'t>(&mut self, text: &'t str) -> Parsed<'t> {
        let mut parsed = Parsed::default();
        let mut prose = String::new();
        let mut at = 0;
        while at < text.len() {
            let Some(token) = self.token.captures_at(text, at) else {
                prose.push_str(&text[at..]);
                break;
            };
            let (whole, inner) = (token.get_match(), token.get(1).expect("a group of every token").as_str());
            prose.push_str(&text[at..whole.start()]);
            at = whole.end();
            if inner.trim_start_matches(is_space).starts_with('/') {
                let inner = inner.trim_matches(is_space);
                parsed.errors.push(format!("ERROR: stray closing tag [[{inner}]] ignored"));
                continue;
            }
            let (name, rest, closes_itself) = self.split(inner);
            let Ok(tag) = name.parse::<TagName>() else {
                parsed.errors.push(format!("ERROR: unknown tag [[{name}]] ignored"));
                at = self.consumed(&name, text, at, closes_itself);
                continue;
            };
            if !self.granted.contains(&tag) {
                let (role, mode) = (self.role, self.mode);
                parsed.errors.push(format!("ERROR: tag [[{tag}]] is not allowed for role={role} mode={mode}"));
                at = self.consumed(&name, text, at, closes_itself);
                continue;
            }
            let attrs = self.attrs(rest, &mut parsed.errors);
            let mut body = "";
            if !closes_itself && tag.has_body() {
                let Some(close) = self.close(&name).find_at(text, at) else {
                    parsed.errors.push(format!("ERROR: unclosed tag [[{name}]] ignored"));
                    continue;
                };
                body = &text[at..close.start()];
                at = close.end();
            }
            parsed.tags.push(Tag { name: tag, attrs, body, raw: &text[whole.start()..at] });
        }
        limit(&mut parsed);
        parsed.prose = prose.trim_matches(is_space).to_owned();
        parsed
    }

    fn split<'t>(&self, inner: &'t str) -> (String, &'t str, bool) {
        let text = inner.trim_matches(is_space);
        let (text, closes_itself) = match text.strip_suffix('/') {
            Some(text) => (text.trim_matches(is_space), true),
            None => (text, false),
        };
        let end = self.word.find(text).map_or(0, |word| word.end());
        (text[..end].to_ascii_uppercase(), &text[end..], closes_itself)
    }

    fn attrs<'t>(&self, rest: &'t str, errors: &mut Vec<String>) -> Vec<(&'t str, &'t str)> {
        let mut attrs: Vec<(&str, &str)> = Vec::new();
        let mut end = 0;
        for attr in self.attr.captures_iter(rest) {
            let key = attr.get(1).expect("a key").as_str();
            let value = attr.get(2).or(attr.get(3)).expect("a value").as_str();
            match attrs.iter_mut().find(|(known, _)| *known == key) {
                Some(known) => known.1 = value,
                None => attrs.push((key, value)),
            }
            end = attr.get_match().end();
        }
        let leftover = rest[end..].trim_matches(is_space);
        if !leftover.is_empty() {
            errors.push(format!("ERROR: malformed attribute fragment '{leftover}' (expected key=\"value\")"));
        }
        attrs
    }

    /// The end of a dropped tag: after its close, or after its token.
    fn consumed(&mut self, name: &str, text: &str, at: usize, closes_itself: bool) -> usize {
        if closes_itself {
            return at;
        }
        self.close(name).find_at(text, at).map_or(at, |close| close.end())
    }

    fn close(&mut self, name: &str) -> &Regex {
        if !self.closes.contains_key(name) {
            // `(?i)` folds like Python's, except for the dotted and the dotless i.
            let letters = name.replace('I', "[I\u{130}\u{131}]");
            let pattern = format!(r"\[\[/{SPACE}*(?i:{letters}){SPACE}*\]\]");
            self.closes.insert(name.to_owned(), Regex::new(&pattern).expect("a valid pattern"));
        }
        &self.closes[name]
    }
}

/// Drops the tags over their budgets, and says so.
fn limit(parsed: &mut Parsed<'_>) {
    let [mut tasks, mut changes, mut knowledge] = [0; 3];
    let errors = &mut parsed.errors;
    parsed.tags.retain(|tag| {
        let count = match tag.name {
            TagName::CreateTask => &mut tasks,
            TagName::Knowledge => &mut knowledge,
            name if TEAM_CHANGE_TAGS.contains(&name) => &mut changes,
            _ => return true,
        };
        *count += 1;
        if *count > 3 {
            let name = tag.name;
            errors.push(format!("ERROR: too many [[{name}]] in one reply (max 3); the extra was ignored"));
        }
        *count <= 3
    });
}

/// White space in Python's patterns.
const SPACE: &str =
    r"[\x09-\x0D\x1C-\x20\u{85}\u{A0}\u{1680}\u{2000}-\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}]";

/// Whether `SPACE` matches the character.
fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

/// Edit blocks by the seed's own pattern.
pub struct EditPort(Regex);

impl EditPort {
    #[allow(clippy::new_without_default)] // it compiles a pattern, which is not cheap
    pub fn new() -> Self {
        let pattern = format!(r"(?s)<<<OLD{SPACE}*\n(.*?)\n==={SPACE}*\n(.*?)\n{SPACE}*NEW>>>");
        Self(Regex::new(&pattern).expect("a valid pattern"))
    }

    pub fn blocks<'t>(&self, body: &'t str) -> Vec<(&'t str, &'t str)> {
        let blocks = self.0.captures_iter(body).map(|block| block.extract());
        blocks.map(|(_, [old, new])| (old, new)).collect()
    }
}
