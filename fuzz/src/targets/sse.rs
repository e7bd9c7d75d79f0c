//! Event streams: any body cut anywhere, and the events of one format in any order.

use std::num::NonZeroUsize;

use serde_json::{Value, json};
use tagwire::sse::{Answer, Format, InsteadOfText, finish_for_reason};
use tagwire::{Ending, Finish};

use super::input::Input;
use super::seeds::{self, Seed};
use crate::support::generator::Rng;

pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let (format, options) = (input.byte(), input.byte());
    let mut cuts: Vec<usize> =
        (0..input.below(8)).map(|_| usize::from(input.byte()) << 8 | usize::from(input.byte())).collect();
    let body = match input.byte() % 2 {
        0 => spell_out(input.rest()),
        _ => {
            let format = Format::ALL[usize::from(format) % Format::ALL.len()];
            let events: Vec<Said> = input.rest().iter().map(|&byte| said(byte)).collect();
            let body: String = events.iter().map(|said| event(format, *said)).collect();
            assert_known(format, &events, &body);
            body.into_bytes()
        }
    };
    cuts.iter_mut().for_each(|cut| *cut %= body.len() + 1);
    cuts.sort_unstable();
    assert_cuts(&answer(format, options), &body, &cuts);
}

/// The texts of vectors as events of a format.
pub fn seeds() -> Vec<Seed> {
    seeds::of_vectors(4, |vector, rng| {
        let format = *rng.pick(Format::ALL);
        let mut data = vec![AUTO, 0, 2, 0, rng.below(256) as u8, 0, rng.below(256) as u8, 0];
        let mut text = vector.text.as_str();
        while !text.is_empty() {
            let (piece, rest) = text.split_at(rng.place(text).max(text.chars().next().map_or(0, char::len_utf8)));
            data.extend_from_slice(text_event(format, &ascii(piece)).as_bytes());
            text = rest;
        }
        if rng.percent(80) {
            let reason: &&str = rng.pick(&["stop", "length", "tool_use"]);
            data.extend_from_slice(event(format, Said::Reason(reason)).as_bytes());
        }
        if rng.percent(80) {
            data.extend_from_slice(event(format, Said::End).as_bytes());
        }
        data
    })
}

/// A string of JSON in ASCII: other bytes stand for pieces.
fn ascii(text: &str) -> String {
    let json = json!(text).to_string();
    let escape = |unit: u16| if unit < 0x80 { char::from(unit as u8).to_string() } else { format!("\\u{unit:04x}") };
    json.encode_utf16().map(escape).collect()
}

/// A body made of pieces or of events.
pub fn random(rng: &mut Rng) -> Vec<u8> {
    let cuts = rng.below(4);
    let mut data = vec![rng.below(256) as u8, rng.below(256) as u8, cuts as u8];
    data.extend((0..2 * cuts).map(|_| rng.below(256) as u8));
    data.push(rng.below(2) as u8);
    data.extend(
        (0..rng.below(24)).map(|_| if rng.percent(90) { rng.between(0x80, 0xFF) } else { rng.below(256) } as u8),
    );
    data
}

/// The byte for no format.
const AUTO: u8 = 0xF0;

fn answer(format: u8, options: u8) -> Answer {
    let mut answer = match usize::from(format / 16) {
        number if number < Format::ALL.len() => Answer::with_format(Format::ALL[number]),
        _ => Answer::auto(),
    };
    if options & 0x0F == 1 {
        answer = answer.with_choice(1);
    }
    if options & 0x10 != 0 {
        answer = answer.lossy();
    }
    if options & 0xE0 == 0x20 {
        answer = answer.with_max_event_bytes(NonZeroUsize::new(64).expect("not zero"));
    }
    answer
}

/// The result of an answer.
#[derive(Debug, PartialEq)]
struct Given {
    text: String,
    ending: Option<Ending>,
    error: Option<String>,
    reason: Option<String>,
    instead_of_text: Option<InsteadOfText>,
}

fn read<'b>(answer: &Answer, pieces: impl IntoIterator<Item = &'b [u8]>) -> Given {
    let mut answer = answer.clone();
    let mut text = String::new();
    let mut error = None;
    for piece in pieces {
        let before = text.len();
        if let Err(new) = answer.feed(piece, &mut text) {
            assert_eq!(error.replace(new.to_string()), None, "a second error");
        } else {
            assert!(error.is_none() || text.len() == before, "text after the error");
        }
    }
    let ending = answer.finish(&mut text);
    let ending = match (ending, &error) {
        (Ok(ending), None) => Some(ending),
        (Ok(ending), Some(_)) => {
            assert_eq!(ending, Ending::Truncated, "after an error");
            None
        }
        (Err(new), None) => {
            error = Some(new.to_string());
            None
        }
        (Err(new), Some(_)) => panic!("a second error: {new}"),
    };
    let reason = answer.reason().map(str::to_owned);
    if ending == Some(Ending::Complete) {
        let finish = reason.as_deref().and_then(finish_for_reason);
        assert_eq!(finish, Some(Finish::Complete), "complete for {reason:?}");
    }
    Given { text, ending, error, reason, instead_of_text: answer.instead_of_text() }
}

#[track_caller]
fn assert_cuts(answer: &Answer, body: &[u8], cuts: &[usize]) {
    let whole = read(answer, [body]);
    let (mut from, end) = (0, body.len());
    let pieces = cuts.iter().chain([&end]).map(|&to| {
        let piece = &body[from..to];
        from = to;
        piece
    });
    assert_eq!(read(answer, pieces), whole, "{} at {cuts:?}", body.escape_ascii());
    assert_eq!(read(answer, body.chunks(1)), whole, "{}", body.escape_ascii());
    // The text of a truncated body is a prefix of the whole text, unless the rest of its last line is an error.
    for &cut in cuts.iter().filter(|_| whole.error.is_none()) {
        let cut_off = read(answer, [&body[..cut]]);
        // A half of a character at the end might have been completed.
        let start = cut_off.text.strip_suffix('\u{FFFD}').unwrap_or(&cut_off.text);
        assert!(whole.text.starts_with(start), "{} up to {cut}", body.escape_ascii());
    }
}

/// The content of an event.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Said {
    Text(&'static str),
    Reason(&'static str),
    Nothing,
    Comment,
    Unknown,
    Failure,
    End,
}

fn said(byte: u8) -> Said {
    match byte % 16 {
        0..=2 => Said::Text("\"a\""),
        3 => Said::Text("\"\\ud83d\""),
        4 => Said::Text("\"\\ude80\""),
        5 => Said::Text("\"\""),
        6 | 7 => Said::Reason("stop"),
        8 => Said::Reason("end_turn"),
        9 => Said::Reason("length"),
        10 => Said::Reason("content_filter"),
        11 => Said::Reason("never heard of"),
        12 => Said::Nothing,
        13 => Said::Comment,
        14 => [Said::Unknown, Said::Failure][usize::from(byte / 16) % 2],
        _ => Said::End,
    }
}

/// An event of a format, perhaps with a reason.
fn event(format: Format, said: Said) -> String {
    let data = |value: Value| format!("data: {value}\n\n");
    match (said, format) {
        (Said::Text(text), _) => text_event(format, text),
        (Said::Reason(reason), Format::OpenAi | Format::Mistral) => {
            data(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}))
        }
        (Said::Reason(reason), Format::OpenAiResponses) => {
            data(json!({"type": "response.completed", "response": {"status": status(reason)}}))
        }
        (Said::Reason(reason), Format::Anthropic) => {
            data(json!({"type": "message_delta", "delta": {"stop_reason": reason}}))
        }
        (Said::Reason(reason), Format::Gemini) => data(json!({"candidates": [{"finishReason": reason}]})),
        (Said::Reason(reason), Format::Ollama) => {
            format!("{}\n", json!({"response": "", "done": false, "done_reason": reason}))
        }
        (Said::Reason(reason), Format::Cohere) => {
            data(json!({"type": "message-end", "delta": {"finish_reason": reason}}))
        }
        (Said::End, Format::OpenAi | Format::Mistral | Format::Gemini) => "data: [DONE]\n\n".to_owned(),
        (Said::End, Format::OpenAiResponses) => data(json!({"type": "response.completed", "response": {}})),
        (Said::End, Format::Anthropic) => data(json!({"type": "message_stop"})),
        (Said::End, Format::Ollama) => format!("{}\n", json!({"response": "", "done": true})),
        (Said::End, Format::Cohere) => data(json!({"type": "message-end", "delta": {}})),
        (Said::Nothing, _) => "\n\n".to_owned(),
        (Said::Comment, _) => ": keep-alive\n\n".to_owned(),
        (Said::Unknown, _) => "event: new\ndata: {\"type\":\"new\"}\n\n".to_owned(),
        (Said::Failure, _) => data(json!({"error": {"message": "full"}})),
        (said, format) => unreachable!("{said:?} of {format}"),
    }
}

/// The response status for a reason.
fn status(reason: &'static str) -> &'static str {
    if reason == "stop" { "completed" } else { reason }
}

fn text_event(format: Format, text: &str) -> String {
    match format {
        Format::OpenAi => format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{text}}}}}]}}\n\n"),
        Format::Mistral => {
            format!(
                "data: {{\"model\":\"mistral-tiny\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{text}}}}}]}}\n\n"
            )
        }
        Format::OpenAiResponses => format!("data: {{\"type\":\"response.output_text.delta\",\"delta\":{text}}}\n\n"),
        Format::Anthropic => {
            format!(
                "event: content_block_delta\ndata: {{\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":{text}}}}}\n\n"
            )
        }
        Format::Gemini => format!("data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":{text}}}]}}}}]}}\n\n"),
        Format::Ollama => format!("{{\"response\":{text},\"done\":false}}\n"),
        Format::Cohere => {
            format!(
                "data: {{\"type\":\"content-delta\",\"delta\":{{\"message\":{{\"content\":{{\"text\":{text}}}}}}}}}\n\n"
            )
        }
        other => unreachable!("{other}"),
    }
}

/// The ending of an answer with these events.
#[track_caller]
fn assert_known(format: Format, events: &[Said], body: &str) {
    let given = read(&Answer::with_format(format), [body.as_bytes()]);
    let ends_with_reason = matches!(format, Format::OpenAiResponses | Format::Cohere);
    let is_end = |said: &Said| *said == Said::End || (ends_with_reason && matches!(said, Said::Reason(_)));
    let end = events.iter().position(is_end);
    let events = &events[..end.map_or(events.len(), |end| end + 1)];
    if events.contains(&Said::Failure) {
        assert_eq!(given.error.as_deref(), Some("the server failed: full"), "{body}");
        return;
    }
    let is_status = format == Format::OpenAiResponses;
    let reason_of = |said: &Said| match said {
        Said::Reason(reason) => Some(if is_status { status(reason) } else { reason }),
        _ => None,
    };
    let mut reasons = events.iter().filter_map(reason_of);
    let is_against = |reason: &str| finish_for_reason(reason) != Some(Finish::Complete);
    let text: Vec<u16> = events.iter().flat_map(|said| units(*said)).collect();
    if given.error.is_some() {
        // Only unknown events, or an end without an answer.
        assert!(text.is_empty() || events.contains(&Said::Unknown), "{:?} {body}", given.error);
        return;
    }
    if reasons.clone().any(is_against) {
        assert_eq!(given.ending, Some(Ending::Truncated), "{body}");
        assert_eq!(given.reason.as_deref(), reasons.find(|reason| is_against(reason)), "{body}");
    } else {
        let is_ended = end.is_some();
        let may_end = matches!(format, Format::OpenAi | Format::Mistral | Format::Gemini);
        let last = reasons.next_back();
        let endings: &[Ending] = match last {
            Some(_) if is_ended => &[Ending::Complete],
            Some(_) if may_end => &[Ending::Complete, Ending::Unstated],
            None if is_ended => &[Ending::Unstated],
            _ => &[Ending::Truncated],
        };
        assert!(endings.contains(&given.ending.expect("no error")), "{:?} {body}", given.ending);
        assert_eq!(given.reason.as_deref(), last, "{body}");
    }
    let whole = String::from_utf16_lossy(&text);
    // A half at the end is left out if its other half may still arrive.
    let half = whole.strip_suffix('\u{FFFD}').unwrap_or(&whole);
    assert!(given.text == whole || (end.is_none() && given.text == half), "{:?} for {whole:?}: {body}", given.text);
}

fn units(said: Said) -> Vec<u16> {
    match said {
        Said::Text("\"a\"") => vec![0x61],
        Said::Text("\"\\ud83d\"") => vec![0xD83D],
        Said::Text("\"\\ude80\"") => vec![0xDE80],
        _ => Vec::new(),
    }
}

/// The body with a piece for each non-ASCII byte, except for `FE` and `FF`.
fn spell_out(data: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    for &byte in data {
        match byte {
            0x00..0x80 | 0xFE.. => body.push(byte),
            _ => body.extend_from_slice(PIECES[usize::from(byte - 0x80) % PIECES.len()].as_bytes()),
        }
    }
    body
}

const PIECES: [&str; 68] = [
    "data: ",
    "data:",
    "\ndata: ",
    "\n",
    "\n\n",
    "\r\n\r\n",
    "\r",
    "event: ",
    "event: error\n",
    "error: ",
    "id: 1\n",
    ": x\n",
    "[DONE]",
    "data: [DONE]\n\n",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    "\\ud83d",
    "\\ude80",
    "\u{FDD0}",
    "\u{FEFF}",
    "é🚀",
    "<html>",
    "a",
    ",",
    "\"error\":",
    "null",
    "{}",
    "\"message\":",
    "\"choices\":[",
    "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}",
    "data: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\n",
    "data: {\"choices\":[{\"index\":1,\"text\":\"c\",\"finish_reason\":\"length\"}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"finish_reason\":\"stop\"}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"finish_reason\":\"length\"}]}\n\n",
    "data: {\"choices\":[{\"message\":{\"content\":\"d\"}}]}\n\n",
    "data: {\"id\":\"1\",\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"e\"}}]}\n\n",
    "data: {\"id\":\"2\",\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n",
    "data: {\"choices\":{\"delta\":{\"content\":\"f\",\"tool_calls\":[1]}}}\n\n",
    "data: {\"choices\":[{\"delta\":{\"content\":\"\\ud83d\"}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"content\":\"\\ude80\"}}]}\n\n",
    "data: {\"type\":\"response.output_text.delta\",\"output_index\":1,\"delta\":\"a\"}\n\n",
    "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"b\"}\n\n",
    "data: {\"type\":\"response.output_text.done\",\"text\":\"c\"}\n\n",
    "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n",
    "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"incomplete\"}}\n\n",
    "data: {\"type\":\"response.incomplete\"}\n\n",
    "data: {\"type\":\"message_start\",\"message\":{}}\n\n",
    "event: content_block_start\ndata: {\"content_block\":{\"type\":\"thinking\"}}\n\n",
    "event: content_block_delta\ndata: {\"index\":1,\"delta\":{\"text\":\"a\"}}\n\n",
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n",
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\"}}\n\n",
    "data: {\"type\":\"message_stop\"}\n\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]},\"finishReason\":\"STOP\"}]}\n\n",
    "data: {\"candidates\":[{\"finishReason\":\"SAFETY\"}]}\n\n",
    "data: {\"promptFeedback\":{\"blockReason\":\"OTHER\"}}\n\n",
    "{\"response\":\"a\",\"done\":false}\n",
    "{\"message\":{\"content\":\"b\"},\"done\":false}\n",
    "{\"response\":\"\",\"done\":true,\"done_reason\":\"stop\"}\n",
    "{\"error\":\"x\"}\n",
    "data: {\"type\":\"message-start\"}\n\n",
    "data: {\"type\":\"content-delta\",\"delta\":{\"message\":{\"content\":{\"text\":\"a\"}}}}\n\n",
    "data: {\"type\":\"message-end\",\"delta\":{\"finish_reason\":\"COMPLETE\"}}\n\n",
    "data: {\"type\":\"message-end\",\"delta\":{\"finish_reason\":\"MAX_TOKENS\"}}\n\n",
    "data: {\"type\":\"ping\"}\n\n",
];
