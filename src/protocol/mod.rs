//! A protocol as data: the tags, their budgets, and who may use which.

mod buf;
mod error;
#[cfg(feature = "serde")]
mod file;
mod keyword;
mod limits;
mod list;
mod lookup;
mod nearest;
mod policy;
#[cfg(feature = "serde")]
mod serialize;
mod spec;
mod tag_set;
mod validate;
mod value;

use alloc::sync::Arc;
use core::fmt;

use self::buf::OwnedProtocol;
use self::lookup::Index;
use self::validate::validate;

pub use self::buf::ProtocolBuf;
pub use self::error::ProtocolError;
#[cfg(feature = "protocol-file")]
pub use self::file::{FileFault, ProtocolFileError};
pub use self::keyword::{Body, Dialect, TagsInCode, UnknownAttributes, UnknownTags};
pub use self::limits::{Limits, StrictLimits};
pub(crate) use self::lookup::Bodies;
pub(crate) use self::policy::{Granted, Grantee};
pub use self::policy::{Policy, PolicyBuf, UnknownRole};
pub use self::spec::{
    AttrSpec, AttrType, Budget, EnumValues, ExampleSpec, Grant, ProtocolSpec, RegionSpec, Schema, SectionSpec, Select,
    TagSpec,
};
pub use self::tag_set::MAX_TAGS;
pub(crate) use self::tag_set::{TagId, TagSet};
pub(crate) use self::validate::MAX_BUDGETS;
pub(crate) use self::value::InvalidValue;

/// A vocabulary of tags, the budgets they share, and who may use which, checked.
///
/// A reference, so `Copy`: to a [`ProtocolSpec`], checked in a `const` where a mistake in it stops the build, or to a
/// [`ProtocolBuf`], made or read at run time.
///
/// ```
/// use tagwire::{Budget, Grant, Protocol, ProtocolSpec, TagSpec};
///
/// const PROTOCOL: Protocol<'static> = Protocol::checked(
///     &ProtocolSpec::seed("notes", &[TagSpec::new("SHELL"), TagSpec::with_body("NOTE").budget("notes")])
///         .budgets(&[Budget::new("notes", 2)])
///         .grants(&[Grant::new("coder", "work", &["SHELL", "NOTE"]), Grant::new("critic", "work", &["NOTE"])]),
/// );
/// let policy = PROTOCOL.policy("critic", "work")?;
/// let reply = policy.parse("[[NOTE]]too long[[/NOTE]] [[SHELL run=\"rm\"/]]");
/// assert_eq!(reply.tags().len(), 1);
/// assert_eq!(reply.error_text(), "ERROR: tag [[SHELL]] is not allowed for role=critic mode=work");
/// # Ok::<(), tagwire::UnknownRole>(())
/// ```
#[derive(Clone, Copy)]
pub struct Protocol<'p> {
    repr: Repr<'p>,
}

/// Where the parts are: stated in a `const`, or lent by a [`ProtocolBuf`].
#[derive(Clone, Copy)]
enum Repr<'p> {
    Spec(&'p ProtocolSpec<'p>),
    Owned(&'p OwnedProtocol),
}

impl<'p> Protocol<'p> {
    /// Checks the parts. Quadratic in the number of tags, which [`MAX_TAGS`] bounds.
    ///
    /// # Errors
    ///
    /// Says what is wrong, with the name at fault: every fault that is found, up to a few dozen.
    pub fn new(spec: &'p ProtocolSpec<'p>) -> Result<Self, ProtocolError> {
        let faults = validate(spec);
        if faults.is_empty() { Ok(Protocol { repr: Repr::Spec(spec) }) } else { Err(ProtocolError::new(&faults)) }
    }

    /// Checks the parts in a `const`, where a mistake stops the build with a message that says which.
    ///
    /// # Panics
    ///
    /// Where [`Protocol::new`] returns an error, with its first message.
    #[track_caller]
    pub const fn checked(spec: &'p ProtocolSpec<'p>) -> Self {
        let faults = validate(spec);
        if !faults.is_empty() {
            panic!("{}", faults.first().text.as_str());
        }
        Protocol { repr: Repr::Spec(spec) }
    }

    /// The name, for messages and generated text.
    pub const fn name(&self) -> &'p str {
        self.spec().name
    }

    /// What the protocol is for.
    pub const fn about(&self) -> Option<&'p str> {
        self.spec().about
    }

    /// The rules by which replies are read.
    pub const fn dialect(&self) -> Dialect {
        self.spec().dialect
    }

    /// What becomes of unknown tags.
    pub const fn unknown(&self) -> UnknownTags {
        match self.spec().unknown {
            Some(unknown) => unknown,
            None => UnknownTags::Report,
        }
    }

    /// What becomes of tags in code.
    pub const fn code(&self) -> TagsInCode {
        match self.spec().code {
            Some(code) => code,
            None => TagsInCode::Prose,
        }
    }

    /// The limits on a reply in the strict dialect.
    pub const fn limits(&self) -> StrictLimits {
        match self.spec().limits {
            Some(limits) => limits,
            None => StrictLimits::DEFAULT,
        }
    }

    /// Whether every tag is granted to everybody.
    pub const fn is_open(&self) -> bool {
        self.spec().open
    }

    /// The tags, in the order they were declared.
    pub fn tags(&self) -> impl ExactSizeIterator<Item = TagSpec<'p>> + DoubleEndedIterator + Clone + use<'p> {
        self.spec().tags.iter()
    }

    /// The budgets, in the order they were declared.
    pub fn budgets(&self) -> impl ExactSizeIterator<Item = Budget<'p>> + DoubleEndedIterator + Clone + use<'p> {
        self.spec().budgets.iter()
    }

    /// The grants, in the order they were declared.
    pub fn grants(&self) -> impl ExactSizeIterator<Item = Grant<'p>> + DoubleEndedIterator + Clone + use<'p> {
        self.spec().grants.iter()
    }

    /// The regions, in the order they were declared.
    pub fn regions(&self) -> impl ExactSizeIterator<Item = RegionSpec<'p>> + DoubleEndedIterator + Clone + use<'p> {
        self.spec().regions.unwrap_or(list::Regions::Slice(&[])).iter()
    }

    /// The example replies, in the order they were declared.
    pub fn examples(&self) -> impl ExactSizeIterator<Item = ExampleSpec<'p>> + DoubleEndedIterator + Clone + use<'p> {
        self.spec().examples.iter()
    }

    /// The roles that the grants name, each once, in the order of their first mention. Quadratic in the number of grants.
    pub fn roles(&self) -> impl Iterator<Item = &'p str> + use<'p> {
        let roles = self.grants().filter_map(|grant| grant.role());
        distinct(roles)
    }

    /// The modes that the grants name, each once, in the order of their first mention. Quadratic in the number of grants.
    pub fn modes(&self) -> impl Iterator<Item = &'p str> + use<'p> {
        distinct(self.grants().filter_map(|grant| grant.mode()))
    }

    /// Returns what `role` may use in `mode`: all that the grants which fit them name.
    ///
    /// Allocates, so keep the policy for other replies. An open protocol grants everything, whatever is asked for.
    ///
    /// # Errors
    ///
    /// Where grants name roles or modes, and `role` or `mode` is none of them; the error lists those that are.
    pub fn policy(&self, role: &str, mode: &str) -> Result<Policy<'p>, UnknownRole> {
        self.policy_for(Some(role), Some(mode))
    }

    /// Returns what `role` may use in `mode`, as [`Protocol::policy`] does, where either may be left out: then only the grants
    /// that do not name one fit.
    ///
    /// # Errors
    ///
    /// As [`Protocol::policy`].
    pub fn policy_for(&self, role: Option<&str>, mode: Option<&str>) -> Result<Policy<'p>, UnknownRole> {
        Policy::new(*self, role, mode)
    }

    /// Returns a policy that lets every tag through, whatever the grants.
    pub fn unrestricted(&self) -> Policy<'p> {
        Policy::unrestricted(*self)
    }

    /// The position of the region called `name`.
    pub(crate) fn find_region(&self, name: &str) -> Option<usize> {
        self.regions().position(|region| region.name() == name)
    }

    /// The tag with this number.
    #[inline(always)]
    pub(crate) const fn tag(&self, id: TagId) -> TagSpec<'p> {
        self.spec().tags.at(id as usize)
    }

    #[inline(always)]
    pub(crate) const fn name_of(&self, id: TagId) -> &'p str {
        self.tag_list().name(id as usize)
    }

    #[inline(always)]
    pub(crate) const fn tag_list(&self) -> list::Tags<'p> {
        match self.repr {
            Repr::Spec(spec) => spec.tags,
            Repr::Owned(owned) => list::Tags::Owned(owned.parts.tags.as_slice()),
        }
    }

    pub(crate) const fn budget_max(&self, budget: usize) -> u32 {
        self.spec().budgets.at(budget).max
    }

    const fn grant(&self, i: usize) -> Grant<'p> {
        self.spec().grants.at(i)
    }

    /// The parts, lent.
    #[inline(always)]
    const fn spec(&self) -> ProtocolSpec<'p> {
        match self.repr {
            Repr::Spec(spec) => *spec,
            Repr::Owned(owned) => owned.parts.lend(),
        }
    }

    fn index(&self) -> Arc<Index> {
        match self.repr {
            Repr::Spec(spec) => Arc::new(Index::new(spec)),
            Repr::Owned(owned) => owned.index.clone(),
        }
    }
}

impl PartialEq for Protocol<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.spec() == other.spec()
    }
}

impl Eq for Protocol<'_> {}

impl fmt::Debug for Protocol<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec().fmt(f)
    }
}

/// Each of `names` where it is first met.
fn distinct<'p>(names: impl Iterator<Item = &'p str> + Clone) -> impl Iterator<Item = &'p str> {
    let all = names.clone();
    names.enumerate().filter(move |(i, name)| !all.clone().take(*i).any(|other| other == *name)).map(|(_, name)| name)
}
