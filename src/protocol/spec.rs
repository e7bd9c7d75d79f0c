//! The parts that a protocol is made of, as a `const` states them.

use super::keyword::{Body, Dialect, TagsInCode, UnknownAttributes, UnknownTags};
use super::limits::StrictLimits;
use super::list::{Attributes, Budgets, Examples, Grants, Names, Pairs, Regions, Sections, Tags};

/// All that a protocol states, unchecked. [`Protocol::checked`](super::Protocol::checked) and
/// [`ProtocolBuf::new`](super::ProtocolBuf::new) make a protocol of it.
///
/// ```
/// use tagwire::{AttrSpec, Grant, Protocol, ProtocolSpec, TagSpec};
///
/// const PROTOCOL: Protocol<'static> = Protocol::checked(
///     &ProtocolSpec::strict(
///         "desk",
///         &[TagSpec::new("RUN").attributes(&[AttrSpec::new("cmd").required(), AttrSpec::new("timeout").integer(1, 600)])],
///     )
///     .grants(&[Grant::everybody(&["RUN"])]),
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProtocolSpec<'p> {
    pub(super) name: &'p str,
    pub(super) about: Option<&'p str>,
    pub(super) dialect: Dialect,
    pub(super) unknown: Option<UnknownTags>,
    pub(super) code: Option<TagsInCode>,
    pub(super) regions: Option<Regions<'p>>,
    pub(super) limits: Option<StrictLimits>,
    pub(super) tags: Tags<'p>,
    pub(super) budgets: Budgets<'p>,
    pub(super) grants: Grants<'p>,
    pub(super) open: bool,
    pub(super) examples: Examples<'p>,
}

impl<'p> ProtocolSpec<'p> {
    /// A protocol in the strict dialect. It needs [`grants`](Self::grants) or [`open`](Self::open).
    pub const fn strict(name: &'p str, tags: &'p [TagSpec<'p>]) -> Self {
        ProtocolSpec {
            name,
            about: None,
            dialect: Dialect::Strict,
            unknown: None,
            code: None,
            regions: None,
            limits: None,
            tags: Tags::Slice(tags),
            budgets: Budgets::Slice(&[]),
            grants: Grants::Slice(&[]),
            open: false,
            examples: Examples::Slice(&[]),
        }
    }

    /// A protocol in the seed's dialect. It needs [`grants`](Self::grants) or [`open`](Self::open).
    pub const fn seed(name: &'p str, tags: &'p [TagSpec<'p>]) -> Self {
        ProtocolSpec { dialect: Dialect::Seed, ..Self::strict(name, tags) }
    }

    /// States in one or two sentences what the protocol is for.
    pub const fn about(self, about: &'p str) -> Self {
        ProtocolSpec { about: Some(about), ..self }
    }

    /// Sets what becomes of unknown tags. Strict dialect only.
    pub const fn unknown(self, unknown: UnknownTags) -> Self {
        ProtocolSpec { unknown: Some(unknown), ..self }
    }

    /// Sets what becomes of tags in code. Strict dialect only.
    pub const fn code(self, code: TagsInCode) -> Self {
        ProtocolSpec { code: Some(code), ..self }
    }

    /// Sets the regions in which nothing is read. Strict dialect only.
    pub const fn regions(self, regions: &'p [RegionSpec<'p>]) -> Self {
        ProtocolSpec { regions: Some(Regions::Slice(regions)), ..self }
    }

    /// Sets the limits on a reply. Strict dialect only.
    pub const fn limits(self, limits: StrictLimits) -> Self {
        ProtocolSpec { limits: Some(limits), ..self }
    }

    /// Sets the budgets that tags name.
    pub const fn budgets(self, budgets: &'p [Budget<'p>]) -> Self {
        ProtocolSpec { budgets: Budgets::Slice(budgets), ..self }
    }

    /// Sets who may use which tags.
    pub const fn grants(self, grants: &'p [Grant<'p>]) -> Self {
        ProtocolSpec { grants: Grants::Slice(grants), ..self }
    }

    /// Grants every tag to everybody, instead of [`grants`](Self::grants).
    pub const fn open(self) -> Self {
        ProtocolSpec { open: true, ..self }
    }

    /// Sets example replies, for tests of the protocol and for the prompt.
    pub const fn examples(self, examples: &'p [ExampleSpec<'p>]) -> Self {
        ProtocolSpec { examples: Examples::Slice(examples), ..self }
    }
}

/// One tag of a protocol, or one variant of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagSpec<'p> {
    pub(super) name: &'p str,
    pub(super) about: Option<&'p str>,
    pub(super) body: Body,
    pub(super) budget: Option<&'p str>,
    pub(super) argument: Option<&'p str>,
    pub(super) select: Option<Select<'p>>,
    pub(super) attributes: Attributes<'p>,
    pub(super) sections: Sections<'p>,
    pub(super) unknown_attributes: Option<UnknownAttributes>,
    pub(super) example: Option<Pairs<'p>>,
    pub(super) schema: Option<Schema<'p>>,
}

impl<'p> TagSpec<'p> {
    /// A tag without a body, which is complete with its token.
    ///
    /// `name` is the word after `[[`. Of a variant it is the word, a colon and the value that selects it, as in
    /// `"ACTION:append"`, with [`selected_by_argument`](Self::selected_by_argument) or [`selected_by`](Self::selected_by).
    pub const fn new(name: &'p str) -> Self {
        TagSpec {
            name,
            about: None,
            body: Body::None,
            budget: None,
            argument: None,
            select: None,
            attributes: Attributes::Slice(&[]),
            sections: Sections::Slice(&[]),
            unknown_attributes: None,
            example: None,
            schema: None,
        }
    }

    /// A tag with a body of any text, which needs its close unless it closes itself.
    pub const fn with_body(name: &'p str) -> Self {
        Self::new(name).body(Body::Text)
    }

    /// States what the tag does, for the prompt.
    pub const fn about(self, about: &'p str) -> Self {
        TagSpec { about: Some(about), ..self }
    }

    /// Sets the kind of body.
    pub const fn body(self, body: Body) -> Self {
        TagSpec { body, ..self }
    }

    /// Counts the tag in the budget of this name.
    pub const fn budget(self, budget: &'p str) -> Self {
        TagSpec { budget: Some(budget), ..self }
    }

    /// Lets the tag take an argument, `[[READ: a.py]]`, as the value of this attribute.
    pub const fn argument(self, attribute: &'p str) -> Self {
        TagSpec { argument: Some(attribute), ..self }
    }

    /// Makes the tag a variant that its argument selects: `[[ACTION:append]]`.
    pub const fn selected_by_argument(self) -> Self {
        TagSpec { select: Some(Select::Argument), ..self }
    }

    /// Makes the tag a variant that the value of an attribute selects: `[[item type="read"]]`.
    pub const fn selected_by(self, attribute: &'p str) -> Self {
        TagSpec { select: Some(Select::Attribute(attribute)), ..self }
    }

    /// Declares the attributes.
    pub const fn attributes(self, attributes: &'p [AttrSpec<'p>]) -> Self {
        TagSpec { attributes: Attributes::Slice(attributes), ..self }
    }

    /// Sets the body to [`Body::Sections`] and declares the sections.
    pub const fn sections(self, sections: &'p [SectionSpec<'p>]) -> Self {
        TagSpec { sections: Sections::Slice(sections), ..self }.body(Body::Sections)
    }

    /// Sets what becomes of attributes that are not declared.
    pub const fn unknown_attributes(self, unknown: UnknownAttributes) -> Self {
        TagSpec { unknown_attributes: Some(unknown), ..self }
    }

    /// Gives an example: attributes with values as a model writes them, and `"body"`.
    pub const fn example(self, values: &'p [(&'p str, &'p str)]) -> Self {
        TagSpec { example: Some(Pairs::Slice(values)), ..self }
    }

    /// Sets the JSON Schema of the body, as JSON text. For [`Body::Json`] only.
    pub const fn schema(self, json: &'p str) -> Self {
        TagSpec { schema: Some(Schema::Inline(json)), ..self }
    }

    /// The name in grants, events and messages: the word, and of a variant `WORD:value`.
    pub const fn name(&self) -> &'p str {
        self.name
    }

    /// The word after `[[`.
    #[inline]
    pub const fn word(&self) -> &'p str {
        match self.select {
            None => self.name,
            Some(_) => self.name.split_at(colon(self.name)).0,
        }
    }

    /// The value that selects a variant, or `None` for a tag without variants.
    #[inline]
    pub const fn selector(&self) -> Option<&'p str> {
        match self.select {
            None => None,
            Some(_) => {
                let at = colon(self.name);
                let rest = self.name.split_at(at).1;
                Some(if rest.is_empty() { rest } else { rest.split_at(1).1 })
            }
        }
    }

    /// What selects a variant, or `None` for a tag without variants.
    #[inline]
    pub const fn selection(&self) -> Option<Select<'p>> {
        self.select
    }

    /// What the tag does.
    pub const fn about_text(&self) -> Option<&'p str> {
        self.about
    }

    /// The kind of body.
    #[inline]
    pub const fn body_kind(&self) -> Body {
        self.body
    }

    /// Whether the tag has a body.
    #[inline]
    pub const fn has_body(&self) -> bool {
        !matches!(self.body, Body::None)
    }

    /// The name of the budget the tag is counted in.
    pub const fn budget_name(&self) -> Option<&'p str> {
        self.budget
    }

    /// The attribute that the argument is the value of.
    pub const fn argument_name(&self) -> Option<&'p str> {
        self.argument
    }

    /// Whether something may follow the word after a colon: an argument, or what selects a variant.
    #[inline]
    pub const fn takes_argument(&self) -> bool {
        self.argument.is_some() || matches!(self.select, Some(Select::Argument))
    }

    /// The declared attributes, in order.
    pub fn attribute_specs(
        &self,
    ) -> impl ExactSizeIterator<Item = AttrSpec<'p>> + DoubleEndedIterator + Clone + use<'p> {
        self.attributes.iter()
    }

    /// The declared sections, in order.
    pub fn section_specs(
        &self,
    ) -> impl ExactSizeIterator<Item = SectionSpec<'p>> + DoubleEndedIterator + Clone + use<'p> {
        self.sections.iter()
    }

    /// The declared attribute at this position.
    pub(crate) const fn attribute(&self, i: usize) -> AttrSpec<'p> {
        self.attributes.at(i)
    }

    /// The declared section at this position.
    pub(crate) const fn section(&self, i: usize) -> SectionSpec<'p> {
        self.sections.at(i)
    }

    /// The position of the section called `name`, in any ASCII case. Linear in the number of sections.
    pub(crate) fn find_section(&self, name: &[u8]) -> Option<usize> {
        self.sections.iter().position(|section| section.name.as_bytes().eq_ignore_ascii_case(name))
    }

    /// What becomes of attributes that are not declared.
    #[inline]
    pub const fn unknown_attribute_rule(&self) -> UnknownAttributes {
        match self.unknown_attributes {
            Some(rule) => rule,
            None => UnknownAttributes::Refuse,
        }
    }

    /// The values of the example, in order.
    pub fn example_values(
        &self,
    ) -> Option<impl ExactSizeIterator<Item = (&'p str, &'p str)> + DoubleEndedIterator + Clone + use<'p>> {
        self.example.map(Pairs::iter)
    }

    /// The JSON Schema of the body.
    pub const fn schema_source(&self) -> Option<Schema<'p>> {
        self.schema
    }
}

/// The offset of the first colon in `name`, or its length.
#[inline]
const fn colon(name: &str) -> usize {
    let bytes = name.as_bytes();
    let mut i = 0;
    while i < bytes.len() && bytes[i] != b':' {
        i += 1;
    }
    i
}

/// What tells the variants of one word apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Select<'p> {
    /// The argument: `[[ACTION:append]]`.
    Argument,
    /// The value of the attribute of this name: `[[item type="read"]]`.
    Attribute(&'p str),
}

/// The JSON Schema of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Schema<'p> {
    /// JSON text.
    Inline(&'p str),
    /// A file beside the protocol file.
    File {
        /// Its path, relative to the protocol file.
        path: &'p str,
        /// Its text, where it was read.
        json: Option<&'p str>,
    },
}

impl<'p> Schema<'p> {
    /// The JSON text, or `None` of a file that was not read.
    pub const fn json(&self) -> Option<&'p str> {
        match *self {
            Schema::Inline(json) => Some(json),
            Schema::File { json, .. } => json,
        }
    }
}

/// One attribute of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttrSpec<'p> {
    pub(super) name: &'p str,
    pub(super) about: Option<&'p str>,
    pub(super) kind: AttrType<'p>,
    pub(super) required: bool,
    pub(super) default: Option<&'p str>,
    pub(super) aliases: Names<'p>,
}

impl<'p> AttrSpec<'p> {
    /// An optional attribute of type string.
    pub const fn new(name: &'p str) -> Self {
        let aliases = Names::Slice(&[]);
        AttrSpec { name, about: None, kind: AttrType::String, required: false, default: None, aliases }
    }

    /// States what the attribute is for.
    pub const fn about(self, about: &'p str) -> Self {
        AttrSpec { about: Some(about), ..self }
    }

    /// Requires a whole number from `min` to `max`. `i64::MIN` and `i64::MAX` are no bounds.
    pub const fn integer(self, min: i64, max: i64) -> Self {
        AttrSpec { kind: AttrType::Integer { min, max }, ..self }
    }

    /// Requires a number from `min` to `max`. The infinities are no bounds.
    pub const fn number(self, min: f64, max: f64) -> Self {
        AttrSpec { kind: AttrType::Number { min, max }, ..self }
    }

    /// Requires `true` or `false`.
    pub const fn boolean(self) -> Self {
        AttrSpec { kind: AttrType::Boolean, ..self }
    }

    /// Requires one of `values`.
    pub const fn one_of(self, values: &'p [&'p str]) -> Self {
        AttrSpec { kind: AttrType::Enum(EnumValues(Names::Slice(values))), ..self }
    }

    /// Requires a relative path.
    pub const fn path(self) -> Self {
        AttrSpec { kind: AttrType::Path, ..self }
    }

    /// Refuses tags without this attribute.
    pub const fn required(self) -> Self {
        AttrSpec { required: true, ..self }
    }

    /// Sets the value of an absent attribute.
    pub const fn default_value(self, default: &'p str) -> Self {
        AttrSpec { default: Some(default), ..self }
    }

    /// Sets other keys for the same attribute.
    pub const fn aliases(self, aliases: &'p [&'p str]) -> Self {
        AttrSpec { aliases: Names::Slice(aliases), ..self }
    }

    /// The name.
    pub const fn name(&self) -> &'p str {
        self.name
    }

    /// What the attribute is for.
    pub const fn about_text(&self) -> Option<&'p str> {
        self.about
    }

    /// The type of its values.
    #[inline]
    pub const fn kind(&self) -> AttrType<'p> {
        self.kind
    }

    /// Whether a tag without it is refused.
    #[inline]
    pub const fn is_required(&self) -> bool {
        self.required
    }

    /// The value where it is absent.
    pub const fn default_text(&self) -> Option<&'p str> {
        self.default
    }

    /// The other keys for it, in order.
    pub fn alias_names(&self) -> impl ExactSizeIterator<Item = &'p str> + DoubleEndedIterator + Clone + use<'p> {
        self.aliases.iter()
    }
}

/// The type of an attribute's values.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum AttrType<'p> {
    /// Any text.
    String,
    /// `[+-]?[0-9]+` from `min` to `max`.
    Integer {
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// A decimal number from `min` to `max`, with an exponent or without.
    Number {
        /// The least value; negative infinity is no bound.
        min: f64,
        /// The greatest value; infinity is no bound.
        max: f64,
    },
    /// `true` or `false`, in any case.
    Boolean,
    /// One of these, in any case.
    Enum(EnumValues<'p>),
    /// A relative path with `/`, without `..`.
    Path,
}

impl AttrType<'_> {
    /// Returns the word of a protocol file.
    pub const fn as_str(&self) -> &'static str {
        match self {
            AttrType::String => "string",
            AttrType::Integer { .. } => "integer",
            AttrType::Number { .. } => "number",
            AttrType::Boolean => "boolean",
            AttrType::Enum(_) => "enum",
            AttrType::Path => "path",
        }
    }
}

impl PartialEq for AttrType<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (AttrType::Integer { min, max }, AttrType::Integer { min: other_min, max: other_max }) => {
                (min, max) == (other_min, other_max)
            }
            (AttrType::Number { min, max }, AttrType::Number { min: other_min, max: other_max }) => {
                (min.to_bits(), max.to_bits()) == (other_min.to_bits(), other_max.to_bits())
            }
            (AttrType::Enum(values), AttrType::Enum(other)) => values == other,
            _ => self.as_str() == other.as_str(),
        }
    }
}

// Bounds compare by their bits, so that each equals itself.
impl Eq for AttrType<'_> {}

/// The values of an enum attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnumValues<'p>(pub(super) Names<'p>);

impl<'p> EnumValues<'p> {
    /// The values, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'p str> + DoubleEndedIterator + Clone + use<'p> {
        self.0.iter()
    }
}

/// One section of a body of sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SectionSpec<'p> {
    pub(super) name: &'p str,
    pub(super) required: bool,
    pub(super) repeat: bool,
}

impl<'p> SectionSpec<'p> {
    /// A section that may be absent, and stands at most once.
    pub const fn new(name: &'p str) -> Self {
        SectionSpec { name, required: false, repeat: false }
    }

    /// Refuses bodies without this section.
    pub const fn required(self) -> Self {
        SectionSpec { required: true, ..self }
    }

    /// Lets the section stand several times.
    pub const fn repeat(self) -> Self {
        SectionSpec { repeat: true, ..self }
    }

    /// The name.
    pub const fn name(&self) -> &'p str {
        self.name
    }

    /// Whether a body without it is refused.
    pub const fn is_required(&self) -> bool {
        self.required
    }

    /// Whether it may stand several times.
    pub const fn may_repeat(&self) -> bool {
        self.repeat
    }
}

/// A pair of markers between which nothing is read, such as `<think>` and `</think>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegionSpec<'p> {
    pub(super) name: &'p str,
    pub(super) open: &'p str,
    pub(super) close: &'p str,
}

impl<'p> RegionSpec<'p> {
    /// A region from the marker `open` to the marker `close`.
    pub const fn new(name: &'p str, open: &'p str, close: &'p str) -> Self {
        RegionSpec { name, open, close }
    }

    /// The name.
    pub const fn name(&self) -> &'p str {
        self.name
    }

    /// The marker that begins it.
    pub const fn opening(&self) -> &'p str {
        self.open
    }

    /// The marker that ends it.
    pub const fn closing(&self) -> &'p str {
        self.close
    }
}

/// How many tags of one or more kinds a reply may hold; those beyond it are dropped and reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Budget<'p> {
    pub(super) name: &'p str,
    pub(super) max: u32,
}

impl<'p> Budget<'p> {
    /// At most `max` tags a reply, of all the kinds that name this budget together.
    pub const fn new(name: &'p str, max: u32) -> Self {
        Budget { name, max }
    }

    /// The name by which tags refer to it.
    pub const fn name(&self) -> &'p str {
        self.name
    }

    /// How many tags it allows a reply.
    pub const fn max(&self) -> u32 {
        self.max
    }
}

/// The tags that a role may use in a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant<'p> {
    pub(super) role: Option<&'p str>,
    pub(super) mode: Option<&'p str>,
    pub(super) tags: Names<'p>,
}

impl<'p> Grant<'p> {
    /// Grants `tags` to `role` in `mode`.
    pub const fn new(role: &'p str, mode: &'p str, tags: &'p [&'p str]) -> Self {
        Self::everybody(tags).to_role(role).in_mode(mode)
    }

    /// Grants `tags` to every role in every mode.
    pub const fn everybody(tags: &'p [&'p str]) -> Self {
        Grant { role: None, mode: None, tags: Names::Slice(tags) }
    }

    /// Restricts the grant to one role.
    pub const fn to_role(self, role: &'p str) -> Self {
        Grant { role: Some(role), ..self }
    }

    /// Restricts the grant to one mode.
    pub const fn in_mode(self, mode: &'p str) -> Self {
        Grant { mode: Some(mode), ..self }
    }

    /// The role, or `None` for any.
    pub const fn role(&self) -> Option<&'p str> {
        self.role
    }

    /// The mode, or `None` for any.
    pub const fn mode(&self) -> Option<&'p str> {
        self.mode
    }

    /// The names of the tags that are granted.
    pub fn tags(&self) -> impl ExactSizeIterator<Item = &'p str> + DoubleEndedIterator + Clone + use<'p> {
        self.tags.iter()
    }
}

/// A whole reply, and what is read out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExampleSpec<'p> {
    pub(super) reply: &'p str,
    pub(super) role: Option<&'p str>,
    pub(super) mode: Option<&'p str>,
    pub(super) truncated: Option<bool>,
    pub(super) tags: Names<'p>,
    pub(super) diagnostics: Option<Names<'p>>,
}

impl<'p> ExampleSpec<'p> {
    /// A complete reply that gives `tags`, by name and in order, and no diagnostics.
    pub const fn new(reply: &'p str, tags: &'p [&'p str]) -> Self {
        ExampleSpec { reply, role: None, mode: None, truncated: None, tags: Names::Slice(tags), diagnostics: None }
    }

    /// Lets this role write the reply.
    pub const fn role(self, role: &'p str) -> Self {
        ExampleSpec { role: Some(role), ..self }
    }

    /// Lets the reply be written in this mode.
    pub const fn mode(self, mode: &'p str) -> Self {
        ExampleSpec { mode: Some(mode), ..self }
    }

    /// Sets whether the reply was cut off.
    pub const fn truncated(self, truncated: bool) -> Self {
        ExampleSpec { truncated: Some(truncated), ..self }
    }

    /// Sets the codes of its diagnostics, in order.
    pub const fn diagnostics(self, codes: &'p [&'p str]) -> Self {
        ExampleSpec { diagnostics: Some(Names::Slice(codes)), ..self }
    }

    /// The reply.
    pub const fn reply(&self) -> &'p str {
        self.reply
    }

    /// The role that writes it.
    pub const fn role_name(&self) -> Option<&'p str> {
        self.role
    }

    /// The mode it is written in.
    pub const fn mode_name(&self) -> Option<&'p str> {
        self.mode
    }

    /// Whether it was cut off.
    pub const fn is_truncated(&self) -> bool {
        matches!(self.truncated, Some(true))
    }

    /// The names of its tags, in order.
    pub fn tag_names(&self) -> impl ExactSizeIterator<Item = &'p str> + DoubleEndedIterator + Clone + use<'p> {
        self.tags.iter()
    }

    /// The codes of its diagnostics, in order.
    pub fn codes(&self) -> impl ExactSizeIterator<Item = &'p str> + DoubleEndedIterator + Clone + use<'p> {
        self.diagnostics.unwrap_or(Names::Slice(&[])).iter()
    }
}
