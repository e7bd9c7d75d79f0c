//! JSON for a terminal: characters that deceive a reader are written as `\u202e`.
//!
//! The values are the same as those of the JSON on a pipe, which has no more escapes than JSON needs.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use tagwire::is_deceptive;

/// Writes `value` to `out`.
pub(crate) fn write(out: &mut impl io::Write, value: &impl Serialize) -> io::Result<()> {
    Ok(value.serialize(&mut Serializer::with_formatter(out, TerminalFormatter))?)
}

/// Compact JSON. A piece of a string between two escapes counts as a text of its own, so a joiner at its edge is escaped.
#[derive(Clone, Copy, Debug)]
struct TerminalFormatter;

impl Formatter for TerminalFormatter {
    fn write_string_fragment<W: io::Write + ?Sized>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut written = 0;
        for (at, c) in fragment.char_indices() {
            let end = at + c.len_utf8();
            if is_deceptive(&fragment[..at], c, &fragment[end..]) {
                writer.write_all(&fragment.as_bytes()[written..at])?;
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(writer, "\\u{unit:04x}")?;
                }
                written = end;
            }
        }
        writer.write_all(&fragment.as_bytes()[written..])
    }

    /// JSON as it was read, such as an `id`. A control character in it is white space between values, and becomes a space.
    fn write_raw_fragment<W: io::Write + ?Sized>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        self.write_string_fragment(writer, &fragment.replace(['\t', '\n', '\r'], " "))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;
    use serde_json::{Value, json};

    use super::write;

    fn shown(value: &impl serde::Serialize) -> String {
        let mut out = Vec::new();
        write(&mut out, value).expect("a Vec takes everything");
        String::from_utf8(out).expect("it is text")
    }

    #[test]
    fn what_deceives_is_escaped_in_values_and_keys() {
        let value = json!({"\u{202e}k": "a\u{1b}[2J\n\u{7f}\u{9b}\u{85}\u{200b}\u{2028}\u{feff}\u{e0041}\u{34f}é🙂"});
        let expected = r#"{"\u202ek":"a\u001b[2J\n\u007f\u009b\u0085\u200b\u2028\ufeff\udb40\udc41\u034fé🙂"}"#;
        assert_eq!(shown(&value), expected);
        assert_eq!(serde_json::from_str::<Value>(expected).expect("it is JSON"), value);
    }

    #[test]
    fn words_and_emoji_stay() {
        let value = json!("نمی\u{200c}خواهم 👩\u{200d}🔬 ❤\u{fe0f} \u{200d}x y\u{fe0f}\u{fe0f}");
        let expected = "\"نمی\u{200c}خواهم 👩\u{200d}🔬 ❤\u{fe0f} \\u200dx y\u{fe0f}\\ufe0f\"";
        assert_eq!(shown(&value), expected);
    }

    #[test]
    fn json_as_it_was_read_stays_the_same_value() {
        let raw = RawValue::from_string("[\t\"\u{202e}\u{7f}\",\r1e999]".to_owned()).expect("it is JSON");
        assert_eq!(shown(&raw), "[ \"\\u202e\\u007f\", 1e999]");
    }
}
