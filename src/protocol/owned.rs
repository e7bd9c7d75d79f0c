//! A protocol that owns its parts.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::Protocol;
use super::check::InvalidProtocol;
use super::index::Index;
use super::parts::{Budget, Grant, TagSpec};
use super::source::Source;

/// An owned [`Protocol`], built at run time or read by serde, which lends a [`Protocol`] as a `String` lends a `str`.
///
/// ```
/// use tagwire::{ProtocolBuf, TagSpec};
///
/// let names = String::from("ACTION OBSERVE");
/// let tags: Vec<_> = names.split(' ').map(TagSpec::with_body).collect();
/// let protocol = ProtocolBuf::new(&tags, &[], &[])?;
/// let policy = protocol.as_protocol().policy("", "")?;
/// assert_eq!(policy.parse("[[ACTION kind='x']]{}[[/ACTION]]").tags()[0].body(), "{}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ProtocolBuf {
    parts: OwnedParts,
    index: Index,
}

impl ProtocolBuf {
    /// Copies the parts and checks them.
    ///
    /// # Errors
    ///
    /// As [`Protocol::new`].
    pub fn new(tags: &[TagSpec<'_>], budgets: &[Budget<'_>], grants: &[Grant<'_>]) -> Result<Self, InvalidProtocol> {
        OwnedParts {
            tags: tags.iter().map(OwnedTagSpec::from).collect(),
            budgets: budgets.iter().map(OwnedBudget::from).collect(),
            grants: grants.iter().map(OwnedGrant::from).collect(),
        }
        .check()
    }

    /// The protocol, borrowed. Costs a copy of a few hundred bytes; nothing is checked again.
    pub fn as_protocol(&self) -> Protocol<'_> {
        Protocol { source: Source::Owned(&self.parts), index: self.index }
    }
}

impl From<Protocol<'_>> for ProtocolBuf {
    fn from(protocol: Protocol<'_>) -> Self {
        let parts = OwnedParts {
            tags: protocol.tags().map(|tag| OwnedTagSpec::from(&tag)).collect(),
            budgets: protocol.budgets().map(|budget| OwnedBudget::from(&budget)).collect(),
            grants: protocol.grants().map(|grant| OwnedGrant::from(&grant)).collect(),
        };
        ProtocolBuf { parts, index: protocol.index }
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

/// The parts of a [`ProtocolBuf`], as they are written in a file too.
#[derive(Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename = "Protocol", deny_unknown_fields))]
pub(super) struct OwnedParts {
    pub(super) tags: Vec<OwnedTagSpec>,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(super) budgets: Vec<OwnedBudget>,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(super) grants: Vec<OwnedGrant>,
}

impl OwnedParts {
    fn check(self) -> Result<ProtocolBuf, InvalidProtocol> {
        let index = Index::new(Source::Owned(&self))?;
        Ok(ProtocolBuf { parts: self, index })
    }
}

#[derive(Clone)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename = "TagSpec", deny_unknown_fields))]
pub(super) struct OwnedTagSpec {
    pub(super) name: String,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(super) body: bool,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(super) budget: Option<String>,
}

impl From<&TagSpec<'_>> for OwnedTagSpec {
    fn from(tag: &TagSpec<'_>) -> Self {
        OwnedTagSpec { name: tag.name.into(), body: tag.body, budget: tag.budget.map(Into::into) }
    }
}

#[derive(Clone)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename = "Budget", deny_unknown_fields))]
pub(super) struct OwnedBudget {
    pub(super) name: String,
    pub(super) max: u32,
}

impl From<&Budget<'_>> for OwnedBudget {
    fn from(budget: &Budget<'_>) -> Self {
        OwnedBudget { name: budget.name.into(), max: budget.max }
    }
}

#[derive(Clone)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename = "Grant", deny_unknown_fields))]
pub(super) struct OwnedGrant {
    pub(super) role: String,
    pub(super) mode: String,
    pub(super) tags: Vec<String>,
}

impl From<&Grant<'_>> for OwnedGrant {
    fn from(grant: &Grant<'_>) -> Self {
        OwnedGrant { role: grant.role.into(), mode: grant.mode.into(), tags: grant.tags().map(Into::into).collect() }
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for ProtocolBuf {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_protocol().serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for ProtocolBuf {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        OwnedParts::deserialize(deserializer)?.check().map_err(serde::de::Error::custom)
    }
}
