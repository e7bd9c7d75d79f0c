//! A line of JSON Lines, as `tagwire batch` reads it, compared with serde_json's values of the whole line.

#[path = "../../../src/bin/tagwire/batch/input_line.rs"]
mod input_line;

use serde_json::Value;

use self::input_line::{Buffers, Field, Keys};
use super::bounds;
use super::input::Input;
use super::seeds::{self, Seed};
use crate::support::generator::Rng;

pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let names = KEYS[input.below(KEYS.len())];
    let keys = Keys {
        text: names[0].to_owned(),
        role: names[1].to_owned(),
        mode: names[2].to_owned(),
        finish: names[3].to_owned(),
    };
    // Each line reuses the buffers of the previous one.
    let mut buffers = Buffers::default();
    for line in input.rest().split(|&byte| byte == b'\n') {
        assert_line(line, &keys, &mut buffers);
    }
}

/// The vectors as lines, some of them broken.
pub fn seeds() -> Vec<Seed> {
    seeds::of_vectors(4, |vector, rng| {
        let id = *rng.pick(&["7", "null", "\"a\\u0041\"", "1e400", "123456789012345678901234567890", "[{}]", "-0.0"]);
        let text = serde_json::to_string(&vector.text).expect("a string");
        let (role, mode) = (&vector.role, &vector.mode);
        let mut line = match rng.below(3) {
            0 => format!("{{\"id\": {id}, \"role\": \"{role}\", \"mode\": \"{mode}\", \"text\": {text}}}"),
            1 => format!("{{\"text\":{text},\"role\":\"{role}\",\"id\":{id}, \"x\": [{text}, {{\"id\": 1}}]}}"),
            _ => format!(
                " {{\"text\": 1, \"text\": {text}, \"ro\\u006ce\": \"{role}\", \"mode\":\"\\u{:04x}\"}} ",
                mode.as_bytes()[0]
            ),
        };
        break_line(rng, &mut line);
        let mut data = vec![rng.below(8) as u8];
        data.extend_from_slice(line.as_bytes());
        data
    })
}

fn break_line(rng: &mut Rng, line: &mut String) {
    if rng.percent(60) {
        return;
    }
    let at = rng.place(line);
    let piece: &&str =
        rng.pick(&["\\u", "\\ud83d\\ude00", "\\ud800", "\\\\ud800", "\"", "\\", "\n", "{", "é", "\u{feff}"]);
    line.insert_str(at, piece);
}

/// A line of pieces.
pub fn random(rng: &mut Rng) -> Vec<u8> {
    let mut data = vec![rng.below(8) as u8];
    let is_whole = rng.percent(70);
    if is_whole {
        data.push(b'{');
    }
    for number in 0..rng.below(7) {
        if number > 0 {
            data.push(b',');
        }
        let key: &&str = rng.pick(&[
            "\"text\"",
            "\"role\"",
            "\"mode\"",
            "\"finish\"",
            "\"id\"",
            "\"x\"",
            "\"te\\u0078t\"",
            "\"\\u0069d\"",
            "\"\"",
        ]);
        data.extend_from_slice(key.as_bytes());
        data.push(b':');
        value(rng, &mut data, 0);
    }
    if is_whole {
        data.push(b'}');
    }
    data
}

fn value(rng: &mut Rng, data: &mut Vec<u8>, depth: usize) {
    match rng.below(8) {
        0 => data.extend_from_slice(
            rng.pick(&["null", "true", "1", "-1.5e3", "1e400", "18446744073709551616", "01"]).as_bytes(),
        ),
        1 if depth < 3 => {
            data.push(b'[');
            value(rng, data, depth + 1);
            data.push(b']');
        }
        2 if depth < 3 => {
            data.extend_from_slice(b"{\"id\":");
            value(rng, data, depth + 1);
            data.push(b'}');
        }
        _ => {
            data.push(b'"');
            for _ in 0..rng.below(6) {
                let piece: &&str = rng.pick(&[
                    "developer",
                    "work",
                    "[[RUN/]]",
                    "\\n",
                    "\\u0041",
                    "\\ud83d\\ude00",
                    "\\ud83d",
                    "\\ude00",
                    "\\\\",
                    "\\\\u",
                    "\\\\ud800",
                    "\\/",
                    "é",
                    "\u{1}",
                    "\\x",
                    "\\\"",
                    "\\uD83D\\uDE00",
                    "\\u12",
                ]);
                data.extend_from_slice(piece.as_bytes());
            }
            data.push(b'"');
        }
    }
}

#[track_caller]
fn assert_line(line: &[u8], keys: &Keys, buffers: &mut Buffers) {
    let id = input_line::id(line).map(|id| id.get().to_owned());
    let cost = bounds::cost(|| drop(input_line::read(line, keys, &mut Buffers::default())));
    // At most two strings grow to the length of the line; numbers and faults are short.
    assert!(cost.peak <= 1024 + 8 * line.len() as u64, "{cost:?} for {}", line.escape_ascii());
    let read = input_line::read(line, keys, buffers);
    let Ok(text) = std::str::from_utf8(line) else {
        let fault = read.expect_err("not UTF-8");
        let at = String::from_utf8_lossy(line).find('\u{FFFD}').unwrap_or(0).min(line.len());
        assert!(
            fault.starts_with("invalid UTF-8 at byte ") && (line.contains(&0xEF) || fault.ends_with(&format!(" {at}"))),
            "{fault}"
        );
        assert_eq!(id, None);
        return;
    };
    match (read, serde_json::from_str::<Value>(text)) {
        (Ok(read), Ok(Value::Object(all))) => {
            let fields = [
                (&keys.text, read.text, &buffers.text),
                (&keys.role, read.role, &buffers.role),
                (&keys.mode, read.mode, &buffers.mode),
                (&keys.finish, read.finish, &buffers.finish),
            ];
            for (key, field, buffer) in fields {
                assert_field(field, buffer, all.get(key), text);
            }
            assert_eq!(read.id.map(|id| id.get()), id.as_deref(), "{text}");
            let value = id.map(|id| serde_json::from_str::<Value>(&id).expect("JSON within JSON"));
            assert_eq!(value.as_ref(), all.get("id"), "{text}");
        }
        (Err(fault), Ok(Value::Object(_))) => panic!("{fault} in {text}"),
        (read, Ok(value)) => {
            assert_eq!(read.err().as_deref(), Some("expected a JSON object"), "{value} in {text}");
        }
        (Ok(_), Err(error)) => {
            // A value that is not read may be of any depth and size.
            let message = error.to_string();
            assert!(
                message.contains("recursion limit") || message.contains("number out of range"),
                "{message} in {text}"
            );
        }
        (Err(fault), Err(_)) => {
            let kinds = ["line is blank", "not JSON: ", "lone surrogate \\u", "expected a JSON object"];
            assert!(kinds.iter().any(|kind| fault.starts_with(kind)), "{fault} in {text}");
            assert_eq!(fault == "line is blank", text.trim_ascii().is_empty(), "{fault} in {text}");
            assert!(!fault.starts_with("lone surrogate") || text.contains("\\ud") || text.contains("\\uD"), "{text}");
        }
    }
}

#[track_caller]
fn assert_field(field: Field<'_>, buffer: &str, value: Option<&Value>, line: &str) {
    let expected = match value {
        None => {
            assert!(matches!(field, Field::Absent), "{field:?} in {line}");
            return;
        }
        Some(Value::String(text)) => Ok(&**text),
        Some(Value::Null) => Err("null"),
        Some(Value::Bool(_)) => Err("a boolean"),
        Some(Value::Number(_)) => Err("a number"),
        Some(Value::Array(_)) => Err("an array"),
        Some(Value::Object(_)) => Err("an object"),
    };
    let found = match field {
        Field::Absent => panic!("{expected:?} is not found in {line}"),
        Field::Plain(text) => Ok(text),
        Field::Buffered => Ok(buffer),
        Field::Null => Err("null"),
        Field::Other(what) => Err(what),
    };
    assert_eq!(found, expected, "{line}");
}

/// The keys of the text, the role, the mode and the finish.
const KEYS: [[&str; 4]; 3] =
    [["text", "role", "mode", "finish"], ["x", "role", "te\"xt", "mode"], ["", "r", "\u{1F600}", "text"]];
