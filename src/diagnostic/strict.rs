//! Diagnostics of the strict dialect: what they state as data, and their lines. The only English for the model in this dialect.
//!
//! A line says in one sentence what happened to which tag, and ends with how to write it in the protocol of the reply. At most one part of
//! it is quoted from the reply and may hold anything; all else comes from the protocol or is a name.
//!
//! To add one: a code in [`DiagnosticCode`], an arm in [`Line::sentence`], and the place in the machine that reports it.

use alloc::string::{String, ToString as _};
use core::fmt;

use super::record::{Record, RecordAttribute, RecordSubject};
use super::{DiagnosticCode, Severity};
use crate::attrs::strict::value_text;
use crate::diagnostic::raw::TokenFault;
use crate::diagnostic::raw::{BodyFault, Reason};
use crate::protocol::{AttrSpec, AttrType, Body, Granted, Protocol, Select, TagId, TagSpec};
use crate::span::Span;

/// A diagnostic of the strict dialect.
#[derive(Clone, Copy)]
pub(crate) struct StrictDiagnostic<'a> {
    pub(crate) code: DiagnosticCode,
    pub(crate) severity: Severity,
    pub(crate) span: Span,
    pub(crate) reason: Option<Reason>,
    /// The name of the tag, or of the region.
    pub(crate) tag: &'a str,
    pub(crate) attribute: Option<&'a str>,
    nearest: Names<3>,
    /// What the line quotes of the reply.
    quote: &'a str,
    protocol: Protocol<'a>,
    subject: RecordSubject,
    declared: Option<usize>,
    role: Option<&'a str>,
    mode: Option<&'a str>,
    /// Some of the tags that are granted.
    granted: Names<6>,
    granted_count: usize,
    drops_body: bool,
    follows_tag: bool,
}

/// A few tags, by their numbers.
#[derive(Clone, Copy)]
struct Names<const N: usize> {
    ids: [TagId; N],
    len: usize,
}

impl<const N: usize> Names<N> {
    fn new(ids: impl Iterator<Item = TagId>) -> Self {
        let mut names = Names { ids: [0; N], len: 0 };
        for id in ids.take(N) {
            names.ids[names.len] = id;
            names.len += 1;
        }
        names
    }

    fn iter(&self) -> impl ExactSizeIterator<Item = TagId> + '_ {
        self.ids[..self.len].iter().copied()
    }
}

impl<'a> Record<'a> {
    /// Looks up what the diagnostic states. Linear in the number of tags, and more for an unknown name: see
    /// [`nearest`](crate::protocol::nearest).
    pub(super) fn resolve(&self) -> StrictDiagnostic<'a> {
        let Record { protocol, grantee, span, written, quote, code, severity, reason, .. } = *self;
        let subject = self.subject;
        let (tag, id) = match subject {
            RecordSubject::Tag(id) => (protocol.tag(id).name(), Some(id)),
            RecordSubject::Word(first) => (protocol.tag(first).word(), Some(first)),
            RecordSubject::Written => (written, None),
            RecordSubject::Region(region) => {
                (protocol.regions().nth(region.into()).map_or("", |region| region.name()), None)
            }
        };
        let spec = id.map(|id| protocol.tag(id));
        let mut declared = None;
        let attribute = match self.attribute {
            RecordAttribute::None => None,
            RecordAttribute::Declared(position) => {
                declared = Some(position.into());
                spec.map(|spec| spec.attribute(position.into()).name())
            }
            RecordAttribute::Until => Some("until"),
            RecordAttribute::Selector => match spec.and_then(|spec| spec.selection()) {
                Some(Select::Attribute(name)) => Some(name),
                _ => None,
            },
            RecordAttribute::Written => Some(written),
        };
        let is_about_names = matches!(code, DiagnosticCode::NotAllowed | DiagnosticCode::UnknownTag);
        let granted = if is_about_names { grantee.granted(protocol) } else { Granted::none(protocol) };
        let nearest = match (code, subject) {
            (DiagnosticCode::UnknownTag, RecordSubject::Written) => Names::new(granted.nearest_words(tag).iter()),
            (DiagnosticCode::UnknownTag, RecordSubject::Word(first)) if !quote.is_empty() => {
                // It is the selector that was written.
                let selector = value_text(quote, self.selector_quote);
                Names::new(granted.nearest_variants(first, &selector).iter())
            }
            _ => Names::new(core::iter::empty()),
        };
        let granted = || granted.ids().filter(|_| nearest.len == 0);
        StrictDiagnostic {
            code,
            severity,
            span,
            reason,
            tag,
            attribute,
            nearest,
            quote,
            protocol,
            subject,
            declared,
            role: grantee.role(protocol),
            mode: grantee.mode(protocol),
            granted: Names::new(granted()),
            granted_count: granted().count(),
            drops_body: self.drops_body,
            follows_tag: self.follows_tag,
        }
    }
}

impl<'a> StrictDiagnostic<'a> {
    /// The granted names nearest to that of an unknown tag, nearest first; of variants, those of the word.
    pub(super) fn into_nearest(self) -> impl Iterator<Item = &'a str> {
        let is_variant = matches!(self.subject, RecordSubject::Word(_));
        self.nearest.ids.into_iter().take(self.nearest.len).map(move |id| {
            let tag = self.protocol.tag(id);
            if is_variant { tag.name() } else { tag.word() }
        })
    }

    /// What was expected of an invalid attribute: the values of an enum, or none.
    pub(super) fn expected(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let values = match (self.code, self.attribute_spec().map(|spec| spec.kind())) {
            (DiagnosticCode::InvalidAttribute, Some(AttrType::Enum(values))) => Some(values),
            _ => None,
        };
        values.into_iter().flat_map(|values| values.iter())
    }

    /// The line in three parts: before the quotation, the quotation, and after it.
    pub(crate) fn parts(&self) -> (String, String, String) {
        let sentence = self.line_with('\0');
        match sentence.split_once('\0') {
            Some((before, after)) => (before.into(), shortened(self.quote), after.into()),
            None => (sentence, String::new(), String::new()),
        }
    }

    /// The line, with a mark where the quote stands.
    fn line_with(&self, mark: char) -> String {
        Line { diagnostic: self, quote: &mark.to_string() }.to_string()
    }

    fn tag_spec(&self) -> Option<TagSpec<'a>> {
        match self.subject {
            RecordSubject::Tag(id) | RecordSubject::Word(id) => Some(self.protocol.tag(id)),
            RecordSubject::Written | RecordSubject::Region(_) => None,
        }
    }

    fn attribute_spec(&self) -> Option<AttrSpec<'a>> {
        Some(self.tag_spec()?.attribute(self.declared?))
    }
}

/// Prints the line.
impl fmt::Display for StrictDiagnostic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quote = shortened(self.quote);
        Line { diagnostic: self, quote: &quote }.fmt(f)
    }
}

impl fmt::Debug for StrictDiagnostic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StrictDiagnostic").field("span", &self.span).field("line", &self.to_string()).finish()
    }
}

/// At most so many characters of the reply are quoted.
const MAX_QUOTE: usize = 80;

/// The end of a quotation that is too long, after an ellipsis: what is wrong is mostly there.
fn shortened(quote: &str) -> String {
    match quote.char_indices().rev().nth(MAX_QUOTE - 1) {
        Some((at, _)) if at > 0 => {
            let start = at + quote[at..].chars().next().map_or(0, char::len_utf8);
            String::from("…") + &quote[start..]
        }
        _ => quote.into(),
    }
}

/// A line, with its quotation as it is to be shown.
struct Line<'d, 'a> {
    diagnostic: &'d StrictDiagnostic<'a>,
    quote: &'d str,
}

impl fmt::Display for Line<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.diagnostic.severity {
            Severity::Error => "ERROR: ",
            Severity::Warning => "WARNING: ",
        })?;
        self.sentence(f)
    }
}

impl Line<'_, '_> {
    fn sentence(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StrictDiagnostic { code, tag, reason, .. } = *self.diagnostic;
        match code {
            DiagnosticCode::StrayClose => self.stray_close(f),
            DiagnosticCode::UnknownTag => self.unknown_tag(f),
            DiagnosticCode::NotAllowed => self.not_allowed(f),
            DiagnosticCode::MalformedTag => {
                write!(f, "[[{tag}]] was not run: ")?;
                self.malformed(f)?;
                if self.diagnostic.quote.contains("]]") {
                    f.write_str(", and nothing up to there was read as a tag")?;
                }
                self.end_refused(f)
            }
            DiagnosticCode::RepeatedAttribute => {
                let attribute = self.diagnostic.attribute.unwrap_or_default();
                write!(f, "[[{tag}]] was not run: {attribute} is given a second time, with `{}`", self.quote)?;
                self.end_refused(f)
            }
            DiagnosticCode::UnknownAttribute => self.unknown_attribute(f),
            DiagnosticCode::InvalidAttribute => {
                write!(f, "[[{tag}]] was not run: `{}` ", self.quote)?;
                self.invalid_value(f)?;
                self.end_refused(f)
            }
            DiagnosticCode::MissingAttribute => {
                let attribute = self.diagnostic.attribute.unwrap_or_default();
                let state = if self.diagnostic.quote.is_empty() { "missing" } else { "blank" };
                write!(f, "[[{tag}]] was not run: its attribute {attribute} is {state}")?;
                self.end_refused(f)
            }
            DiagnosticCode::InvalidBody => {
                write!(f, "[[{tag}]] was not run: ")?;
                self.invalid_body(f)?;
                self.write(f)
            }
            DiagnosticCode::Unclosed => {
                let close = self.diagnostic.tag_spec().map_or(tag, |spec| spec.word());
                write!(f, "[[{tag}]] was not run: ")?;
                match reason {
                    Some(Reason::Until) => {
                        write!(f, "its close [[/{close} ...]] with the mark of its until never came")?
                    }
                    Some(Reason::Quoted) => {
                        write!(f, "its close [[/{close}]] came only before a quote or a backtick, where it is text")?;
                    }
                    _ => write!(f, "its close [[/{close}]] never came")?,
                }
                f.write_str(", and nothing after it was read")?;
                self.write(f)
            }
            DiagnosticCode::TooLong => {
                let most = self.diagnostic.protocol.limits().body_bytes;
                write!(f, "[[{tag}]] was not run: its body is longer than {most} bytes")?;
                f.write_str(", and what follows, up to its close, was not read; in several tags")?;
                self.write_bare(f)
            }
            DiagnosticCode::OverBudget => {
                let budget = self.diagnostic.tag_spec().and_then(|spec| spec.budget_name());
                let budgets = &mut self.diagnostic.protocol.budgets();
                let max = budgets.find(|it| Some(it.name()) == budget).map_or(0, |it| it.max());
                let budget = budget.unwrap_or_default();
                write!(f, "[[{tag}]] was not run: one reply may have {max} of its kind ({budget}); in another reply")?;
                self.write_bare(f)
            }
            DiagnosticCode::OverLimit if reason == Some(Reason::Diagnostics) => {
                let most = self.diagnostic.protocol.limits().diagnostics;
                write!(f, "there are more mistakes than the {most} listed; mend these first")
            }
            DiagnosticCode::OverLimit => {
                let most = self.diagnostic.protocol.limits().tags;
                write!(
                    f,
                    "[[{tag}]] was not run, nor is any tag after it: one reply may have {most} tags; in another reply"
                )?;
                self.write_bare(f)
            }
            DiagnosticCode::TagInCode => {
                let place = match reason {
                    Some(Reason::Fence) => "a code fence",
                    Some(Reason::Quote) => "a quoted line",
                    _ => "inline code",
                };
                write!(f, "[[{tag}]] was not run, since it stands in {place}; to run it, outside of code")?;
                self.write_bare(f)
            }
            DiagnosticCode::UnclosedRegion => {
                let RecordSubject::Region(region) = self.diagnostic.subject else { return Ok(()) };
                let close = self.diagnostic.protocol.regions().nth(region.into()).map_or("", |region| region.closing());
                write!(f, "{tag} has no end, so nothing in it was read; write {close} after it")
            }
            DiagnosticCode::MalformedAttribute => Ok(()),
        }
    }

    fn stray_close(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(spec) = self.diagnostic.tag_spec() else { return Ok(()) };
        let word = spec.word();
        if self.diagnostic.follows_tag {
            write!(f, "[[/{word}]] was dropped: the body of the [[{word}]] before it ended at an earlier [[/{word}]]")?;
            f.write_str("; around a body that holds its own close")?;
            f.write_str(" write ")?;
            return write!(f, "{}", Usage { spec, extra: None, has_until: true });
        }
        if spec.has_body() {
            write!(f, "[[/{word}]] was dropped: no [[{word}]] is open")?;
        } else {
            write!(f, "[[/{word}]] was dropped: [[{word}]] has no body and needs no close")?;
        }
        self.write(f)
    }

    fn unknown_tag(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StrictDiagnostic { tag, subject, nearest, .. } = *self.diagnostic;
        match subject {
            RecordSubject::Word(_) if self.diagnostic.quote.is_empty() => {
                write!(f, "[[{tag}]] was not run: nothing says which [[{tag}]] is meant")?;
            }
            RecordSubject::Word(_) => {
                write!(f, "[[{tag}]] was not run: there is no [[{tag}]] called `{}`", self.quote)?
            }
            _ => write!(f, "[[{tag}]] was not run: there is no such tag")?,
        }
        if self.diagnostic.drops_body {
            write!(f, ", and what follows, up to [[/{tag}]], was not read")?;
        }
        if nearest.len > 0 {
            f.write_str("; write ")?;
            return self.usages(f, nearest.iter());
        }
        match subject {
            RecordSubject::Word(first) => {
                let protocol = self.diagnostic.protocol;
                let word = protocol.tag(first).word();
                let is_variant = |id: &TagId| protocol.tag(*id).word() == word;
                let variants = Names::<4>::new(self.diagnostic.granted.iter().filter(is_variant));
                f.write_str("; write ")?;
                self.usages(f, variants.iter())
            }
            _ => self.granted(f),
        }
    }

    fn not_allowed(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StrictDiagnostic { tag, role, mode, .. } = *self.diagnostic;
        write!(f, "[[{tag}]] was not run: it is not allowed")?;
        match (role, mode) {
            (Some(role), Some(mode)) => write!(f, " for role={role} mode={mode}")?,
            (Some(role), None) => write!(f, " for role={role}")?,
            (None, Some(mode)) => write!(f, " in mode={mode}")?,
            (None, None) => {}
        }
        self.dropped_body(f)?;
        self.granted(f)
    }

    fn unknown_attribute(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StrictDiagnostic { tag, severity, .. } = *self.diagnostic;
        let attribute = self.diagnostic.attribute.unwrap_or_default();
        match severity {
            Severity::Warning => write!(f, "[[{tag}]] was kept, but it has no attribute {attribute}")?,
            Severity::Error => write!(f, "[[{tag}]] was not run: it has no attribute {attribute}")?,
        }
        let Some(spec) = self.diagnostic.tag_spec() else { return Ok(()) };
        let names = spec.attribute_specs().map(|spec| spec.name());
        if names.len() > 0 {
            f.write_str(", only ")?;
            list(f, names.map(|name| (name, "")))?;
        }
        self.end_refused(f)
    }

    fn malformed(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quote = self.quote;
        let StrictDiagnostic { protocol, .. } = *self.diagnostic;
        match self.diagnostic.reason {
            Some(Reason::Token(fault)) => match fault {
                TokenFault::TooLong => {
                    let most = protocol.limits().token_bytes;
                    write!(f, "it is longer than {most} bytes, or has more than 64 attributes: `{quote}`")
                }
                TokenFault::UnclosedQuote => write!(f, "a quote is never closed: `{quote}`"),
                TokenFault::CutOff => write!(f, "the reply ended in it, after `{quote}`"),
                TokenFault::Invisible => write!(f, "an invisible character ends `{quote}`"),
                TokenFault::SmartQuote => write!(f, "the quote at the end of `{quote}` is not a \" or a '"),
                TokenFault::UnquotedValue => write!(f, "a value is not in quotes: `{quote}`"),
                TokenFault::NoArgument => write!(f, "an argument is due where `{quote}` ends"),
                TokenFault::UnexpectedArgument => write!(f, "it takes no argument after a colon: `{quote}`"),
                TokenFault::Comma => write!(f, "attributes are separated by blanks, not by commas: `{quote}`"),
                TokenFault::InnerQuote => {
                    write!(f, "a quote ends the value that it stands in, unless it is written \\\": `{quote}`")
                }
                TokenFault::NoValue => write!(f, "an attribute has no value: `{quote}`"),
                TokenFault::Unexpected => write!(f, "the last character of `{quote}` cannot stand there"),
            },
            _ => Ok(()),
        }
    }

    fn invalid_value(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.diagnostic.attribute_spec().map(|spec| spec.kind());
        match (self.diagnostic.reason, kind) {
            (Some(Reason::UnquotedValue), _) => f.write_str("is not in quotes"),
            (Some(Reason::Range), Some(AttrType::Integer { min, max })) => match (min, max) {
                (i64::MIN, max) => write!(f, "is above {max}"),
                (min, i64::MAX) => write!(f, "is below {min}"),
                (min, max) => write!(f, "is not from {min} to {max}"),
            },
            (Some(Reason::Range), Some(AttrType::Number { min, max })) => match (min, max) {
                (f64::NEG_INFINITY, max) => write!(f, "is above {max}"),
                (min, f64::INFINITY) => write!(f, "is below {min}"),
                (min, max) => write!(f, "is not from {min} to {max}"),
            },
            (_, Some(AttrType::Enum(values))) => {
                f.write_str("is none of ")?;
                list(f, values.iter().map(|value| ("\"", value)).map(|(quote, value)| (value, quote)))
            }
            (_, Some(AttrType::Integer { .. })) => f.write_str("is not a whole number"),
            (_, Some(AttrType::Number { .. })) => f.write_str("is not a number"),
            (_, Some(AttrType::Boolean)) => f.write_str("is neither true nor false"),
            (_, Some(AttrType::Path)) => {
                f.write_str("is not a path relative to the root, with / and without .. and backslashes")
            }
            _ => f.write_str("is not a mark of 1 to 64 letters, digits, _, . and -"),
        }
    }

    fn invalid_body(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (fault, kind) = match (self.diagnostic.reason, self.diagnostic.tag_spec().map(|spec| spec.body_kind())) {
            (Some(Reason::Body(fault)), Some(kind)) => (fault, kind),
            _ => return Ok(()),
        };
        let quote = self.quote;
        let ends = self.diagnostic.quote.is_empty();
        match (fault, kind) {
            (BodyFault::NotJson, _) if ends => f.write_str("its body ends before it is a JSON value"),
            (BodyFault::NotJson, _) => write!(f, "its body is not JSON from `{quote}` on"),
            (BodyFault::TooDeep, _) => f.write_str("its JSON is nested more than 128 deep"),
            (BodyFault::NoBlock, _) => f.write_str("its body has no edit block"),
            (BodyFault::BlankOld, _) => f.write_str("an edit block has no text to replace before its ==="),
            (BodyFault::NoEnd, _) => f.write_str("its last edit block has no NEW>>>"),
            (BodyFault::Order, Body::Edits) => f.write_str("the markers of its edit blocks are out of order"),
            (BodyFault::Order, _) => f.write_str("a section is closed that is not open"),
            (BodyFault::Outside, Body::Edits) => write!(f, "text stands outside of its edit blocks, from `{quote}` on"),
            (BodyFault::Outside, _) => write!(f, "text stands outside of its sections, from `{quote}` on"),
            (BodyFault::Repeated, _) => f.write_str("a section stands twice that may stand once"),
            (BodyFault::Missing, _) => f.write_str("a section is missing"),
        }
    }

    /// What else was dropped, and how to write it.
    fn end_refused(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.dropped_body(f)?;
        self.write(f)
    }

    fn dropped_body(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.diagnostic.tag_spec() {
            Some(spec) if self.diagnostic.drops_body => {
                write!(f, ", and what follows, up to [[/{}]], was not read", spec.word())
            }
            _ => Ok(()),
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(";")?;
        self.write_bare(f)
    }

    fn write_bare(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(spec) = self.diagnostic.tag_spec() else { return Ok(()) };
        let extra = self.diagnostic.attribute_spec().filter(|extra| !extra.is_required());
        let is_about_until =
            self.diagnostic.attribute == Some("until") || self.diagnostic.reason == Some(Reason::Until);
        let has_until = is_about_until && spec.has_body();
        write!(f, " write {}", Usage { spec, extra, has_until })?;
        match self.diagnostic.code {
            DiagnosticCode::InvalidBody if spec.body_kind() == Body::Edits => {
                f.write_str(" with <<<OLD, === and NEW>>> on lines of their own")
            }
            _ => Ok(()),
        }
    }

    fn usages(&self, f: &mut fmt::Formatter<'_>, ids: impl ExactSizeIterator<Item = TagId>) -> fmt::Result {
        for (i, id) in ids.enumerate() {
            let spec = self.diagnostic.protocol.tag(id);
            write!(f, "{}{}", if i == 0 { "" } else { " or " }, Usage { spec, extra: None, has_until: false })?;
        }
        Ok(())
    }

    /// The tags that are allowed.
    fn granted(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StrictDiagnostic { granted, granted_count, protocol, .. } = self.diagnostic;
        if granted.len == 0 {
            return f.write_str("; write no tags");
        }
        f.write_str("; write ")?;
        for (i, id) in granted.iter().enumerate() {
            f.write_str(if i == 0 { "[[" } else { " or [[" })?;
            opening(f, &protocol.tag(id))?;
            f.write_str("]]")?;
        }
        match granted_count - granted.len {
            0 => Ok(()),
            more => write!(f, " or one of {more} more"),
        }
    }
}

/// How a tag is written: with its selector, what it requires, and its body.
struct Usage<'a> {
    spec: TagSpec<'a>,
    /// An attribute that is not required, but that a diagnostic is about.
    extra: Option<AttrSpec<'a>>,
    has_until: bool,
}

impl fmt::Display for Usage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Usage { spec, extra, has_until } = self;
        f.write_str("[[")?;
        opening(f, spec)?;
        for attribute in spec.attribute_specs().filter(|it| it.is_required()).chain(*extra) {
            write!(f, " {}=\"{}\"", attribute.name(), sample(&attribute))?;
        }
        if !spec.has_body() {
            return f.write_str("/]]");
        }
        f.write_str(if *has_until { " until=\"END\"]]" } else { "]]" })?;
        match spec.body_kind() {
            Body::Json => f.write_str("{...}")?,
            Body::Sections => {
                for section in spec.section_specs().filter(|it| it.is_required()) {
                    write!(f, "[[{}]]...", section.name())?;
                }
            }
            _ => f.write_str("...")?,
        }
        write!(f, "[[/{}{}]]", spec.word(), if *has_until { " END" } else { "" })
    }
}

/// The word of a tag, and what selects it.
fn opening(f: &mut fmt::Formatter<'_>, spec: &TagSpec<'_>) -> fmt::Result {
    f.write_str(spec.word())?;
    let selector = spec.selector().unwrap_or_default();
    match spec.selection() {
        Some(Select::Argument) => write!(f, ":{selector}"),
        Some(Select::Attribute(name)) => write!(f, " {name}=\"{selector}\""),
        None => Ok(()),
    }
}

/// A value as it may be written.
fn sample(attribute: &AttrSpec<'_>) -> String {
    match attribute.kind() {
        AttrType::Integer { min, max } => 1_i64.clamp(min, max).to_string(),
        AttrType::Number { min, max } => 1_f64.clamp(min, max).to_string(),
        AttrType::Boolean => "true".into(),
        AttrType::Enum(values) => values.iter().next().unwrap_or("...").into(),
        _ => "...".into(),
    }
}

/// Items, each between two `quotes`: `a, b and c`.
fn list<'a>(f: &mut fmt::Formatter<'_>, items: impl ExactSizeIterator<Item = (&'a str, &'a str)>) -> fmt::Result {
    let count = items.len();
    for (i, (item, quote)) in items.enumerate() {
        let before = match i {
            0 => "",
            _ if i + 1 == count => " and ",
            _ => ", ",
        };
        write!(f, "{before}{quote}{item}{quote}")?;
    }
    Ok(())
}
