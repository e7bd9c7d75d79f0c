//! A protocol as its file says it, and what the reading asks of it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::words::{is_blank_text, is_mark, is_word_lower, is_word_upper, trimmed};

/// A protocol file in its JSON form. Text that is only for readers is left out.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct StrictProtocol {
    pub name: String,
    #[serde(default)]
    pub open: bool,
    #[serde(default)]
    pub unknown: UnknownTags,
    #[serde(default)]
    pub code: Code,
    #[serde(default)]
    pub regions: Vec<Region>,
    #[serde(default)]
    pub limits: Limits,
    pub tags: Vec<Entry>,
    #[serde(default)]
    pub budgets: Vec<Budget>,
    #[serde(default)]
    pub grants: Vec<Grant>,
    /// What it was read from.
    #[serde(skip)]
    pub source: Value,
}

/// What becomes of tags that the protocol has not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UnknownTags {
    #[default]
    Report,
    Prose,
}

/// What becomes of tags in code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Code {
    #[default]
    Prose,
    Tags,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Region {
    pub name: String,
    pub open: String,
    pub close: String,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default)]
pub struct Limits {
    pub tags: usize,
    pub token_bytes: usize,
    pub body_bytes: usize,
    pub diagnostics: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { tags: 256, token_bytes: 65_536, body_bytes: 8_388_608, diagnostics: 256 }
    }
}

/// One entry of `tags`: a tag, or one variant of a word.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Entry {
    /// The word.
    pub name: String,
    #[serde(default)]
    pub select: Option<Selector>,
    #[serde(default)]
    pub body: BodyKind,
    #[serde(default)]
    pub argument: Option<String>,
    #[serde(default)]
    pub budget: Option<String>,
    #[serde(default)]
    pub unknown_attributes: UnknownAttributes,
    #[serde(default)]
    pub attributes: Vec<Attribute>,
    #[serde(default)]
    pub sections: Vec<Section>,
}

impl Entry {
    /// What grants and messages call it: `WORD`, or `WORD:selector`.
    pub fn own_name(&self) -> String {
        match &self.select {
            Some(select) => format!("{}:{}", self.name, select.value()),
            None => self.name.clone(),
        }
    }

    pub fn has_body(&self) -> bool {
        self.body != BodyKind::None
    }

    pub fn takes_argument(&self) -> bool {
        self.argument.is_some() || matches!(self.select, Some(Selector::Argument { .. }))
    }

    /// The attribute of this name or alias.
    pub fn attribute(&self, key: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| {
            attribute.name.eq_ignore_ascii_case(key)
                || attribute.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(key))
        })
    }
}

/// What tells the entries of one word apart.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Selector {
    Argument { argument: String },
    Attribute { attribute: String, value: String },
}

impl Selector {
    pub fn value(&self) -> &str {
        match self {
            Self::Argument { argument } => argument,
            Self::Attribute { value, .. } => value,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BodyKind {
    #[default]
    None,
    Text,
    Json,
    Edits,
    Sections,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UnknownAttributes {
    #[default]
    Refuse,
    Warn,
    Keep,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Attribute {
    pub name: String,
    #[serde(default, rename = "type")]
    pub kind: Kind,
    #[serde(default)]
    pub required: bool,
    #[serde(default)]
    pub aliases: Vec<String>,
    #[serde(default)]
    pub values: Vec<String>,
    #[serde(default)]
    pub min: Option<f64>,
    #[serde(default)]
    pub max: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    #[default]
    String,
    Integer,
    Number,
    Boolean,
    Enum,
    Path,
}

impl Attribute {
    pub fn wants_quotes(&self) -> bool {
        matches!(self.kind, Kind::String | Kind::Path)
    }

    /// The canonical value, or the reason why it has none.
    pub fn canonical(&self, written: &str) -> Result<String, &'static str> {
        let value = trimmed(written);
        match self.kind {
            Kind::String => Ok(written.to_owned()),
            Kind::Path if is_path(value) => Ok(value.to_owned()),
            Kind::Path => Err("type"),
            Kind::Enum => {
                let declared = self.values.iter().find(|declared| declared.eq_ignore_ascii_case(value));
                declared.cloned().ok_or("enum")
            }
            Kind::Boolean => {
                let lower = value.to_ascii_lowercase();
                if lower == "true" || lower == "false" { Ok(lower) } else { Err("type") }
            }
            Kind::Integer => {
                let digits = value.strip_prefix(['+', '-']).unwrap_or(value);
                if !is_digits(digits) {
                    return Err("type");
                }
                let number: i64 = value.parse().map_err(|_| "type")?;
                self.in_range(value, number as f64)
            }
            Kind::Number => {
                if !is_number(value) {
                    return Err("type");
                }
                let number: f64 = value.parse().map_err(|_| "type")?;
                if number.is_finite() { self.in_range(value, number) } else { Err("type") }
            }
        }
    }

    fn in_range(&self, value: &str, number: f64) -> Result<String, &'static str> {
        let is_below = self.min.is_some_and(|min| number < min);
        let is_above = self.max.is_some_and(|max| number > max);
        if is_below || is_above { Err("range") } else { Ok(value.to_owned()) }
    }
}

#[derive(Clone, Debug, Deserialize)]
pub struct Section {
    pub name: String,
    #[serde(default)]
    pub required: bool,
    #[serde(default)]
    pub repeat: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Budget {
    pub name: String,
    pub max: u32,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Grant {
    #[serde(default)]
    pub role: Option<String>,
    #[serde(default)]
    pub mode: Option<String>,
    pub tags: Vec<String>,
}

impl StrictProtocol {
    pub fn from_json(json: &str) -> Self {
        Self::from_value(serde_json::from_str(json).expect("JSON"))
    }

    pub fn from_value(source: Value) -> Self {
        let protocol: Self = serde_json::from_value(source.clone()).expect("a protocol in JSON");
        Self { source, ..protocol }
    }

    /// The entries of a word, in any case.
    pub fn entries(&self, word: &str) -> Vec<&Entry> {
        self.tags.iter().filter(|entry| entry.name.eq_ignore_ascii_case(word)).collect()
    }

    /// Whether some entry takes an argument.
    pub fn takes_arguments(&self) -> bool {
        self.tags.iter().any(Entry::takes_argument)
    }

    /// Whether a word is in the protocol's letter case.
    pub fn is_in_letter_case(&self, word: &str) -> bool {
        if self.tags.iter().all(|entry| is_word_upper(&entry.name)) {
            is_word_upper(word)
        } else if self.tags.iter().all(|entry| is_word_lower(&entry.name)) {
            is_word_lower(word)
        } else {
            true
        }
    }

    /// The own names of what a role may use in a mode.
    pub fn granted(&self, role: Option<&str>, mode: Option<&str>) -> Vec<String> {
        let fits = |granted: &Option<String>, asked: Option<&str>| granted.is_none() || granted.as_deref() == asked;
        if self.open {
            return self.tags.iter().map(Entry::own_name).collect();
        }
        let grants = self.grants.iter().filter(|grant| fits(&grant.role, role) && fits(&grant.mode, mode));
        grants.flat_map(|grant| grant.tags.clone()).collect()
    }

    pub fn budget(&self, name: &str) -> u32 {
        self.budgets.iter().find(|budget| budget.name == name).expect("a declared budget").max
    }

    /// How often each budget was drawn on, before any tag.
    pub fn unspent(&self) -> BTreeMap<String, u32> {
        self.budgets.iter().map(|budget| (budget.name.clone(), 0)).collect()
    }
}

/// Whether a required attribute counts as absent with this value.
pub fn is_blank(value: &str) -> bool {
    is_blank_text(value)
}

/// Whether a value can stand in a close.
pub fn is_close_mark(value: &str) -> bool {
    is_mark(value)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Digits, digits with a point, or a point with digits after it; a sign before, an exponent after.
fn is_number(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let is_mantissa = match mantissa.split_once('.') {
        None => is_digits(mantissa),
        Some(("", fraction)) => is_digits(fraction),
        Some((whole, fraction)) => is_digits(whole) && (fraction.is_empty() || is_digits(fraction)),
    };
    is_mantissa && exponent.is_none_or(|exponent| is_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
}

/// A relative path with `/`.
fn is_path(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has_drive = bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
    !text.is_empty()
        && !text.starts_with(['/', '~'])
        && !has_drive
        && !text.split('/').any(|part| part == "..")
        && !text.chars().any(|c| c == '\\' || c < ' ' || c == '\u{7f}')
}
