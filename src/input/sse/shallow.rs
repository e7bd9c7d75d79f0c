//! JSON to a limited depth. Servers attach objects that nobody reads, and their nesting must not make an event unreadable.

use core::fmt;

use serde::de::{Deserialize as _, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Parses a JSON value. What is nested deeper than any format has its text becomes `null`.
pub(super) fn from_str(json: &str) -> serde_json::Result<Value> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let value = Shallow { depth: MAX_DEPTH }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Reads a value with `depth` levels of nesting. Deeper ones are skipped without recursion.
#[derive(Clone, Copy)]
struct Shallow {
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Shallow {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if self.depth == 0 {
            return IgnoredAny::deserialize(deserializer).map(|_| Value::Null);
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Shallow {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inner = Shallow { depth: self.depth - 1 };
        let mut list = alloc::vec::Vec::new();
        while let Some(item) = items.next_element_seed(inner)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let inner = Shallow { depth: self.depth - 1 };
        let mut map = Map::new();
        while let Some(key) = entries.next_key()? {
            map.insert(key, entries.next_value_seed(inner)?);
        }
        Ok(Value::Object(map))
    }
}

/// Twice the depth at which any format has text or a reason.
const MAX_DEPTH: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn a_value_is_read_as_it_is() {
        for json in ["null", "true", "-1", "1.5", "18446744073709551615", r#""a\n""#, r#"[1,{"a":[]},"b"]"#] {
            assert_eq!(from_str(json).expect("JSON"), serde_json::from_str::<Value>(json).expect("JSON"), "{json}");
        }
        for json in ["", "[1", "{}}", "{\"a\":1,}", "nul"] {
            assert!(from_str(json).is_err(), "{json}");
        }
    }

    #[test]
    fn deep_values_are_skipped() {
        let deep = format!("{{\"a\": {}1{}, \"b\": \"text\"}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(from_str(&deep).expect("JSON")["b"], "text");
    }
}
