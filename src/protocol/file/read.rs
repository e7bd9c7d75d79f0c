//! From the data of a file to the parts of a protocol.
//!
//! First the keys and the types of their values: each function reads one kind of table, and names its keys. If all of them are
//! right, [`validate`] checks what they say, as for a `const`, and its faults are placed in the file.

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use super::error::{Fault, MAX_FAULTS};
use super::node::{Entry, Node, Value};
use crate::protocol::buf::{
    AttrBuf, AttrTypeBuf, BudgetBuf, ExampleBuf, GrantBuf, ProtocolBuf, ProtocolParts, RegionBuf, SchemaBuf,
    SectionBuf, SelectBuf, TagBuf,
};
use crate::protocol::error::{Path, Step};
use crate::protocol::keyword::{Body, Dialect, TagsInCode, UnknownAttributes, UnknownTags};
use crate::protocol::limits::StrictLimits;
use crate::protocol::nearest::nearest;
use crate::protocol::spec::ProtocolSpec;
use crate::protocol::validate::validate;

/// Finds the text of a schema by its path, or says why not.
pub(super) type Schemas<'s> = &'s dyn Fn(&str) -> Result<String, String>;

/// Reads a protocol. The schemas that are files are read by `schemas`, if given.
pub(super) fn protocol(root: &Node, schemas: Option<Schemas<'_>>) -> Result<ProtocolBuf, Vec<Fault>> {
    let mut reader = Reader { faults: Vec::new(), schemas };
    let parts = reader.protocol(root);
    match parts {
        Some(parts) if reader.faults.is_empty() => {
            let faults = validate(&parts.lend());
            let placed = |(path, message): (&Path, &str)| place(root, &parts.lend(), path, message);
            let faults: Vec<Fault> = faults.iter().map(|fault| placed((&fault.path, fault.text.as_str()))).collect();
            if faults.is_empty() { Ok(ProtocolBuf::from_checked(parts)) } else { Err(faults) }
        }
        _ => Err(reader.faults),
    }
}

struct Reader<'s> {
    faults: Vec<Fault>,
    schemas: Option<Schemas<'s>>,
}

impl Reader<'_> {
    fn protocol(&mut self, node: &Node) -> Option<ProtocolParts> {
        let route = &Route::Root;
        let table = self.table(node, route, PROTOCOL_KEYS)?;
        let dialect = self.keyword(&table, "dialect", Dialect::WORDS, Dialect::from_word).unwrap_or_default();
        let parts = ProtocolParts {
            about: self.string(&table, "about"),
            dialect,
            unknown: self.keyword(&table, "unknown", UnknownTags::WORDS, UnknownTags::from_word),
            code: self.keyword(&table, "code", TagsInCode::WORDS, TagsInCode::from_word),
            regions: self.list(&table, "regions", Self::region),
            limits: table.get("limits").and_then(|node| self.limits(node, &table.route("limits"))),
            budgets: self.list(&table, "budgets", Self::budget).unwrap_or_default(),
            grants: self.list(&table, "grants", Self::grant).unwrap_or_default(),
            open: self.boolean(&table, "open"),
            examples: self.list(&table, "examples", Self::example).unwrap_or_default(),
            name: String::new(),
            tags: Vec::new(),
        };
        let name = self.required_string(&table, "name");
        self.required(&table, "tags");
        let tags = self.list(&table, "tags", |reader, node, route| reader.tag(node, route, dialect));
        Some(ProtocolParts { name: name?, tags: tags?, ..parts })
    }

    fn limits(&mut self, node: &Node, route: &Route<'_>) -> Option<StrictLimits> {
        let table = self.table(node, route, &["tags", "token_bytes", "body_bytes", "diagnostics"])?;
        let default = StrictLimits::DEFAULT;
        Some(StrictLimits {
            tags: self.count(&table, "tags")?.unwrap_or(default.tags),
            token_bytes: self.count(&table, "token_bytes")?.unwrap_or(default.token_bytes),
            body_bytes: self.count(&table, "body_bytes")?.unwrap_or(default.body_bytes),
            diagnostics: self.count(&table, "diagnostics")?.unwrap_or(default.diagnostics),
        })
    }

    fn region(&mut self, node: &Node, route: &Route<'_>) -> Option<RegionBuf> {
        let table = self.table(node, route, &["name", "open", "close"])?;
        let [name, open, close] = ["name", "open", "close"].map(|key| self.required_string(&table, key));
        Some(RegionBuf { name: name?, open: open?, close: close? })
    }

    fn budget(&mut self, node: &Node, route: &Route<'_>) -> Option<BudgetBuf> {
        let table = self.table(node, route, &["name", "max"])?;
        let name = self.required_string(&table, "name");
        self.required(&table, "max");
        Some(BudgetBuf { max: self.count(&table, "max")??, name: name? })
    }

    fn grant(&mut self, node: &Node, route: &Route<'_>) -> Option<GrantBuf> {
        let table = self.table(node, route, &["role", "mode", "tags"])?;
        self.required(&table, "tags");
        let (role, mode) = (self.string(&table, "role"), self.string(&table, "mode"));
        Some(GrantBuf { role, mode, tags: self.strings(&table, "tags")? })
    }

    fn example(&mut self, node: &Node, route: &Route<'_>) -> Option<ExampleBuf> {
        let table = self.table(node, route, &["reply", "role", "mode", "finish", "tags", "diagnostics"])?;
        self.required(&table, "tags");
        let is_truncated = |word: &str| FINISHES.iter().position(|finish| *finish == word).map(|i| i == 1);
        Some(ExampleBuf {
            role: self.string(&table, "role"),
            mode: self.string(&table, "mode"),
            truncated: self.keyword(&table, "finish", FINISHES, is_truncated),
            diagnostics: self.strings(&table, "diagnostics"),
            reply: self.required_string(&table, "reply")?,
            tags: self.strings(&table, "tags")?,
        })
    }

    fn tag(&mut self, node: &Node, route: &Route<'_>, dialect: Dialect) -> Option<TagBuf> {
        let table = self.table(node, route, TAG_KEYS)?;
        if dialect == Dialect::Seed {
            self.check_seed_keys(&table);
        }
        let word = self.required_string(&table, "name");
        let selection = table.get("select").map(|node| self.select(node, &table.route("select")));
        if let Some(Node { value: Value::List(sections), span }) = table.get("sections")
            && sections.is_empty()
        {
            self.push(span, &table.route("sections"), "expected at least one section");
        }
        let tag = TagBuf {
            about: self.string(&table, "about"),
            body: self.keyword(&table, "body", Body::WORDS, Body::from_word).unwrap_or_default(),
            budget: self.string(&table, "budget"),
            argument: self.string(&table, "argument"),
            attributes: self.list(&table, "attributes", Self::attribute).unwrap_or_default(),
            sections: self.list(&table, "sections", Self::section).unwrap_or_default(),
            unknown_attributes: self.keyword(
                &table,
                "unknown_attributes",
                UnknownAttributes::WORDS,
                UnknownAttributes::from_word,
            ),
            example: table.get("example").and_then(|node| self.values(node, &table.route("example"))),
            schema: table.get("schema").and_then(|node| self.schema(node, &table.route("schema"))),
            name: String::new(),
            select: None,
        };
        let word = word?;
        if word.contains(':') {
            let message = format!("{} is not a word; a variant has its value in select", quoted(&word));
            self.push(&table.node("name").span, &table.route("name"), message);
            return None;
        }
        match selection {
            None => Some(TagBuf { name: word, ..tag }),
            Some(selection) => {
                let (select, selector) = selection?;
                Some(TagBuf { name: format!("{word}:{selector}"), select: Some(select), ..tag })
            }
        }
    }

    fn check_seed_keys(&mut self, table: &Table<'_, '_>) {
        for entry in table.entries.iter().filter(|entry| !SEED_TAG_KEYS.contains(&entry.key.as_str())) {
            let message = "in the seed dialect a tag has only a name, about, a body and a budget";
            self.push(&entry.span, &table.route(&entry.key), message);
        }
    }

    /// What selects a variant, and the value that does.
    fn select(&mut self, node: &Node, route: &Route<'_>) -> Option<(SelectBuf, String)> {
        let table = self.table(node, route, &["argument", "attribute", "value"])?;
        let [argument, attribute, value] = ["argument", "attribute", "value"].map(|key| self.string(&table, key));
        match (argument, attribute, value) {
            (Some(argument), None, None) => Some((SelectBuf::Argument, argument)),
            (None, Some(attribute), Some(value)) => Some((SelectBuf::Attribute(attribute), value)),
            _ => {
                self.push(&node.span, route, "expected either argument, or attribute and value");
                None
            }
        }
    }

    fn section(&mut self, node: &Node, route: &Route<'_>) -> Option<SectionBuf> {
        let table = self.table(node, route, &["name", "required", "repeat"])?;
        let (required, repeat) = (self.boolean(&table, "required"), self.boolean(&table, "repeat"));
        Some(SectionBuf { name: self.required_string(&table, "name")?, required, repeat })
    }

    fn attribute(&mut self, node: &Node, route: &Route<'_>) -> Option<AttrBuf> {
        let table = self.table(node, route, ATTRIBUTE_KEYS)?;
        let name = self.required_string(&table, "name");
        let kind = self.attribute_type(&table);
        let attribute = AttrBuf {
            about: self.string(&table, "about"),
            required: self.boolean(&table, "required"),
            default: table.get("default").and_then(|node| self.written(node, &table.route("default"))),
            aliases: self.strings(&table, "aliases").unwrap_or_default(),
            name: String::new(),
            kind: AttrTypeBuf::String,
        };
        Some(AttrBuf { name: name?, kind: kind?, ..attribute })
    }

    fn attribute_type(&mut self, table: &Table<'_, '_>) -> Option<AttrTypeBuf> {
        let word = match table.get("type") {
            None => "string",
            Some(_) => self.keyword(table, "type", TYPES, |word| TYPES.iter().find(|it| **it == word))?,
        };
        let is_number = matches!(word, "integer" | "number");
        for (key, is_fit, fit) in [
            ("values", word == "enum", "type \"enum\""),
            ("min", is_number, "type \"integer\" or \"number\""),
            ("max", is_number, "type \"integer\" or \"number\""),
        ] {
            if let (Some(entry), false) = (table.entry(key), is_fit) {
                self.push(
                    &entry.span,
                    &table.route(key),
                    format!("{key} goes with {fit}, and the type is {}", quoted(word)),
                );
                return None;
            }
        }
        Some(match word {
            "integer" => {
                let (min, max) = (self.integer(table, "min"), self.integer(table, "max"));
                AttrTypeBuf::Integer { min: min?.unwrap_or(i64::MIN), max: max?.unwrap_or(i64::MAX) }
            }
            "number" => {
                let (min, max) = (self.number(table, "min"), self.number(table, "max"));
                AttrTypeBuf::Number { min: min?.unwrap_or(f64::NEG_INFINITY), max: max?.unwrap_or(f64::INFINITY) }
            }
            "boolean" => AttrTypeBuf::Boolean,
            "enum" => {
                self.required(table, "values");
                AttrTypeBuf::Enum(self.strings(table, "values")?)
            }
            "path" => AttrTypeBuf::Path,
            _ => AttrTypeBuf::String,
        })
    }

    /// The values of an example.
    fn values(&mut self, node: &Node, route: &Route<'_>) -> Option<Vec<(String, String)>> {
        let entries = self.entries(node, route)?;
        let mut values = Vec::new();
        for entry in entries {
            let value = self.written(&entry.node, &Route::Key(route, &entry.key));
            values.push((entry.key.clone(), value?));
        }
        Some(values)
    }

    fn schema(&mut self, node: &Node, route: &Route<'_>) -> Option<SchemaBuf> {
        match &node.value {
            Value::Table(_) => match serde_json::to_string(node) {
                Ok(json) => Some(SchemaBuf::Inline(json)),
                Err(error) => {
                    self.push(&node.span, route, format!("not a JSON Schema: {error}"));
                    None
                }
            },
            Value::String(path) => {
                let json = match self.schemas.map(|schemas| schemas(path)) {
                    None => None,
                    Some(Ok(json)) => Some(json),
                    Some(Err(message)) => {
                        self.push(&node.span, route, message);
                        return None;
                    }
                };
                Some(SchemaBuf::File { path: path.clone(), json })
            }
            _ => {
                self.expected("a JSON Schema as a table, or the path of one as a string", node, route);
                None
            }
        }
    }

    // The values of keys. `None` where there is a fault, or where the key is absent and need not be there.

    fn table<'n, 'r>(&mut self, node: &'n Node, route: &'r Route<'r>, keys: &[&str]) -> Option<Table<'n, 'r>> {
        let entries = self.entries(node, route)?;
        for entry in entries.iter().filter(|entry| !keys.contains(&entry.key.as_str())) {
            let hint = match hint(&entry.key, keys) {
                hint if hint.is_empty() => format!("; the keys here are {}", keys.join(", ")),
                hint => hint,
            };
            self.push(&entry.span, &Route::Key(route, &entry.key), format!("unknown key{hint}"));
        }
        Some(Table { node, entries, route })
    }

    /// The entries of a table, each key once.
    fn entries<'n>(&mut self, node: &'n Node, route: &Route<'_>) -> Option<&'n [Entry]> {
        let Value::Table(entries) = &node.value else {
            self.expected("a table", node, route);
            return None;
        };
        let mut sorted: Vec<&Entry> = entries.iter().collect();
        sorted.sort_by_key(|entry| (entry.key.as_str(), entry.span.start));
        for pair in sorted.windows(2).filter(|pair| pair[0].key == pair[1].key) {
            self.push(&pair[1].span, &Route::Key(route, &pair[1].key), "this key is there twice");
        }
        Some(entries)
    }

    fn required(&mut self, table: &Table<'_, '_>, key: &str) {
        if table.get(key).is_none() {
            self.push(&table.node.span, table.route, format!("{} is missing", quoted(key)));
        }
    }

    fn required_string(&mut self, table: &Table<'_, '_>, key: &str) -> Option<String> {
        self.required(table, key);
        self.string(table, key)
    }

    fn string(&mut self, table: &Table<'_, '_>, key: &str) -> Option<String> {
        self.text(table.get(key)?, &table.route(key))
    }

    fn text(&mut self, node: &Node, route: &Route<'_>) -> Option<String> {
        if let Value::String(text) = &node.value {
            return Some(text.clone());
        }
        self.expected("a string", node, route);
        None
    }

    /// A value as a model would write it.
    fn written(&mut self, node: &Node, route: &Route<'_>) -> Option<String> {
        match &node.value {
            Value::Boolean(_) | Value::Integer(_) | Value::Float(_) => {
                self.expected("a string, as a model would write the value: put it in quotes", node, route);
                None
            }
            _ => self.text(node, route),
        }
    }

    fn boolean(&mut self, table: &Table<'_, '_>, key: &str) -> bool {
        match table.get(key) {
            None => false,
            Some(Node { value: Value::Boolean(value), .. }) => *value,
            Some(node) => {
                self.expected("true or false", node, &table.route(key));
                false
            }
        }
    }

    fn integer(&mut self, table: &Table<'_, '_>, key: &str) -> Option<Option<i64>> {
        match table.get(key) {
            None => Some(None),
            Some(Node { value: Value::Integer(number), .. }) => Some(Some(*number)),
            Some(Node { value: Value::Long(_), span }) => {
                self.push(span, &table.route(key), "an integer has at most 64 bits");
                None
            }
            Some(node) => {
                self.expected("an integer", node, &table.route(key));
                None
            }
        }
    }

    fn number(&mut self, table: &Table<'_, '_>, key: &str) -> Option<Option<f64>> {
        match table.get(key) {
            None => Some(None),
            Some(Node { value: Value::Integer(number), .. }) => Some(Some(*number as f64)),
            Some(Node { value: Value::Float(number), .. }) if number.is_finite() => Some(Some(*number)),
            Some(Node { value: Value::Long(digits), .. }) if digits.parse().is_ok_and(f64::is_finite) => {
                Some(digits.parse().ok())
            }
            Some(node) => {
                self.expected("a finite number", node, &table.route(key));
                None
            }
        }
    }

    /// An integer of 1 or more. What is larger than can be counted is the largest count.
    fn count<N: TryFrom<u64> + Count>(&mut self, table: &Table<'_, '_>, key: &str) -> Option<Option<N>> {
        let number = match table.get(key) {
            None => return Some(None),
            Some(Node { value: Value::Long(digits), .. }) if !digits.starts_with('-') => u64::MAX,
            Some(node) => match node.value {
                Value::Integer(number) => u64::try_from(number).unwrap_or(0),
                _ => {
                    self.expected("an integer", node, &table.route(key));
                    return None;
                }
            },
        };
        if number == 0 {
            self.push(&table.node(key).span, &table.route(key), "expected an integer of 1 or more");
            return None;
        }
        Some(Some(N::try_from(number).unwrap_or(N::MAX)))
    }

    fn keyword<T>(
        &mut self,
        table: &Table<'_, '_>,
        key: &str,
        words: &[&str],
        from_word: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let node = table.get(key)?;
        let word = self.text(node, &table.route(key))?;
        let value = from_word(&word);
        if value.is_none() {
            let message = format!("{} is not one of {}{}", quoted(&word), words.join(", "), hint(&word, words));
            self.push(&node.span, &table.route(key), message);
        }
        value
    }

    fn strings(&mut self, table: &Table<'_, '_>, key: &str) -> Option<Vec<String>> {
        self.list(table, key, Self::text)
    }

    /// All items of a list that can be read, even where others cannot.
    fn list<'n, T>(
        &mut self,
        table: &Table<'n, '_>,
        key: &str,
        mut read: impl FnMut(&mut Self, &'n Node, &Route<'_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let (node, route) = (table.get(key)?, table.route(key));
        let Value::List(items) = &node.value else {
            self.expected("a list", node, &route);
            return None;
        };
        let mut list = Vec::with_capacity(items.len());
        for (i, item) in items.iter().enumerate() {
            if self.faults.len() >= MAX_FAULTS {
                return None;
            }
            list.extend(read(self, item, &Route::Index(&route, i)));
        }
        Some(list)
    }

    fn expected(&mut self, what: &str, node: &Node, route: &Route<'_>) {
        self.push(&node.span, route, format!("expected {what}, found {}", node.kind()));
    }

    fn push(&mut self, span: &Range<usize>, route: &Route<'_>, message: impl Into<String>) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(Fault::at(span.clone(), route.to_string(), message));
        }
    }
}

/// A table whose keys are known.
struct Table<'n, 'r> {
    node: &'n Node,
    entries: &'n [Entry],
    route: &'r Route<'r>,
}

impl<'n> Table<'n, '_> {
    fn entry(&self, key: &str) -> Option<&'n Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    fn get(&self, key: &str) -> Option<&'n Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// The value of `key`, or the table where it has none.
    fn node(&self, key: &str) -> &'n Node {
        self.get(key).unwrap_or(self.node)
    }

    fn route<'r>(&'r self, key: &'r str) -> Route<'r> {
        Route::Key(self.route, key)
    }
}

/// The way to a value. Prints as `tags[2].name`.
enum Route<'r> {
    Root,
    Key(&'r Route<'r>, &'r str),
    Index(&'r Route<'r>, usize),
}

impl fmt::Display for Route<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Route::Root => Ok(()),
            Route::Key(Route::Root, key) => f.write_str(&shortened(key)),
            Route::Key(before, key) => write!(f, "{before}.{}", shortened(key)),
            Route::Index(before, i) => write!(f, "{before}[{i}]"),
        }
    }
}

/// A number that counts something.
trait Count {
    const MAX: Self;
}

impl Count for u32 {
    const MAX: Self = u32::MAX;
}

impl Count for usize {
    const MAX: Self = usize::MAX;
}

/// A fault of [`validate`] at its place in the file, with the nearest name where a name is unknown.
fn place(root: &Node, spec: &ProtocolSpec<'_>, path: &Path, message: &str) -> Fault {
    let (mut node, mut key) = (root, String::new());
    let mut is_found = true;
    for step in path.steps() {
        let next = match (step, &node.value) {
            (Step::Key(key), Value::Table(entries)) => {
                entries.iter().find(|entry| entry.key == *key).map(|entry| &entry.node)
            }
            (Step::Index(i), Value::List(items)) => items.get(*i),
            _ => None,
        };
        match step {
            Step::Key(name) if key.is_empty() => key.push_str(name),
            Step::Key(name) => key.push_str(&format!(".{name}")),
            Step::Index(i) => key.push_str(&format!("[{i}]")),
        }
        is_found = is_found && next.is_some();
        // The table that lacks the key is the nearest place.
        node = next.filter(|_| is_found).unwrap_or(node);
    }
    let hint = match &node.value {
        Value::String(written) if is_found => unknown_name_hint(spec, path.steps(), written),
        _ => String::new(),
    };
    Fault::at(node.span.clone(), key, format!("{message}{hint}"))
}

/// The nearest name to one that should be declared elsewhere in the file, and is not.
fn unknown_name_hint(spec: &ProtocolSpec<'_>, steps: &[Step], written: &str) -> String {
    let names: Vec<&str> = match steps {
        [Step::Key("tags"), _, Step::Key("budget")] => spec.budgets.iter().map(|budget| budget.name()).collect(),
        [Step::Key("grants"), _, Step::Key("tags"), _] => spec.tags.iter().map(|tag| tag.name()).collect(),
        [Step::Key("tags"), Step::Index(i), Step::Key("argument")] => {
            spec.tags.at(*i).attribute_specs().map(|attribute| attribute.name()).collect()
        }
        _ => return String::new(),
    };
    if names.contains(&written) { String::new() } else { hint(written, &names) }
}

fn hint(written: &str, names: &[&str]) -> String {
    let near: Vec<String> = nearest(written, names.iter().map(|name| (*name, *name))).iter().map(quoted).collect();
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", shortened(text).escape_debug())
}

/// `text`, without what is too long for a message.
fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

const PROTOCOL_KEYS: &[&str] = &[
    "name", "about", "dialect", "unknown", "code", "open", "regions", "limits", "tags", "budgets", "grants", "examples",
];
const TAG_KEYS: &[&str] = &[
    "name",
    "about",
    "body",
    "budget",
    "argument",
    "select",
    "attributes",
    "sections",
    "unknown_attributes",
    "example",
    "schema",
];
const SEED_TAG_KEYS: &[&str] = &["name", "about", "body", "budget"];
const ATTRIBUTE_KEYS: &[&str] = &["name", "about", "type", "values", "min", "max", "required", "default", "aliases"];
const TYPES: &[&str] = &["string", "integer", "number", "boolean", "enum", "path"];
const FINISHES: &[&str] = &["complete", "truncated"];
