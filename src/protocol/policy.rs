//! A policy: a protocol resolved for one role and mode.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::buf::ProtocolBuf;
use super::limits::Limits;
use super::lookup::{Bodies, Index};
use super::nearest::{Nearest, nearest};
use super::spec::TagSpec;
use super::tag_set::{TagId, TagSet};
use super::{Body, Protocol};

/// A [`Protocol`] resolved for one role and mode: what is let through, and how much of it.
///
/// Cheap to clone: it borrows the protocol, and shares what was resolved.
#[derive(Clone)]
pub struct Policy<'p> {
    source: Source<'p>,
    index: Arc<Index>,
    rules: Arc<Rules>,
    limits: Limits,
}

/// Where the protocol of a policy is.
#[derive(Clone)]
enum Source<'p> {
    Borrowed(Protocol<'p>),
    /// Only in the policy of a [`PolicyBuf`].
    Shared(ProtocolBuf),
}

/// What is resolved once, and shared by all clones of a policy.
struct Rules {
    granted: TagSet,
    /// Everything is granted, whatever the grants say.
    has_all: bool,
    /// The grants that name the role and the mode.
    role: Option<usize>,
    mode: Option<usize>,
    opening: memchr::memmem::Finder<'static>,
}

impl<'p> Policy<'p> {
    pub(super) fn new(protocol: Protocol<'p>, role: Option<&str>, mode: Option<&str>) -> Result<Self, UnknownRole> {
        let rules = Rules::resolve(protocol, role, mode)?;
        Ok(Self::of(Source::Borrowed(protocol), protocol.index(), rules))
    }

    pub(super) fn unrestricted(protocol: Protocol<'p>) -> Self {
        Self::of(Source::Borrowed(protocol), protocol.index(), Rules::new(TagSet::ALL, None, None))
    }

    fn of(source: Source<'p>, index: Arc<Index>, rules: Rules) -> Self {
        Policy { source, index, rules: Arc::new(rules), limits: Limits::default() }
    }

    /// Sets the limits on replies.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Policy { limits, ..self }
    }

    /// The protocol it was made from.
    #[inline(always)]
    pub fn protocol(&self) -> Protocol<'_> {
        match &self.source {
            Source::Borrowed(protocol) => *protocol,
            Source::Shared(protocol) => protocol.as_protocol(),
        }
    }

    /// The role it is for; `None` where no grant names one.
    pub fn role(&self) -> Option<&str> {
        self.role_in(self.protocol())
    }

    /// The mode it is for; `None` where no grant names one.
    pub fn mode(&self) -> Option<&str> {
        self.mode_in(self.protocol())
    }

    /// The role by the name that `protocol`, that of the policy, has for it.
    #[inline]
    pub(crate) fn role_in<'a>(&self, protocol: Protocol<'a>) -> Option<&'a str> {
        self.rules.role.and_then(|grant| protocol.grant(grant).role())
    }

    /// The mode by the name that `protocol`, that of the policy, has for it.
    #[inline]
    pub(crate) fn mode_in<'a>(&self, protocol: Protocol<'a>) -> Option<&'a str> {
        self.rules.mode.and_then(|grant| protocol.grant(grant).mode())
    }

    /// The limits in force.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Whether a tag of the word `name`, in any ASCII case, or of exactly this name is let through.
    pub fn allows(&self, name: &str) -> bool {
        match self.find(name.as_bytes()) {
            Some(first) => self.is_any_granted(first),
            None => self.granted().any(|tag| tag.name() == name),
        }
    }

    /// The tags that are let through, in the order of the protocol.
    pub fn granted(&self) -> impl Iterator<Item = TagSpec<'_>> {
        self.granted_ids().map(|id| self.protocol().tag(id))
    }

    #[inline]
    pub(crate) fn is_granted(&self, id: TagId) -> bool {
        self.rules.granted.has(id)
    }

    /// Whether any tag of the word whose first tag is `first` is let through.
    pub(crate) fn is_any_granted(&self, first: TagId) -> bool {
        self.entries_of(first).any(|id| self.is_granted(id))
    }

    /// The first tag of the word `name`, in any ASCII case.
    #[inline(always)]
    pub(crate) fn find(&self, name: &[u8]) -> Option<TagId> {
        self.index.find(self.protocol().tag_list(), name)
    }

    /// Finds `[[`. Kept, since making a searcher costs more than a short search.
    #[inline]
    pub(crate) fn opening(&self) -> &memchr::memmem::Finder<'static> {
        &self.rules.opening
    }

    /// The same policy for as long as this one is borrowed. Constant time, no allocation.
    pub(crate) fn lend(&self) -> Policy<'_> {
        let Policy { index, rules, limits, .. } = self;
        let source = Source::Borrowed(self.protocol());
        Policy { source, index: index.clone(), rules: rules.clone(), limits: *limits }
    }

    /// The protocol for as long as it is borrowed, which is longer than the policy. Only that of a [`PolicyBuf`], which lends
    /// borrowed policies instead, does not last.
    #[inline(always)]
    pub(crate) fn lasting_protocol(&self) -> Protocol<'p> {
        match &self.source {
            Source::Borrowed(protocol) => *protocol,
            Source::Shared(_) => unreachable!("a shared policy is only lent as a borrowed one"),
        }
    }

    #[inline]
    pub(crate) fn body(&self, id: TagId) -> Body {
        self.index.body(id)
    }

    #[inline]
    pub(crate) fn has_body(&self, id: TagId) -> bool {
        !matches!(self.body(id), Body::None)
    }

    /// The position of the tag's budget in [`Protocol::budgets`].
    #[inline]
    pub(crate) fn budget_of(&self, id: TagId) -> Option<usize> {
        self.index.budget_of(id)
    }

    /// The tags of the word whose first tag is `first`, in order.
    pub(crate) fn entries_of(&self, first: TagId) -> impl Iterator<Item = TagId> {
        self.index.entries_of(first)
    }

    /// The first tag of the word of `id`.
    pub(crate) fn first_of(&self, id: TagId) -> TagId {
        self.index.first_of(id)
    }

    /// Whether the tags of the word whose first tag is `first` have bodies.
    pub(crate) fn bodies(&self, first: TagId) -> Bodies {
        self.index.bodies(first)
    }

    /// Whether the word alone is a tag: it has no variants, and no attribute is required.
    pub(crate) fn lacks_nothing(&self, first: TagId) -> bool {
        self.index.lacks_nothing(first)
    }

    /// Whether an argument reaches to the token's end: no attribute may follow it.
    pub(crate) fn has_long_argument(&self, first: TagId) -> bool {
        self.index.has_long_argument(first)
    }

    /// Whether an argument may follow the word whose first tag is `first`.
    pub(crate) fn takes_argument(&self, first: TagId) -> bool {
        self.protocol().tag(first).takes_argument()
    }

    /// Whether any tag of the protocol takes an argument.
    pub(crate) fn any_takes_argument(&self) -> bool {
        self.index.any_takes_argument()
    }

    /// Whether `word` has no letter of the case that no word of the protocol has.
    pub(crate) fn is_in_letter_case(&self, word: &[u8]) -> bool {
        self.index.is_in_letter_case(word)
    }

    /// Whether a word of the protocol begins with `part`, in any ASCII case. Linear in the number of tags.
    pub(crate) fn begins_word(&self, part: &[u8]) -> bool {
        let begins = |word: &[u8]| word.get(..part.len()).is_some_and(|start| start.eq_ignore_ascii_case(part));
        self.protocol().tags().any(|tag| begins(tag.word().as_bytes()))
    }

    /// The declared attribute of `id` with the name or alias `key`, in any ASCII case, by its position.
    pub(crate) fn find_attribute(&self, id: TagId, key: &[u8]) -> Option<usize> {
        self.index.attribute(self.protocol().spec().tags, id, key)
    }

    /// The position of the attribute that the argument of `id` is the value of.
    pub(crate) fn argument(&self, id: TagId) -> Option<usize> {
        self.index.argument(id)
    }

    /// Whom the policy is for.
    pub(crate) fn grantee(&self) -> Grantee {
        let Rules { role, mode, has_all, .. } = *self.rules;
        let narrow = |grant: Option<usize>| grant.map_or(Grantee::NONE, |grant| grant as u32);
        Grantee { role: narrow(role), mode: narrow(mode), has_all }
    }

    fn granted_ids(&self) -> impl Iterator<Item = TagId> {
        (0..self.protocol().spec().tags.len() as TagId).filter(|id| self.is_granted(*id))
    }
}

impl fmt::Debug for Policy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy")
            .field("protocol", &self.protocol().name())
            .field("role", &self.role())
            .field("mode", &self.mode())
            .field("granted", &self.granted().map(|tag| tag.name()).collect::<Vec<_>>())
            .field("limits", &self.limits)
            .finish()
    }
}

/// Whom a policy is for, by the grants that name the role and the mode: enough to find out what is granted, without the policy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grantee {
    role: u32,
    mode: u32,
    /// Everything is granted.
    has_all: bool,
}

impl Grantee {
    /// No grant.
    const NONE: u32 = u32::MAX;

    /// The role by its name in `protocol`, that of the policy.
    pub(crate) fn role<'p>(&self, protocol: Protocol<'p>) -> Option<&'p str> {
        if self.role == Self::NONE { None } else { protocol.grant(self.role as usize).role() }
    }

    /// The mode by its name in `protocol`, that of the policy.
    pub(crate) fn mode<'p>(&self, protocol: Protocol<'p>) -> Option<&'p str> {
        if self.mode == Self::NONE { None } else { protocol.grant(self.mode as usize).mode() }
    }

    /// What is granted in `protocol`, that of the policy. Linear in the number of names in its grants, each times that of its tags.
    pub(crate) fn granted<'p>(&self, protocol: Protocol<'p>) -> Granted<'p> {
        let tags = if self.has_all { TagSet::ALL } else { granted(protocol, self.role(protocol), self.mode(protocol)) };
        Granted { protocol, tags }
    }
}

/// The tags of a protocol that are granted.
#[derive(Clone, Copy)]
pub(crate) struct Granted<'p> {
    protocol: Protocol<'p>,
    tags: TagSet,
}

impl<'p> Granted<'p> {
    pub(crate) fn none(protocol: Protocol<'p>) -> Self {
        Granted { protocol, tags: TagSet::EMPTY }
    }

    /// In the order of the protocol.
    pub(crate) fn ids(&self) -> impl Iterator<Item = TagId> + use<'p> {
        let Granted { protocol, tags } = *self;
        (0..protocol.spec().tags.len() as TagId).filter(move |id| tags.has(*id))
    }

    /// The words nearest to `written`, each by its first tag.
    pub(crate) fn nearest_words(&self, written: &str) -> Nearest<TagId> {
        let word = |id: TagId| self.protocol.tag(id).word();
        let has_variants = |id: TagId| self.protocol.tag(id).selection().is_some();
        let is_first =
            |id: &TagId| !has_variants(*id) || self.ids().find(|other| word(*other) == word(*id)) == Some(*id);
        nearest(written, self.ids().filter(is_first).map(|id| (id, word(id))))
    }

    /// The variants of the word of `first` whose selectors are nearest to `written`.
    pub(crate) fn nearest_variants(&self, first: TagId, written: &str) -> Nearest<TagId> {
        let word = self.protocol.tag(first).word();
        let variants = self.ids().map(|id| (id, self.protocol.tag(id))).filter(|(_, tag)| tag.word() == word);
        nearest(written, variants.filter_map(|(id, tag)| Some((id, tag.selector()?))))
    }
}

/// A [`Policy`] that owns its protocol: for servers, bindings and whatever outlives the place where the protocol was read.
///
/// Cheap to clone: all clones share the protocol. Lends a [`Policy`] to read whole replies, and becomes a
/// [`Parser`](crate::Parser) of its own.
///
/// ```
/// use tagwire::{Event, Parser, PolicyBuf, ProtocolBuf, ProtocolSpec, TagSpec};
///
/// fn policy(name: &str) -> Result<PolicyBuf, Box<dyn std::error::Error>> {
///     let protocol = ProtocolBuf::new(&ProtocolSpec::seed("agent", &[TagSpec::new(name)]).open())?;
///     Ok(protocol.unrestricted())
/// }
///
/// let policy = policy("PING")?;
/// assert_eq!(policy.as_policy().parse("[[PING/]]").tags().len(), 1);
/// let mut parser: Parser<'static> = Parser::from(policy);
/// let reads = std::thread::spawn(move || parser.feed("[[PING/]]").any(|event| matches!(event, Event::Tag(_))));
/// assert!(reads.join().unwrap());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct PolicyBuf(Policy<'static>);

impl PolicyBuf {
    pub(super) fn new(protocol: ProtocolBuf, role: Option<&str>, mode: Option<&str>) -> Result<Self, UnknownRole> {
        let rules = Rules::resolve(protocol.as_protocol(), role, mode)?;
        Ok(Self::of(protocol, rules))
    }

    pub(super) fn unrestricted(protocol: ProtocolBuf) -> Self {
        Self::of(protocol, Rules::new(TagSet::ALL, None, None))
    }

    fn of(protocol: ProtocolBuf, rules: Rules) -> Self {
        let index = protocol.as_protocol().index();
        PolicyBuf(Policy::of(Source::Shared(protocol), index, rules))
    }

    /// Sets the limits on replies.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        PolicyBuf(self.0.with_limits(limits))
    }

    /// Lends the policy. Constant time, no allocation.
    pub fn as_policy(&self) -> Policy<'_> {
        self.0.lend()
    }

    /// The policy as a [`Parser`](crate::Parser) holds it: only what is lent from it may be given away.
    pub(crate) fn into_shared(self) -> Policy<'static> {
        self.0
    }
}

impl fmt::Debug for PolicyBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Rules {
    fn new(granted: TagSet, role: Option<usize>, mode: Option<usize>) -> Self {
        Rules { granted, has_all: granted == TagSet::ALL, role, mode, opening: memchr::memmem::Finder::new("[[") }
    }

    fn resolve(protocol: Protocol<'_>, role: Option<&str>, mode: Option<&str>) -> Result<Self, UnknownRole> {
        if protocol.spec().open {
            return Ok(Self::new(TagSet::ALL, None, None));
        }
        let known_role = known("role", role, || protocol.grants().map(|grant| grant.role()))?;
        let known_mode = known("mode", mode, || protocol.grants().map(|grant| grant.mode()))?;
        Ok(Self::new(granted(protocol, role, mode), known_role, known_mode))
    }
}

/// The tags that are granted to `role` in `mode`.
fn granted(protocol: Protocol<'_>, role: Option<&str>, mode: Option<&str>) -> TagSet {
    let fits = |named: Option<&str>, asked: Option<&str>| named.is_none() || named == asked;
    let grants = protocol.grants().filter(|grant| fits(grant.role(), role) && fits(grant.mode(), mode));
    let mut granted = TagSet::EMPTY;
    for name in grants.flat_map(|grant| grant.tags()) {
        // Grants name tags of the protocol.
        if let Some(id) = protocol.tags().position(|tag| tag.name() == name) {
            granted = granted.with(id as TagId);
        }
    }
    granted
}

/// The first of the grants' `names` that is `name`; none where no grant names any.
fn known<'p, I: Iterator<Item = Option<&'p str>>>(
    what: &'static str,
    name: Option<&str>,
    names: impl Fn() -> I,
) -> Result<Option<usize>, UnknownRole> {
    let Some(name) = name else { return Ok(None) };
    let position = names().position(|known| known == Some(name));
    if position.is_some() || names().all(|known| known.is_none()) {
        return Ok(position);
    }
    let mut all: Vec<String> = Vec::new();
    for known in names().flatten() {
        if !all.iter().any(|other| other == known) {
            all.push(known.into());
        }
    }
    Err(UnknownRole { what, name: name.into(), known: all })
}

/// A role or mode that no grant of the protocol names. Lists those that one names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRole {
    what: &'static str,
    name: String,
    known: Vec<String>,
}

impl UnknownRole {
    /// The unknown name, as it was asked for.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The known names.
    pub fn known(&self) -> impl Iterator<Item = &str> {
        self.known.iter().map(String::as_str)
    }
}

impl fmt::Display for UnknownRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {} {:?} (known: {})", self.what, self.name, self.known.join(", "))
    }
}

impl core::error::Error for UnknownRole {}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::super::{AttrSpec, Bodies, Grant, Protocol, ProtocolSpec, SectionSpec, TagSpec};
    use super::Policy;

    const PROTOCOL: Protocol<'static> = Protocol::checked(
        &ProtocolSpec::strict(
            "p",
            &[
                TagSpec::new("ACTION:append")
                    .selected_by_argument()
                    .sections(&[SectionSpec::new("FIND"), SectionSpec::new("REPLACE")]),
                TagSpec::new("READ")
                    .argument("path")
                    .attributes(&[AttrSpec::new("path").required().aliases(&["file"])]),
                TagSpec::new("ACTION:apply").selected_by_argument(),
                TagSpec::new("SEARCH").argument("query").attributes(&[AttrSpec::new("limit"), AttrSpec::new("query")]),
                TagSpec::with_body("NOTE"),
            ],
        )
        .grants(&[
            Grant::everybody(&["ACTION:append", "READ", "SEARCH"]),
            Grant::new("r", "m", &["ACTION:apply", "NOTE"]),
        ]),
    );

    #[test]
    fn a_word_is_found_in_any_case_by_its_first_entry() {
        let policy = PROTOCOL.unrestricted();
        assert_eq!(
            (policy.find(b"action"), policy.find(b"Read"), policy.find(b"ACTION:append")),
            (Some(0), Some(1), None)
        );
        assert_eq!(policy.entries_of(0).collect::<Vec<_>>(), [0, 2]);
        assert_eq!((policy.first_of(2), policy.first_of(1)), (0, 1));
        assert!(policy.begins_word(b"act") && policy.begins_word(b"NOTE") && !policy.begins_word(b"notes"));
    }

    #[test]
    fn every_word_of_a_large_protocol_is_found() {
        let names: Vec<_> = (0..super::super::MAX_TAGS).map(|i| std::format!("A_RATHER_LONG_{i}_NAME")).collect();
        let tags: Vec<_> = names.iter().map(|name| TagSpec::new(name)).collect();
        let spec = ProtocolSpec::strict("p", &tags).open();
        let policy = Protocol::new(&spec).expect("valid").unrestricted();
        for (i, name) in names.iter().enumerate() {
            assert_eq!(policy.find(name.to_ascii_lowercase().as_bytes()), Some(i as u16));
        }
        assert_eq!((policy.find(b"A_RATHER_LONG_512_NAME"), policy.find(b"")), (None, None));
    }

    #[test]
    fn words_are_known_as_a_whole() {
        let policy = PROTOCOL.unrestricted();
        assert_eq!((policy.bodies(0), policy.bodies(1), policy.bodies(4)), (Bodies::Mixed, Bodies::None, Bodies::All));
        assert_eq!([0, 1, 3, 4].map(|first| policy.takes_argument(first)), [true, true, true, false]);
        assert_eq!([0, 1, 3, 4].map(|first| policy.has_long_argument(first)), [false, true, false, true]);
        assert_eq!([0, 1, 3, 4].map(|first| policy.lacks_nothing(first)), [false, false, true, true]);
        assert!(policy.any_takes_argument());
    }

    #[test]
    fn attributes_are_found_by_name_and_alias_in_any_case() {
        let policy = PROTOCOL.unrestricted();
        assert_eq!(
            [&b"PATH"[..], b"File", b"query", b""].map(|key| policy.find_attribute(1, key)),
            [Some(0), Some(0), None, None]
        );
        assert_eq!((policy.find_attribute(3, b"QUERY"), policy.find_attribute(4, b"query")), (Some(1), None));
        assert_eq!((policy.argument(1), policy.argument(3), policy.argument(0)), (Some(0), Some(1), None));
    }

    #[test]
    fn sections_are_found_in_any_case() {
        let tag = PROTOCOL.tag(0);
        assert_eq!(
            (tag.find_section(b"replace"), tag.find_section(b"FIND"), tag.find_section(b"F")),
            (Some(1), Some(0), None)
        );
        assert_eq!((tag.section(1).name(), PROTOCOL.tag(3).attribute(1).name()), ("REPLACE", "query"));
    }

    #[test]
    fn a_protocol_has_a_letter_case() {
        let is_in = |names: &[&str], word: &str| {
            let tags: Vec<_> = names.iter().map(|name| TagSpec::new(name)).collect();
            let spec = ProtocolSpec::strict("p", &tags).open();
            Protocol::new(&spec).expect("valid").unrestricted().is_in_letter_case(word.as_bytes())
        };
        assert!(is_in(&["RUN"], "A_1") && !is_in(&["RUN"], "Ab"));
        assert!(is_in(&["run"], "a.1") && !is_in(&["run"], "Ab"));
        assert!(is_in(&["run", "GO"], "Ab") && is_in(&["Run"], "aB"));
        assert!(is_in(&["_1"], "A") && !is_in(&["_1"], "a"), "a protocol without letters is upper case");
    }

    #[test]
    fn granted_entries_are_known_by_word_too() {
        let policy = PROTOCOL.policy_for(None, None).expect("any role");
        assert_eq!([0, 1, 2, 3, 4].map(|id| policy.is_granted(id)), [true, true, false, true, false]);
        assert!(policy.is_any_granted(0) && !policy.is_any_granted(4));
    }

    #[test]
    fn only_granted_names_are_near() {
        let names = |policy: &Policy<'_>, written| -> Vec<_> {
            policy.grantee().granted(PROTOCOL).nearest_words(written).iter().collect()
        };
        let some = PROTOCOL.policy_for(None, None).expect("any role");
        let all = PROTOCOL.unrestricted();
        assert_eq!((names(&some, "NOTES"), names(&all, "NOTES")), (Vec::new(), std::vec![4]));
        assert_eq!(names(&all, "ACTIONS"), [0], "a word once");
        assert_eq!(all.grantee().granted(PROTOCOL).nearest_variants(0, "app").iter().collect::<Vec<_>>(), [2, 0]);
        assert_eq!(
            some.grantee().granted(PROTOCOL).nearest_variants(0, "apply").iter().collect::<Vec<_>>(),
            [0_u16; 0]
        );
    }
}
