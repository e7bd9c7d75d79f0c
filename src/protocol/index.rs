//! What is looked up in a protocol while a reply is read.

use super::check::{InvalidProtocol, check_budgets, check_grants, check_name};
use super::source::Source;
use super::{MAX_TAGS, TagId};
use crate::tag_set::TagSet;

/// What is looked up while a reply is read.
#[derive(Clone, Copy)]
pub(super) struct Index {
    bodies: TagSet,
    /// The budget of each tag, or [`NO_BUDGET`].
    budgets: [u8; MAX_TAGS],
    /// The tags by name: each at its [`slot`], or in the first free one behind it.
    slots: [TagId; SLOTS],
}

impl Index {
    /// Checks the parts on the way.
    pub(super) const fn new(source: Source<'_>) -> Result<Self, InvalidProtocol> {
        let count = source.tag_count();
        if count > MAX_TAGS {
            return Err(InvalidProtocol::new().say("a protocol has at most 128 tags, and this one has more"));
        }
        let mut index = Index { bodies: TagSet::EMPTY, budgets: [NO_BUDGET; MAX_TAGS], slots: [EMPTY; SLOTS] };
        if let Err(error) = check_budgets(source) {
            return Err(error);
        }
        let mut i = 0;
        while i < count {
            let tag = source.tag(i);
            if let Err(error) = check_name(source, i) {
                return Err(error);
            }
            if tag.body {
                index.bodies = index.bodies.with(i as TagId);
            }
            if let Some(name) = tag.budget {
                let Some(budget) = source.budget_among(name, source.budget_count()) else {
                    let error = InvalidProtocol::new().say("tag ").quote(tag.name);
                    return Err(error.say(" names the unknown budget ").quote(name));
                };
                // At most as many budgets as tags: each is used by one.
                index.budgets[i] = budget as u8;
            }
            i += 1;
        }
        if let Err(error) = check_grants(source) {
            return Err(error);
        }
        let mut i = 0;
        while i < count {
            let mut slot = slot(source.tag(i).name.as_bytes());
            while index.slots[slot] != EMPTY {
                slot = (slot + 1) % SLOTS;
            }
            index.slots[slot] = i as TagId;
            i += 1;
        }
        Ok(index)
    }

    /// The tag called `name`, in any ASCII case.
    #[inline(always)]
    pub(super) fn find<'p>(&self, name: &[u8], name_of: impl Fn(TagId) -> &'p str) -> Option<TagId> {
        let mut slot = slot(name);
        loop {
            let id = self.slots[slot];
            if id == EMPTY {
                return None;
            }
            let own = name_of(id).as_bytes();
            count_work!(1 + if own.len() == name.len() { name.len() } else { 0 });
            if own == name || own.eq_ignore_ascii_case(name) {
                return Some(id);
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    pub(super) fn has_body(&self, id: TagId) -> bool {
        self.bodies.has(id)
    }

    pub(super) fn budget_of(&self, id: TagId) -> Option<usize> {
        let budget = self.budgets[id as usize];
        (budget != NO_BUDGET).then_some(budget as usize)
    }
}

/// Where the look-up of a name begins: by its length, and its first and last letter in any case.
///
/// Whatever a reply asks for, a look-up ends at a free slot, and half of the slots are free: at most 128 names are compared.
#[inline]
const fn slot(name: &[u8]) -> usize {
    let (Some(first), Some(last)) = (name.first(), name.last()) else {
        return 0;
    };
    // The fifth bit is the case of a letter.
    let (first, last) = (*first as usize & 0x1F, *last as usize & 0x1F);
    (first * 37 + last * 11 + name.len() * 5) % SLOTS
}

const NO_BUDGET: u8 = u8::MAX;
/// Twice as many as there can be tags.
const SLOTS: usize = 2 * MAX_TAGS;
/// A slot without a tag.
const EMPTY: TagId = TagId::MAX;
