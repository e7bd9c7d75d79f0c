//! A protocol as data: the tags, their budgets, and who may use which.

mod check;
mod index;
mod owned;
mod parts;
mod source;

use alloc::vec::Vec;
use core::fmt;

use self::index::Index;
use self::source::Source;
use crate::policy::{Policy, UnknownName};

pub use self::check::InvalidProtocol;
pub use self::owned::ProtocolBuf;
pub use self::parts::{Budget, Grant, TagSpec};

/// How many tags a protocol may have: what one [`Policy`] keeps as bits.
pub const MAX_TAGS: usize = 128;

/// A vocabulary of tags, the budgets they share, and the matrix of who may use which.
///
/// Plain data over slices: `Copy`, and built in a `const` where a mistake in it stops the build. [`ProtocolBuf`] is the owned
/// form, for one that is made or read at run time.
///
/// ```
/// use tagwire::{Budget, Grant, Protocol, TagSpec};
///
/// const PROTOCOL: Protocol<'static> = Protocol::checked(
///     &[TagSpec::new("SHELL"), TagSpec::with_body("NOTE").budget("notes")],
///     &[Budget::new("notes", 2)],
///     &[Grant::new("coder", "work", &["SHELL", "NOTE"]), Grant::new("critic", "work", &["NOTE"])],
/// );
/// let policy = PROTOCOL.policy("critic", "work")?;
/// let reply = policy.parse("[[NOTE]]too long[[/NOTE]] [[SHELL run=\"rm\"/]]");
/// assert_eq!(reply.tags().len(), 1);
/// assert_eq!(reply.error_text(), "ERROR: tag [[SHELL]] is not allowed for role=critic mode=work");
/// # Ok::<(), tagwire::UnknownName>(())
/// ```
#[derive(Clone, Copy)]
pub struct Protocol<'p> {
    source: Source<'p>,
    index: Index,
}

impl<'p> Protocol<'p> {
    /// Checks the parts and puts them together.
    ///
    /// Without grants, and so without roles, everything is granted to everybody.
    ///
    /// # Errors
    ///
    /// Says which name is at fault: a tag's name is not upper case (`[A-Z_][A-Z0-9_]*`) or is there twice (compared in any
    /// case), there are more than [`MAX_TAGS`] tags, a tag names a budget or a grant a tag that does not exist, a budget is
    /// there twice or is used by no tag, a role or mode has no name, or the same pair of them is granted twice.
    pub const fn new(
        tags: &'p [TagSpec<'p>],
        budgets: &'p [Budget<'p>],
        grants: &'p [Grant<'p>],
    ) -> Result<Self, InvalidProtocol> {
        Self::from_source(Source::Slices { tags, budgets, grants })
    }

    /// The same as [`Protocol::new`] for a `const`, where a mistake stops the build and the message says which.
    ///
    /// # Panics
    ///
    /// Where [`Protocol::new`] gives an error, with its message.
    #[track_caller]
    pub const fn checked(tags: &'p [TagSpec<'p>], budgets: &'p [Budget<'p>], grants: &'p [Grant<'p>]) -> Self {
        match Self::new(tags, budgets, grants) {
            Ok(protocol) => protocol,
            Err(error) => panic!("{}", error.message()),
        }
    }

    /// The tags, in the order they were given.
    pub fn tags(&self) -> impl ExactSizeIterator<Item = TagSpec<'p>> + use<'p> {
        let source = self.source;
        (0..source.tag_count()).map(move |i| source.tag(i))
    }

    /// The budgets, in the order they were given.
    pub fn budgets(&self) -> impl ExactSizeIterator<Item = Budget<'p>> + use<'p> {
        let source = self.source;
        (0..source.budget_count()).map(move |i| source.budget(i))
    }

    /// The grants, in the order they were given.
    pub fn grants(&self) -> impl ExactSizeIterator<Item = Grant<'p>> + use<'p> {
        let source = self.source;
        (0..source.grant_count()).map(move |i| source.grant(i))
    }

    /// The roles that the grants name, each once, in the order of their first mention. Compares each with those before it:
    /// quadratic in the number of grants.
    pub fn roles(&self) -> impl Iterator<Item = &'p str> + use<'p> {
        let grants = self.grants();
        let source = self.source;
        grants
            .enumerate()
            .filter_map(move |(i, grant)| (0..i).all(|j| source.grant(j).role != grant.role).then_some(grant.role))
    }

    /// The modes that the grants name, each once, in the order of their first mention. Quadratic, as [`Protocol::roles`].
    pub fn modes(&self) -> impl Iterator<Item = &'p str> + use<'p> {
        let grants = self.grants();
        let source = self.source;
        grants
            .enumerate()
            .filter_map(move |(i, grant)| (0..i).all(|j| source.grant(j).mode != grant.mode).then_some(grant.mode))
    }

    /// The policy for `role` in `mode`: what it may use. A known role and mode without a grant may use nothing.
    ///
    /// A protocol without roles grants everything, whatever is asked for.
    ///
    /// # Errors
    ///
    /// Where the protocol has roles and `role` or `mode` is none that its grants name; the error lists the known ones.
    pub fn policy(&self, role: &str, mode: &str) -> Result<Policy<'p>, UnknownName> {
        Policy::new(*self, role, mode)
    }

    /// The tag called `name`, in any ASCII case.
    #[inline(always)]
    pub(crate) fn find(&self, name: &[u8]) -> Option<TagId> {
        self.index.find(name, |id| self.name(id))
    }

    pub(crate) fn name(&self, id: TagId) -> &'p str {
        self.source.tag(id as usize).name
    }

    pub(crate) fn has_body(&self, id: TagId) -> bool {
        self.index.has_body(id)
    }

    /// The place of the tag's budget in [`Protocol::budgets`].
    pub(crate) fn budget_of(&self, id: TagId) -> Option<usize> {
        self.index.budget_of(id)
    }

    pub(crate) fn budget_max(&self, budget: usize) -> u32 {
        self.source.budget(budget).max
    }

    const fn from_source(source: Source<'p>) -> Result<Self, InvalidProtocol> {
        match Index::new(source) {
            Ok(index) => Ok(Protocol { source, index }),
            Err(error) => Err(error),
        }
    }
}

impl PartialEq for Protocol<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.tags().eq(other.tags()) && self.budgets().eq(other.budgets()) && self.grants().eq(other.grants())
    }
}

impl Eq for Protocol<'_> {}

impl fmt::Debug for Protocol<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Protocol")
            .field("tags", &self.tags().collect::<Vec<_>>())
            .field("budgets", &self.budgets().collect::<Vec<_>>())
            .field("grants", &self.grants().collect::<Vec<_>>())
            .finish()
    }
}

/// The place of a tag in its protocol.
pub(crate) type TagId = u8;

#[cfg(feature = "serde")]
impl serde::Serialize for Protocol<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct as _;
        let mut parts = serializer.serialize_struct("Protocol", 3)?;
        parts.serialize_field("tags", &self.tags().collect::<Vec<_>>())?;
        parts.serialize_field("budgets", &self.budgets().collect::<Vec<_>>())?;
        parts.serialize_field("grants", &self.grants().collect::<Vec<_>>())?;
        parts.end()
    }
}
