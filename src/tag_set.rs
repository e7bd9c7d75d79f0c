//! A set of tags, as bits.

use crate::protocol::TagId;

/// A set of the tags of one protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TagSet([u64; 2]);

impl TagSet {
    pub(crate) const EMPTY: Self = TagSet([0; 2]);
    pub(crate) const ALL: Self = TagSet([u64::MAX; 2]);

    pub(crate) const fn with(mut self, id: TagId) -> Self {
        self.0[(id / 64) as usize] |= 1 << (id % 64);
        self
    }

    #[inline]
    pub(crate) const fn has(&self, id: TagId) -> bool {
        self.0[(id / 64) as usize] >> (id % 64) & 1 == 1
    }
}
