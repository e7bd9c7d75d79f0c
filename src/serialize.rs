//! How serde writes what is read out of a reply: the shapes of the command line's JSON, except for views.
//!
//! Everything that a [`Reply`] or a [`Parser`](crate::Parser) yields implements `Serialize`. A program that adds to a reply's
//! object builds it with [`reply_fields`]; [`LazyReply`] writes a reply that is too large to be collected.

use core::fmt;
use core::iter::Peekable;
use core::ops::Range;

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::attrs::{AttrValue, Attrs};
use crate::diagnostic::{Diagnostic, DiagnosticCode, Name, OwnedDiagnostic, Severity};
use crate::event::{Event, OwnedEvent};
use crate::line_index::{LineColumn, LineIndex};
use crate::parse_options::ParseOptions;
use crate::protocol::{Dialect, Policy};
use crate::reply::{Reply, ReplyEvents};
use crate::span::Span;
use crate::tag::{OwnedTag, Tag};
use crate::tag_error::TagError;
use crate::whitespace;
use crate::workforce::edit::{EditBlock, EditBlocks};

/// The parts of a reply that its object is made of.
pub trait ReplyParts<'t> {
    /// The whole text.
    fn text(&self) -> &'t str;

    /// The tags that may be carried out, in the order written.
    fn tags(&self) -> impl Iterator<Item = Tag<'t>>;

    /// The diagnostics in the order of the protocol's list of errors: those about budgets come last.
    fn errors(&self) -> impl Iterator<Item = Diagnostic<'t>>;

    /// The diagnostics, each where it was decided.
    fn diagnostics(&self) -> impl Iterator<Item = Diagnostic<'t>>;

    /// The pieces of the prose, in order: joined they are stripped at both ends.
    fn prose_parts(&self) -> impl Iterator<Item = &'t str>;
}

/// How many fields [`reply_fields`] writes.
pub const REPLY_FIELDS: usize = 4;

/// Writes the fields of a reply's object: `"tags", "errors", "diagnostics", "prose"`.
///
/// Each tag is written as `write_tag` returns it, each diagnostic with its line and column. The errors are the lines of the
/// diagnostics, those about budgets last.
///
/// ```
/// use serde::ser::{Serialize, SerializeStruct, Serializer};
/// use tagwire::Reply;
/// use tagwire::serialize::{REPLY_FIELDS, reply_fields};
/// use tagwire::workforce::{self, Mode, Role};
///
/// struct Numbered<'t>(u32, Reply<'t>);
///
/// impl Serialize for Numbered<'_> {
///     fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
///         let mut object = serializer.serialize_struct("Numbered", 1 + REPLY_FIELDS)?;
///         object.serialize_field("number", &self.0)?;
///         reply_fields(&self.1, |tag| tag, &mut object)?;
///         object.end()
///     }
/// }
///
/// let reply = workforce::policy(Role::Developer, Mode::Work).parse("Hi");
/// let json = serde_json::to_string(&Numbered(7, reply))?;
/// assert_eq!(json, r#"{"number":7,"tags":[],"errors":[],"diagnostics":[],"prose":"Hi"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
///
/// Those of the serializer.
pub fn reply_fields<'t, R, T, O>(reply: &R, write_tag: impl Fn(Tag<'t>) -> T, object: &mut O) -> Result<(), O::Error>
where
    R: ReplyParts<'t>,
    T: Serialize,
    O: SerializeStruct,
{
    object.serialize_field("tags", &List(|| reply.tags().map(&write_tag)))?;
    object.serialize_field("errors", &List(|| reply.errors().map(Text)))?;
    let diagnostics = || {
        let mut lines = LineIndex::new(reply.text());
        reply.diagnostics().map(move |diagnostic| diagnostic.located(lines.locate(diagnostic.span().start)))
    };
    object.serialize_field("diagnostics", &List(diagnostics))?;
    object.serialize_field("prose", &Text(Joined(|| reply.prose_parts())))
}

/// A list that is made while it is written.
struct List<F>(F);

impl<I: Iterator<Item: Serialize>, F: Fn() -> I> Serialize for List<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// Serializes a list of strings as one, without joining them in memory.
struct Joined<F>(F);

impl<'t, I: Iterator<Item = &'t str>, F: Fn() -> I> fmt::Display for Joined<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.0)().try_for_each(|part| f.write_str(part))
    }
}

/// Serializes what prints as a string, without building that string.
struct Text<T>(T);

impl<T: fmt::Display> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'t> ReplyParts<'t> for Reply<'t> {
    fn text(&self) -> &'t str {
        self.text()
    }

    fn tags(&self) -> impl Iterator<Item = Tag<'t>> {
        self.tags().iter().copied()
    }

    fn errors(&self) -> impl Iterator<Item = Diagnostic<'t>> {
        self.errors()
    }

    fn diagnostics(&self) -> impl Iterator<Item = Diagnostic<'t>> {
        self.diagnostics().iter().copied()
    }

    fn prose_parts(&self) -> impl Iterator<Item = &'t str> {
        self.prose_parts()
    }
}

/// `{"tags", "errors", "diagnostics", "prose"}`; each diagnostic has its line and column.
impl Serialize for Reply<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_reply(self, serializer)
    }
}

fn serialize_reply<'t, S: Serializer>(reply: &impl ReplyParts<'t>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut object = serializer.serialize_struct("Reply", REPLY_FIELDS)?;
    reply_fields(reply, |tag| tag, &mut object)?;
    object.end()
}

/// A whole reply that is parsed again for each of its lists, instead of being collected.
///
/// Serializes as [`Reply`] does, byte for byte. It suits a reply that is large, of which a list of diagnostics may take many
/// times the memory: that memory does not grow with the number of tags or diagnostics. Creating it parses the reply
/// once, and serializing it parses it once more for each list that is not empty.
///
/// ```
/// use tagwire::Finish;
/// use tagwire::serialize::LazyReply;
/// use tagwire::workforce::{self, Mode, Role};
///
/// let policy = workforce::policy(Role::Developer, Mode::Work);
/// let text = "On it. [[RUN cmd='make'/]] [[NOTE]]";
/// let lazy = LazyReply::new(&policy, text, Finish::Complete);
/// assert_eq!(serde_json::to_string(&lazy)?, serde_json::to_string(&policy.parse(text))?);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LazyReply<'t> {
    policy: Policy<'t>,
    text: &'t str,
    options: ParseOptions<'t>,
    tags: usize,
    diagnostics: usize,
    errors: usize,
    budget_diagnostics: usize,
    /// The prose without white space at both ends, and what lies between.
    prose: Range<usize>,
}

impl<'t> LazyReply<'t> {
    /// The reply `text`, of which this is known. Linear in its length in bytes, as [`Policy::parse`] is.
    ///
    /// # Panics
    ///
    /// If `options` name a region that the protocol does not have.
    pub fn new<'p: 't>(policy: &Policy<'p>, text: &'t str, options: impl Into<ParseOptions<'t>>) -> Self {
        let options = options.into();
        let policy: Policy<'t> = policy.clone();
        let (mut tags, mut diagnostics, mut errors, mut budget_diagnostics, mut prose) = (0, 0, 0, 0, 0..0);
        for event in policy.events_with(text, options) {
            match event {
                Event::Tag(_) => tags += 1,
                Event::Diagnostic(diagnostic) => {
                    diagnostics += 1;
                    errors += usize::from(diagnostic.severity() == Severity::Error);
                    budget_diagnostics += usize::from(diagnostic.code() == DiagnosticCode::OverBudget);
                }
                Event::Prose { span, .. } => {
                    let visible = whitespace::trimmed(text, span);
                    if !visible.is_empty() {
                        let start = if prose.is_empty() { visible.start } else { prose.start };
                        prose = start..visible.end;
                    }
                }
                Event::Dropped { .. } | Event::Region { .. } => {}
            }
        }
        LazyReply { policy, text, options, tags, diagnostics, errors, budget_diagnostics, prose }
    }

    /// How many tags there are that may be carried out.
    pub fn tag_count(&self) -> usize {
        self.tags
    }

    /// How many diagnostics there are.
    pub fn diagnostic_count(&self) -> usize {
        self.diagnostics
    }

    /// How many of the diagnostics are errors; the others are warnings.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// The regions of the reply, in order: for each its name and its span. Parses the reply, if its protocol has regions.
    pub fn regions(&self) -> impl Iterator<Item = (&'t str, Span)> {
        let has_regions = self.policy.protocol().regions().len() > 0;
        let mut events = has_regions.then(|| self.policy.events_with(self.text, self.options).peekable());
        let tiles = core::iter::from_fn(move || next_tile(events.as_mut()?));
        tiles.filter_map(|tile| match tile.0 {
            Event::Region { name, span, .. } => Some((name, span)),
            _ => None,
        })
    }

    fn events(&self) -> impl Iterator<Item = Event<'t>> {
        self.policy.events_with(self.text, self.options)
    }

    fn all_diagnostics(&self) -> impl Iterator<Item = Diagnostic<'t>> {
        self.events().filter_map(|event| match event {
            Event::Diagnostic(diagnostic) => Some(diagnostic),
            _ => None,
        })
    }
}

// The text is not parsed beyond the last item that was counted, and not at all for none.
impl<'t> ReplyParts<'t> for LazyReply<'t> {
    fn text(&self) -> &'t str {
        self.text
    }

    fn tags(&self) -> impl Iterator<Item = Tag<'t>> {
        let tags = self.events().filter_map(|event| match event {
            Event::Tag(tag) => Some(tag),
            _ => None,
        });
        tags.take(self.tags)
    }

    fn errors(&self) -> impl Iterator<Item = Diagnostic<'t>> {
        let is_budget = |diagnostic: &Diagnostic<'_>| diagnostic.code() == DiagnosticCode::OverBudget;
        let others = self.all_diagnostics().filter(move |diagnostic| !is_budget(diagnostic));
        let budgets = self.all_diagnostics().filter(is_budget);
        others.take(self.diagnostics - self.budget_diagnostics).chain(budgets.take(self.budget_diagnostics))
    }

    fn diagnostics(&self) -> impl Iterator<Item = Diagnostic<'t>> {
        self.all_diagnostics().take(self.diagnostics)
    }

    fn prose_parts(&self) -> impl Iterator<Item = &'t str> {
        let prose = self.prose.clone();
        let spans = self.events().filter_map(|event| match event {
            Event::Prose { span, .. } => Some(span),
            _ => None,
        });
        let end = prose.end;
        let inside = spans.take_while(move |span| span.start < end);
        inside.filter_map(move |span| self.text.get(span.start.max(prose.start)..span.end.min(prose.end)))
    }
}

/// `{"tags", "errors", "diagnostics", "prose"}`, as [`Reply`] writes them.
impl Serialize for LazyReply<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_reply(self, serializer)
    }
}

/// A [`Diagnostic`] with its line and column: `{"code", "tag", "span", "line", "column", "message"}`; in the strict dialect
/// `{"code", "severity", "tag", "span", "reason"?, "attribute"?, "nearest"?, "expected"?, "line", "column", "message"}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LocatedDiagnostic<'t> {
    /// What is wrong.
    pub diagnostic: Diagnostic<'t>,
    /// Where its span begins.
    pub at: LineColumn,
}

impl<'t> Diagnostic<'t> {
    /// This diagnostic with its line and column, as a [`LineIndex`] or a [`ChunkedLineIndex`](crate::ChunkedLineIndex) locates them.
    pub fn located(self, at: LineColumn) -> LocatedDiagnostic<'t> {
        LocatedDiagnostic { diagnostic: self, at }
    }
}

impl Serialize for LocatedDiagnostic<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let LocatedDiagnostic { diagnostic, at } = self;
        let mut object = serializer.serialize_struct("Diagnostic", 2 + diagnostic_field_count(diagnostic))?;
        diagnostic_fields(diagnostic, Some(*at), &mut object)?;
        object.end()
    }
}

/// `{"event": "prose", "text", "span"}`, `{"event": "tag", ...}`, `{"event": "dropped", "span"}`,
/// `{"event": "region", "name", "text", "span"}` or `{"event": "error", ...}`.
impl Serialize for Event<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Event::Prose { text, span } => {
                let mut prose = serializer.serialize_struct("Event", 3)?;
                prose.serialize_field("event", "prose")?;
                prose.serialize_field("text", text)?;
                prose.serialize_field("span", span)?;
                prose.end()
            }
            Event::Tag(tag) => {
                let mut fields = serializer.serialize_struct("Event", 1 + TAG_FIELDS)?;
                fields.serialize_field("event", "tag")?;
                tag_fields(tag, &mut fields)?;
                fields.end()
            }
            Event::Dropped { span } => {
                let mut dropped = serializer.serialize_struct("Event", 2)?;
                dropped.serialize_field("event", "dropped")?;
                dropped.serialize_field("span", span)?;
                dropped.end()
            }
            Event::Region { name, text, span, .. } => {
                let mut region = serializer.serialize_struct("Event", 4)?;
                region.serialize_field("event", "region")?;
                region.serialize_field("name", name)?;
                region.serialize_field("text", text)?;
                region.serialize_field("span", span)?;
                region.end()
            }
            Event::Diagnostic(diagnostic) => {
                let mut fields = serializer.serialize_struct("Event", 1 + diagnostic_field_count(diagnostic))?;
                fields.serialize_field("event", "error")?;
                diagnostic_fields(diagnostic, None, &mut fields)?;
                fields.end()
            }
        }
    }
}

/// Written as [`Event`] is.
impl Serialize for OwnedEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_event().serialize(serializer)
    }
}

/// `{"name", "attrs", "body", "raw", "span"}`; in the strict dialect
/// `{"name", "attrs", "argument"?, "body", "content", "edits"?, "sections"?, "raw", "span"}`.
impl Serialize for Tag<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Tag", TAG_FIELDS)?;
        tag_fields(self, &mut fields)?;
        fields.end()
    }
}

fn tag_fields<F: SerializeStruct>(tag: &Tag<'_>, fields: &mut F) -> Result<(), F::Error> {
    tag_facts(tag, fields)?;
    fields.serialize_field("raw", tag.raw())?;
    fields.serialize_field("span", &tag.span())
}

/// The most fields of a tag.
const TAG_FIELDS: usize = 8;

/// What a tag says: the fields but for its text and its span.
fn tag_facts<F: SerializeStruct>(tag: &Tag<'_>, fields: &mut F) -> Result<(), F::Error> {
    fields.serialize_field("name", tag.name())?;
    fields.serialize_field("attrs", &tag.attrs())?;
    if let Some(argument) = tag.argument() {
        fields.serialize_field("argument", &argument)?;
    }
    fields.serialize_field("body", tag.body())?;
    if tag.body_kind().is_some() {
        fields.serialize_field("content", tag.content())?;
    }
    if tag.edits().is_some() {
        fields.serialize_field("edits", &List(|| tag.edits().into_iter().flatten()))?;
    }
    if tag.sections().is_some() {
        fields.serialize_field("sections", &List(|| tag.sections().into_iter().flatten()))?;
    }
    Ok(())
}

/// Written as [`Tag`] is.
impl Serialize for OwnedTag {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_tag().serialize(serializer)
    }
}

/// An object, in the order of the attributes.
impl Serialize for Attrs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// `{"code", "tag", "span", "message"}`; in the strict dialect
/// `{"code", "severity", "tag", "span", "reason"?, "attribute"?, "nearest"?, "expected"?, "message"}`. For line and column, which take the
/// whole text, see [`LocatedDiagnostic`].
impl Serialize for Diagnostic<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Diagnostic", diagnostic_field_count(self))?;
        diagnostic_fields(self, None, &mut fields)?;
        fields.end()
    }
}

/// Written as [`Diagnostic`] is.
impl Serialize for OwnedDiagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_diagnostic().serialize(serializer)
    }
}

/// The most fields of a diagnostic, without line and column.
fn diagnostic_field_count(diagnostic: &Diagnostic<'_>) -> usize {
    match diagnostic.dialect() {
        Dialect::Seed => 4,
        Dialect::Strict => 9,
    }
}

fn diagnostic_fields<F: SerializeStruct>(
    diagnostic: &Diagnostic<'_>,
    at: Option<LineColumn>,
    fields: &mut F,
) -> Result<(), F::Error> {
    let has_facts = diagnostic.dialect() == Dialect::Strict;
    fields.serialize_field("code", &diagnostic.code())?;
    if has_facts {
        fields.serialize_field("severity", &diagnostic.severity())?;
    }
    fields.serialize_field("tag", &diagnostic.tag_name())?;
    fields.serialize_field("span", &diagnostic.span())?;
    if has_facts {
        if let Some(reason) = diagnostic.reason() {
            fields.serialize_field("reason", reason)?;
        }
        if let Some(attribute) = diagnostic.attribute() {
            fields.serialize_field("attribute", attribute)?;
        }
        if diagnostic.code() == DiagnosticCode::UnknownTag {
            fields.serialize_field("nearest", &List(|| diagnostic.nearest()))?;
        }
        if diagnostic.expected().next().is_some() {
            fields.serialize_field("expected", &List(|| diagnostic.expected()))?;
        }
    }
    if let Some(at) = at {
        fields.serialize_field("line", &at.line)?;
        fields.serialize_field("column", &at.column)?;
    }
    fields.serialize_field("message", &Text(diagnostic))
}

/// The tiles of a whole reply: a list of `{"kind": "prose" | "tag" | "dropped" | "region", "span"}`, in order. A region has its `"name"`,
/// and a tag what [`Tag`] writes but for `"raw"`.
///
/// Serializing it reads the reply, and holds none of the tiles.
///
/// ```
/// use tagwire::Finish;
/// use tagwire::serialize::Tiles;
/// use tagwire::workforce::{self, Mode, Role};
///
/// let policy = workforce::policy(Role::Developer, Mode::Work);
/// let tiles = Tiles::new(&policy, "On it. [[NOTE]]", Finish::Complete);
/// let json = serde_json::to_string(&tiles)?;
/// assert_eq!(json, r#"[{"kind":"prose","span":[0,7]},{"kind":"dropped","span":[7,15]}]"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tiles<'t> {
    policy: Policy<'t>,
    text: &'t str,
    options: ParseOptions<'t>,
}

impl<'t> Tiles<'t> {
    /// The tiles of the reply `text`, of which this is known. Constant time: serializing reads the reply.
    pub fn new<'p: 't>(policy: &Policy<'p>, text: &'t str, options: impl Into<ParseOptions<'t>>) -> Self {
        Tiles { policy: policy.clone(), text, options: options.into() }
    }
}

/// Panics where [`Policy::events_with`] does.
impl Serialize for Tiles<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tiles = || {
            let mut events = self.policy.events_with(self.text, self.options).peekable();
            core::iter::from_fn(move || next_tile(&mut events))
        };
        serializer.collect_seq(tiles())
    }
}

/// A tile, which is one event or several adjacent ones.
struct Tile<'t>(Event<'t>);

/// The next event that covers text, with those that continue it.
fn next_tile<'t>(events: &mut Peekable<ReplyEvents<'t>>) -> Option<Tile<'t>> {
    let mut tile = events.find(|event| !matches!(event, Event::Diagnostic(_)))?;
    while let Some(next) = events.peek() {
        match (&mut tile, next) {
            (Event::Prose { span, .. }, Event::Prose { span: more, .. })
            | (Event::Dropped { span }, Event::Dropped { span: more }) => span.end = more.end,
            (Event::Region { span, is_last, .. }, Event::Region { span: more, is_last: is_end, .. }) if !*is_last => {
                (span.end, *is_last) = (more.end, *is_end);
            }
            // A diagnostic concerns the next tile, which may continue this one.
            (Event::Prose { .. } | Event::Dropped { .. }, Event::Diagnostic(_)) => {}
            _ => break,
        }
        events.next();
    }
    Some(Tile(tile))
}

impl Serialize for Tile<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Tile", 2 + TAG_FIELDS)?;
        let kind = match &self.0 {
            Event::Prose { .. } => "prose",
            Event::Tag(_) => "tag",
            Event::Region { .. } => "region",
            Event::Dropped { .. } | Event::Diagnostic(_) => "dropped",
        };
        fields.serialize_field("kind", kind)?;
        fields.serialize_field("span", &self.0.span())?;
        match &self.0 {
            Event::Tag(tag) => tag_facts(tag, &mut fields)?,
            Event::Region { name, .. } => fields.serialize_field("name", name)?,
            _ => {}
        }
        fields.end()
    }
}

impl Serialize for Severity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// `[start, end]`.
impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.start, self.end].serialize(serializer)
    }
}

impl Serialize for DiagnosticCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// As it prints.
impl Serialize for Name<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// `{"error"}`.
impl Serialize for TagError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut error = serializer.serialize_struct("TagError", 1)?;
        error.serialize_field("error", &Text(self))?;
        error.end()
    }
}

/// `{"blocks"}`, each block `[old, new]`.
impl Serialize for EditBlocks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut blocks = serializer.serialize_struct("EditBlocks", 1)?;
        blocks.serialize_field("blocks", self.as_slice())?;
        blocks.end()
    }
}

/// `[old, new]`.
impl Serialize for EditBlock<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.old, self.new].serialize(serializer)
    }
}

/// The text of the value, with escapes resolved.
impl Serialize for AttrValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}
