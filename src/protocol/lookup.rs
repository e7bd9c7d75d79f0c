//! What is looked up in a protocol while a reply is read.

use alloc::boxed::Box;
use alloc::vec;

use super::keyword::Body;
use super::list::Tags;
use super::spec::ProtocolSpec;
use super::tag_set::TagId;

/// Tables by word and by attribute key. Made once for each protocol, in time linear in its length.
pub(crate) struct Index {
    entries: Box<[Entry]>,
    /// The first tag of each word, at the slot of its hash or in the first free one after it.
    words: Box<[TagId]>,
    /// The keys of all attributes.
    keys: Box<[Key]>,
    letter_case: LetterCase,
    takes_argument: bool,
}

/// What is known of a tag, or of the first tag of a word.
#[derive(Clone, Copy)]
struct Entry {
    /// The first tag of its word.
    first: TagId,
    /// The next tag of its word, or [`NONE`].
    next: TagId,
    /// Its budget, or [`NONE`].
    budget: u16,
    /// The attribute that its argument is the value of, or [`NONE`].
    argument: u16,
    body: Body,
    /// Of all tags of its word, where it is the first of them.
    bodies: Bodies,
    has_required: bool,
    is_variant: bool,
    has_long_argument: bool,
}

/// Whether the tags of one word have bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bodies {
    /// None of them has one.
    None,
    /// All of them have one.
    All,
    /// Some have one, and some have none.
    Mixed,
}

/// A key of an attribute.
#[derive(Clone, Copy)]
struct Key {
    /// The tag, or [`NONE`] in a free slot.
    tag: TagId,
    attribute: u16,
    /// 0 for the name, and 1 for the first alias.
    spelling: u16,
}

/// The letters of a protocol's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LetterCase {
    Upper,
    Lower,
    Any,
}

impl Index {
    /// Indexes checked parts.
    pub(super) fn new(spec: &ProtocolSpec<'_>) -> Self {
        let tags = spec.tags;
        let keys: usize = tags.iter().flat_map(|tag| tag.attributes.iter()).map(|it| 1 + it.aliases.len()).sum();
        let mut index = Index {
            entries: vec![Entry::EMPTY; tags.len()].into(),
            words: vec![NONE; slots(tags.len())].into(),
            keys: vec![Key::FREE; slots(keys)].into(),
            letter_case: letter_case(tags),
            takes_argument: tags.iter().any(|tag| tag.takes_argument()),
        };
        for (i, tag) in tags.iter().enumerate() {
            let position = |name: &str| tag.attributes.iter().position(|it| it.name == name);
            let only_argument = || tag.attributes.iter().all(|it| Some(it.name) == tag.argument);
            index.entries[i] = Entry {
                first: i as TagId,
                next: NONE,
                budget: tag
                    .budget
                    .and_then(|name| spec.budgets.iter().position(|it| it.name == name))
                    .map_or(NONE, |i| i as u16),
                argument: tag.argument.and_then(position).map_or(NONE, |i| i as u16),
                body: tag.body,
                bodies: if tag.has_body() { Bodies::All } else { Bodies::None },
                has_required: tag.attributes.iter().any(|it| it.required),
                is_variant: tag.select.is_some(),
                has_long_argument: tag.select.is_none() && only_argument(),
            };
            index.insert_word(tags, i as TagId);
            for (j, attribute) in tag.attributes.iter().enumerate() {
                for k in 0..=attribute.aliases.len() {
                    index.insert_key(tags, Key { tag: i as TagId, attribute: j as u16, spelling: k as u16 });
                }
            }
        }
        index
    }

    /// The first tag of the word `name`, in any ASCII case. Compares one name, on average.
    #[inline(always)]
    pub(super) fn find(&self, tags: Tags<'_>, name: &[u8]) -> Option<TagId> {
        let mask = self.words.len() - 1;
        let mut slot = hash(name) as usize & mask;
        loop {
            let id = self.words[slot];
            if id == NONE {
                return None;
            }
            let own = tags.word(id.into()).as_bytes();
            count_work!(1 + if own.len() == name.len() { name.len() } else { 0 });
            if own == name || own.eq_ignore_ascii_case(name) {
                return Some(id);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// The attribute of `tag` with the name or alias `key`, in any ASCII case. Compares one key, on average.
    pub(super) fn attribute(&self, tags: Tags<'_>, tag: TagId, key: &[u8]) -> Option<usize> {
        let mask = self.keys.len() - 1;
        let mut slot = key_hash(tag, key) & mask;
        loop {
            let found = self.keys[slot];
            if found.tag == NONE {
                return None;
            }
            if found.tag == tag && found.text(tags).as_bytes().eq_ignore_ascii_case(key) {
                return Some(found.attribute.into());
            }
            slot = (slot + 1) & mask;
        }
    }

    /// The tags of the word whose first is `first`, in order.
    pub(super) fn entries_of(&self, first: TagId) -> impl Iterator<Item = TagId> {
        core::iter::successors(Some(first), |id| some(self.entries[usize::from(*id)].next))
    }

    pub(super) fn first_of(&self, id: TagId) -> TagId {
        self.entry(id).first
    }

    #[inline]
    pub(super) fn body(&self, id: TagId) -> Body {
        self.entry(id).body
    }

    pub(super) fn bodies(&self, first: TagId) -> Bodies {
        self.entry(first).bodies
    }

    #[inline]
    pub(super) fn budget_of(&self, id: TagId) -> Option<usize> {
        some(self.entry(id).budget).map(usize::from)
    }

    pub(super) fn argument(&self, id: TagId) -> Option<usize> {
        some(self.entry(id).argument).map(usize::from)
    }

    pub(super) fn lacks_nothing(&self, first: TagId) -> bool {
        let entry = self.entry(first);
        !entry.is_variant && !entry.has_required
    }

    pub(super) fn has_long_argument(&self, first: TagId) -> bool {
        self.entry(first).has_long_argument
    }

    pub(super) fn any_takes_argument(&self) -> bool {
        self.takes_argument
    }

    pub(super) fn is_in_letter_case(&self, word: &[u8]) -> bool {
        match self.letter_case {
            LetterCase::Upper => !word.iter().any(u8::is_ascii_lowercase),
            LetterCase::Lower => !word.iter().any(u8::is_ascii_uppercase),
            LetterCase::Any => true,
        }
    }

    #[inline(always)]
    fn entry(&self, id: TagId) -> &Entry {
        &self.entries[usize::from(id)]
    }

    fn insert_word(&mut self, tags: Tags<'_>, id: TagId) {
        let word = tags.at(id.into()).word().as_bytes();
        let Some(first) = self.find(tags, word) else {
            let mask = self.words.len() - 1;
            let mut slot = hash(word) as usize & mask;
            while self.words[slot] != NONE {
                slot = (slot + 1) & mask;
            }
            self.words[slot] = id;
            return;
        };
        let mut last = usize::from(first);
        while self.entries[last].next != NONE {
            last = self.entries[last].next.into();
        }
        self.entries[last].next = id;
        let bodies = self.entries[usize::from(id)].bodies;
        self.entries[usize::from(id)].first = first;
        let first = &mut self.entries[usize::from(first)];
        if first.bodies != bodies {
            first.bodies = Bodies::Mixed;
        }
    }

    fn insert_key(&mut self, tags: Tags<'_>, key: Key) {
        let mask = self.keys.len() - 1;
        let mut slot = key_hash(key.tag, key.text(tags).as_bytes()) & mask;
        while self.keys[slot].tag != NONE {
            slot = (slot + 1) & mask;
        }
        self.keys[slot] = key;
    }
}

impl Entry {
    const EMPTY: Self = Entry {
        first: 0,
        next: NONE,
        budget: NONE,
        argument: NONE,
        body: Body::None,
        bodies: Bodies::None,
        has_required: false,
        is_variant: false,
        has_long_argument: false,
    };
}

impl Key {
    const FREE: Self = Key { tag: NONE, attribute: 0, spelling: 0 };

    fn text<'p>(&self, tags: Tags<'p>) -> &'p str {
        let attribute = tags.at(self.tag.into()).attributes.at(self.attribute.into());
        match self.spelling {
            0 => attribute.name,
            alias => attribute.aliases.at(usize::from(alias) - 1),
        }
    }
}

fn letter_case(tags: Tags<'_>) -> LetterCase {
    let any = |is: fn(&u8) -> bool| tags.iter().any(|tag| tag.word().as_bytes().iter().any(is));
    match (any(u8::is_ascii_lowercase), any(u8::is_ascii_uppercase)) {
        (false, _) => LetterCase::Upper,
        (true, false) => LetterCase::Lower,
        (true, true) => LetterCase::Any,
    }
}

/// A hash of the length and of up to 16 bytes at the ends of `name`, in any ASCII case.
#[inline]
fn hash(name: &[u8]) -> u64 {
    let (head, tail) = match name.len() {
        0 => (0, 0),
        1..4 => (u64::from(name[0]), u64::from(name[name.len() / 2]) << 8 | u64::from(name[name.len() - 1])),
        4..8 => (word::<4>(name, 0), word::<4>(name, name.len() - 4)),
        len => (word::<8>(name, 0), word::<8>(name, len - 8)),
    };
    // The sixth bit of each byte is the case of a letter.
    let (head, tail) = (head | CASE_BITS, tail | CASE_BITS);
    let mixed = (head ^ (name.len() as u64) << 56).wrapping_mul(SPREAD) ^ tail.wrapping_mul(SPREAD.rotate_left(31));
    (mixed ^ mixed >> 32).wrapping_mul(SPREAD) >> 40
}

/// `N` bytes at `at`, as a number.
#[inline]
fn word<const N: usize>(name: &[u8], at: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes[..N].copy_from_slice(&name[at..at + N]);
    u64::from_le_bytes(bytes)
}

fn key_hash(tag: TagId, key: &[u8]) -> usize {
    (hash(key) as usize).wrapping_add(usize::from(tag).wrapping_mul(0x9E37))
}

/// The slots for so many keys: a power of two, at most half of them taken, so that a look-up ends early.
fn slots(keys: usize) -> usize {
    (2 * keys).next_power_of_two().max(2)
}

fn some(id: u16) -> Option<u16> {
    (id != NONE).then_some(id)
}

/// No tag, attribute or budget: there are fewer of each.
const NONE: u16 = u16::MAX;
const CASE_BITS: u64 = 0x2020_2020_2020_2020;
/// An odd constant with bits spread evenly: 2 to the 64, divided by the golden ratio.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
