//! Event streams: the recordings yield the same text however they are cut, as early as possible.

#[path = "sse/ends.rs"]
mod ends;
#[path = "sse/shapes.rs"]
mod shapes;

use std::num::NonZeroUsize;
use std::{fs, io};

use serde_json::Value;
use tagwire::Ending;
use tagwire::sse::{Answer, Error, Format};

/// A recording and its expected content.
struct Recording {
    file: String,
    body: Vec<u8>,
    choice: u64,
    format: Option<Format>,
    expected: Given,
    /// Whether the expected error is only the start of it.
    is_start: bool,
}

/// The result of an answer.
#[derive(Clone, Debug, Default, PartialEq)]
struct Given {
    text: String,
    reason: Option<String>,
    finish: Option<Ending>,
    error: Option<String>,
}

fn folder() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/sse")
}

fn recordings() -> Vec<Recording> {
    let lines = fs::read_to_string(folder().join("expected.jsonl")).unwrap();
    let recordings: Vec<_> = lines.lines().map(|line| recording(&serde_json::from_str(line).unwrap())).collect();
    assert!(recordings.len() >= 50);
    recordings
}

fn recording(line: &Value) -> Recording {
    let string = |key: &str| line[key].as_str().map(str::to_owned);
    let file = string("file").unwrap();
    let finish = string("finish").map(|finish| match &*finish {
        "complete" => Ending::Complete,
        "truncated" => Ending::Truncated,
        "unstated" => Ending::Unstated,
        other => panic!("{other}"),
    });
    Recording {
        body: fs::read(folder().join(&file)).unwrap(),
        choice: line["choice"].as_u64().unwrap(),
        format: string("format").map(|name| name.parse().unwrap()),
        expected: Given {
            text: string("text").unwrap(),
            reason: string("reason"),
            finish,
            error: string("error").or_else(|| string("error_starts")),
        },
        is_start: line["error_starts"].is_string(),
        file,
    }
}

impl Recording {
    fn answer(&self) -> Answer {
        Answer::auto().with_choice(self.choice)
    }
}

/// Feeds the pieces, and the end.
fn given<'b>(mut answer: Answer, pieces: impl IntoIterator<Item = &'b [u8]>) -> Given {
    let mut given = Given::default();
    for piece in pieces {
        given.feed(&mut answer, piece);
    }
    given.end(answer)
}

impl Given {
    fn feed(&mut self, answer: &mut Answer, piece: &[u8]) {
        if let Err(error) = answer.feed(piece, &mut self.text) {
            assert!(self.error.is_none(), "a second error: {error}");
            self.error = Some(error.to_string());
        }
    }

    fn end(mut self, mut answer: Answer) -> Given {
        match answer.finish(&mut self.text) {
            Ok(finish) if self.error.is_none() => self.finish = Some(finish),
            Ok(finish) => assert_eq!(finish, Ending::Truncated, "after an error"),
            Err(error) => self.error = Some(error.to_string()),
        }
        self.reason = answer.reason().map(str::to_owned);
        self
    }
}

#[test]
fn whole() {
    for recording in recordings() {
        let mut given = given(recording.answer(), [&*recording.body]);
        if let (Some(error), Some(expected)) = (&mut given.error, &recording.expected.error)
            && recording.is_start
        {
            error.truncate(expected.len());
        }
        assert_eq!(given, recording.expected, "{}", recording.file);
    }
}

#[test]
fn the_format_is_found() {
    for recording in recordings() {
        let mut answer = recording.answer();
        let _ = answer.feed(&recording.body, &mut String::new());
        assert_eq!(answer.format(), recording.format, "{}", recording.file);
    }
}

#[test]
fn every_cut_in_two() {
    for recording in recordings() {
        let body = &*recording.body;
        let whole = given(recording.answer(), [body]);
        // Each prefix extends the previous one by a byte, so single bytes are among the cuts.
        let mut prefix = Given::default();
        let mut answer = recording.answer();
        for at in 0..=body.len() {
            let mut cut = prefix.clone();
            let mut rest = answer.clone();
            cut.feed(&mut rest, &body[at..]);
            assert_eq!(cut.end(rest), whole, "{} at {at}", recording.file);
            if let Some(byte) = body.get(at..=at) {
                prefix.feed(&mut answer, byte);
                prefix.feed(&mut answer, b"");
            }
        }
        assert_eq!(prefix.end(answer), whole, "{}", recording.file);
    }
}

#[test]
fn pieces_of_every_length() {
    for recording in recordings() {
        let whole = given(recording.answer(), [&*recording.body]);
        for length in (1..64).chain([100, 250, 1000, 1460]) {
            let pieces = given(recording.answer(), recording.body.chunks(length));
            assert_eq!(pieces, whole, "{} in pieces of {length}", recording.file);
        }
    }
}

/// An event is read as soon as its blank line arrives.
#[test]
fn text_is_given_at_once() {
    for recording in recordings() {
        // The naive reader below does not handle these.
        let is_special =
            ["halves", "parts", "blank", "mistral.", "jsonl"].iter().any(|part| recording.file.contains(part));
        let Some(format) = recording.format.filter(|_| !is_special && recording.expected.error.is_none()) else {
            continue;
        };
        let mut answer = recording.answer();
        let mut text = String::new();
        let mut plain = Plain { format, choice: recording.choice, ..Plain::default() };
        for (at, &byte) in recording.body.iter().enumerate() {
            answer.feed(&[byte], &mut text).unwrap();
            plain.take(byte);
            assert_eq!(text, plain.text, "{} after {at}", recording.file);
        }
    }
}

/// A naive reader: byte by byte, line by line.
struct Plain {
    format: Format,
    choice: u64,
    line: Vec<u8>,
    data: String,
    is_after_cr: bool,
    text: String,
}

impl Default for Plain {
    fn default() -> Self {
        let (line, data, text) = Default::default();
        Plain { format: Format::OpenAi, choice: 0, line, data, is_after_cr: false, text }
    }
}

impl Plain {
    fn take(&mut self, byte: u8) {
        let is_second_half = self.is_after_cr && byte == b'\n';
        self.is_after_cr = byte == b'\r';
        match byte {
            b'\n' if is_second_half => {}
            b'\n' | b'\r' => self.end_line(),
            _ => self.line.push(byte),
        }
    }

    fn end_line(&mut self) {
        let line = String::from_utf8(std::mem::take(&mut self.line)).unwrap();
        if let Some(data) = line.trim_start_matches('\u{FEFF}').strip_prefix("data:") {
            self.data.push_str(data);
        } else if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            if let Ok(value) = serde_json::from_str::<Value>(&data) {
                self.event(&value);
            }
        }
    }

    fn event(&mut self, value: &Value) {
        let text = match self.format {
            Format::OpenAi | Format::Mistral => {
                let mut choices = value["choices"].as_array().into_iter().flatten();
                let choice = choices.find(|choice| choice["index"] == self.choice);
                choice.map_or(&Value::Null, |choice| choice.get("text").unwrap_or(&choice["delta"]["content"]))
            }
            Format::OpenAiResponses if value["type"] == "response.output_text.delta" => &value["delta"],
            Format::Anthropic if value["delta"]["type"] == "text_delta" => &value["delta"]["text"],
            Format::Anthropic if value["content_block"]["type"] == "text" => &value["content_block"]["text"],
            Format::Gemini if value["candidates"][0]["content"]["parts"][0]["thought"] != true => {
                &value["candidates"][0]["content"]["parts"][0]["text"]
            }
            Format::Cohere => &value["delta"]["message"]["content"]["text"],
            _ => &Value::Null,
        };
        self.text.push_str(text.as_str().unwrap_or_default());
    }
}

/// Truncated after any byte, an answer is complete only after a reason, and its text is a prefix.
#[test]
fn cut_off_anywhere() {
    for recording in recordings() {
        let complete = recording.expected.finish == Some(Ending::Complete);
        if recording.expected.error.is_some() {
            continue;
        }
        let mut answer = recording.answer();
        let mut start = String::new();
        for (at, &byte) in recording.body.iter().enumerate() {
            let mut text = start.clone();
            let mut cut = answer.clone();
            let is_complete = cut.finish(&mut text) == Ok(Ending::Complete);
            assert!(!is_complete || (complete && cut.reason().is_some()), "{} at {at}", recording.file);
            assert!(recording.expected.text.starts_with(&text), "{} at {at}: {text:?}", recording.file);
            answer.feed(&[byte], &mut start).unwrap();
        }
    }
}

#[test]
fn the_format_can_be_told() {
    let reader = |format| if format == Format::Mistral { Format::OpenAi } else { format };
    for recording in recordings() {
        for &format in Format::ALL {
            let given = given(Answer::with_format(format).with_choice(recording.choice), [&*recording.body]);
            match recording.format {
                Some(found) if reader(found) != reader(format) => {
                    let error = format!("expected a stream in the format {format}, got one in the format {found}");
                    assert_eq!(given.error, Some(error), "{}", recording.file);
                    assert_eq!(given.text, "");
                }
                Some(_) => assert_eq!(given.text, recording.expected.text, "{}", recording.file),
                None => assert!(given.error.is_some(), "{}", recording.file),
            }
        }
    }
}

#[test]
fn names_of_formats() {
    for &format in Format::ALL {
        assert_eq!(format.to_string().parse(), Ok(format));
    }
    let error = "auto".parse::<Format>().unwrap_err();
    let names = "openai, openai-responses, anthropic, gemini, ollama, cohere, mistral";
    assert_eq!(error.to_string(), format!("unknown format (known: {names})"));
}

#[track_caller]
fn fails(answer: Answer, body: &[u8]) -> Error {
    let mut answer = answer;
    let mut text = String::new();
    let error = answer.feed(body, &mut text).and_then(|()| answer.finish(&mut text)).unwrap_err();
    // It is final.
    assert_eq!(answer.feed(b"data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n", &mut text), Ok(()));
    assert_eq!(answer.finish(&mut text), Ok(Ending::Truncated));
    assert_eq!(text, "");
    error
}

#[test]
fn errors() {
    let error = fails(Answer::auto(), b": \xC3\xA9\n: \xFF\n");
    assert_eq!(error.to_string(), "invalid UTF-8 at byte 7");
    assert_eq!(io::Error::from(error).kind(), io::ErrorKind::InvalidData);

    let error = fails(Answer::auto().with_max_event_bytes(NonZeroUsize::new(10).unwrap()), b"data: 0123456789+\n\n");
    assert_eq!(error.to_string(), "an event is longer than 10 bytes");

    let error = fails(Answer::auto(), b"event: error\ndata: out of memory\n\n");
    assert_eq!((error.server_message(), error.server_code()), (Some("out of memory"), None));
    assert!(!error.is_not_event_stream());
    assert_eq!(io::Error::from(error).kind(), io::ErrorKind::Other);

    let error = fails(Answer::auto(), b"data: {\"error\": \"no such model\"}\n\n");
    assert_eq!(error.server_message(), Some("no such model"));

    let error = fails(Answer::auto(), b"[{\"error\": {\"code\": 400, \"message\": \"bad\", \"status\": \"INVALID\"}}]");
    assert_eq!(error.to_string(), "the server failed: bad (400)");
    assert!(error.is_not_event_stream());

    let error = fails(Answer::auto(), b"{\"foo\": true}");
    assert_eq!(error.to_string(), "expected an event stream, got \"{\\\"foo\\\": true}\"");
    assert_eq!(error.server_message(), None);
}

/// An empty stream, or one of keep-alives only, is an answer truncated before it began.
#[test]
fn nothing() {
    for body in ["", "\n\n", "\u{FEFF}", ": ping\n\n: ping\n\n", "data:\n\n", "retry: 10\n\n", "da"] {
        let expected = Given { finish: Some(Ending::Truncated), ..Given::default() };
        assert_eq!(given(Answer::auto(), [body.as_bytes()]), expected, "{body:?}");
    }
}

/// Text after the end event is not part of the answer.
#[test]
fn nothing_after_the_end() {
    let body = b"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\n\xFF";
    for at in 0..=body.len() {
        let given = given(Answer::auto(), [&body[..at], &body[at..]]);
        assert_eq!((&*given.text, given.finish, given.error), ("a", Some(Ending::Unstated), None), "{at}");
    }
}
