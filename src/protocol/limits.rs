//! Bounds on what a reply may hold: those that a host sets, and those that a strict protocol states.

/// Bounds that a host sets on what a reply in the seed's dialect may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Limits {
    /// The longest tag, in bytes from its token's start to its close's end; `None`, the default, is no limit.
    ///
    /// A tag that is still open at that length is reported as too long, and all up to its close, or to the end of the reply, is
    /// dropped and never read as tags; a token that is not complete by then is prose. Until its close comes, a tag is held in
    /// memory, and so is the text after an unknown one: this bounds it. [`Limits::RECOMMENDED_TAG_BYTES`] suits an LLM client.
    pub max_tag_bytes: Option<usize>,
}

impl Limits {
    /// A bound for clients that read from a network: 16 MiB.
    pub const RECOMMENDED_TAG_BYTES: usize = 16 << 20;

    /// Sets the longest tag, in bytes.
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

/// The limits that a strict protocol states. All are at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct StrictLimits {
    /// The most tags that a reply gives; 256 by default.
    pub tags: u32,
    /// The longest token, in bytes; 65,536 by default.
    pub token_bytes: usize,
    /// The longest body, in bytes; 8,388,608 by default.
    pub body_bytes: usize,
    /// The most diagnostics of a reply; 256 by default.
    pub diagnostics: u32,
}

impl StrictLimits {
    /// The limits of a protocol that states none.
    pub const DEFAULT: Self = StrictLimits { tags: 256, token_bytes: 1 << 16, body_bytes: 1 << 23, diagnostics: 256 };

    /// Sets the most tags of a reply.
    #[must_use]
    pub const fn with_tags(self, tags: u32) -> Self {
        StrictLimits { tags, ..self }
    }

    /// Sets the longest token, in bytes.
    #[must_use]
    pub const fn with_token_bytes(self, token_bytes: usize) -> Self {
        StrictLimits { token_bytes, ..self }
    }

    /// Sets the longest body, in bytes.
    #[must_use]
    pub const fn with_body_bytes(self, body_bytes: usize) -> Self {
        StrictLimits { body_bytes, ..self }
    }

    /// Sets the most diagnostics of a reply.
    #[must_use]
    pub const fn with_diagnostics(self, diagnostics: u32) -> Self {
        StrictLimits { diagnostics, ..self }
    }
}

impl Default for StrictLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
