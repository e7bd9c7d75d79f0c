//! A set of tags, as bits.

use crate::protocol::TagId;

/// A set of the tags of one protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TagSet(u128);

impl TagSet {
    pub(crate) const EMPTY: Self = TagSet(0);
    pub(crate) const ALL: Self = TagSet(u128::MAX);

    pub(crate) const fn with(self, id: TagId) -> Self {
        TagSet(self.0 | 1 << id)
    }

    pub(crate) const fn has(self, id: TagId) -> bool {
        self.0 >> id & 1 == 1
    }
}
