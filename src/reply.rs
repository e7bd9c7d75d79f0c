//! A whole reply: its tags, diagnostics and prose, collected.

use alloc::borrow::Cow;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;

use bumpalo::Bump;

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::event::{Event, Finish};
use crate::parse_options::ParseOptions;
use crate::protocol::{Dialect, Policy};
use crate::scan::{EventQueue, Input, RawEvent, Scanner, Sink, Step, Window, seed, strict};
use crate::storage::{ArenaStorage, HeapStorage, List, Storage};
use crate::tag::Tag;
use crate::whitespace;

impl<'p> Policy<'p> {
    /// Reads a whole reply. Linear in its length in bytes (*n* log *n* where many different names are never closed).
    ///
    /// ```
    /// use tagwire::workforce::{self, Mode, Role};
    ///
    /// let policy = workforce::policy(Role::Developer, Mode::Work);
    /// let reply = policy.parse("On it.\n[[RUN cmd=\"pytest -q\"/]]\n[[NOTE]]");
    /// assert_eq!(reply.tags()[0].attr("cmd"), Some("pytest -q".into()));
    /// assert_eq!(reply.prose(), "On it.");
    /// assert_eq!(reply.error_text(), "ERROR: unknown tag [[NOTE]] ignored");
    /// ```
    pub fn parse<'t>(&self, text: &'t str) -> Reply<'t>
    where
        'p: 't,
    {
        self.parse_with(text, Finish::Complete)
    }

    /// Reads a whole reply of which more is known: how it ended, as of one that is stored with its `finish_reason`, or the region that it
    /// begins in. Costs what [`Policy::parse`] costs.
    ///
    /// # Panics
    ///
    /// If `options` name a region that the protocol does not have.
    ///
    /// ```
    /// # use tagwire::workforce::{self, Mode, Role};
    /// use tagwire::Finish;
    ///
    /// let policy = workforce::policy(Role::Developer, Mode::Work);
    /// let cut_off = "[[WRITE_FILE path='notes.md']]Never run this:\n[[RUN cmd='rm -rf /'/]]";
    /// assert!(policy.parse(cut_off).has_tag("RUN"));
    /// assert_eq!(policy.parse_with(cut_off, Finish::Truncated).tags(), []);
    /// ```
    pub fn parse_with<'t, 'o>(&self, text: &'t str, options: impl Into<ParseOptions<'o>>) -> Reply<'t>
    where
        'p: 't,
    {
        let lists = Lists { tags: Vec::new(), diagnostics: Vec::new(), prose: Vec::new() };
        let Lists { tags, diagnostics, prose } = collect(self, text, options.into(), HeapStorage, lists);
        let (tags, diagnostics, prose) = (Items::Heap(tags), Items::Heap(diagnostics), Items::Heap(prose));
        Reply { text, tags, diagnostics, prose }
    }

    /// Reads a whole reply into an arena: with one that is reset between replies, no memory is allocated after the first ones.
    /// Linear, as [`Policy::parse`].
    ///
    /// A reply takes up to about 400 bytes of the arena for each of its tags, diagnostics and pieces of prose. For a reply that may
    /// not fit, use [`Policy::events`], which collects nothing.
    ///
    /// # Panics
    ///
    /// If the arena cannot grow, because of its [allocation limit](Bump::set_allocation_limit) or because there is no more
    /// memory. The arena can be reset and used again after the panic.
    ///
    /// ```
    /// # use tagwire::workforce::{self, Mode, Role};
    /// let policy = workforce::policy(Role::Developer, Mode::Work);
    /// let mut arena = bumpalo::Bump::new();
    /// for text in ["[[RUN cmd='a'/]]", "[[RUN cmd='b'/]] and [[RUN cmd='c'/]]"] {
    ///     let reply = policy.parse_in(text, &arena);
    ///     assert!(reply.has_tag("RUN"));
    ///     arena.reset();
    /// }
    /// ```
    pub fn parse_in<'t>(&self, text: &'t str, arena: &'t Bump) -> Reply<'t>
    where
        'p: 't,
    {
        self.parse_in_with(text, arena, Finish::Complete)
    }

    /// Reads a whole reply of which more is known into an arena: [`Policy::parse_with`] and [`Policy::parse_in`] in one.
    ///
    /// # Panics
    ///
    /// As [`Policy::parse_in`] and [`Policy::parse_with`].
    pub fn parse_in_with<'t, 'o>(
        &self,
        text: &'t str,
        arena: &'t Bump,
        options: impl Into<ParseOptions<'o>>,
    ) -> Reply<'t>
    where
        'p: 't,
    {
        let lists = Lists {
            tags: bumpalo::vec![in arena],
            diagnostics: bumpalo::vec![in arena],
            prose: bumpalo::vec![in arena],
        };
        let Lists { tags, diagnostics, prose } = collect(self, text, options.into(), ArenaStorage(arena), lists);
        Reply {
            text,
            tags: Items::Arena(tags.into_bump_slice()),
            diagnostics: Items::Arena(diagnostics.into_bump_slice()),
            prose: Items::Arena(prose.into_bump_slice()),
        }
    }

    /// What is found in a whole reply, in order: the same events as a [`Parser`](crate::Parser) gives, each run of prose in
    /// one. All of them take linear time, as [`Policy::parse`].
    pub fn events<'t>(&self, text: &'t str) -> ReplyEvents<'t>
    where
        'p: 't,
    {
        self.events_with(text, Finish::Complete)
    }

    /// What is found in a whole reply of which more is known, in order, as [`Policy::parse_with`] reads it.
    ///
    /// # Panics
    ///
    /// As [`Policy::parse_with`].
    pub fn events_with<'t, 'o>(&self, text: &'t str, options: impl Into<ParseOptions<'o>>) -> ReplyEvents<'t>
    where
        'p: 't,
    {
        let options = options.into();
        let mut scanner = Scanner::new(self);
        if let Some(region) = options.region_in(self.protocol()) {
            scanner.begin_inside(region);
        }
        ReplyEvents {
            policy: self.clone(),
            scanner,
            queue: EventQueue::new(),
            window: Window::new(text, 0),
            finish: options.finish,
        }
    }
}

/// A reply that was read: its tags, its diagnostics and its prose, borrowed from its text.
#[derive(Clone)]
pub struct Reply<'t> {
    text: &'t str,
    tags: Items<'t, Tag<'t>>,
    diagnostics: Items<'t, Diagnostic<'t>>,
    prose: Items<'t, &'t str>,
}

impl<'t> Reply<'t> {
    /// The whole text.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The tags that may be carried out, in the order written.
    pub fn tags(&self) -> &[Tag<'t>] {
        &self.tags
    }

    /// The mistakes, each where it was decided.
    pub fn diagnostics(&self) -> &[Diagnostic<'t>] {
        &self.diagnostics
    }

    /// The mistakes in the order of the protocol's list of errors: those about budgets come last.
    pub fn errors(&self) -> impl Iterator<Item = Diagnostic<'t>> + Clone + '_ {
        let is_budget = |diagnostic: &&Diagnostic<'_>| diagnostic.code() == DiagnosticCode::OverBudget;
        let budgets = self.diagnostics.iter().filter(is_budget);
        self.diagnostics.iter().filter(move |diagnostic| !is_budget(diagnostic)).chain(budgets).copied()
    }

    /// The lines of [`Reply::errors`], joined by newlines. Empty where there is none. Linear in what it gives.
    ///
    /// Each quotes what was written, as it was written: what goes to a model is [`Reply::feedback`].
    pub fn error_text(&self) -> String {
        let mut text = String::new();
        for error in self.errors() {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&error.to_string());
        }
        text
    }

    /// The text outside of tags, joined without anything between, and stripped at both ends.
    ///
    /// Borrowed where it is one piece; else it is copied together, in linear time.
    pub fn prose(&self) -> Cow<'t, str> {
        let mut parts = self.prose_parts();
        match (parts.next(), parts.next()) {
            (None, _) => Cow::Borrowed(""),
            (Some(only), None) => Cow::Borrowed(only),
            _ => Cow::Owned(self.prose_parts().collect()),
        }
    }

    /// The pieces of [`Reply::prose`], in order, none empty.
    pub fn prose_parts(&self) -> impl Iterator<Item = &'t str> + Clone + '_ {
        let is_blank = |part: &&str| whitespace::trim_start(part).is_empty();
        let first = self.prose.iter().position(|part| !is_blank(part)).unwrap_or(self.prose.len());
        let end = self.prose.iter().rposition(|part| !is_blank(part)).map_or(first, |last| last + 1);
        self.prose[first..end].iter().enumerate().map(move |(i, part)| {
            let part = if i == 0 { whitespace::trim_start(part) } else { part };
            if first + i + 1 == end { whitespace::trim_end(part) } else { part }
        })
    }

    /// The tags called `name`, in any ASCII case. Looks at each tag once.
    pub fn tags_named<'n>(&self, name: &'n str) -> impl Iterator<Item = Tag<'t>> + use<'_, 't, 'n> {
        self.tags.iter().filter(move |tag| tag.name().eq_ignore_ascii_case(name)).copied()
    }

    /// The first tag called `name`, in any ASCII case. Looks at the tags up to it.
    pub fn first_tag(&self, name: &str) -> Option<Tag<'t>> {
        self.tags_named(name).next()
    }

    /// Whether there is a tag called `name`, in any ASCII case. Looks at the tags up to the first.
    pub fn has_tag(&self, name: &str) -> bool {
        self.first_tag(name).is_some()
    }

    /// The names of the tags, in the order written.
    pub fn tag_names(&self) -> impl Iterator<Item = &'t str> + '_ {
        self.tags.iter().map(Tag::name)
    }
}

impl fmt::Debug for Reply<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply")
            .field("tags", &self.tags())
            .field("diagnostics", &self.diagnostics())
            .field("prose", &self.prose())
            .finish()
    }
}

/// Two replies are equal when the same was found at the same places.
impl PartialEq for Reply<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.tags() == other.tags() && self.diagnostics() == other.diagnostics() && self.prose() == other.prose()
    }
}

impl Eq for Reply<'_> {}

/// What is found in a whole reply, in order. See [`Policy::events`].
pub struct ReplyEvents<'t> {
    policy: Policy<'t>,
    scanner: Scanner,
    queue: EventQueue,
    window: Window<'t>,
    finish: Finish,
}

impl fmt::Debug for ReplyEvents<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplyEvents").field("policy", &self.policy).finish_non_exhaustive()
    }
}

impl<'t> Iterator for ReplyEvents<'t> {
    type Item = Event<'t>;

    fn next(&mut self) -> Option<Event<'t>> {
        if self.queue.is_empty() {
            let input = Input { policy: &self.policy, window: self.window, end: Some(self.finish) };
            self.scanner.run(&input, &mut self.queue, Step::Any);
        }
        self.queue.take(&self.policy, self.policy.lasting_protocol(), &self.window)
    }
}

impl core::iter::FusedIterator for ReplyEvents<'_> {}

/// A list, of its own or in an arena.
#[derive(Clone)]
enum Items<'t, T> {
    Heap(Vec<T>),
    Arena(&'t [T]),
}

impl<T> Deref for Items<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Items::Heap(items) => items,
            Items::Arena(items) => items,
        }
    }
}

/// The lists of a reply, wherever they are kept.
struct Lists<T, D, P> {
    tags: T,
    diagnostics: D,
    prose: P,
}

/// Sorts what is found into lists.
struct Collector<'c, 't, T, D, P> {
    input: &'c Input<'c, 't, 't>,
    lists: Lists<T, D, P>,
}

impl<'t, T, D, P> Sink for Collector<'_, 't, T, D, P>
where
    T: List<Tag<'t>>,
    D: List<Diagnostic<'t>>,
    P: List<&'t str>,
{
    // Inlined where each event is found, so that only the arm for its kind is compiled there.
    #[inline(always)]
    fn emit(&mut self, event: RawEvent) {
        match event.resolve(self.input.policy, self.input.policy.lasting_protocol(), &self.input.window) {
            Event::Prose { text, .. } => self.lists.prose.push(text),
            Event::Tag(tag) => self.lists.tags.push(tag),
            Event::Dropped { .. } | Event::Region { .. } => {}
            Event::Diagnostic(diagnostic) => self.lists.diagnostics.push(diagnostic),
        }
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        false
    }
}

#[inline]
fn collect<'t, T, D, P>(
    policy: &Policy<'t>,
    text: &'t str,
    options: ParseOptions<'_>,
    storage: impl Storage,
    lists: Lists<T, D, P>,
) -> Lists<T, D, P>
where
    T: List<Tag<'t>>,
    D: List<Diagnostic<'t>>,
    P: List<&'t str>,
{
    let region = options.region_in(policy.protocol());
    let input = Input { policy, window: Window::new(text, 0), end: Some(options.finish) };
    let mut collector = Collector { input: &input, lists };
    match policy.protocol().dialect() {
        Dialect::Seed => {
            seed::Machine::new(storage).run(&input, &mut collector, Step::Any);
        }
        Dialect::Strict => read_strict(&input, region, storage, &mut collector),
    }
    collector.lists
}

// Out of line, so that the loop of the seed's machine has only that in it.
#[inline(never)]
fn read_strict(input: &Input<'_, '_, '_>, region: Option<usize>, storage: impl Storage, sink: &mut impl Sink) {
    let mut machine = strict::Machine::new(storage, input.policy);
    if let Some(region) = region {
        machine.begin_inside(region);
    }
    machine.run(input, sink);
}
