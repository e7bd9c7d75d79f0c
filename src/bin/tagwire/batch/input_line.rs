//! A line of the input. Strings without escapes are borrowed from it; others are decoded into buffers that are used again.

use std::fmt;

use memchr::memchr;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The keys of a line that are read, besides `id` and `begins_inside`.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    pub(super) text: String,
    pub(super) role: String,
    pub(super) mode: String,
    pub(super) finish: String,
}

/// Strings that had escapes in them, decoded.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    pub(super) text: String,
    pub(super) role: String,
    pub(super) mode: String,
    pub(super) finish: String,
    pub(super) begins_inside: String,
}

/// What a line holds.
#[derive(Debug, Default)]
pub(super) struct InputLine<'l> {
    /// As it is written.
    pub(super) id: Option<&'l RawValue>,
    pub(super) text: Field<'l>,
    pub(super) role: Field<'l>,
    pub(super) mode: Field<'l>,
    pub(super) finish: Field<'l>,
    pub(super) begins_inside: Field<'l>,
}

/// The value of a key: the last one of a repeated key.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Field<'l> {
    #[default]
    Absent,
    /// A string without escapes.
    Plain(&'l str),
    /// A string with escapes, decoded into its buffer.
    Buffered,
    Null,
    /// Anything else, and its kind.
    Other(&'static str),
}

/// Reads `line`, or says why it can't be read.
pub(super) fn read<'l>(line: &'l [u8], keys: &Keys, buffers: &mut Buffers) -> Result<InputLine<'l>, String> {
    let line = std::str::from_utf8(line).map_err(|error| format!("invalid UTF-8 at byte {}", error.valid_up_to()))?;
    object(line, InputLineSeed { keys, buffers }).map_err(|error| reason(line, &error))
}

/// The `id` of a line that can't be read, where it is JSON enough to have one.
pub(super) fn id(line: &[u8]) -> Option<&RawValue> {
    let line = std::str::from_utf8(line).ok()?;
    let id = object(line, IdSeed).ok()??;
    lone_surrogate(id.get(), 0).is_none().then_some(id)
}

/// The object that `line` is, as `seed` reads it.
fn object<'l, S: DeserializeSeed<'l>>(line: &'l str, seed: S) -> serde_json::Result<S::Value> {
    let mut json = serde_json::Deserializer::from_str(line);
    if !line.trim_ascii_start().starts_with('{') {
        // The error of a seed that gets a string would hold all of it, escaped: many times the line.
        IgnoredAny::deserialize(&mut json)?;
        json.end()?;
        return Err(Error::custom("not an object"));
    }
    let value = seed.deserialize(&mut json)?;
    json.end()?;
    Ok(value)
}

fn reason(line: &str, error: &serde_json::Error) -> String {
    if line.trim_ascii().is_empty() {
        return "line is blank".into();
    }
    if let Some(at) = lone_surrogate(line, 0) {
        return format!("lone surrogate {} at byte {at}", &line[at..at + 6]);
    }
    if error.is_data() {
        return "expected a JSON object".into();
    }
    let message = error.to_string();
    // serde_json counts lines too: it is always the first.
    let what = message.rfind(" at line ").map_or(message.as_str(), |end| &message[..end]);
    format!("not JSON: {what} at column {}", error.column())
}

/// A value as it is written. serde_json accepts lone surrogates in text that is not decoded; here they are an error everywhere.
fn raw<'l, A: MapAccess<'l>>(map: &mut A) -> Result<&'l RawValue, A::Error> {
    let value = map.next_value()?;
    check(value)?;
    Ok(value)
}

fn check<E: Error>(value: &RawValue) -> Result<(), E> {
    match lone_surrogate(value.get(), 0) {
        Some(_) => Err(E::custom("lone surrogate")),
        None => Ok(()),
    }
}

/// The first `\uD800` to `\uDFFF` that is not half of a pair, from `at` on, which is not inside an escape.
fn lone_surrogate(line: &str, mut at: usize) -> Option<usize> {
    let bytes = line.as_bytes();
    let unit = |at: usize| {
        let digits = bytes.get(at..at + 6)?.strip_prefix(br"\u")?;
        digits.iter().try_fold(0, |unit, &digit| Some(unit << 4 | char::from(digit).to_digit(16)?))
    };
    loop {
        at += memchr(b'\\', bytes.get(at..)?)?;
        match unit(at) {
            Some(0xD800..=0xDBFF) if matches!(unit(at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(0xD800..=0xDFFF) => return Some(at),
            Some(_) => at += 6,
            None => at += 2,
        }
    }
}

enum Key {
    Id,
    Text,
    Role,
    Mode,
    Finish,
    BeginsInside,
    Other,
}

struct KeySeed<'k>(&'k Keys);

impl<'l> DeserializeSeed<'l> for KeySeed<'_> {
    type Value = Key;

    fn deserialize<D: Deserializer<'l>>(self, deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeySeed<'_> {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Key, E> {
        let Keys { text, role, mode, finish } = self.0;
        Ok(match key {
            "id" => Key::Id,
            "begins_inside" => Key::BeginsInside,
            key if key == text => Key::Text,
            key if key == role => Key::Role,
            key if key == mode => Key::Mode,
            key if key == finish => Key::Finish,
            _ => Key::Other,
        })
    }
}

struct InputLineSeed<'k> {
    keys: &'k Keys,
    buffers: &'k mut Buffers,
}

impl<'l> DeserializeSeed<'l> for InputLineSeed<'_> {
    type Value = InputLine<'l>;

    fn deserialize<D: Deserializer<'l>>(self, deserializer: D) -> Result<InputLine<'l>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'l> Visitor<'l> for InputLineSeed<'_> {
    type Value = InputLine<'l>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'l>>(self, mut map: A) -> Result<InputLine<'l>, A::Error> {
        let InputLineSeed { keys, buffers } = self;
        let mut input_line = InputLine::default();
        while let Some(key) = map.next_key_seed(KeySeed(keys))? {
            match key {
                Key::Id => input_line.id = Some(raw(&mut map)?),
                Key::Text => input_line.text = map.next_value_seed(FieldSeed(&mut buffers.text))?,
                Key::Role => input_line.role = map.next_value_seed(FieldSeed(&mut buffers.role))?,
                Key::Mode => input_line.mode = map.next_value_seed(FieldSeed(&mut buffers.mode))?,
                Key::Finish => input_line.finish = map.next_value_seed(FieldSeed(&mut buffers.finish))?,
                Key::BeginsInside => {
                    input_line.begins_inside = map.next_value_seed(FieldSeed(&mut buffers.begins_inside))?;
                }
                Key::Other => drop(raw(&mut map)?),
            }
        }
        Ok(input_line)
    }
}

struct FieldSeed<'b>(&'b mut String);

impl<'l> DeserializeSeed<'l> for FieldSeed<'_> {
    type Value = Field<'l>;

    fn deserialize<D: Deserializer<'l>>(self, deserializer: D) -> Result<Field<'l>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'l> Visitor<'l> for FieldSeed<'_> {
    type Value = Field<'l>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'l str) -> Result<Field<'l>, E> {
        Ok(Field::Plain(text))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Field<'l>, E> {
        self.0.clear();
        self.0.push_str(text);
        Ok(Field::Buffered)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Field<'l>, E> {
        Ok(Field::Other("a boolean"))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Field<'l>, E> {
        Ok(Field::Other("a number"))
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Field<'l>, E> {
        Ok(Field::Other("a number"))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Field<'l>, E> {
        Ok(Field::Other("a number"))
    }

    fn visit_unit<E: Error>(self) -> Result<Field<'l>, E> {
        Ok(Field::Null)
    }

    fn visit_seq<A: SeqAccess<'l>>(self, mut items: A) -> Result<Field<'l>, A::Error> {
        while let Some(item) = items.next_element::<&RawValue>()? {
            check(item)?;
        }
        Ok(Field::Other("an array"))
    }

    fn visit_map<A: MapAccess<'l>>(self, mut items: A) -> Result<Field<'l>, A::Error> {
        while items.next_key::<IgnoredAny>()?.is_some() {
            raw(&mut items)?;
        }
        Ok(Field::Other("an object"))
    }
}

/// Reads only the `id`, of a line whose other values may be at fault.
struct IdSeed;

impl<'l> DeserializeSeed<'l> for IdSeed {
    type Value = Option<&'l RawValue>;

    fn deserialize<D: Deserializer<'l>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'l> Visitor<'l> for IdSeed {
    type Value = Option<&'l RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'l>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut id = None;
        let keys = Keys::default();
        while let Some(key) = map.next_key_seed(KeySeed(&keys))? {
            match key {
                Key::Id => id = Some(map.next_value()?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(id)
    }
}
