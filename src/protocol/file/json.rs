//! Protocol files in JSON.
//!
//! serde_json checks the text and takes it apart. It knows no spans, but lends the text of each value, whose offset is its span:
//! each level of nesting is read once more, and [`MAX_DEPTH`] bounds their number.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::fault::Fault;
use super::node::{Entry, Node, Value};

/// Parses `text`.
pub(super) fn parse(text: &str) -> Result<Node, Vec<Fault>> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| Vec::from([located(text, &error)]))?;
    Reader { text }.node(raw, 0).map_err(|fault| Vec::from([fault]))
}

struct Reader<'t> {
    text: &'t str,
}

impl<'t> Reader<'t> {
    fn node(&self, raw: &'t RawValue, depth: usize) -> Result<Node, Fault> {
        let start = self.offset(raw.get());
        let span = start..start + raw.get().len();
        if depth > MAX_DEPTH {
            return Err(Fault::at(span, "", "nested too deeply"));
        }
        // The whole text was checked.
        let error = |error: serde_json::Error| Fault::at(span.clone(), "", error.to_string());
        let value = match raw.get().as_bytes().first() {
            Some(b'{') => Value::Table(self.entries(serde_json::from_str(raw.get()).map_err(error)?, start, depth)?),
            Some(b'[') => {
                let items: Vec<&'t RawValue> = serde_json::from_str(raw.get()).map_err(error)?;
                Value::List(items.into_iter().map(|item| self.node(item, depth + 1)).collect::<Result<_, _>>()?)
            }
            Some(b'"') => Value::String(serde_json::from_str(raw.get()).map_err(error)?),
            Some(b't') => Value::Boolean(true),
            Some(b'f') => Value::Boolean(false),
            Some(b'n') => Value::Null,
            _ => number(raw.get()),
        };
        Ok(Node { span, value })
    }

    fn entries(&self, pairs: Pairs<'t>, start: usize, depth: usize) -> Result<Vec<Entry>, Fault> {
        let mut entries = Vec::with_capacity(pairs.0.len());
        let mut from = start + 1;
        for (key, raw) in pairs.0 {
            let node = self.node(raw, depth + 1)?;
            let between = &self.text[from..node.span.start];
            let quote = from + between.find('"').unwrap_or(0);
            let end = from + between.rfind('"').map_or(0, |quote| quote + 1);
            from = node.span.end;
            entries.push(Entry { key, span: quote..end, node });
        }
        Ok(entries)
    }

    /// The offset of a part of the text.
    fn offset(&self, part: &str) -> usize {
        part.as_ptr() as usize - self.text.as_ptr() as usize
    }
}

/// The keys of an object with their values, also of one key twice.
struct Pairs<'t>(Vec<(String, &'t RawValue)>);

impl<'t> Deserialize<'t> for Pairs<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PairsVisitor)
    }
}

struct PairsVisitor;

impl<'t> Visitor<'t> for PairsVisitor {
    type Value = Pairs<'t>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Pairs<'t>, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Pairs(pairs))
    }
}

fn number(text: &str) -> Value {
    if let Ok(number) = text.parse() {
        return Value::Integer(number);
    }
    match text.parse() {
        Ok(number) if text.contains(['.', 'e', 'E']) => Value::Float(number),
        _ => Value::Long(text.to_string()),
    }
}

/// An error of serde_json, which knows its line and its column in bytes, from 1.
fn located(text: &str, error: &serde_json::Error) -> Fault {
    let line_start: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let mut at = (line_start + error.column().saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let message = error.to_string();
    // Its own place is in lines and columns of bytes.
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
    Fault::at(at..at, "", alloc::format!("not JSON: {message}"))
}

/// The deepest value of a protocol without a schema is at 6.
const MAX_DEPTH: usize = 64;
