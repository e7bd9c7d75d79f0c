//! Tags of one protocol by number, and sets of them.

/// The position of a tag in its protocol.
pub(crate) type TagId = u16;

/// The most tags, counting each variant, that a protocol may have.
pub const MAX_TAGS: usize = 512;

/// A set of the tags of one protocol, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TagSet([u64; MAX_TAGS / 64]);

impl TagSet {
    pub(crate) const EMPTY: Self = TagSet([0; MAX_TAGS / 64]);
    pub(crate) const ALL: Self = TagSet([u64::MAX; MAX_TAGS / 64]);

    pub(crate) const fn with(mut self, id: TagId) -> Self {
        self.0[(id / 64) as usize] |= 1 << (id % 64);
        self
    }

    #[inline]
    pub(crate) const fn has(&self, id: TagId) -> bool {
        self.0[(id / 64) as usize] >> (id % 64) & 1 == 1
    }
}
