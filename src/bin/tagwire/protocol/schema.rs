//! `tagwire protocol schema`: the JSON Schema of protocol files.
//!
//! The types below are the format as an editor needs it. The library reads files by itself, to tell all faults with their places;
//! a test holds both against each other.

#![expect(dead_code, reason = "the types are only described")]

use std::collections::BTreeMap;

use schemars::{JsonSchema, schema_for};
use serde_json::Value;

pub(super) fn json() -> String {
    let mut schema = schema_for!(ProtocolFile).to_value();
    refuse_null(&mut schema);
    format!("{schema:#}\n")
}

/// What is optional may be left out, but is not null: in TOML there is none.
fn refuse_null(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|name| name != "null");
                if let [name] = types.as_slice() {
                    let name = name.clone();
                    object.insert("type".to_owned(), name);
                }
            }
            if let Some(Value::Array(alternatives)) = object.get_mut("anyOf") {
                alternatives.retain(|schema| schema.get("type").is_none_or(|name| name != "null"));
            }
            object.values_mut().for_each(refuse_null);
        }
        Value::Array(values) => values.iter_mut().for_each(refuse_null),
        _ => {}
    }
}

/// A protocol: the tags that agents write in double brackets, and who may use them.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ProtocolFile {
    /// For messages and generated text.
    name: String,
    /// What the protocol is for, in one or two sentences.
    about: Option<String>,
    /// The rules by which replies are read; strict if left out.
    dialect: Option<Dialect>,
    /// What becomes of unknown tags; report if left out.
    unknown: Option<Unknown>,
    /// What becomes of tags in code; prose if left out.
    code: Option<Code>,
    /// Grants every tag to everybody, instead of grants.
    open: Option<bool>,
    /// Parts of a reply in which nothing is read.
    regions: Option<Vec<Region>>,
    /// Limits on one reply.
    limits: Option<Limits>,
    /// The tags.
    #[schemars(length(min = 1, max = 512))]
    tags: Vec<Tag>,
    /// How many tags a reply may hold.
    budgets: Option<Vec<Budget>>,
    /// Who may use which tags.
    grants: Option<Vec<Grant>>,
    /// Whole replies, and what is read out of them.
    examples: Option<Vec<Example>>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum Dialect {
    /// A tag counts only if it was written whole and well-formed.
    Strict,
    /// The rules of the Python module that tagwire comes from.
    Seed,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum Unknown {
    /// They are dropped and reported.
    Report,
    /// They stay in the text.
    Prose,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum Code {
    /// Code is prose: no tag in it runs.
    Prose,
    /// Tags are read in code too.
    Tags,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Region {
    #[schemars(length(min = 1))]
    name: String,
    /// The marker that begins it.
    #[schemars(length(min = 1, max = 64))]
    open: String,
    /// The marker that ends it.
    #[schemars(length(min = 1, max = 64))]
    close: String,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Limits {
    /// The most tags; 256 if left out.
    #[schemars(range(min = 1))]
    tags: Option<u32>,
    /// The longest token; 65536 if left out.
    #[schemars(range(min = 1))]
    token_bytes: Option<u64>,
    /// The longest body; 8388608 if left out.
    #[schemars(range(min = 1))]
    body_bytes: Option<u64>,
    /// The most diagnostics; 256 if left out.
    #[schemars(range(min = 1))]
    diagnostics: Option<u32>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Tag {
    /// The word after the brackets.
    #[schemars(regex(pattern = "^[A-Za-z_][A-Za-z0-9_.-]{0,63}$"))]
    name: String,
    /// What the tag does.
    about: Option<String>,
    /// The kind of body; none if left out.
    body: Option<Body>,
    /// The budget that it is counted in.
    budget: Option<String>,
    /// The attribute that the argument is the value of, as in [[READ_FILE: src/a.py]].
    argument: Option<String>,
    /// What tells this variant from the others of the same name.
    select: Option<Select>,
    attributes: Option<Vec<Attribute>>,
    /// The sections of a body of sections.
    #[schemars(length(min = 1))]
    sections: Option<Vec<Section>>,
    /// What becomes of other attributes; refuse if left out.
    unknown_attributes: Option<UnknownAttributes>,
    /// Attributes with their values, and the body.
    example: Option<BTreeMap<String, String>>,
    /// The JSON Schema of a body of JSON, or the path of a file with it.
    schema: Option<Schema>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum Body {
    None,
    /// Any text.
    Text,
    /// One JSON value.
    Json,
    /// Edit blocks.
    Edits,
    /// The declared sections.
    Sections,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum Select {
    Argument(SelectArgument),
    Attribute(SelectAttribute),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct SelectArgument {
    /// The argument, as in [[ACTION:append]].
    #[schemars(regex(pattern = "^[A-Za-z0-9_.-]{1,64}$"))]
    argument: String,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct SelectAttribute {
    /// The attribute, as in [[item type="read"]].
    attribute: String,
    /// Its value.
    #[schemars(regex(pattern = "^[A-Za-z0-9_.-]{1,64}$"))]
    value: String,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Attribute {
    #[schemars(regex(pattern = "^[A-Za-z_][A-Za-z0-9_-]{0,63}$"))]
    name: String,
    /// What the attribute is for.
    about: Option<String>,
    /// The type of its values; string if left out.
    r#type: Option<Type>,
    /// The values of an enum.
    #[schemars(length(min = 1))]
    values: Option<Vec<String>>,
    /// The least integer or number.
    min: Option<f64>,
    /// The greatest integer or number.
    max: Option<f64>,
    /// Whether a tag without it is refused.
    required: Option<bool>,
    /// The value of an absent attribute.
    default: Option<String>,
    /// Other keys for it.
    aliases: Option<Vec<String>>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum Type {
    String,
    Integer,
    Number,
    Boolean,
    Enum,
    /// A relative path with /, without .. parts.
    Path,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Section {
    #[schemars(regex(pattern = "^[A-Za-z_][A-Za-z0-9_.-]{0,63}$"))]
    name: String,
    /// Whether a body without it is refused.
    required: Option<bool>,
    /// Whether it may stand several times.
    repeat: Option<bool>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum UnknownAttributes {
    /// They refuse the tag.
    Refuse,
    /// They are kept, with a warning.
    Warn,
    /// They are kept.
    Keep,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum Schema {
    Inline(BTreeMap<String, Value>),
    Path(String),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Budget {
    #[schemars(length(min = 1))]
    name: String,
    /// The most tags of a reply that name this budget.
    #[schemars(range(min = 1))]
    max: u32,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Grant {
    /// Any role if left out.
    #[schemars(length(min = 1))]
    role: Option<String>,
    /// Any mode if left out.
    #[schemars(length(min = 1))]
    mode: Option<String>,
    /// The names of tags; of variants with a colon, as in ACTION:append.
    #[schemars(length(min = 1))]
    tags: Vec<String>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Example {
    reply: String,
    role: Option<String>,
    mode: Option<String>,
    /// How the reply ended; complete if left out.
    finish: Option<Finish>,
    /// The names of the tags that are read, in order.
    tags: Vec<String>,
    /// The codes of the diagnostics, in order; none if left out.
    diagnostics: Option<Vec<String>>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum Finish {
    Complete,
    Truncated,
}
