//! A protocol that owns its parts.

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::error::ProtocolError;
use super::keyword::{Body, Dialect, TagsInCode, UnknownAttributes, UnknownTags};
use super::limits::StrictLimits;
use super::list::{Attributes, Budgets, Examples, Grants, Names, Pairs, Regions, Sections, Tags};
use super::lookup::Index;
use super::policy::{PolicyBuf, UnknownRole};
use super::spec::{
    AttrSpec, AttrType, Budget, EnumValues, ExampleSpec, Grant, ProtocolSpec, RegionSpec, Schema, SectionSpec, Select,
    TagSpec,
};
use super::validate::validate;
use super::{Protocol, Repr};

/// An owned [`Protocol`], built or read at run time, which lends a [`Protocol`] as a `String` lends a `str`.
///
/// A clone shares the parts.
///
/// ```
/// use tagwire::{ProtocolBuf, ProtocolSpec, TagSpec};
///
/// let names = String::from("ACTION OBSERVE");
/// let tags: Vec<_> = names.split(' ').map(TagSpec::with_body).collect();
/// let protocol = ProtocolBuf::new(&ProtocolSpec::seed("agent", &tags).open())?;
/// let policy = protocol.as_protocol().unrestricted();
/// assert_eq!(policy.parse("[[ACTION kind='x']]{}[[/ACTION]]").tags()[0].body(), "{}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ProtocolBuf(Arc<OwnedProtocol>);

/// The checked parts, with what is looked up in them.
pub(super) struct OwnedProtocol {
    pub(super) parts: ProtocolParts,
    pub(super) index: Arc<Index>,
}

impl ProtocolBuf {
    /// Copies the parts and checks them.
    ///
    /// # Errors
    ///
    /// As [`Protocol::new`].
    pub fn new(spec: &ProtocolSpec<'_>) -> Result<Self, ProtocolError> {
        let faults = validate(spec);
        if faults.is_empty() {
            Ok(Self::from_checked(ProtocolParts::from(spec)))
        } else {
            Err(ProtocolError::new(&faults))
        }
    }

    /// Lends the protocol, at no cost.
    pub fn as_protocol(&self) -> Protocol<'_> {
        Protocol { repr: Repr::Owned(&self.0) }
    }

    /// Returns what `role` may do in `mode`, as [`Protocol::policy`] does, in a policy that owns its protocol.
    ///
    /// # Errors
    ///
    /// As [`Protocol::policy`].
    pub fn policy(&self, role: &str, mode: &str) -> Result<PolicyBuf, UnknownRole> {
        self.policy_for(Some(role), Some(mode))
    }

    /// Returns what `role` may do in `mode`, as [`Protocol::policy_for`] does, in a policy that owns its protocol.
    ///
    /// # Errors
    ///
    /// As [`Protocol::policy_for`].
    pub fn policy_for(&self, role: Option<&str>, mode: Option<&str>) -> Result<PolicyBuf, UnknownRole> {
        PolicyBuf::new(self.clone(), role, mode)
    }

    /// Returns a policy that grants every tag, and owns its protocol.
    pub fn unrestricted(&self) -> PolicyBuf {
        PolicyBuf::unrestricted(self.clone())
    }

    /// Takes parts that passed the checks.
    pub(super) fn from_checked(parts: ProtocolParts) -> Self {
        let index = Arc::new(Index::new(&parts.lend()));
        ProtocolBuf(Arc::new(OwnedProtocol { parts, index }))
    }
}

impl From<Protocol<'_>> for ProtocolBuf {
    fn from(protocol: Protocol<'_>) -> Self {
        Self::from_checked(ProtocolParts::from(&protocol.spec()))
    }
}

impl PartialEq for ProtocolBuf {
    fn eq(&self, other: &Self) -> bool {
        self.as_protocol() == other.as_protocol()
    }
}

impl Eq for ProtocolBuf {}

impl fmt::Debug for ProtocolBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_protocol().fmt(f)
    }
}

/// The parts of a [`ProtocolBuf`].
#[derive(Clone, Default)]
pub(super) struct ProtocolParts {
    pub(super) name: String,
    pub(super) about: Option<String>,
    pub(super) dialect: Dialect,
    pub(super) unknown: Option<UnknownTags>,
    pub(super) code: Option<TagsInCode>,
    pub(super) regions: Option<Vec<RegionBuf>>,
    pub(super) limits: Option<StrictLimits>,
    pub(super) tags: Vec<TagBuf>,
    pub(super) budgets: Vec<BudgetBuf>,
    pub(super) grants: Vec<GrantBuf>,
    pub(super) open: bool,
    pub(super) examples: Vec<ExampleBuf>,
}

impl ProtocolParts {
    #[inline(always)]
    pub(super) const fn lend(&self) -> ProtocolSpec<'_> {
        ProtocolSpec {
            name: self.name.as_str(),
            about: lent(&self.about),
            dialect: self.dialect,
            unknown: self.unknown,
            code: self.code,
            regions: match &self.regions {
                None => None,
                Some(regions) => Some(Regions::Owned(regions.as_slice())),
            },
            limits: self.limits,
            tags: Tags::Owned(self.tags.as_slice()),
            budgets: Budgets::Owned(self.budgets.as_slice()),
            grants: Grants::Owned(self.grants.as_slice()),
            open: self.open,
            examples: Examples::Owned(self.examples.as_slice()),
        }
    }
}

impl From<&ProtocolSpec<'_>> for ProtocolParts {
    fn from(spec: &ProtocolSpec<'_>) -> Self {
        ProtocolParts {
            name: spec.name.to_owned(),
            about: owned(spec.about),
            dialect: spec.dialect,
            unknown: spec.unknown,
            code: spec.code,
            regions: spec.regions.map(|regions| regions.iter().map(RegionBuf::from).collect()),
            limits: spec.limits,
            tags: spec.tags.iter().map(TagBuf::from).collect(),
            budgets: spec.budgets.iter().map(BudgetBuf::from).collect(),
            grants: spec.grants.iter().map(GrantBuf::from).collect(),
            open: spec.open,
            examples: spec.examples.iter().map(ExampleBuf::from).collect(),
        }
    }
}

#[derive(Clone)]
pub(crate) struct TagBuf {
    pub(super) name: String,
    pub(super) about: Option<String>,
    pub(super) body: Body,
    pub(super) budget: Option<String>,
    pub(super) argument: Option<String>,
    pub(super) select: Option<SelectBuf>,
    pub(super) attributes: Vec<AttrBuf>,
    pub(super) sections: Vec<SectionBuf>,
    pub(super) unknown_attributes: Option<UnknownAttributes>,
    pub(super) example: Option<Vec<(String, String)>>,
    pub(super) schema: Option<SchemaBuf>,
}

impl TagBuf {
    pub(super) const fn lend(&self) -> TagSpec<'_> {
        TagSpec {
            name: self.name.as_str(),
            about: lent(&self.about),
            body: self.body,
            budget: lent(&self.budget),
            argument: lent(&self.argument),
            select: match &self.select {
                None => None,
                Some(SelectBuf::Argument) => Some(Select::Argument),
                Some(SelectBuf::Attribute(name)) => Some(Select::Attribute(name.as_str())),
            },
            attributes: Attributes::Owned(self.attributes.as_slice()),
            sections: Sections::Owned(self.sections.as_slice()),
            unknown_attributes: self.unknown_attributes,
            example: match &self.example {
                None => None,
                Some(values) => Some(Pairs::Owned(values.as_slice())),
            },
            schema: match &self.schema {
                None => None,
                Some(SchemaBuf::Inline(json)) => Some(Schema::Inline(json.as_str())),
                Some(SchemaBuf::File { path, json }) => Some(Schema::File { path: path.as_str(), json: lent(json) }),
            },
        }
    }
}

impl From<TagSpec<'_>> for TagBuf {
    fn from(tag: TagSpec<'_>) -> Self {
        let pair = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
        TagBuf {
            name: tag.name.to_owned(),
            about: owned(tag.about),
            body: tag.body,
            budget: owned(tag.budget),
            argument: owned(tag.argument),
            select: tag.select.map(|select| match select {
                Select::Argument => SelectBuf::Argument,
                Select::Attribute(name) => SelectBuf::Attribute(name.to_owned()),
            }),
            attributes: tag.attributes.iter().map(AttrBuf::from).collect(),
            sections: tag.sections.iter().map(SectionBuf::from).collect(),
            unknown_attributes: tag.unknown_attributes,
            example: tag.example.map(|values| values.iter().map(pair).collect()),
            schema: tag.schema.map(|schema| match schema {
                Schema::Inline(json) => SchemaBuf::Inline(json.to_owned()),
                Schema::File { path, json } => SchemaBuf::File { path: path.to_owned(), json: owned(json) },
            }),
        }
    }
}

#[derive(Clone)]
pub(super) enum SelectBuf {
    Argument,
    Attribute(String),
}

#[derive(Clone)]
pub(super) enum SchemaBuf {
    Inline(String),
    File { path: String, json: Option<String> },
}

#[derive(Clone)]
pub(crate) struct AttrBuf {
    pub(super) name: String,
    pub(super) about: Option<String>,
    pub(super) kind: AttrTypeBuf,
    pub(super) required: bool,
    pub(super) default: Option<String>,
    pub(super) aliases: Vec<String>,
}

#[derive(Clone)]
pub(super) enum AttrTypeBuf {
    String,
    Integer { min: i64, max: i64 },
    Number { min: f64, max: f64 },
    Boolean,
    Enum(Vec<String>),
    Path,
}

impl AttrBuf {
    pub(super) const fn lend(&self) -> AttrSpec<'_> {
        AttrSpec {
            name: self.name.as_str(),
            about: lent(&self.about),
            kind: match &self.kind {
                AttrTypeBuf::String => AttrType::String,
                AttrTypeBuf::Integer { min, max } => AttrType::Integer { min: *min, max: *max },
                AttrTypeBuf::Number { min, max } => AttrType::Number { min: *min, max: *max },
                AttrTypeBuf::Boolean => AttrType::Boolean,
                AttrTypeBuf::Enum(values) => AttrType::Enum(EnumValues(Names::Owned(values.as_slice()))),
                AttrTypeBuf::Path => AttrType::Path,
            },
            required: self.required,
            default: lent(&self.default),
            aliases: Names::Owned(self.aliases.as_slice()),
        }
    }
}

impl From<AttrSpec<'_>> for AttrBuf {
    fn from(attribute: AttrSpec<'_>) -> Self {
        AttrBuf {
            name: attribute.name.to_owned(),
            about: owned(attribute.about),
            kind: match attribute.kind {
                AttrType::String => AttrTypeBuf::String,
                AttrType::Integer { min, max } => AttrTypeBuf::Integer { min, max },
                AttrType::Number { min, max } => AttrTypeBuf::Number { min, max },
                AttrType::Boolean => AttrTypeBuf::Boolean,
                AttrType::Enum(values) => AttrTypeBuf::Enum(values.iter().map(str::to_owned).collect()),
                AttrType::Path => AttrTypeBuf::Path,
            },
            required: attribute.required,
            default: owned(attribute.default),
            aliases: attribute.aliases.iter().map(str::to_owned).collect(),
        }
    }
}

#[derive(Clone)]
pub(crate) struct SectionBuf {
    pub(super) name: String,
    pub(super) required: bool,
    pub(super) repeat: bool,
}

impl SectionBuf {
    pub(super) const fn lend(&self) -> SectionSpec<'_> {
        SectionSpec { name: self.name.as_str(), required: self.required, repeat: self.repeat }
    }
}

impl From<SectionSpec<'_>> for SectionBuf {
    fn from(section: SectionSpec<'_>) -> Self {
        SectionBuf { name: section.name.to_owned(), required: section.required, repeat: section.repeat }
    }
}

#[derive(Clone)]
pub(crate) struct RegionBuf {
    pub(super) name: String,
    pub(super) open: String,
    pub(super) close: String,
}

impl RegionBuf {
    pub(super) const fn lend(&self) -> RegionSpec<'_> {
        RegionSpec { name: self.name.as_str(), open: self.open.as_str(), close: self.close.as_str() }
    }
}

impl From<RegionSpec<'_>> for RegionBuf {
    fn from(region: RegionSpec<'_>) -> Self {
        RegionBuf { name: region.name.to_owned(), open: region.open.to_owned(), close: region.close.to_owned() }
    }
}

#[derive(Clone)]
pub(crate) struct BudgetBuf {
    pub(super) name: String,
    pub(super) max: u32,
}

impl BudgetBuf {
    pub(super) const fn lend(&self) -> Budget<'_> {
        Budget { name: self.name.as_str(), max: self.max }
    }
}

impl From<Budget<'_>> for BudgetBuf {
    fn from(budget: Budget<'_>) -> Self {
        BudgetBuf { name: budget.name.to_owned(), max: budget.max }
    }
}

#[derive(Clone)]
pub(crate) struct GrantBuf {
    pub(super) role: Option<String>,
    pub(super) mode: Option<String>,
    pub(super) tags: Vec<String>,
}

impl GrantBuf {
    pub(super) const fn lend(&self) -> Grant<'_> {
        Grant { role: lent(&self.role), mode: lent(&self.mode), tags: Names::Owned(self.tags.as_slice()) }
    }
}

impl From<Grant<'_>> for GrantBuf {
    fn from(grant: Grant<'_>) -> Self {
        let tags = grant.tags.iter().map(str::to_owned).collect();
        GrantBuf { role: owned(grant.role), mode: owned(grant.mode), tags }
    }
}

#[derive(Clone)]
pub(crate) struct ExampleBuf {
    pub(super) reply: String,
    pub(super) role: Option<String>,
    pub(super) mode: Option<String>,
    pub(super) truncated: Option<bool>,
    pub(super) tags: Vec<String>,
    pub(super) diagnostics: Option<Vec<String>>,
}

impl ExampleBuf {
    pub(super) const fn lend(&self) -> ExampleSpec<'_> {
        ExampleSpec {
            reply: self.reply.as_str(),
            role: lent(&self.role),
            mode: lent(&self.mode),
            truncated: self.truncated,
            tags: Names::Owned(self.tags.as_slice()),
            diagnostics: match &self.diagnostics {
                None => None,
                Some(codes) => Some(Names::Owned(codes.as_slice())),
            },
        }
    }
}

impl From<ExampleSpec<'_>> for ExampleBuf {
    fn from(example: ExampleSpec<'_>) -> Self {
        ExampleBuf {
            reply: example.reply.to_owned(),
            role: owned(example.role),
            mode: owned(example.mode),
            truncated: example.truncated,
            tags: example.tags.iter().map(str::to_owned).collect(),
            diagnostics: example.diagnostics.map(|codes| codes.iter().map(str::to_owned).collect()),
        }
    }
}

const fn lent(text: &Option<String>) -> Option<&str> {
    match text {
        None => None,
        Some(text) => Some(text.as_str()),
    }
}

fn owned(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}
