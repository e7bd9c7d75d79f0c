//! The formats: what an event says, in each of them.
//!
//! The JSON is read without a schema: these APIs grow by keys and kinds of events, the servers that speak like them differ in
//! both, and what is not known is to be skipped and never to fail.

use alloc::borrow::ToOwned as _;
use alloc::string::{String, ToString as _};
use core::fmt;
use core::str::FromStr;

use serde_json::Value;

use super::error::{Error, Kind, ServerError};
use crate::event::Finish;

/// What an API calls the parts of an event stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// OpenAI chat completions, and the many servers that are compatible with them: `openai`.
    OpenAi,
    /// OpenAI responses: `openai-responses`.
    OpenAiResponses,
    /// Anthropic messages: `anthropic`.
    Anthropic,
}

impl Format {
    /// All of them.
    pub const ALL: &'static [Format] = &[Format::OpenAi, Format::OpenAiResponses, Format::Anthropic];

    /// As it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Format::OpenAi => "openai",
            Format::OpenAiResponses => "openai-responses",
            Format::Anthropic => "anthropic",
        }
    }

    /// The format in which such an event stands, if it tells. A `ping` does not: others send it too.
    fn of(value: &Value) -> Option<Self> {
        match value.get("type").and_then(Value::as_str) {
            Some("message_start" | "message_delta" | "message_stop") => Some(Format::Anthropic),
            Some(kind) if kind.starts_with("content_block_") => Some(Format::Anthropic),
            Some(kind) if kind.starts_with("response.") => Some(Format::OpenAiResponses),
            _ if value.get("choices").is_some_and(Value::is_array) => Some(Format::OpenAi),
            _ => None,
        }
    }

    /// Whether this is a reason with which a model ends its answer itself.
    ///
    /// A list of those, since a new one is more likely a new way to be stopped.
    fn is_complete(self, reason: &str) -> bool {
        match self {
            Format::OpenAi => {
                matches!(reason, "stop" | "eos" | "end_turn" | "stop_sequence" | "tool_calls" | "function_call")
            }
            Format::OpenAiResponses => reason == "completed",
            Format::Anthropic => matches!(reason, "end_turn" | "stop_sequence" | "tool_use"),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// From exactly the name as it is written.
impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::ALL.iter().copied().find(|format| format.as_str() == name).ok_or(UnknownFormat(()))
    }
}

/// The name of no [`Format`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownFormat(());

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown format (known: openai, openai-responses, anthropic)")
    }
}

impl core::error::Error for UnknownFormat {}

/// What an event holds, before its format is asked.
pub(super) enum Found {
    /// A keep-alive, or what is not known.
    Nothing,
    /// `[DONE]`.
    Done,
    Value(Value),
    Failure(Error),
}

/// Looks at the data of an event. The error is what is wrong with its JSON.
pub(super) fn found(event: &str, data: &str) -> Result<Found, String> {
    let data = data.trim();
    if data.is_empty() {
        return Ok(Found::Nothing);
    }
    if data == "[DONE]" {
        return Ok(Found::Done);
    }
    let value = match serde_json::from_str::<Value>(data) {
        Ok(value) => value,
        Err(error) => match serde_json::from_str(&mended(data)) {
            Ok(value) => value,
            Err(_) if event == "error" => return Ok(Found::Failure(Kind::Server(ServerError::plain(data)).into())),
            // An event of a kind of its own may hold what it likes.
            Err(_) if !may_hold_text(event) => return Ok(Found::Nothing),
            Err(_) => return Err(error.to_string()),
        },
    };
    match ServerError::of_event(&value) {
        Some(error) => Ok(Found::Failure(Kind::Server(error).into())),
        None if event == "error" => Ok(Found::Failure(Kind::Server(ServerError::of(&value)).into())),
        None => Ok(Found::Value(value)),
    }
}

/// Whether an event of this name may be one of the formats'. `message` is the name of those without one.
fn may_hold_text(event: &str) -> bool {
    event.starts_with("message") || event.starts_with("content_block_") || event.starts_with("response.")
}

/// The JSON with U+FFFD for halves of surrogate pairs.
///
/// Servers that count in UTF-16 may cut a character between two events; JSON can write the halves, text cannot.
fn mended(json: &str) -> String {
    let mut mended = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        mended.push_str(&rest[..at]);
        rest = &rest[at..];
        let escape = |text: &str| {
            let digits = text.strip_prefix("\\u")?.get(..4)?;
            u16::from_str_radix(digits, 16).ok()
        };
        let second = rest.get(6..).and_then(escape);
        let (length, is_half) = match escape(rest) {
            Some(0xD800..0xDC00) if matches!(second, Some(0xDC00..0xE000)) => (12, false),
            Some(0xD800..0xE000) => (6, true),
            // A backslash and what it escapes, which may be a backslash. Behind it stands at least a quote.
            _ => (1 + rest[1..].chars().next().map_or(0, char::len_utf8), false),
        };
        mended.push_str(if is_half { "\\ufffd" } else { &rest[..length] });
        rest = &rest[length..];
    }
    mended.push_str(rest);
    mended
}

/// What the events so far said.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    pub(super) format: Option<Format>,
    /// An event of the format was seen.
    is_sure: bool,
    pub(super) choice: u64,
    is_choice_seen: bool,
    pub(super) reason: Option<String>,
    pub(super) is_ended: bool,
}

impl Reading {
    pub(super) fn new(format: Option<Format>) -> Self {
        Reading { format, is_sure: false, choice: 0, is_choice_seen: false, reason: None, is_ended: false }
    }

    /// Takes an event, and appends its text.
    pub(super) fn read(&mut self, value: &Value, text: &mut String) -> Result<(), Error> {
        if !self.is_sure
            && let Some(found) = Format::of(value)
        {
            match self.format {
                Some(expected) if expected != found => return Err(Kind::OtherFormat { expected, found }.into()),
                _ => (self.format, self.is_sure) = (Some(found), true),
            }
        }
        match self.format {
            Some(Format::OpenAi) => self.openai(value, text),
            Some(Format::OpenAiResponses) => return self.openai_responses(value, text),
            Some(Format::Anthropic) => self.anthropic(value, text),
            None => {}
        }
        Ok(())
    }

    /// `[DONE]`, which ends chat completions. The others have an end event of their own, and some servers say this after it.
    pub(super) fn done(&mut self) {
        let format = self.format.get_or_insert(Format::OpenAi);
        self.is_ended |= *format == Format::OpenAi;
    }

    /// Whether the choice that was asked for can have been in it.
    pub(super) fn has_choice(&self) -> bool {
        self.choice == 0 || self.is_choice_seen
    }

    pub(super) fn finish(&self) -> Finish {
        let is_complete = match (self.format, &self.reason) {
            (Some(format), Some(reason)) => format.is_complete(reason),
            _ => true,
        };
        if self.is_ended && is_complete { Finish::Complete } else { Finish::Truncated }
    }

    fn openai(&mut self, value: &Value, text: &mut String) {
        let choices = value.get("choices").and_then(Value::as_array);
        for choice in choices.into_iter().flatten() {
            // Servers that can only give one leave the index out.
            if choice.get("index").and_then(Value::as_u64).unwrap_or(0) != self.choice {
                continue;
            }
            self.is_choice_seen = true;
            match &choice["delta"]["content"] {
                Value::String(content) => text.push_str(content),
                // Servers of models that think may send a list of parts, of which the answer is only those of text.
                Value::Array(parts) => parts.iter().for_each(|part| push_if(part, "text", "text", text)),
                _ => {}
            }
            self.take_reason(&choice["finish_reason"]);
        }
    }

    fn openai_responses(&mut self, value: &Value, text: &mut String) -> Result<(), Error> {
        let response = &value["response"];
        match value["type"].as_str() {
            Some("response.output_text.delta") => push(&value["delta"], text),
            Some("response.completed") => self.end("completed"),
            Some("response.incomplete") => {
                self.end("incomplete");
                self.take_reason(&response["incomplete_details"]["reason"]);
            }
            Some("response.cancelled") => self.end("cancelled"),
            Some("response.failed") => {
                let error = Some(&response["error"]).filter(|error| !error.is_null()).unwrap_or(response);
                return Err(Kind::Server(ServerError::of(error)).into());
            }
            _ => {}
        }
        Ok(())
    }

    fn anthropic(&mut self, value: &Value, text: &mut String) {
        match value["type"].as_str() {
            Some("content_block_start") => push_if(&value["content_block"], "text", "text", text),
            Some("content_block_delta") => push_if(&value["delta"], "text_delta", "text", text),
            Some("message_delta") => self.take_reason(&value["delta"]["stop_reason"]),
            Some("message_stop") => self.is_ended = true,
            _ => {}
        }
    }

    fn take_reason(&mut self, reason: &Value) {
        if let Some(reason) = reason.as_str().filter(|reason| !reason.is_empty()) {
            self.reason = Some(reason.to_owned());
        }
    }

    fn end(&mut self, reason: &str) {
        self.reason = Some(reason.to_owned());
        self.is_ended = true;
    }
}

fn push(value: &Value, text: &mut String) {
    text.push_str(value.as_str().unwrap_or_default());
}

/// Appends the text under `key` of an object of this type.
fn push_if(value: &Value, kind: &str, key: &str, text: &mut String) {
    if value["type"] == kind {
        push(&value[key], text);
    }
}
