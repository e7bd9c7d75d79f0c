//! A policy: a protocol resolved for one role and mode.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::protocol::{Protocol, TagId, TagSpec};
use crate::tag_set::TagSet;

/// A [`Protocol`] resolved for one role and mode: what is let through, and how much of it.
///
/// Cheap to clone: it borrows the protocol's names, and copies less than a kilobyte.
#[derive(Clone, Debug)]
pub struct Policy<'p> {
    protocol: Protocol<'p>,
    granted: TagSet,
    /// None in a protocol without roles.
    speaker: Option<Speaker<'p>>,
    limits: Limits,
    opening: memchr::memmem::Finder<'static>,
}

/// Who writes the reply.
#[derive(Clone, Copy, Debug)]
struct Speaker<'p> {
    role: &'p str,
    mode: &'p str,
}

impl<'p> Policy<'p> {
    pub(crate) fn new(protocol: Protocol<'p>, role: &str, mode: &str) -> Result<Self, UnknownName> {
        if protocol.grants().len() == 0 {
            return Ok(Self::resolved(protocol, TagSet::ALL, None));
        }
        let role = known("role", role, || protocol.roles())?;
        let mode = known("mode", mode, || protocol.modes())?;
        Ok(Self::for_speaker(protocol, role, mode))
    }

    /// For a role and mode that the protocol knows.
    pub(crate) fn for_speaker(protocol: Protocol<'p>, role: &'p str, mode: &'p str) -> Self {
        let grant = protocol.grants().find(|grant| grant.role() == role && grant.mode() == mode);
        let granted = grant.into_iter().flat_map(|grant| grant.tags());
        let ids = granted.filter_map(|name| protocol.find(name.as_bytes()));
        let granted = ids.fold(TagSet::EMPTY, TagSet::with);
        Self::resolved(protocol, granted, Some(Speaker { role, mode }))
    }

    fn resolved(protocol: Protocol<'p>, granted: TagSet, speaker: Option<Speaker<'p>>) -> Self {
        let opening = memchr::memmem::Finder::new("[[");
        Policy { protocol, granted, speaker, limits: Limits::default(), opening }
    }

    /// The same policy with these limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Policy { limits, ..self }
    }

    /// The protocol it was made from.
    #[inline]
    pub fn protocol(&self) -> &Protocol<'p> {
        &self.protocol
    }

    /// The role it is for; none in a protocol without roles.
    pub fn role(&self) -> Option<&'p str> {
        self.speaker.map(|speaker| speaker.role)
    }

    /// The mode it is for; none in a protocol without roles.
    pub fn mode(&self) -> Option<&'p str> {
        self.speaker.map(|speaker| speaker.mode)
    }

    /// The limits in force.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Whether the tag called `name`, in any ASCII case, is let through.
    pub fn allows(&self, name: &str) -> bool {
        self.protocol.find(name.as_bytes()).is_some_and(|id| self.is_granted(id))
    }

    /// The tags that are let through, in the order of the protocol.
    pub fn granted(&self) -> impl Iterator<Item = TagSpec<'p>> + use<'p> {
        let granted = self.granted;
        let tags = self.protocol.tags().enumerate();
        tags.filter(move |&(i, _)| granted.has(i as TagId)).map(|(_, tag)| tag)
    }

    pub(crate) fn is_granted(&self, id: TagId) -> bool {
        self.granted.has(id)
    }

    /// Finds `[[`. Kept, since making a searcher costs more than a short search.
    #[inline]
    pub(crate) fn opening(&self) -> &memchr::memmem::Finder<'static> {
        &self.opening
    }
}

/// Bounds that a host sets on what a reply may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Limits {
    /// The longest tag, in bytes from its token's start to its close's end; `None`, the default, is no limit.
    ///
    /// A tag that is still open there is reported as too long, and all up to its close, or to the end of the reply, is dropped
    /// and never read as tags; a token that is not complete there is prose. Until its close comes, a tag is held in memory, and
    /// so is the text behind an unknown one: this bounds it. [`Limits::RECOMMENDED_TAG_BYTES`] suits an LLM client.
    pub max_tag_bytes: Option<usize>,
}

impl Limits {
    /// A bound for clients that read from a network: 16 MiB.
    pub const RECOMMENDED_TAG_BYTES: usize = 16 << 20;

    /// The same limits with this longest tag, in bytes.
    #[must_use]
    pub const fn with_max_tag_bytes(self, bytes: Option<usize>) -> Self {
        Limits { max_tag_bytes: bytes, ..self }
    }

    /// The offset that a tag from `start` may not reach beyond.
    #[inline]
    pub(crate) fn tag_end(&self, start: usize) -> usize {
        start.saturating_add(self.max_tag_bytes.unwrap_or(usize::MAX))
    }
}

/// A role or mode that the protocol does not know. Lists those it knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    what: &'static str,
    name: String,
    known: Vec<String>,
}

impl UnknownName {
    /// The name that is not known, as it was asked for.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names that are.
    pub fn known(&self) -> impl Iterator<Item = &str> {
        self.known.iter().map(String::as_str)
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {} {:?} (known: {})", self.what, self.name, self.known.join(", "))
    }
}

impl core::error::Error for UnknownName {}

/// The protocol's own copy of `name`.
fn known<'p, I: Iterator<Item = &'p str>>(
    what: &'static str,
    name: &str,
    names: impl Fn() -> I,
) -> Result<&'p str, UnknownName> {
    names().find(|known| *known == name).ok_or_else(|| UnknownName {
        what,
        name: name.into(),
        known: names().map(Into::into).collect(),
    })
}
