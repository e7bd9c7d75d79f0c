//! Protocols in the keys of a protocol file.

use serde::ser::{Error as _, Serialize, SerializeMap, Serializer};

use super::Protocol;
use super::buf::ProtocolBuf;
use super::file::Node;
use super::list::Pairs;
use super::spec::{
    AttrSpec, AttrType, Budget, ExampleSpec, Grant, ProtocolSpec, RegionSpec, Schema, SectionSpec, Select, TagSpec,
};

impl Serialize for Protocol<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.spec().serialize(serializer)
    }
}

impl Serialize for ProtocolBuf {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_protocol().serialize(serializer)
    }
}

// Plain values before tables and lists of tables, as TOML wants them.
impl Serialize for ProtocolSpec<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut keys = Keys(serializer.serialize_map(None)?);
        keys.put("name", self.name)?;
        keys.put_some("about", self.about)?;
        keys.put("dialect", self.dialect.as_str())?;
        keys.put_some("unknown", self.unknown.map(|unknown| unknown.as_str()))?;
        keys.put_some("code", self.code.map(|code| code.as_str()))?;
        keys.put_if(self.open, "open", true)?;
        keys.put_some("limits", self.limits)?;
        keys.put_some("regions", self.regions)?;
        keys.put("tags", self.tags)?;
        keys.put_if(self.budgets.len() > 0, "budgets", self.budgets)?;
        keys.put_if(self.grants.len() > 0, "grants", self.grants)?;
        keys.put_if(self.examples.len() > 0, "examples", self.examples)?;
        keys.0.end()
    }
}

impl Serialize for TagSpec<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut keys = Keys(serializer.serialize_map(None)?);
        keys.put("name", self.word())?;
        keys.put_some("about", self.about)?;
        keys.put_if(self.has_body(), "body", self.body.as_str())?;
        keys.put_some("budget", self.budget)?;
        keys.put_some("argument", self.argument)?;
        keys.put_some("unknown_attributes", self.unknown_attributes.map(|rule| rule.as_str()))?;
        let selector = self.selector().unwrap_or_default();
        keys.put_some("select", self.select.map(|select| Selection { select, selector }))?;
        keys.put_some("example", self.example.map(Example))?;
        keys.put_some("schema", self.schema)?;
        keys.put_if(self.sections.len() > 0, "sections", self.sections)?;
        keys.put_if(self.attributes.len() > 0, "attributes", self.attributes)?;
        keys.0.end()
    }
}

struct Selection<'p> {
    select: Select<'p>,
    selector: &'p str,
}

impl Serialize for Selection<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut keys = Keys(serializer.serialize_map(None)?);
        match self.select {
            Select::Argument => keys.put("argument", self.selector)?,
            Select::Attribute(name) => {
                keys.put("attribute", name)?;
                keys.put("value", self.selector)?;
            }
        }
        keys.0.end()
    }
}

struct Example<'p>(Pairs<'p>);

impl Serialize for Example<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter())
    }
}

impl Serialize for Schema<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Schema::File { path, .. } => serializer.serialize_str(path),
            Schema::Inline(json) => {
                let node: Node = serde_json::from_str(json).map_err(S::Error::custom)?;
                node.serialize(serializer)
            }
        }
    }
}

impl Serialize for AttrSpec<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut keys = Keys(serializer.serialize_map(None)?);
        keys.put("name", self.name)?;
        keys.put_some("about", self.about)?;
        keys.put_if(self.kind != AttrType::String, "type", self.kind.as_str())?;
        match self.kind {
            AttrType::Integer { min, max } => {
                keys.put_if(min != i64::MIN, "min", min)?;
                keys.put_if(max != i64::MAX, "max", max)?;
            }
            AttrType::Number { min, max } => {
                keys.put_if(min != f64::NEG_INFINITY, "min", Bound(min))?;
                keys.put_if(max != f64::INFINITY, "max", Bound(max))?;
            }
            AttrType::Enum(values) => keys.put("values", values.0)?,
            AttrType::String | AttrType::Boolean | AttrType::Path => {}
        }
        keys.put_if(self.required, "required", true)?;
        keys.put_some("default", self.default)?;
        keys.put_if(self.aliases.len() > 0, "aliases", self.aliases)?;
        keys.0.end()
    }
}

/// A bound of a number, which is written as an integer if it is one.
struct Bound(f64);

impl Serialize for Bound {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let whole = self.0 as i64;
        if whole as f64 == self.0 { serializer.serialize_i64(whole) } else { serializer.serialize_f64(self.0) }
    }
}

impl Serialize for SectionSpec<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut keys = Keys(serializer.serialize_map(None)?);
        keys.put("name", self.name)?;
        keys.put_if(self.required, "required", true)?;
        keys.put_if(self.repeat, "repeat", true)?;
        keys.0.end()
    }
}

impl Serialize for RegionSpec<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut keys = Keys(serializer.serialize_map(None)?);
        keys.put("name", self.name)?;
        keys.put("open", self.open)?;
        keys.put("close", self.close)?;
        keys.0.end()
    }
}

impl Serialize for Budget<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut keys = Keys(serializer.serialize_map(None)?);
        keys.put("name", self.name)?;
        keys.put("max", self.max)?;
        keys.0.end()
    }
}

impl Serialize for Grant<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut keys = Keys(serializer.serialize_map(None)?);
        keys.put_some("role", self.role)?;
        keys.put_some("mode", self.mode)?;
        keys.put("tags", self.tags)?;
        keys.0.end()
    }
}

impl Serialize for ExampleSpec<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut keys = Keys(serializer.serialize_map(None)?);
        keys.put("reply", self.reply)?;
        keys.put_some("role", self.role)?;
        keys.put_some("mode", self.mode)?;
        keys.put_some("finish", self.truncated.map(|truncated| if truncated { "truncated" } else { "complete" }))?;
        keys.put("tags", self.tags)?;
        keys.put_some("diagnostics", self.diagnostics)?;
        keys.0.end()
    }
}

/// The keys of a table. What is not stated has none.
struct Keys<M>(M);

impl<M: SerializeMap> Keys<M> {
    fn put(&mut self, key: &'static str, value: impl Serialize) -> Result<(), M::Error> {
        self.0.serialize_entry(key, &value)
    }

    fn put_some(&mut self, key: &'static str, value: Option<impl Serialize>) -> Result<(), M::Error> {
        value.map_or(Ok(()), |value| self.put(key, value))
    }

    fn put_if(&mut self, is_stated: bool, key: &'static str, value: impl Serialize) -> Result<(), M::Error> {
        self.put_some(key, is_stated.then_some(value))
    }
}
