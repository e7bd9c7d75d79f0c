//! From the text of a body to the events in it.
//!
//! Written for what servers send, not only for what the standard of event streams has: events without the blank line between, JSON
//! outside of a field, lines that belong to no event stream. A reader of the standard skips all of these, and the answer or the error
//! in them is lost without a word.

use alloc::borrow::Cow;
use alloc::string::String;
use core::mem;

use memchr::memchr2;

/// Something in the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item<'t> {
    /// An event, with the name `""` if it has none.
    Event { name: &'t str, data: &'t str },
    /// JSON that stands alone in a line, or in several.
    Json(&'t str),
    /// The value of a field `error`.
    Failure(&'t str),
    /// A line of no event stream.
    Stray(&'t str),
    /// A field that is not known.
    UnknownField(&'t str),
}

/// An event is longer than allowed.
#[derive(Debug)]
pub(super) struct TooLong;

/// Splits text, cut anywhere, into lines. A line ends with LF, CR, or CRLF.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    /// The start of the line that has not ended.
    line: String,
    is_after_cr: bool,
}

impl Lines {
    /// Takes the next line out of `text`. `None` when `text` is used up, of which the start of a line is kept.
    pub(super) fn next<'t>(&mut self, text: &mut &'t str) -> Option<Cow<'t, str>> {
        if !text.is_empty() && mem::take(&mut self.is_after_cr) {
            *text = text.strip_prefix('\n').unwrap_or(text);
        }
        let Some(end) = memchr2(b'\n', b'\r', text.as_bytes()) else {
            // A comment may be as long as it likes.
            if !self.line.starts_with(':') {
                self.line.push_str(text);
            }
            *text = "";
            return None;
        };
        let (line, rest) = text.split_at(end);
        self.is_after_cr = rest.starts_with('\r');
        *text = &rest[1..];
        if self.line.is_empty() {
            return Some(Cow::Borrowed(line));
        }
        self.line.push_str(line);
        Some(Cow::Owned(self.last()))
    }

    /// The line that the end of the body ends.
    pub(super) fn last(&mut self) -> String {
        mem::take(&mut self.line)
    }

    /// The length in bytes of the line that has not ended; 0 for a comment.
    pub(super) fn pending(&self) -> usize {
        if self.line.starts_with(':') { 0 } else { self.line.len() }
    }
}

/// Puts lines together to events.
#[derive(Clone, Debug)]
pub(super) struct Events {
    max: usize,
    name: String,
    /// The name of the next event, where its line may as well belong to this one.
    late_name: Option<String>,
    data: Option<Text>,
    /// JSON outside of a field that has not ended.
    json: Option<Text>,
}

impl Events {
    /// `max` is the longest event, in bytes.
    pub(super) fn new(max: usize) -> Self {
        Events { max, name: String::new(), late_name: None, data: None, json: None }
    }

    pub(super) fn max(&self) -> usize {
        self.max
    }

    /// Whether a line of so many bytes, without its end, is too long for an event.
    pub(super) fn is_too_long(&self, line: usize) -> bool {
        line > self.max.saturating_add(LONGEST_FIELD_NAME)
    }

    /// Takes a line, without its end, and gives what ends with it to `take`.
    pub(super) fn line<E: From<TooLong>>(
        &mut self,
        line: &str,
        take: &mut dyn FnMut(Item<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if line.starts_with(':') {
            return Ok(());
        }
        if self.is_too_long(line.len()) {
            return Err(TooLong.into());
        }
        // Servers that write each event as a file of its own begin each with a byte-order mark.
        let trimmed = line.trim_start_matches(|c: char| c == '\u{FEFF}' || c.is_whitespace());
        if let Some(mut json) = self.json.take() {
            if !is_of_event(trimmed) {
                return self.json_line(json, line, take);
            }
            // No line within JSON begins so: what looked like its start was none.
            take(Item::Stray(mem::take(&mut json.text).trim()))?;
        }
        if trimmed.is_empty() {
            return self.dispatch(take);
        }
        match field(trimmed) {
            Some(("data", value)) => self.data_line(value, take),
            Some(("event", name)) => {
                let is_next = self.data.as_mut().is_some_and(Text::is_whole);
                if is_next {
                    self.late_name = Some(name.into());
                } else {
                    self.name = name.into();
                }
                Ok(())
            }
            Some(("id" | "retry", _)) => Ok(()),
            Some(("error", value)) => {
                self.dispatch(take)?;
                take(Item::Failure(value.trim()))
            }
            _ if trimmed == "[DONE]" => {
                self.dispatch(take)?;
                take(Item::Event { name: "", data: trimmed })
            }
            _ if trimmed.starts_with(['{', '[']) => {
                self.dispatch(take)?;
                self.json_line(Text::default(), trimmed, take)
            }
            Some(_) => take(Item::UnknownField(line)),
            None => take(Item::Stray(line)),
        }
    }

    /// The end of the body. `line` is the last one, which has no end.
    pub(super) fn finish<E: From<TooLong>>(
        &mut self,
        line: &str,
        take: &mut dyn FnMut(Item<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let is_start_of_field = ["data", "event", "id", "retry", "error"].iter().any(|field| field.starts_with(line));
        if !line.is_empty() && !is_start_of_field {
            self.line(line, take)?;
        }
        self.dispatch(take)?;
        match self.json.take() {
            Some(json) => take(Item::Json(&json.text)),
            None => Ok(()),
        }
    }

    fn data_line<E: From<TooLong>>(
        &mut self,
        value: &str,
        take: &mut dyn FnMut(Item<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if !value.trim().is_empty() && self.data.as_mut().is_some_and(Text::is_whole) {
            // An event that lacks its blank line.
            let late_name = self.late_name.take();
            self.dispatch(take)?;
            self.name = late_name.unwrap_or_default();
        }
        let data = self.data.get_or_insert_default();
        data.push_line(value);
        if data.text.len() > self.max { Err(TooLong.into()) } else { Ok(()) }
    }

    /// The end of an event, if there is one.
    fn dispatch<E>(&mut self, take: &mut dyn FnMut(Item<'_>) -> Result<(), E>) -> Result<(), E> {
        let name = mem::take(&mut self.name);
        let name = self.late_name.take().unwrap_or(name);
        match self.data.take() {
            Some(data) => take(Item::Event { name: &name, data: &data.text }),
            // An error needs no data.
            None if name == "error" => take(Item::Event { name: &name, data: "" }),
            None => Ok(()),
        }
    }

    /// Adds a line to JSON outside of a field, and gives each value that ends in it.
    fn json_line<E: From<TooLong>>(
        &mut self,
        mut json: Text,
        line: &str,
        take: &mut dyn FnMut(Item<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        json.push_line(line);
        if json.text.len() > self.max {
            return Err(TooLong.into());
        }
        while let Some(end) = json.end() {
            let rest = json.text.split_off(end);
            take(Item::Json(&json.text))?;
            // Some servers put several in a line, or the commas of a list between them.
            let rest = rest.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
            if !rest.starts_with(['{', '[']) {
                return if rest.trim().is_empty() { Ok(()) } else { take(Item::Stray(line)) };
            }
            json = Text::default();
            json.push_line(rest);
        }
        self.json = Some(json);
        Ok(())
    }
}

/// The longest name of a field that is read, and the colon and the blank after it.
const LONGEST_FIELD_NAME: usize = "event: ".len();

/// Splits a line into the name of its field and the value. The names of fields that are known are in lower case.
fn field(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':').unwrap_or((line, ""));
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    let known = ["data", "event", "id", "retry", "error"].into_iter().find(|known| known.eq_ignore_ascii_case(name));
    Some((known.unwrap_or(name), value.strip_prefix(' ').unwrap_or(value)))
}

/// Whether a line is a field of an event, which no line within JSON is: that would begin with a quote.
fn is_of_event(line: &str) -> bool {
    line.contains(':') && matches!(field(line), Some(("data" | "event" | "id" | "retry" | "error", _)))
}

/// Lines that may be a JSON value, and how far that was looked at.
#[derive(Clone, Debug, Default)]
struct Text {
    text: String,
    has_line: bool,
    /// How many bytes were looked at: no more than the value has.
    seen: usize,
    /// How many brackets are open.
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
    /// Whether all brackets are closed.
    is_closed: bool,
}

impl Text {
    fn push_line(&mut self, line: &str) {
        if self.has_line {
            self.text.push('\n');
        }
        self.has_line = true;
        self.text.push_str(line);
    }

    /// Where the first value ends, if it is a list or an object and has ended.
    fn end(&mut self) -> Option<usize> {
        // Brackets and quotes are ASCII, so no byte of another character is one.
        for &byte in &self.text.as_bytes()[self.seen..] {
            if self.is_closed {
                break;
            }
            self.seen += 1;
            match byte {
                _ if mem::take(&mut self.is_escaped) => {}
                b'\\' if self.is_in_string => self.is_escaped = true,
                b'"' => self.is_in_string = !self.is_in_string,
                _ if self.is_in_string => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.is_closed = self.depth == 0;
                }
                _ => {}
            }
        }
        self.is_closed.then_some(self.seen)
    }

    /// Whether it is a list or an object, or `[DONE]`, and nothing else.
    fn is_whole(&mut self) -> bool {
        self.text.trim_start().starts_with(['{', '['])
            && self.end().is_some_and(|end| self.text[end..].trim().is_empty())
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::ToString as _;
    use alloc::vec::Vec;

    use super::*;

    impl From<TooLong> for &'static str {
        fn from(_: TooLong) -> Self {
            "too long"
        }
    }

    fn items(body: &str, step: usize, max: usize) -> Vec<String> {
        let mut items = Vec::new();
        let mut take = |item: Item<'_>| {
            items.push(match item {
                Item::Event { name, data } => format!("event {name}|{data}"),
                Item::Json(json) => format!("json {json}"),
                Item::Failure(message) => format!("failure {message}"),
                Item::Stray(line) => format!("stray {line}"),
                Item::UnknownField(line) => format!("unknown {line}"),
            });
            Ok(())
        };
        let mut lines = Lines::default();
        let mut events = Events::new(max);
        let mut all = || -> Result<(), &'static str> {
            for piece in body.as_bytes().chunks(step) {
                let mut piece = core::str::from_utf8(piece).expect("ASCII");
                while let Some(line) = lines.next(&mut piece) {
                    events.line(&line, &mut take)?;
                }
                if events.is_too_long(lines.pending()) {
                    return Err("too long");
                }
            }
            events.finish(&lines.last(), &mut take)
        };
        if let Err(error) = all() {
            items.push(error.to_string());
        }
        items
    }

    #[track_caller]
    fn reads(body: &str, expected: &[&str]) {
        for step in [1, 2, 3, 7, 1000] {
            assert_eq!(items(body, step, 1000), expected, "{body:?} in steps of {step}");
        }
    }

    #[test]
    fn events_of_the_standard() {
        reads("data: a\n\ndata:b\r\n\r\ndata:  c\r\rdata\n\n", &["event |a", "event |b", "event | c", "event |"]);
        reads("event: x\ndata: 1\ndata: 2\nid: 7\nretry: 3\n: y\n\nevent: z\n\ndata: 3", &["event x|1\n2", "event |3"]);
        reads("data: {}\nevent: x\n\n", &["event x|{}"]);
    }

    #[test]
    fn events_without_blank_lines() {
        reads(
            "data: {\"a\":\"}\"}\ndata: [1]\ndata: [DONE]\n",
            &["event |{\"a\":\"}\"}", "event |[1]", "event |[DONE]"],
        );
        reads(
            "event: a\ndata: {}\nevent: b\ndata: []\nevent: c\ndata: {}\n",
            &["event a|{}", "event b|[]", "event c|{}"],
        );
        reads("data: {}\nevent: error\ndata: {}\n", &["event |{}", "event error|{}"]);
    }

    #[test]
    fn data_in_several_lines() {
        reads("data: {\ndata: \"a\": [\ndata: ]}\n\n", &["event |{\n\"a\": [\n]}"]);
        reads("data: {}\ndata:\n\n", &["event |{}\n"]);
    }

    #[test]
    fn json_outside_of_fields() {
        reads("{\"a\":1}\n{\"b\":[\"}\"]}\n", &["json {\"a\":1}", "json {\"b\":[\"}\"]}"]);
        reads("data: x\n{\n  \"a\": {\n\n  }\n}\n", &["event |x", "json {\n  \"a\": {\n\n  }\n}"]);
        reads("{}{} , []x\n", &["json {}", "json {}", "json []", "stray {}{} , []x"]);
        reads("{\"a\": \"\\\"}\n", &["json {\"a\": \"\\\"}"]);
        reads("[ {\ndata: 1\n\n", &["stray [ {", "event |1"]);
        reads("[DONE]\n", &["event |[DONE]"]);
    }

    #[test]
    fn lines_of_no_event_stream() {
        reads("error: {\"a\": 1}\nfoo: bar\nfoo\n", &["failure {\"a\": 1}", "unknown foo: bar", "unknown foo"]);
        reads("no such: thing\n<html>\n", &["stray no such: thing", "stray <html>"]);
        reads("event: error\n\n", &["event error|"]);
    }

    #[test]
    fn a_cut_line() {
        for line in ["d", "data", "even", "r", "err"] {
            reads(line, &[]);
        }
        reads("data: {\"a", &["event |{\"a"]);
        reads("{\"a", &["json {\"a"]);
    }

    #[test]
    fn long_events() {
        for step in [1, 5, 100] {
            assert_eq!(items("data: 12345\n\n", step, 5), ["event |12345"]);
            assert_eq!(items("data: 123456\n\n", step, 5), ["too long"]);
            assert_eq!(items("data: 12\ndata: 34\n\n", step, 5), ["event |12\n34"]);
            assert_eq!(items("data: 12\ndata: 345\n\n", step, 5), ["too long"]);
            assert_eq!(items("{\n\n\n\n\n}\n", step, 5), ["too long"]);
            assert_eq!(items(": a very long comment\ndata: 1\n\n", step, 5), ["event |1"]);
            assert_eq!(items("unknown: a very long line\n\n", step, 5), ["too long"]);
        }
    }
}
