//! The JSON that is written: a reply, and what has the same fields as an event of a stream.
//!
//! Written by hand and not by serde: the strings are nearly all of the work, and a body stands in its tag's `raw` too, where
//! its escaped form is copied. `batch` is half as fast again for it.

mod writer;

use std::io::{self, Write as _};

use serde_json::value::RawValue;
use tagwire::{Diagnostic, LineColumn, LineCounter, Reply, Tag};

pub(crate) use self::writer::Object;
use self::writer::{list, push_printed, push_string, push_string_with};
use crate::failure::Failure;
use crate::views::view;

/// Writes `lines` to standard output at once.
pub(crate) fn print(lines: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(lines).and_then(|()| stdout.flush()).map_err(|error| Failure::of_stdout(&error))
}

/// `{"id"?, "tags", "errors", "diagnostics", "prose"}`, and a newline.
pub(crate) fn push_reply(out: &mut Vec<u8>, id: Option<&RawValue>, reply: &Reply<'_>) {
    let mut line = Object::begin(out);
    if let Some(id) = id {
        line.key("id").extend_from_slice(id.get().as_bytes());
    }
    list(line.key("tags"), reply.tags(), |out, tag| {
        let mut fields = Object::begin(out);
        tag_fields(tag, &mut fields);
        fields.end();
    });
    list(line.key("errors"), reply.errors(), |out, error| push_printed(out, &error));
    let mut lines = LineCounter::new(reply.text());
    list(line.key("diagnostics"), reply.diagnostics(), |out, diagnostic| {
        let mut fields = Object::begin(out);
        diagnostic_fields(diagnostic, lines.locate(diagnostic.span().start), &mut fields);
        fields.end();
    });
    push_string(line.key("prose"), reply.prose_parts());
    line.end_line();
}

/// `"name", "attrs", "body", "raw", "span", "view"`.
pub(crate) fn tag_fields(tag: &Tag<'_>, fields: &mut Object<'_>) {
    fields.string("name", tag.name());
    let mut attrs = Object::begin(fields.key("attrs"));
    // Their keys are words, which nothing has to be escaped in.
    tag.attrs().iter().for_each(|(key, value)| attrs.string(key, value));
    attrs.end();
    let out = fields.key("body");
    let start = out.len() + 1;
    push_string(out, [tag.body()]);
    let body = start..out.len() - 1;
    push_string_with(fields.key("raw"), tag.raw(), tag.body(), body);
    fields.value("span", &tag.span());
    fields.value("view", &view(tag));
}

/// `"code", "tag", "span", "line", "column", "message"`.
pub(crate) fn diagnostic_fields(diagnostic: &Diagnostic<'_>, at: LineColumn, fields: &mut Object<'_>) {
    fields.string("code", diagnostic.code().as_str());
    match diagnostic.tag() {
        Some(name) => push_printed(fields.key("tag"), &name),
        None => fields.value("tag", &()),
    }
    fields.value("span", &diagnostic.span());
    fields.value("line", &at.line);
    fields.value("column", &at.column);
    push_printed(fields.key("message"), diagnostic);
}
