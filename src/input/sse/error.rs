//! Why there is no answer, or no more of it.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::string::{String, ToString as _};
use core::fmt;
use std::io;

use serde_json::{Map, Value};

use super::format::Format;
use crate::input::utf8::Utf8Error;

/// Why an event stream could not be read, or what its server says of its failure.
///
/// Text of the server is in it as it was sent, shortened to 200 characters where it was not understood: escape it before it goes to a
/// terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Kind>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Utf8(Utf8Error),
    /// Bytes that are no text, and what they are.
    NotText(&'static str),
    Malformed {
        event: u64,
        error: String,
        start: String,
    },
    TooLong {
        max: usize,
    },
    Server(ServerError),
    NotAnEventStream {
        start: String,
    },
    WholeReply,
    /// Events of no known format, or not of the one asked for, or without anything that is known.
    NotUnderstood {
        format: Option<Format>,
        start: String,
    },
    /// Something else in the middle of an event stream.
    Foreign {
        event: u64,
        start: String,
    },
    OtherFormat {
        expected: Format,
        found: Format,
    },
    Restarted {
        event: u64,
    },
    Interleaved {
        event: u64,
    },
    Repeated {
        event: u64,
    },
    NoChoice(u64),
}

impl Error {
    /// The message of the server, if the server failed: in an error event, or in a body that is no event stream.
    pub fn server_message(&self) -> Option<&str> {
        match &*self.0 {
            Kind::Server(error) => Some(&error.message),
            _ => None,
        }
    }

    /// The kind of failure as the server calls it, such as `overloaded_error` or `rate_limit_exceeded`.
    pub fn server_code(&self) -> Option<&str> {
        match &*self.0 {
            Kind::Server(error) => error.code.as_deref(),
            _ => None,
        }
    }

    /// Whether the body was no event stream at all, but an error, a page, compressed bytes, or a whole reply.
    pub fn is_not_event_stream(&self) -> bool {
        match &*self.0 {
            Kind::Server(error) => error.is_body,
            Kind::NotAnEventStream { .. } | Kind::WholeReply | Kind::NotText(_) => true,
            _ => false,
        }
    }
}

impl From<Kind> for Error {
    fn from(kind: Kind) -> Self {
        Error(Box::new(kind))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Kind::Utf8(error) => error.fmt(f),
            Kind::NotText(what) => write!(f, "expected an event stream, got {what}"),
            Kind::Malformed { event, error, start } => write!(f, "event {event} is not JSON: {error}: {start:?}"),
            Kind::TooLong { max } => write!(f, "an event is longer than {max} bytes"),
            Kind::Server(ServerError { code: Some(code), message, .. }) => {
                write!(f, "the server failed: {message} ({code})")
            }
            Kind::Server(ServerError { message, .. }) => write!(f, "the server failed: {message}"),
            Kind::NotAnEventStream { start } => write!(f, "expected an event stream, got {start:?}"),
            Kind::WholeReply => {
                f.write_str("expected an event stream, got a whole reply in JSON: ask for `\"stream\": true`")
            }
            Kind::NotUnderstood { format: Some(format), start } => {
                write!(f, "expected a stream in the format {format}, got {start:?}")
            }
            Kind::NotUnderstood { format: None, start } => {
                write!(f, "expected a stream in a known format (")?;
                Format::write_names(f)?;
                write!(f, "), got {start:?}")
            }
            Kind::Foreign { event, start } => write!(f, "expected an event after event {event}, got {start:?}"),
            Kind::OtherFormat { expected, found } => {
                write!(f, "expected a stream in the format {expected}, got one in the format {found}")
            }
            Kind::Restarted { event } => {
                write!(f, "event {event} begins the answer again: two answers in one stream cannot be told apart")
            }
            Kind::Interleaved { event } => {
                write!(f, "event {event} goes back to an earlier block of text: the order of the text is unknown")
            }
            Kind::Repeated { event } => {
                write!(f, "event {event} has a second `message`: it may repeat the text so far or continue it")
            }
            Kind::NoChoice(index) => write!(f, "the answer has no choice {index}"),
        }
    }
}

impl core::error::Error for Error {}

/// Of the kind [`InvalidData`](io::ErrorKind::InvalidData), or [`Other`](io::ErrorKind::Other) if the server failed.
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match *error.0 {
            Kind::Server(_) => io::ErrorKind::Other,
            _ => io::ErrorKind::InvalidData,
        };
        io::Error::new(kind, error)
    }
}

/// The first 200 characters of what was not understood.
pub(super) fn shown(text: &str) -> String {
    text.chars().take(MAX_SHOWN).collect()
}

pub(super) const MAX_SHOWN: usize = 200;

/// What a server says of its failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ServerError {
    code: Option<String>,
    message: String,
    /// It came instead of an event stream.
    is_body: bool,
}

impl ServerError {
    /// The failure that an object describes without any doubt; `is_chunk` for one that is a piece of an answer, which may have keys that
    /// look like a failure in any other object.
    pub(super) fn of_event(value: &Value, is_chunk: bool) -> Option<Self> {
        let object = value.as_object()?;
        let inner = ["error", "errors", "err", "exception", "fault"].iter().find_map(|key| something(object, key));
        if let Some(inner) = inner {
            let described = if inner == &Value::Bool(true) { value } else { inner };
            let mut error = Self::of(described);
            error.code = error.code.or_else(|| first(object, &ERROR_CODES).map(word));
            return Some(error);
        }
        let is_error = ERROR_MESSAGES.iter().chain(&ERROR_CODES).any(|key| something(object, key).is_some())
            || (!is_chunk && is_said_to_be_error(object));
        is_error.then(|| Self::of(value))
    }

    /// The failure that an object seems to describe: one with nothing but a message, in place of an answer.
    pub(super) fn of_message(value: &Value) -> Option<Self> {
        let object = value.as_object()?;
        let has_message =
            MESSAGES.iter().any(|key| object.get(*key).is_some_and(|value| !value.is_object() && !is_nothing(value)));
        has_message.then(|| Self::of(value))
    }

    /// The failure, of the object or the string that describes it.
    pub(super) fn of(error: &Value) -> Self {
        let error = error.get(0).unwrap_or(error);
        let empty = Map::new();
        let object = error.as_object().unwrap_or(&empty);
        // An exception may be wrapped in an object of its name, and an error in another one.
        let wrapped = || object.iter().find(|(key, value)| (*key == "error" || is_exception(key)) && value.is_object());
        let message = match error {
            Value::String(message) => Some(message.clone()),
            _ => first(object, &ERROR_MESSAGES).or_else(|| first(object, &MESSAGES)).map(word),
        };
        if message.is_none()
            && let Some((key, inner)) = wrapped()
        {
            let inner = Self::of(inner);
            return ServerError { code: inner.code.or_else(|| is_exception(key).then(|| key.clone())), ..inner };
        }
        ServerError {
            // The code is the finer of the two where there are both; `"type": "error"` is that of the event around it.
            code: first(object, &["code"])
                .or_else(|| first(object, &ERROR_CODES))
                .or_else(|| first(object, &["type", "status", "statusCode", "status_code"]))
                .filter(|code| *code != "error")
                .map(word),
            message: message.unwrap_or_else(|| shown(&error.to_string())),
            is_body: false,
        }
    }

    /// In plain words, from a server that sends no JSON.
    pub(super) fn plain(message: &str) -> Self {
        let message = if message.is_empty() { "an error without a message" } else { message };
        ServerError { code: None, message: message.to_owned(), is_body: false }
    }

    /// An answer that ends for this reason.
    pub(super) fn reason(reason: &str) -> Self {
        ServerError {
            code: Some(reason.to_owned()),
            message: "the answer ended with an error".to_owned(),
            is_body: false,
        }
    }

    /// A prompt to which there is no answer, for this reason.
    pub(super) fn blocked(reason: &str) -> Self {
        ServerError { code: Some(reason.to_owned()), message: "the prompt was blocked".to_owned(), is_body: false }
    }

    pub(super) fn instead_of_stream(self) -> Self {
        ServerError { is_body: true, ..self }
    }
}

const ERROR_MESSAGES: [&str; 5] = ["error_message", "errorMessage", "error_msg", "err_msg", "error_description"];
const ERROR_CODES: [&str; 4] = ["error_code", "errorCode", "error_type", "errorType"];
const MESSAGES: [&str; 8] = ["message", "detail", "msg", "title", "description", "faultstring", "status_msg", "reason"];

/// Whether an object that is no piece of an answer says of itself that it is an error.
fn is_said_to_be_error(object: &Map<String, Value>) -> bool {
    let is = |key: &str, words: &[&str]| {
        object
            .get(key)
            .and_then(Value::as_str)
            .is_some_and(|word| words.iter().any(|known| known.eq_ignore_ascii_case(word)))
    };
    let has_message = || MESSAGES.iter().any(|key| object.get(*key).is_some_and(Value::is_string));
    let is_bad_status = |value: &Value| match value {
        Value::String(code) => !code.is_empty() && code.parse::<i64>().is_ok_and(|code| !(0..400).contains(&code)),
        value => value.as_i64().is_some_and(|code| !(0..400).contains(&code)),
    };
    let codes = ["code", "status", "statusCode", "status_code"].iter().filter_map(|key| object.get(*key));
    let is_word = |value: &Value| value.as_str().is_some_and(|code| !code.is_empty() && code.parse::<i64>().is_err());
    is("object", &["error"])
        || is("event", &["error"])
        || is("status", &["error", "failed", "failure"])
        || is("type", &["error", "exception"])
        || object
            .get("type")
            .and_then(Value::as_str)
            .is_some_and(|kind| kind.ends_with("_error") || kind.ends_with("Error"))
        || ["success", "ok"].iter().any(|key| object.get(*key) == Some(&Value::Bool(false)))
        || object.keys().any(|key| is_exception(key))
        || (has_message() && (codes.clone().any(is_bad_status) || object.get("code").is_some_and(is_word)))
        || object.get("base_resp").is_some_and(|resp| resp["status_code"].as_i64().is_some_and(|code| code != 0))
}

fn is_exception(key: &str) -> bool {
    key.ends_with("Exception")
}

/// The value of a key that says something.
fn something<'v>(object: &'v Map<String, Value>, key: &str) -> Option<&'v Value> {
    object.get(key).filter(|value| !is_nothing(value))
}

/// Whether a value says nothing: `null`, `false`, `0`, `""`, and what holds nothing else.
pub(super) fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(is_true) => !is_true,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.iter().all(is_nothing),
        Value::Object(object) => object.values().all(is_nothing),
    }
}

/// The first of these keys with a word, a number, or a list of objects with a message, as FastAPI has them.
fn first<'v>(object: &'v Map<String, Value>, keys: &[&str]) -> Option<&'v Value> {
    keys.iter().find_map(|key| {
        let value = object.get(*key)?;
        let value = value.get(0).and_then(|item| item.get("msg").or(item.get("message"))).unwrap_or(value);
        let is_word = value.as_str().is_some_and(|word| !word.is_empty()) || value.is_number();
        is_word.then_some(value)
    })
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
