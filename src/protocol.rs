//! A protocol as data: the tags, their budgets, and who may use which.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::policy::{Policy, UnknownName};
use crate::space;
use crate::tag_set::TagSet;

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

    /// The roles that the grants name, each once, in the order of their first mention.
    pub fn roles(&self) -> impl Iterator<Item = &'p str> + use<'p> {
        let grants = self.grants();
        let source = self.source;
        grants
            .enumerate()
            .filter_map(move |(i, grant)| (0..i).all(|j| source.grant(j).role != grant.role).then_some(grant.role))
    }

    /// The modes that the grants name, each once, in the order of their first mention.
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
    pub(crate) fn find(&self, name: &[u8]) -> Option<TagId> {
        let mut slot = slot(name);
        loop {
            let id = self.index.slots[slot];
            if id == EMPTY {
                return None;
            }
            steps!(1);
            let own = self.name(id).as_bytes();
            if own == name || own.eq_ignore_ascii_case(name) {
                return Some(id);
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    pub(crate) fn name(&self, id: TagId) -> &'p str {
        self.source.tag(id as usize).name
    }

    pub(crate) fn has_body(&self, id: TagId) -> bool {
        self.index.bodies.has(id)
    }

    /// The place of the tag's budget in [`Protocol::budgets`].
    pub(crate) fn budget_of(&self, id: TagId) -> Option<usize> {
        let budget = self.index.budgets[id as usize];
        (budget != NO_BUDGET).then_some(budget as usize)
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

/// One tag of a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct TagSpec<'p> {
    name: &'p str,
    body: bool,
    budget: Option<&'p str>,
}

impl<'p> TagSpec<'p> {
    /// A tag without a body, which is complete with its token. `name` is in upper case.
    pub const fn new(name: &'p str) -> Self {
        TagSpec { name, body: false, budget: None }
    }

    /// A tag with a body, which needs its close unless it closes itself. `name` is in upper case.
    pub const fn with_body(name: &'p str) -> Self {
        TagSpec { name, body: true, budget: None }
    }

    /// The same tag, counted in the budget of this name.
    pub const fn budget(self, budget: &'p str) -> Self {
        TagSpec { budget: Some(budget), ..self }
    }

    /// Its name, in upper case.
    pub const fn name(&self) -> &'p str {
        self.name
    }

    /// Whether it has a body.
    pub const fn has_body(&self) -> bool {
        self.body
    }

    /// The name of the budget it is counted in.
    pub const fn budget_name(&self) -> Option<&'p str> {
        self.budget
    }
}

/// How many tags of one or more kinds a reply may hold; those beyond it are dropped and reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Budget<'p> {
    name: &'p str,
    max: u32,
}

impl<'p> Budget<'p> {
    /// At most `max` tags a reply, of all the kinds that name this budget together.
    pub const fn new(name: &'p str, max: u32) -> Self {
        Budget { name, max }
    }

    /// Its name, by which tags refer to it.
    pub const fn name(&self) -> &'p str {
        self.name
    }

    /// How many tags it allows a reply.
    pub const fn max(&self) -> u32 {
        self.max
    }
}

/// The tags that one role may use in one mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Grant<'p> {
    role: &'p str,
    mode: &'p str,
    tags: Names<'p>,
}

impl<'p> Grant<'p> {
    /// Grants `tags` to `role` in `mode`.
    pub const fn new(role: &'p str, mode: &'p str, tags: &'p [&'p str]) -> Self {
        Grant { role, mode, tags: Names::Strs(tags) }
    }

    /// The role, as its host writes it.
    pub const fn role(&self) -> &'p str {
        self.role
    }

    /// The mode, as its host writes it.
    pub const fn mode(&self) -> &'p str {
        self.mode
    }

    /// The names of the tags that are granted.
    pub fn tags(&self) -> impl ExactSizeIterator<Item = &'p str> + use<'p> {
        let names = self.tags;
        (0..names.len()).map(move |i| names.at(i))
    }
}

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

/// Why parts make no protocol. Prints what is wrong and the name at fault, also where a `const` is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct InvalidProtocol {
    text: [u8; MESSAGE_LEN],
    len: u8,
}

impl InvalidProtocol {
    const fn new() -> Self {
        InvalidProtocol { text: [0; MESSAGE_LEN], len: 0 }
    }

    const fn say(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        let mut i = 0;
        while i < text.len() && (self.len as usize) < MESSAGE_LEN {
            self.text[self.len as usize] = text[i];
            self.len += 1;
            i += 1;
        }
        self
    }

    /// A name in quotes, shortened where it is long, so that what is said about it fits.
    const fn quote(self, name: &str) -> Self {
        let mut end = name.len();
        if end > QUOTED_LEN {
            end = QUOTED_LEN;
            while !name.is_char_boundary(end) {
                end -= 1;
            }
        }
        let shown = name.split_at(end).0;
        let more = if end < name.len() { "…" } else { "" };
        self.say("\"").say(shown).say(more).say("\"")
    }

    const fn message(&self) -> &str {
        match core::str::from_utf8(self.text.split_at(self.len as usize).0) {
            Ok(text) => text,
            Err(_) => "invalid protocol",
        }
    }
}

impl fmt::Display for InvalidProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl fmt::Debug for InvalidProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("InvalidProtocol").field(&self.message()).finish()
    }
}

impl core::error::Error for InvalidProtocol {}

/// The place of a tag in its protocol.
pub(crate) type TagId = u8;

const NO_BUDGET: u8 = u8::MAX;
/// Twice as many as there can be tags.
const SLOTS: usize = 2 * MAX_TAGS;
/// A slot without a tag.
const EMPTY: TagId = TagId::MAX;
/// The longest message is the one with a role, a mode and a tag.
const MESSAGE_LEN: usize = 126;
const QUOTED_LEN: usize = 20;

/// Where the parts are: given as slices, or lent by a [`ProtocolBuf`].
#[derive(Clone, Copy)]
enum Source<'p> {
    Slices { tags: &'p [TagSpec<'p>], budgets: &'p [Budget<'p>], grants: &'p [Grant<'p>] },
    Owned(&'p OwnedParts),
}

impl<'p> Source<'p> {
    const fn tag_count(&self) -> usize {
        match self {
            Source::Slices { tags, .. } => tags.len(),
            Source::Owned(parts) => parts.tags.len(),
        }
    }

    const fn tag(&self, i: usize) -> TagSpec<'p> {
        match self {
            Source::Slices { tags, .. } => tags[i],
            Source::Owned(parts) => {
                let tag = &parts.tags.as_slice()[i];
                let budget = match &tag.budget {
                    Some(budget) => Some(budget.as_str()),
                    None => None,
                };
                TagSpec { name: tag.name.as_str(), body: tag.body, budget }
            }
        }
    }

    const fn budget_count(&self) -> usize {
        match self {
            Source::Slices { budgets, .. } => budgets.len(),
            Source::Owned(parts) => parts.budgets.len(),
        }
    }

    const fn budget(&self, i: usize) -> Budget<'p> {
        match self {
            Source::Slices { budgets, .. } => budgets[i],
            Source::Owned(parts) => {
                let budget = &parts.budgets.as_slice()[i];
                Budget { name: budget.name.as_str(), max: budget.max }
            }
        }
    }

    const fn grant_count(&self) -> usize {
        match self {
            Source::Slices { grants, .. } => grants.len(),
            Source::Owned(parts) => parts.grants.len(),
        }
    }

    const fn grant(&self, i: usize) -> Grant<'p> {
        match self {
            Source::Slices { grants, .. } => grants[i],
            Source::Owned(parts) => {
                let grant = &parts.grants.as_slice()[i];
                let tags = Names::Strings(grant.tags.as_slice());
                Grant { role: grant.role.as_str(), mode: grant.mode.as_str(), tags }
            }
        }
    }

    /// The tag called `name`, compared in any case, among the first `count`.
    const fn tag_among(&self, name: &str, count: usize) -> Option<usize> {
        let mut i = 0;
        while i < count {
            if self.tag(i).name.eq_ignore_ascii_case(name) {
                return Some(i);
            }
            i += 1;
        }
        None
    }

    /// The budget called `name`, among the first `count`.
    const fn budget_among(&self, name: &str, count: usize) -> Option<usize> {
        let mut i = 0;
        while i < count {
            if same(self.budget(i).name, name) {
                return Some(i);
            }
            i += 1;
        }
        None
    }
}

/// A list of names, in either form.
#[derive(Clone, Copy, Debug, Eq)]
enum Names<'p> {
    Strs(&'p [&'p str]),
    Strings(&'p [String]),
}

impl<'p> Names<'p> {
    const fn len(&self) -> usize {
        match self {
            Names::Strs(names) => names.len(),
            Names::Strings(names) => names.len(),
        }
    }

    const fn at(&self, i: usize) -> &'p str {
        match self {
            Names::Strs(names) => names[i],
            Names::Strings(names) => names[i].as_str(),
        }
    }

    fn iter(&self) -> impl Iterator<Item = &'p str> {
        (0..self.len()).map(|i| self.at(i))
    }
}

impl PartialEq for Names<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl core::hash::Hash for Names<'_> {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.iter().for_each(|name| name.hash(state));
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Names<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// What is looked up while a reply is read.
#[derive(Clone, Copy)]
struct Index {
    bodies: TagSet,
    /// The budget of each tag, or [`NO_BUDGET`].
    budgets: [u8; MAX_TAGS],
    /// The tags by name: each at its [`slot`], or in the first free one behind it.
    slots: [TagId; SLOTS],
}

impl Index {
    /// Checks the parts on the way.
    const fn new(source: Source<'_>) -> Result<Self, InvalidProtocol> {
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

const fn check_name(source: Source<'_>, i: usize) -> Result<(), InvalidProtocol> {
    let name = source.tag(i).name;
    if source.tag_among(name, i).is_some() {
        let error = InvalidProtocol::new().say("tag ").quote(name);
        return Err(error.say(" is there twice (names are compared in any case)"));
    }
    let bytes = name.as_bytes();
    let mut valid = !bytes.is_empty() && !bytes[0].is_ascii_digit();
    let mut i = 0;
    while i < bytes.len() {
        valid = valid && space::is_word(bytes[i]) && !bytes[i].is_ascii_lowercase();
        i += 1;
    }
    if valid {
        return Ok(());
    }
    let error = InvalidProtocol::new().say("tag name ").quote(name);
    Err(error.say(" is not in upper case (letters A to Z, _, and digits behind the first)"))
}

const fn check_budgets(source: Source<'_>) -> Result<(), InvalidProtocol> {
    let mut i = 0;
    while i < source.budget_count() {
        let name = source.budget(i).name;
        if source.budget_among(name, i).is_some() {
            return Err(InvalidProtocol::new().say("budget ").quote(name).say(" is there twice"));
        }
        let mut used = false;
        let mut j = 0;
        while j < source.tag_count() {
            if let Some(budget) = source.tag(j).budget {
                used = used || same(budget, name);
            }
            j += 1;
        }
        if !used {
            return Err(InvalidProtocol::new().say("budget ").quote(name).say(" is used by no tag"));
        }
        i += 1;
    }
    Ok(())
}

const fn check_grants(source: Source<'_>) -> Result<(), InvalidProtocol> {
    let mut i = 0;
    while i < source.grant_count() {
        let grant = source.grant(i);
        let pair = InvalidProtocol::new().say("role ").quote(grant.role).say(" mode ").quote(grant.mode);
        if grant.role.is_empty() || grant.mode.is_empty() {
            return Err(pair.say(": a role or mode needs a name"));
        }
        let mut j = 0;
        while j < i {
            if same(source.grant(j).role, grant.role) && same(source.grant(j).mode, grant.mode) {
                return Err(pair.say(" is granted twice"));
            }
            j += 1;
        }
        let mut j = 0;
        while j < grant.tags.len() {
            let name = grant.tags.at(j);
            match source.tag_among(name, source.tag_count()) {
                Some(tag) if same(source.tag(tag).name, name) => {}
                _ => return Err(pair.say(" is granted the unknown tag ").quote(name)),
            }
            j += 1;
        }
        i += 1;
    }
    Ok(())
}

/// `a == b`, which no const function may say.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// The parts of a [`ProtocolBuf`], as they are written in a file too.
#[derive(Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename = "Protocol", deny_unknown_fields))]
struct OwnedParts {
    tags: Vec<OwnedTagSpec>,
    #[cfg_attr(feature = "serde", serde(default))]
    budgets: Vec<OwnedBudget>,
    #[cfg_attr(feature = "serde", serde(default))]
    grants: Vec<OwnedGrant>,
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
struct OwnedTagSpec {
    name: String,
    #[cfg_attr(feature = "serde", serde(default))]
    body: bool,
    #[cfg_attr(feature = "serde", serde(default))]
    budget: Option<String>,
}

impl From<&TagSpec<'_>> for OwnedTagSpec {
    fn from(tag: &TagSpec<'_>) -> Self {
        OwnedTagSpec { name: tag.name.into(), body: tag.body, budget: tag.budget.map(Into::into) }
    }
}

#[derive(Clone)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename = "Budget", deny_unknown_fields))]
struct OwnedBudget {
    name: String,
    max: u32,
}

impl From<&Budget<'_>> for OwnedBudget {
    fn from(budget: &Budget<'_>) -> Self {
        OwnedBudget { name: budget.name.into(), max: budget.max }
    }
}

#[derive(Clone)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename = "Grant", deny_unknown_fields))]
struct OwnedGrant {
    role: String,
    mode: String,
    tags: Vec<String>,
}

impl From<&Grant<'_>> for OwnedGrant {
    fn from(grant: &Grant<'_>) -> Self {
        OwnedGrant { role: grant.role.into(), mode: grant.mode.into(), tags: grant.tags().map(Into::into).collect() }
    }
}

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
