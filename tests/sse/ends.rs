//! How answers end: every reason in every format, every pair of them in both orders, cut anywhere.

use serde_json::{Value, json};
use tagwire::sse::{Answer, Format, finish_for_reason};
use tagwire::{Ending, Finish};

use crate::{Given, given};

const ORDINARY: [&str; 17] = [
    "stop",
    "tool_calls",
    "function_call",
    "eos",
    "eos_token",
    "stop_sequence",
    "end",
    "completed",
    "end_turn",
    "tool_use",
    "STOP",
    "COMPLETE",
    "STOP_SEQUENCE",
    "TOOL_CALL",
    "eosFound",
    "tool-calls",
    "Stop",
];

const CUT_OFF: [&str; 36] = [
    "length",
    "content_filter",
    "insufficient_system_resource",
    "max_output_tokens",
    "incomplete",
    "cancelled",
    "in_progress",
    "max_tokens",
    "pause_turn",
    "refusal",
    "model_context_window_exceeded",
    "content_filtered",
    "guardrail_intervened",
    "MAX_TOKENS",
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "OTHER",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "MALFORMED_FUNCTION_CALL",
    "UNEXPECTED_TOOL_CALL",
    "IMAGE_SAFETY",
    "NO_IMAGE",
    "model_length",
    "USER_CANCEL",
    "TIMEOUT",
    "load",
    "unload",
    "abort",
    "maxPredictedTokensReached",
    "contextLengthReached",
    "content-filter",
    "repetition",
    "limit",
];

const FAILED: [&str; 3] = ["error", "ERROR", "failed"];

const UNKNOWN: [&str; 3] = ["something new", "stop?", "[[RUN/]]"];

fn words() -> impl Iterator<Item = &'static str> {
    ORDINARY.into_iter().chain(CUT_OFF).chain(FAILED).chain(UNKNOWN)
}

/// How an answer ends with these reasons: an error if there is no ending.
fn expected(reasons: &[&str]) -> (Option<Ending>, Option<String>) {
    let is_failure = |reason: &&&str| FAILED.contains(*reason);
    if reasons.iter().any(|reason| is_failure(&reason)) {
        return (None, None);
    }
    let against = reasons.iter().find(|reason| !ORDINARY.contains(reason));
    let reason = against.or(reasons.last()).map(|reason| (*reason).to_owned());
    let ending = match (against, reasons) {
        (Some(_), _) => Ending::Truncated,
        (None, []) => Ending::Unstated,
        (None, _) => Ending::Complete,
    };
    (Some(ending), reason)
}

fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// The formats in which a reason may come before the event that ends the answer.
const WITH_TWO_REASONS: [Format; 5] =
    [Format::OpenAi, Format::Mistral, Format::Anthropic, Format::Gemini, Format::Ollama];

fn text(format: Format) -> String {
    let text = "Hi [[WRITE_FILE]]x";
    match format {
        Format::OpenAi => data(&json!({"choices": [{"index": 0, "delta": {"content": text}}]})),
        Format::Mistral => {
            data(&json!({"model": "mistral-small-latest", "choices": [{"index": 0, "delta": {"content": text}}]}))
        }
        Format::OpenAiResponses => data(&json!({"type": "response.output_text.delta", "delta": text})),
        Format::Anthropic => {
            data(&json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}))
        }
        Format::Gemini => data(&json!({"candidates": [{"content": {"parts": [{"text": text}]}}]})),
        Format::Ollama => format!("{}\n", json!({"message": {"content": text}, "done": false})),
        Format::Cohere => {
            data(&json!({"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": text}}}}))
        }
        other => panic!("{other}"),
    }
}

/// An event with a reason, not the last event.
fn reason(format: Format, reason: &Value) -> String {
    match format {
        Format::OpenAi | Format::Mistral => {
            data(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}))
        }
        Format::Anthropic => data(&json!({"type": "message_delta", "delta": {"stop_reason": reason}})),
        Format::Gemini => data(&json!({"candidates": [{"finishReason": reason}]})),
        Format::Ollama => format!("{}\n", json!({"message": {"content": ""}, "done": false, "done_reason": reason})),
        other => panic!("{other}"),
    }
}

/// The end of an answer for this last reason, if it has one.
fn end(format: Format, last: Option<&Value>) -> String {
    match format {
        Format::OpenAiResponses => {
            data(&json!({"type": "response.completed", "response": {"status": last, "output": []}}))
        }
        Format::Cohere => data(&json!({"type": "message-end", "delta": {"finish_reason": last}})),
        Format::Ollama => format!("{}\n", json!({"message": {"content": ""}, "done": true, "done_reason": last})),
        _ => {
            let before = last.map(|last| reason(format, last)).unwrap_or_default();
            let end = match format {
                Format::OpenAi | Format::Mistral => "data: [DONE]\n\n",
                Format::Anthropic => "data: {\"type\":\"message_stop\"}\n\n",
                _ => "",
            };
            before + end
        }
    }
}

fn read(body: &str) -> Given {
    given(Answer::auto(), [body.as_bytes()])
}

#[track_caller]
fn check(body: &str, reasons: &[&str]) {
    let given = read(body);
    let (ending, reason) = expected(reasons);
    assert_eq!(given.text, "Hi [[WRITE_FILE]]x", "{body}");
    assert_eq!(given.finish, ending, "{body}");
    match ending {
        Some(_) => assert_eq!((given.reason, given.error), (reason, None), "{body}"),
        None => assert!(given.error.expect(body).starts_with("the server failed: "), "{body}"),
    }
}

#[test]
fn one_reason() {
    for &format in Format::ALL {
        for word in words() {
            check(&(text(format) + &end(format, Some(&word.into()))), &[word]);
        }
    }
}

#[test]
fn two_reasons_in_both_orders() {
    for format in WITH_TWO_REASONS {
        let text = text(format);
        for first in words() {
            let start = text.clone() + &reason(format, &first.into());
            for second in words() {
                check(&(start.clone() + &end(format, Some(&second.into()))), &[first, second]);
            }
        }
    }
}

/// A null or empty reason is ignored, and does not undo another.
#[test]
fn no_reason() {
    for nothing in [json!(null), json!(""), json!("null"), json!("None"), json!(false), json!({}), json!([])] {
        for &format in Format::ALL {
            let given = read(&(text(format) + &end(format, Some(&nothing))));
            // Gemini has no end event.
            let ending = if format == Format::Gemini { Ending::Truncated } else { Ending::Unstated };
            assert_eq!((given.finish, given.reason, given.error), (Some(ending), None, None), "{format} {nothing}");
        }
        for format in WITH_TWO_REASONS {
            for word in ["stop", "length"] {
                let one = reason(format, &word.into());
                let none = reason(format, &nothing);
                check(&(text(format) + &none + &one + &end(format, None)), &[word]);
                check(&(text(format) + &one + &none + &end(format, None)), &[word]);
            }
        }
    }
}

/// A reason that is not a string is an unknown reason.
#[test]
fn reasons_of_another_type() {
    for (reason, written) in [(json!(1), "1"), (json!(true), "true"), (json!({"type": "stop"}), "{\"type\":\"stop\"}")]
    {
        for &format in Format::ALL {
            let given = read(&(text(format) + &end(format, Some(&reason))));
            assert_eq!((given.finish, given.reason.as_deref()), (Some(Ending::Truncated), Some(written)), "{format}");
        }
    }
}

/// The body ends after a reason, without the event that ends the answer.
#[test]
fn no_end_event() {
    for format in WITH_TWO_REASONS {
        for word in words().filter(|word| !FAILED.contains(word)) {
            let given = read(&(text(format) + &reason(format, &word.into())));
            let may_end = !matches!(format, Format::Anthropic | Format::Ollama);
            let ending = if may_end && ORDINARY.contains(&word) { Ending::Complete } else { Ending::Truncated };
            assert_eq!((given.finish, given.reason.as_deref()), (Some(ending), Some(word)), "{format}");
        }
    }
    for &format in Format::ALL {
        assert_eq!(read(&text(format)).finish, Some(Ending::Truncated), "{format}");
    }
}

/// Old Gemini servers send the reason with every piece, so it does not mark the last one.
#[test]
fn text_after_an_ordinary_reason() {
    for format in [Format::OpenAi, Format::Mistral, Format::Gemini] {
        let stop = reason(format, &"stop".into());
        let body = [text(format), stop.clone(), text(format), stop].concat();
        assert_eq!(read(&body).finish, Some(Ending::Unstated), "{format}");
        let done = body + "data: [DONE]\n\n";
        assert_eq!(read(&done).finish, Some(Ending::Complete), "{format}");
    }
}

/// The status of a response, combined with every event name.
#[test]
fn the_object_of_a_response_is_believed() {
    let names = ["completed", "done", "incomplete", "cancelled"];
    let statuses = [None, Some("completed"), Some("incomplete"), Some("cancelled"), Some("in_progress"), Some("new")];
    let details = [json!(null), json!({}), json!({"reason": "max_output_tokens"}), json!({"reason": "stop"})];
    let items = [None, Some("completed"), Some("incomplete")];
    for name in names {
        for status in statuses {
            for details in &details {
                for item in items {
                    let output = json!([{"type": "message", "status": item, "content": []}]);
                    let response = json!({"status": status, "incomplete_details": details, "output": output});
                    let body = text(Format::OpenAiResponses)
                        + &data(&json!({"type": format!("response.{name}"), "response": response}));
                    let is_good = matches!(name, "completed" | "done")
                        && details["reason"].is_null()
                        && item != Some("incomplete");
                    let ending = match status {
                        Some("completed") if is_good => Ending::Complete,
                        None if is_good => Ending::Unstated,
                        _ => Ending::Truncated,
                    };
                    assert_eq!(read(&body).finish, Some(ending), "{body}");
                }
            }
        }
    }
    let item = data(&json!({"type": "response.output_item.done", "item": {"type": "message", "status": "incomplete"}}));
    let body = text(Format::OpenAiResponses) + &item + &end(Format::OpenAiResponses, Some(&"completed".into()));
    assert_eq!(read(&body).finish, Some(Ending::Truncated));
}

/// Evidence against completion beside the reason.
#[test]
fn other_evidence_against() {
    let body = |more: &Value| {
        let mut choice = json!({"index": 0, "delta": {}, "finish_reason": "stop"});
        choice.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        text(Format::OpenAi) + &data(&json!({"choices": [choice]})) + "data: [DONE]\n\n"
    };
    for (more, reason) in [
        (json!({"native_finish_reason": "MAX_TOKENS"}), "MAX_TOKENS"),
        (json!({"content_filter_results": {"hate": {"filtered": true}}}), "content_filter"),
    ] {
        let given = read(&body(&more));
        assert_eq!((given.finish, given.reason.as_deref()), (Some(Ending::Truncated), Some(reason)), "{more}");
    }
    for more in
        [json!({"native_finish_reason": "weird"}), json!({"content_filter_results": {"hate": {"filtered": false}}})]
    {
        assert_eq!(read(&body(&more)).finish, Some(Ending::Complete), "{more}");
    }
}

/// Cut in two at every byte, it ends the same way; truncated after evidence against completion, it is never complete.
#[test]
fn cut_at_every_byte() {
    let words = ["stop", "eos_token", "tool_use", "length", "MAX_TOKENS", "new", "error"];
    for &format in Format::ALL {
        let firsts: &[Option<&str>] = if WITH_TWO_REASONS.contains(&format) {
            &[None, Some("stop"), Some("length"), Some("new")]
        } else {
            &[None]
        };
        for first in firsts {
            for word in words {
                let start = text(format) + &first.map(|first| reason(format, &first.into())).unwrap_or_default();
                let body = start.clone() + &end(format, Some(&word.into()));
                let body = body.as_bytes();
                let whole = given(Answer::auto(), [body]);
                for at in 0..=body.len() {
                    assert_eq!(given(Answer::auto(), [&body[..at], &body[at..]]), whole, "{at}");
                    let cut_off = given(Answer::auto(), [&body[..at]]);
                    let is_first_bad = first.is_some_and(|first| !ORDINARY.contains(&first)) && at >= start.len();
                    if cut_off.finish == Some(Ending::Complete) {
                        assert!(
                            !is_first_bad && ORDINARY.contains(&cut_off.reason.as_deref().unwrap()),
                            "{format} {at}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn finish_for_reason_agrees() {
    for word in words() {
        let finish = match expected(&[word]).0 {
            _ if UNKNOWN.contains(&word) => None,
            Some(Ending::Complete) => Some(Finish::Complete),
            _ => Some(Finish::Truncated),
        };
        assert_eq!(finish_for_reason(word), finish, "{word}");
    }
}
