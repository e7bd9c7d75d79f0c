//! What the body is: an event stream, or what servers send in its place.

use alloc::string::String;

use serde_json::Value;

use super::error::{Error, Kind, ServerError};

/// Tells an event stream from the JSON or the page that comes in its place when a request fails.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    shape: Shape,
    /// How it begins, to be told where it is no event stream.
    start: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Shape {
    /// Nothing but white space so far.
    #[default]
    Blank,
    Events,
    /// JSON, or a page: no line of an event stream begins with `{`, `[` or `<`.
    Other,
}

/// How many bytes are kept of a body that is no event stream, or a few more. Messages of errors are short.
const MAX_START: usize = 64 << 10;
/// How much is kept of one that may be.
const MAX_EVENTS_START: usize = 200;
/// How much of it a message shows, in characters.
const MAX_SHOWN: usize = 200;

impl Body {
    /// Takes the next piece, and gives what is to be read as events.
    pub(super) fn take<'t>(&mut self, piece: &'t str) -> Option<&'t str> {
        let piece = match self.shape {
            Shape::Blank => piece.trim_start_matches(|c: char| c == '\u{FEFF}' || c.is_whitespace()),
            _ => piece,
        };
        if self.shape == Shape::Blank && !piece.is_empty() {
            self.shape = if piece.starts_with(['{', '[', '<']) { Shape::Other } else { Shape::Events };
        }
        self.keep(piece);
        (self.shape == Shape::Events && !piece.is_empty()).then_some(piece)
    }

    /// Character by character, so that it is the same start however the pieces are cut.
    fn keep(&mut self, piece: &str) {
        let max = if self.shape == Shape::Other { MAX_START } else { MAX_EVENTS_START };
        for character in piece.chars() {
            if self.start.len() >= max {
                break;
            }
            self.start.push(character);
        }
    }

    /// For a body in which no event was found: whether it was to be an event stream.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self.shape {
            Shape::Blank => Ok(()),
            Shape::Events if self.start.split(['\r', '\n']).all(is_of_events) => Ok(()),
            Shape::Events => Err(self.no_events()),
            Shape::Other => Err(match serde_json::from_str(&self.start) {
                Ok(value) => self.json(&value),
                Err(_) => self.no_events(),
            }),
        }
    }

    fn json(&self, value: &Value) -> Error {
        // Some servers put the one object into a list.
        let value = value.get(0).unwrap_or(value);
        if let Some(error) = ServerError::instead_of_stream(value) {
            return Kind::Server(error).into();
        }
        if ["choices", "output", "content"].iter().any(|key| value.get(key).is_some_and(Value::is_array)) {
            return Kind::WholeReply.into();
        }
        self.no_events()
    }

    fn no_events(&self) -> Error {
        let line = self.start.split(['\r', '\n']).find(|line| !line.trim().is_empty()).unwrap_or_default();
        Kind::NoEvents { start: line.chars().take(MAX_SHOWN).collect() }.into()
    }
}

/// Whether this is a line of an event stream, or the start of one.
fn is_of_events(line: &str) -> bool {
    const FIELDS: [&str; 4] = ["data:", "event:", "id:", "retry:"];
    line.is_empty()
        || line.starts_with(':')
        || FIELDS.iter().any(|field| line.starts_with(field) || field.starts_with(line))
}
