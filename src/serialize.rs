//! What is read out of a reply, as serde writes it: the shapes of the command line's JSON, but for views.

use core::fmt;

use serde::ser::{Serialize, SerializeSeq as _, SerializeStruct, Serializer};

use crate::attrs::Attrs;
use crate::diagnostic::{Code, Diagnostic, Name, OwnedDiagnostic};
use crate::event::{Event, OwnedEvent, OwnedTag, Span, Tag};
use crate::line_index::{LineColumn, LineIndex};
use crate::reply::Reply;
use crate::tag_error::TagError;
use crate::workforce::edit::{EditBlock, EditBlocks};

/// `{"tags", "errors", "diagnostics", "prose"}`; each diagnostic has its line and column too.
impl Serialize for Reply<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut reply = serializer.serialize_struct("Reply", 4)?;
        reply.serialize_field("tags", self.tags())?;
        reply.serialize_field("errors", &Errors(self))?;
        reply.serialize_field("diagnostics", &Located(self))?;
        reply.serialize_field("prose", &self.prose())?;
        reply.end()
    }
}

struct Errors<'r, 't>(&'r Reply<'t>);

impl Serialize for Errors<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.errors().map(Line))
    }
}

struct Located<'r, 't>(&'r Reply<'t>);

impl Serialize for Located<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut lines = LineIndex::new(self.0.text());
        let mut diagnostics = serializer.serialize_seq(Some(self.0.diagnostics().len()))?;
        for diagnostic in self.0.diagnostics() {
            let at = lines.locate(diagnostic.span().start);
            diagnostics.serialize_element(&WithPlace(diagnostic, at))?;
        }
        diagnostics.end()
    }
}

/// A diagnostic as a reply writes it, with its line and column.
struct WithPlace<'d, 't>(&'d Diagnostic<'t>, LineColumn);

impl Serialize for WithPlace<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let WithPlace(diagnostic, at) = self;
        let mut fields = serializer.serialize_struct("Diagnostic", 6)?;
        fields.serialize_field("code", &diagnostic.code())?;
        fields.serialize_field("tag", &diagnostic.tag())?;
        fields.serialize_field("span", &diagnostic.span())?;
        fields.serialize_field("line", &at.line)?;
        fields.serialize_field("column", &at.column)?;
        fields.serialize_field("message", &Line(diagnostic))?;
        fields.end()
    }
}

/// Serializes what prints, without a string of its own.
struct Line<T>(T);

impl<T: fmt::Display> Serialize for Line<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// `{"event": "prose", "text", "span"}`, `{"event": "tag", ...}`, `{"event": "dropped", "span"}` or `{"event": "error", ...}`.
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
                let mut fields = serializer.serialize_struct("Event", 6)?;
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
            Event::Diagnostic(diagnostic) => {
                let mut fields = serializer.serialize_struct("Event", 5)?;
                fields.serialize_field("event", "error")?;
                diagnostic_fields(diagnostic.code(), &diagnostic.tag(), diagnostic.span(), diagnostic, &mut fields)?;
                fields.end()
            }
        }
    }
}

/// As [`Event`].
impl Serialize for OwnedEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            OwnedEvent::Prose { text, span } => Event::Prose { text, span: *span }.serialize(serializer),
            OwnedEvent::Tag(tag) => Event::Tag(tag.as_tag()).serialize(serializer),
            OwnedEvent::Dropped { span } => Event::Dropped { span: *span }.serialize(serializer),
            OwnedEvent::Diagnostic(diagnostic) => {
                let mut fields = serializer.serialize_struct("Event", 5)?;
                fields.serialize_field("event", "error")?;
                diagnostic_fields(diagnostic.code(), &diagnostic.tag(), diagnostic.span(), diagnostic, &mut fields)?;
                fields.end()
            }
        }
    }
}

/// `{"name", "attrs", "body", "raw", "span"}`.
impl Serialize for Tag<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Tag", 5)?;
        tag_fields(self, &mut fields)?;
        fields.end()
    }
}

fn tag_fields<F: SerializeStruct>(tag: &Tag<'_>, fields: &mut F) -> Result<(), F::Error> {
    fields.serialize_field("name", tag.name())?;
    fields.serialize_field("attrs", &tag.attrs())?;
    fields.serialize_field("body", tag.body())?;
    fields.serialize_field("raw", tag.raw())?;
    fields.serialize_field("span", &tag.span())
}

/// As [`Tag`].
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

/// `{"code", "tag", "span", "message"}`: without line and column, which take the whole text.
impl Serialize for Diagnostic<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Diagnostic", 4)?;
        diagnostic_fields(self.code(), &self.tag(), self.span(), self, &mut fields)?;
        fields.end()
    }
}

/// As [`Diagnostic`].
impl Serialize for OwnedDiagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Diagnostic", 4)?;
        diagnostic_fields(self.code(), &self.tag(), self.span(), self, &mut fields)?;
        fields.end()
    }
}

fn diagnostic_fields<F: SerializeStruct>(
    code: Code,
    tag: &Option<impl Serialize>,
    span: Span,
    message: &dyn fmt::Display,
    fields: &mut F,
) -> Result<(), F::Error> {
    fields.serialize_field("code", &code)?;
    fields.serialize_field("tag", tag)?;
    fields.serialize_field("span", &span)?;
    fields.serialize_field("message", &Line(message))
}

/// `[start, end]`.
impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.start, self.end].serialize(serializer)
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// In upper case.
impl Serialize for Name<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// `{"error"}`.
impl Serialize for TagError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut error = serializer.serialize_struct("TagError", 1)?;
        error.serialize_field("error", &Line(self))?;
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
