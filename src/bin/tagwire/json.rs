//! Lines of JSON: the library's shapes, with what a command adds to them.

use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::sync::LazyLock;

use serde::Serialize;
use serde::ser::{SerializeStruct as _, Serializer};
use serde_json::ser::Formatter;
use serde_json::value::RawValue;
use tagwire::serialize::{REPLY_FIELDS, ReplyParts, Tiles, reply_fields};
use tagwire::{Escaped, Tag};

use crate::failure::Failure;
use crate::views::{Reading, view};

/// Which characters of a string are escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escapes {
    /// Those that JSON needs.
    Needed,
    /// Those that act on a terminal, show as nothing or turn the direction of writing, too.
    Deceptive,
}

impl Escapes {
    /// The escapes for an output that may be a terminal.
    pub(crate) fn for_output(is_terminal: bool) -> Self {
        if is_terminal { Escapes::Deceptive } else { Escapes::Needed }
    }

    pub(crate) fn for_stdout() -> Self {
        static STDOUT: LazyLock<Escapes> = LazyLock::new(|| Escapes::for_output(io::stdout().is_terminal()));
        *STDOUT
    }
}

/// Writes `value` and a newline to `out`.
pub(crate) fn write_line(out: &mut impl Write, escapes: Escapes, value: &impl Serialize) -> io::Result<()> {
    match escapes {
        Escapes::Needed => serde_json::to_writer(&mut *out, value)?,
        Escapes::Deceptive => {
            value.serialize(&mut serde_json::Serializer::with_formatter(&mut *out, VisibleFormatter))?;
        }
    }
    out.write_all(b"\n")
}

/// Appends `value` and a newline to `out`, which will be written to standard output.
pub(crate) fn push_line(out: &mut Vec<u8>, value: &impl Serialize) {
    write_line(out, Escapes::for_stdout(), value).expect("a Vec takes all, and all keys are strings");
}

/// Writes `value` and a newline to standard output, without holding all of it in memory.
pub(crate) fn print_line(value: &impl Serialize) -> Result<(), Failure> {
    let mut stdout = BufWriter::with_capacity(64 << 10, io::stdout().lock());
    let written = write_line(&mut stdout, Escapes::for_stdout(), value);
    written.and_then(|()| stdout.flush()).map_err(|error| Failure::of_stdout(&error))
}

/// Writes `lines` to standard output at once.
pub(crate) fn print(lines: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(lines).and_then(|()| stdout.flush()).map_err(|error| Failure::of_stdout(&error))
}

/// `{"id"?, "tags", "errors", "diagnostics", "prose", "tiles"?}`.
pub(crate) struct ReplyLine<'r, 't, R> {
    pub(crate) id: Option<&'r RawValue>,
    pub(crate) reply: &'r R,
    pub(crate) tiles: Option<Tiles<'t>>,
    /// Whether the tags are those of the preset, which have views.
    pub(crate) has_views: bool,
}

impl<'t, R: ReplyParts<'t>> Serialize for ReplyLine<'_, 't, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Reply", 2 + REPLY_FIELDS)?;
        if let Some(id) = self.id {
            object.serialize_field("id", id)?;
        }
        reply_fields(self.reply, |tag| TagWithView::new(tag, self.has_views), &mut object)?;
        if let Some(tiles) = &self.tiles {
            object.serialize_field("tiles", tiles)?;
        }
        object.end()
    }
}

/// The fields of a tag, and `"view"`.
#[derive(Serialize)]
pub(crate) struct TagWithView<'t> {
    #[serde(flatten)]
    tag: Tag<'t>,
    view: Option<Reading<'t>>,
}

impl<'t> TagWithView<'t> {
    /// The view is null without views.
    pub(crate) fn new(tag: Tag<'t>, has_views: bool) -> Self {
        let view = if has_views { view(&tag) } else { None };
        TagWithView { tag, view }
    }
}

/// `"event"`, and the fields of the event.
#[derive(Serialize)]
pub(crate) struct AsEvent<T> {
    event: &'static str,
    #[serde(flatten)]
    about: T,
}

impl<T> AsEvent<T> {
    pub(crate) fn new(event: &'static str, about: T) -> Self {
        AsEvent { event, about }
    }
}

/// Writes compact JSON, with [`Escapes::Deceptive`].
struct VisibleFormatter;

impl Formatter for VisibleFormatter {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        write_visible(out, fragment)
    }

    fn write_raw_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        write_visible(out, fragment)
    }
}

/// Writes a part of a string, or a value as it was written. Characters to be escaped occur only inside of strings, but for
/// the ends of lines, which are white space between the parts of a value.
fn write_visible<W: ?Sized + Write>(out: &mut W, text: &str) -> io::Result<()> {
    let (mut plain, mut end) = (0, 0);
    for shown in Escaped::line(text).chars() {
        let c = shown.as_char();
        if shown.char_count() > 1 {
            out.write_all(&text.as_bytes()[plain..end])?;
            match c {
                '\n' | '\r' => out.write_all(b" ")?,
                _ => c.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(out, "\\u{unit:04x}"))?,
            }
            plain = end + c.len_utf8();
        }
        end += c.len_utf8();
    }
    out.write_all(&text.as_bytes()[plain..])
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn line(escapes: Escapes, value: &impl Serialize) -> String {
        let mut out = Vec::new();
        write_line(&mut out, escapes, value).expect("a Vec takes all");
        String::from_utf8(out).expect("JSON is text")
    }

    const HOSTILE: &str = "a\0\u{7}\u{1b}[2J\n\r\t\"\\\u{7f}\u{80}\u{85}\u{9b}31m\u{9f}\u{ad}\u{61c}\u{200b}\u{200e}\u{200f}\
        \u{2028}\u{2029}\u{202a}\u{202e}\u{2060}\u{2066}\u{2069}\u{feff}\u{e0001}\u{e0041}é日\u{1f600}z";

    #[test]
    fn a_terminal_gets_the_same_value_without_characters_that_deceive() {
        let shown = line(Escapes::Deceptive, &HOSTILE);
        assert_eq!(serde_json::from_str::<Value>(&shown).expect("it is JSON"), HOSTILE);
        let expected =
            r#""a\u0000\u0007\u001b[2J\n\r\t\"\\\u007f\u0080\u0085\u009b31m\u009f\u00ad\u061c\u200b\u200e\u200f"#
                .to_owned()
                + r#"\u2028\u2029\u202a\u202e\u2060\u2066\u2069\ufeff\udb40\udc01\udb40\udc41é日😀z""#;
        assert_eq!(shown.trim_end(), expected);
    }

    #[test]
    fn a_pipe_gets_what_json_needs() {
        let shown = line(Escapes::Needed, &HOSTILE);
        assert_eq!(shown.trim_end(), serde_json::to_string(HOSTILE).expect("it is text"));
        assert!(shown.contains("\u{7f}\u{80}") && shown.contains("\u{202e}"), "{shown}");
    }

    #[test]
    fn an_id_as_it_was_written_is_shown_safely_too() {
        let written = "{\"a\u{202e}\\u001b\":\r[\"\u{9b}\", 1.50]}";
        let id = RawValue::from_string(written.to_owned()).expect("it is JSON");
        let shown = line(Escapes::Deceptive, &id);
        assert_eq!(shown, "{\"a\\u202e\\u001b\": [\"\\u009b\", 1.50]}\n");
        assert_eq!(line(Escapes::Needed, &id), format!("{written}\n"));
    }
}
