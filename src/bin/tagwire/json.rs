//! The shapes of the JSON, for serde: as the library's, with what a command adds to them.

use std::fmt;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::LazyLock;

use serde::ser::{Serialize, SerializeSeq as _, SerializeStruct, Serializer};
use serde_json::value::RawValue;
use tagwire::{Diagnostic, LineColumn, LineIndex, Reply, Tag};

use crate::failure::Failure;
use crate::json_terminal;
use crate::views::view;

/// Appends `value` and a newline to `out`, which goes to standard output.
pub(crate) fn push_line(out: &mut Vec<u8>, value: &impl Serialize) {
    static IS_TERMINAL: LazyLock<bool> = LazyLock::new(|| io::stdout().is_terminal());
    let written = match *IS_TERMINAL {
        true => json_terminal::write(out, value),
        false => serde_json::to_writer(&mut *out, value).map_err(io::Error::from),
    };
    written.expect("a Vec takes all, and all keys are strings");
    out.push(b'\n');
}

/// Writes `lines` to standard output at once.
pub(crate) fn print(lines: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(lines).and_then(|()| stdout.flush()).map_err(|error| Failure::of_stdout(&error))
}

/// `{"id"?, "tags", "errors", "diagnostics", "prose"}`.
pub(crate) struct ReplyLine<'r, 't> {
    pub(crate) id: Option<&'r RawValue>,
    pub(crate) reply: &'r Reply<'t>,
}

impl Serialize for ReplyLine<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ReplyLine { id, reply } = self;
        let mut fields = serializer.serialize_struct("Reply", 5)?;
        if let Some(id) = id {
            fields.serialize_field("id", id)?;
        }
        fields.serialize_field("tags", &Tags(reply.tags()))?;
        fields.serialize_field("errors", &Errors(reply))?;
        fields.serialize_field("diagnostics", &Diagnostics(reply))?;
        fields.serialize_field("prose", &Text(Prose(reply)))?;
        fields.end()
    }
}

struct Tags<'r, 't>(&'r [Tag<'t>]);

impl Serialize for Tags<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(InReply))
    }
}

struct Errors<'r, 't>(&'r Reply<'t>);

impl Serialize for Errors<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.errors().map(Text))
    }
}

struct Diagnostics<'r, 't>(&'r Reply<'t>);

impl Serialize for Diagnostics<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let diagnostics = self.0.diagnostics();
        let mut lines = LineIndex::new(self.0.text());
        let mut list = serializer.serialize_seq(Some(diagnostics.len()))?;
        for diagnostic in diagnostics {
            let at = lines.locate(diagnostic.span().start);
            list.serialize_element(&InReply((diagnostic, at)))?;
        }
        list.end()
    }
}

/// The prose of a reply, without being copied together.
struct Prose<'r, 't>(&'r Reply<'t>);

impl fmt::Display for Prose<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.prose_parts().try_for_each(|part| f.write_str(part))
    }
}

/// What prints, as a string.
struct Text<T>(T);

impl<T: fmt::Display> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// What has the same fields in a reply and as an event of its own.
pub(crate) trait Fields {
    const COUNT: usize;

    fn write_to<F: SerializeStruct>(&self, fields: &mut F) -> Result<(), F::Error>;
}

/// `"name", "attrs", "body", "raw", "span", "view"`.
impl Fields for &Tag<'_> {
    const COUNT: usize = 6;

    fn write_to<F: SerializeStruct>(&self, fields: &mut F) -> Result<(), F::Error> {
        fields.serialize_field("name", self.name())?;
        fields.serialize_field("attrs", &self.attrs())?;
        fields.serialize_field("body", self.body())?;
        fields.serialize_field("raw", self.raw())?;
        fields.serialize_field("span", &self.span())?;
        fields.serialize_field("view", &view(self))
    }
}

/// `"code", "tag", "span", "line", "column", "message"`.
impl Fields for (&Diagnostic<'_>, LineColumn) {
    const COUNT: usize = 6;

    fn write_to<F: SerializeStruct>(&self, fields: &mut F) -> Result<(), F::Error> {
        let (diagnostic, at) = self;
        fields.serialize_field("code", &diagnostic.code())?;
        fields.serialize_field("tag", &diagnostic.tag())?;
        fields.serialize_field("span", &diagnostic.span())?;
        fields.serialize_field("line", &at.line)?;
        fields.serialize_field("column", &at.column)?;
        fields.serialize_field("message", &Text(diagnostic))
    }
}

/// The fields alone, in the list of a reply.
struct InReply<T>(T);

impl<T: Fields> Serialize for InReply<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("", T::COUNT)?;
        self.0.write_to(&mut fields)?;
        fields.end()
    }
}

/// `{"event": ..., the fields}`.
pub(crate) struct AsEvent<T>(pub(crate) &'static str, pub(crate) T);

impl<T: Fields> Serialize for AsEvent<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let AsEvent(event, of) = self;
        let mut fields = serializer.serialize_struct("", T::COUNT + 1)?;
        fields.serialize_field("event", event)?;
        of.write_to(&mut fields)?;
        fields.end()
    }
}
