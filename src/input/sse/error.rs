//! Why there is no answer, or no more of it.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::string::{String, ToString as _};
use core::fmt;
use std::io;

use serde_json::Value;

use super::format::Format;
use crate::input::utf8::InvalidUtf8;

/// Why an event stream could not be read, or what its server says of its failure.
///
/// What a server says is in it as it was sent: escape it before it goes to a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Kind>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Utf8(InvalidUtf8),
    Malformed { event: u64, error: String },
    TooLong { max: usize },
    Server(ServerError),
    NoEvents { start: String },
    WholeReply,
    OtherFormat { expected: Format, found: Format },
    NoChoice(u64),
}

impl Error {
    /// What the server says, if it is the server that failed: in an error event, or in a body that is no event stream.
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

    /// Whether the body was no event stream at all, but an error, a page, or a whole reply.
    pub fn is_no_stream(&self) -> bool {
        match &*self.0 {
            Kind::Server(error) => error.is_body,
            Kind::NoEvents { .. } | Kind::WholeReply => true,
            _ => false,
        }
    }

    pub(super) fn is_malformed(&self) -> bool {
        matches!(*self.0, Kind::Malformed { .. })
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
            Kind::Malformed { event, error } => write!(f, "event {event} has no JSON in it: {error}"),
            Kind::TooLong { max } => write!(f, "an event is longer than {max} bytes"),
            Kind::Server(ServerError { code: Some(code), message, .. }) => {
                write!(f, "the server failed: {message} ({code})")
            }
            Kind::Server(ServerError { message, .. }) => write!(f, "the server failed: {message}"),
            Kind::NoEvents { start } => write!(f, "no event stream, but {start:?}"),
            Kind::WholeReply => f.write_str("no event stream, but a whole reply in JSON: ask for `\"stream\": true`"),
            Kind::OtherFormat { expected, found } => write!(f, "a stream in the format {found}, not {expected}"),
            Kind::NoChoice(index) => write!(f, "the answer has no choice {index}"),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        None
    }
}

/// Of the kind [`InvalidData`](io::ErrorKind::InvalidData), but [`Other`](io::ErrorKind::Other) where the server failed.
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match *error.0 {
            Kind::Server(_) => io::ErrorKind::Other,
            _ => io::ErrorKind::InvalidData,
        };
        io::Error::new(kind, error)
    }
}

/// What a server says of its failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ServerError {
    code: Option<String>,
    message: String,
    /// It came instead of an event stream.
    is_body: bool,
}

impl ServerError {
    /// Out of an event, if it is an error event.
    ///
    /// `{"error": {"message", "type" or "code"}}` with or without a `"type": "error"` beside it, or the same without the inner
    /// object; some servers have a string for it.
    pub(super) fn of_event(value: &Value) -> Option<Self> {
        let inner = value.get("error").filter(|error| !error.is_null());
        let is_error = inner.is_some() || value.get("type").is_some_and(|kind| kind == "error");
        is_error.then(|| Self::of(inner.unwrap_or(value)))
    }

    /// Out of a body.
    pub(super) fn instead_of_stream(value: &Value) -> Option<Self> {
        let flat = || ["message", "detail"].iter().any(|key| value.get(key).is_some_and(Value::is_string));
        let error = Self::of_event(value).or_else(|| flat().then(|| Self::of(value)))?;
        Some(ServerError { is_body: true, ..error })
    }

    /// Out of the object, or the string, that describes it.
    pub(super) fn of(error: &Value) -> Self {
        let text = |keys: [&str; 2]| keys.iter().find_map(|key| error.get(key).filter(|value| is_word(value)));
        let message = error.as_str().map(str::to_owned);
        let message = message.or_else(|| text(["message", "detail"]).map(word));
        ServerError {
            // The code is the finer of the two where there are both; `"type": "error"` is that of the event around it.
            code: text(["code", "type"]).filter(|code| *code != "error").map(word),
            message: message.unwrap_or_else(|| error.to_string()),
            is_body: false,
        }
    }

    /// In plain words, from a server that sends no JSON.
    pub(super) fn plain(message: &str) -> Self {
        ServerError { code: None, message: message.to_owned(), is_body: false }
    }
}

fn is_word(value: &Value) -> bool {
    value.is_string() || value.is_number()
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
