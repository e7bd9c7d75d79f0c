//! Bodies of servers and proxies that deviate from the descriptions of their formats.

use tagwire::Ending;
use tagwire::sse::{Answer, Format, InsteadOfText};

use crate::{Given, given};

/// Reads a body whole, cut in two at every byte, and byte by byte, and asserts one result.
#[track_caller]
fn read_with(answer: &Answer, body: &[u8]) -> Given {
    let whole = given(answer.clone(), [body]);
    for at in 0..=body.len() {
        assert_eq!(given(answer.clone(), [&body[..at], &body[at..]]), whole, "{} at {at}", body.escape_ascii());
    }
    assert_eq!(given(answer.clone(), body.chunks(1)), whole, "{}", body.escape_ascii());
    whole
}

#[track_caller]
fn is_text(body: &str, text: &str, ending: Ending) {
    let expected = Given { text: text.to_owned(), finish: Some(ending), ..Given::default() };
    let given = read_with(&Answer::auto(), body.as_bytes());
    assert_eq!(Given { reason: None, ..given }, expected, "{body}");
}

#[track_caller]
fn is_error(body: &str, text: &str, error: &str) {
    let given = read_with(&Answer::auto(), body.as_bytes());
    assert_eq!((&*given.text, given.error.as_deref()), (text, Some(error)), "{body}");
}

const STOP: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
const DONE: &str = "data: [DONE]\n\n";

fn chunk(content: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{content}\"}}}}]}}\n\n")
}

#[test]
fn shapes_of_a_choice() {
    for choices in [
        r#"[{"index":0,"text":"a","finish_reason":"stop"}]"#,
        r#"[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}]"#,
        r#"[{"index":0,"delta":{},"message":{"content":"a"},"finish_reason":"stop"}]"#,
        r#"[{"index":0,"delta":{"content":"a"},"message":{"content":"a"},"finish_reason":"stop"}]"#,
        r#"[{"index":0,"delta":{"content":[{"type":"text","text":"a"}]},"finish_reason":"stop"}]"#,
        r#"[{"index":0,"delta":{"content":{"type":"text","text":"a"}},"finish_reason":"stop"}]"#,
        r#"[{"index":"0","delta":{"content":"a"},"finish_reason":"stop"}]"#,
        r#"[{"delta":{"content":"a"},"finish_reason":"stop"},{"delta":{"content":"b"}}]"#,
        r#"{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}"#,
        r#"{"0":{"delta":{"content":"a"},"finish_reason":"stop"},"1":{"delta":{"content":"b"}}}"#,
    ] {
        is_text(&format!("data: {{\"choices\":{choices}}}\n\n{DONE}"), "a", Ending::Complete);
        is_text(&format!("data: [{{\"choices\":{choices}}}]\n\n{DONE}"), "a", Ending::Complete);
    }
}

/// Perplexity sends all of the text so far with each piece.
#[test]
fn a_message_beside_deltas_is_the_text_again() {
    let body = [
        r#""message":{"content":"a"},"delta":{"content":"a"}"#,
        r#""message":{"content":"ab"},"delta":{"content":"b"}"#,
    ]
    .map(|choice| format!("data: {{\"choices\":[{{\"index\":0,{choice}}}]}}\n\n"))
    .concat();
    let last = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"message\":{\"content\":\"ab\"},\"finish_reason\":\"stop\"}]}\n\n";
    is_text(&(body + last), "ab", Ending::Complete);
}

#[test]
fn a_second_message_may_be_anything() {
    let message =
        |text: &str| format!("data: {{\"choices\":[{{\"index\":0,\"message\":{{\"content\":\"{text}\"}}}}]}}\n\n");
    let error = "event 2 has a second `message`: it may repeat the text so far or continue it";
    is_error(&(message("a") + &message("ab")), "a", error);
    is_error(&(message("a") + &chunk("b")), "a", error);
}

/// The fields of events, as they are written.
#[test]
fn framings() {
    let whole = chunk("a") + STOP + DONE;
    for body in [
        whole.replace('\n', "\r\n"),
        whole.replace('\n', "\r"),
        whole.replace("data: ", "data:"),
        whole.replace("data: ", "Data: "),
        whole.replace("data: ", "data: data: "),
        whole.replace("data: ", "\u{FEFF}data: "),
        format!("\u{FEFF}{whole}"),
        format!("\n\n : x\n{whole}"),
        whole.replace("\n\n", "\n"),
        whole.replace("\n\n", "\r\n"),
        whole.replace("data: ", "event: message\nid: 1\ndata: "),
        whole.replace("data: ", "event: chunk\ndata: ").replace("\n\n", "\n"),
        whole.replace("data: ", ": keep-alive\n\n:\n\nretry: 1\n\ndata: "),
        whole.replace("data: {", "data: {\ndata: ").replace("]}", "\ndata: ]\ndata: }"),
        whole.replace("data: ", ""),
        whole.replace("data: ", "").replace("\n\n", "\n"),
        whole.replace("[DONE]", "\"[DONE]\""),
        whole.trim_end().to_owned(),
        whole.replace("data: ", "event: ping\ndata: {}\n\nevent: heartbeat\ndata: still here\n\ndata: "),
    ] {
        is_text(&body, "a", Ending::Complete);
    }
}

/// A truncated event is ignored, and is no error.
#[test]
fn the_last_event_is_cut_off() {
    let start = chunk("a");
    let more = chunk("\\u00e9\\ud83d\\ude80");
    for at in 0..more.trim_end().len() {
        is_text(&(start.clone() + &more[..at]), "a", Ending::Truncated);
    }
    for end in ["data: [", "data: [DON", "da", "event: x", "[D", ": x", "{\"choices", "data:"] {
        is_text(&(start.clone() + end), "a", Ending::Truncated);
    }
}

#[test]
fn errors_in_every_shape() {
    for (event, error) in [
        (r#"data: {"error":{"message":"full","type":"server_error","code":null}}"#, "full (server_error)"),
        (r#"data: {"error":{"message":"full","code":503}}"#, "full (503)"),
        (r#"data: {"error":"full"}"#, "full"),
        (r#"data: {"error":["full"]}"#, "full"),
        (r#"data: {"error":true,"message":"full"}"#, "full"),
        (r#"data: {"errors":[{"message":"full","code":10000}],"success":false}"#, "full (10000)"),
        (r#"data: {"error":{"error":{"message":"full","type":"x"}}}"#, "full (x)"),
        (r#"data: {"error":{"detail":"full"}}"#, "full"),
        (r#"data: {"error_type":"overloaded","error_message":"full"}"#, "full (overloaded)"),
        (r#"data: {"error":"full","error_type":"generation"}"#, "full (generation)"),
        (r#"data: {"error_code":50001,"text":"x","message":"full"}"#, "full (50001)"),
        (r#"data: {"errorMessage":"full","errorType":"Runtime.Exit"}"#, "full (Runtime.Exit)"),
        (r#"data: {"object":"error","message":"full","type":"BadRequestError","code":400}"#, "full (400)"),
        (r#"data: {"type":"error","error":{"type":"overloaded_error","message":"full"}}"#, "full (overloaded_error)"),
        (r#"data: {"type":"error","message":"full","code":"x"}"#, "full (x)"),
        (r#"data: {"status":"error","message":"full"}"#, "full"),
        (r#"data: {"success":false,"msg":"full"}"#, "full"),
        (r#"data: {"code":"Throttling","message":"full","request_id":"7"}"#, "full (Throttling)"),
        (r#"data: {"statusCode":429,"message":"full"}"#, "full (429)"),
        (r#"data: {"throttlingException":{"message":"full"}}"#, "full (throttlingException)"),
        (r#"data: {"base_resp":{"status_code":1004,"status_msg":"full"},"message":"full"}"#, "full"),
        (r#"data: {"title":"full","status":503}"#, "full (503)"),
        (
            r#"data: {"choices":[{"index":0,"delta":{"content":""},"error":{"code":502,"message":"full"}}]}"#,
            "full (502)",
        ),
        ("event: error\ndata: full", "full"),
        ("event: error\ndata: {\"message\":\"full\"}", "full"),
        ("data: {\"message\":\"full\"}\nevent: error", "full"),
        ("event: error\ndata: {\"detail\":[{\"loc\":[\"body\"],\"msg\":\"full\"}]}", "full"),
        ("event: error", "an error without a message"),
        ("error: {\"code\":400,\"message\":\"full\"}", "full (400)"),
        ("error: full", "full"),
        ("error:full", "full"),
        ("{\"error\":{\"message\":\"full\"}}", "full"),
        ("{\n  \"error\": {\n    \"message\": \"full\"\n  }\n}", "full"),
        ("[{\"error\":{\"message\":\"full\"}}]", "full"),
    ] {
        let error = format!("the server failed: {error}");
        for (before, text) in
            [(String::new(), ""), (": x\n\n".to_owned(), ""), (chunk("a"), "a"), (chunk("a") + STOP, "a")]
        {
            is_error(&format!("{before}{event}\n\n{DONE}"), text, &error);
            is_error(&format!("{before}{event}\n\n"), text, &error);
        }
    }
}

/// A lone message is an error if no answer ends properly.
#[test]
fn messages_in_place_of_an_end() {
    let message = "data: {\"message\":\"Internal server error\"}\n\n";
    let error = "the server failed: Internal server error";
    is_error(message, "", error);
    is_error(&(message.to_owned() + DONE), "", error);
    is_error(&(chunk("a") + message), "a", error);
    is_error(&(chunk("a") + message + DONE), "a", error);
    is_text(&(chunk("a") + message + &chunk("b") + DONE), "ab", Ending::Unstated);
    is_text(&(chunk("a") + message + STOP), "a", Ending::Complete);
    let line = "upstream connect error or disconnect/reset before headers";
    is_error(&(chunk("a") + line), "a", &format!("expected an event after event 1, got {line:?}"));
    is_text(&(chunk("a") + line + "\n\n" + STOP), "a", Ending::Complete);
    let page = "<!DOCTYPE html>\n<title>504</title>\n";
    is_error(&(chunk("a") + page + STOP), "a", "expected an event after event 1, got \"<!DOCTYPE html>\"");
}

#[test]
fn nothing_that_is_called_an_error() {
    for nothing in ["null", "{}", "\"\"", "false", "[]", "0", "{\"message\":\"\",\"code\":null}"] {
        for key in ["error", "errors", "error_message", "error_code", "exception"] {
            let chunk = format!(
                "data: {{\"{key}\":{nothing},\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"a\"}}}}]}}\n\n"
            );
            is_text(&(chunk.clone() + STOP + DONE), "a", Ending::Complete);
            let alone = format!("data: {{\"{key}\":{nothing}}}\n\n");
            is_text(&(self::chunk("a") + &alone + STOP), "a", Ending::Complete);
        }
        is_text(&(chunk("a") + &format!("error: {nothing}\n\n") + STOP), "a", Ending::Complete);
    }
}

#[test]
fn a_format_that_nobody_knows() {
    let known =
        "expected a stream in a known format (openai, openai-responses, anthropic, gemini, ollama, cohere, mistral)";
    for event in [
        r#"{"token":{"id":1,"text":"a"},"generated_text":null}"#,
        r#"{"content":"a","stop":false}"#,
        r#"{"contentBlockDelta":{"delta":{"text":"a"}}}"#,
    ] {
        // Keys may be sorted in the message.
        let sorted = serde_json::from_str::<serde_json::Value>(event).unwrap().to_string();
        let body = format!("data: {event}\n\n");
        is_error(&body, "", &format!("{known}, got {sorted:?}"));
        is_error(&(body.clone() + DONE), "", &format!("{known}, got {sorted:?}"));
        let given = read_with(&Answer::with_format(Format::OpenAi), body.as_bytes());
        assert_eq!(given.error, Some(format!("expected a stream in the format openai, got {sorted:?}")));
    }
    let long = format!("data: {{\"x\":\"{}\"}}\n\n", "é".repeat(300));
    let given = read_with(&Answer::auto(), long.as_bytes());
    assert_eq!(given.error, Some(format!("{known}, got \"{{\\\"x\\\":\\\"{}\"", "é".repeat(194))));
    is_error("foo: bar\nbaz\n", "", "expected an event stream, got \"foo: bar\\nbaz\"");
    is_error("[[RUN/]] x", "", "expected an event stream, got \"[[RUN/]] x\"");
}

/// Text in an unknown field is not an empty answer.
#[test]
fn a_choice_that_is_not_understood() {
    for choice in [r#""content":"a""#, r#""delta":"a""#, r#""delta":{"response":"a"}"#, r#""output":[{"text":"a"}]"#] {
        let body = format!("data: {{\"choices\":[{{{choice},\"finish_reason\":\"stop\"}}]}}\n\n{DONE}");
        let given = read_with(&Answer::auto(), body.as_bytes());
        let error = given.error.expect(&body);
        assert!(error.starts_with("expected a stream in the format openai, got \"{\\\"choices\\\":"), "{error}");
    }
    is_text(&(STOP.to_owned() + "data: {\"usage\":{\"total\":1}}\n\n" + DONE), "", Ending::Complete);
}

#[test]
fn a_choice_that_is_missing() {
    let error = "the answer has no choice 0";
    is_error(DONE, "", error);
    is_error(&("data: {\"choices\":[]}\n\n".to_owned() + DONE), "", error);
    is_error(&(chunk("a").replace("\"index\":0", "\"index\":1") + DONE), "", error);
    is_error(&chunk("a").replace("\"index\":0", "\"index\":1"), "", error);
    let given = read_with(&Answer::auto().with_choice(5), (chunk("a") + STOP).as_bytes());
    assert_eq!(given.error.as_deref(), Some("the answer has no choice 5"));
    let anthropic =
        "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n";
    let given = read_with(&Answer::auto().with_choice(1), anthropic.as_bytes());
    assert_eq!(given.error.as_deref(), Some("the answer has no choice 1"));
}

#[test]
fn what_is_there_instead_of_text() {
    let delta = |delta: &str| format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\n");
    for (body, instead) in [
        (delta(r#"{"tool_calls":[{"index":0,"id":"1"}]}"#), Some(InsteadOfText::ToolCalls)),
        (delta(r#"{"function_call":{"name":"x"}}"#), Some(InsteadOfText::ToolCalls)),
        (delta(r#"{"refusal":"no"}"#), Some(InsteadOfText::Refusal)),
        (delta(r#"{"reasoning_content":"hm"}"#), Some(InsteadOfText::Reasoning)),
        (delta(r#"{"reasoning_content":"hm"}"#) + &delta(r#"{"tool_calls":[{}, {"id":"1"}]}"#), Some(InsteadOfText::ToolCalls)),
        (delta(r#"{"content":"\n\n","tool_calls":[{"id":"1"}]}"#), Some(InsteadOfText::ToolCalls)),
        (delta(r#"{"content":"a","tool_calls":[{"id":"1"}]}"#), None),
        (delta(r#"{"content":"","tool_calls":[],"refusal":null}"#), None),
        ("data: {\"type\":\"response.refusal.delta\",\"delta\":\"no\"}\n\n".to_owned(), Some(InsteadOfText::Refusal)),
        (
            "data: {\"type\":\"response.output_item.added\",\"item\":{\"type\":\"function_call\"}}\n\n".to_owned(),
            Some(InsteadOfText::ToolCalls),
        ),
        (
            "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"1\"}}\n\n".to_owned(),
            Some(InsteadOfText::ToolCalls),
        ),
        ("data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\"}}\n\n".to_owned(), Some(InsteadOfText::Refusal)),
        ("{\"message\":{\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"x\"}}]},\"done\":false}\n".to_owned(), Some(InsteadOfText::ToolCalls)),
    ] {
        let mut answer = Answer::auto();
        answer.feed(body.as_bytes(), &mut String::new()).unwrap();
        assert_eq!(answer.instead_of_text(), instead, "{body}");
    }
}

/// Returns an event with a piece of text.
type Piece = fn(&str) -> String;

/// Surrogate halves in two pieces are joined, in every format, only within a block.
#[test]
fn halves_of_characters() {
    let pieces: [(Format, Piece); 6] = [
        (Format::OpenAi, chunk),
        (Format::Mistral, |text| chunk(text).replace("{\"choices", "{\"model\":\"mistral-tiny\",\"choices")),
        (Format::OpenAiResponses, |text| {
            format!(
                "data: {{\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"{text}\"}}\n\n"
            )
        }),
        (Format::Anthropic, |text| {
            format!(
                "data: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{text}\"}}}}\n\n"
            )
        }),
        (Format::Gemini, |text| {
            format!("data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"{text}\"}}]}}}}]}}\n\n")
        }),
        (Format::Ollama, |text| format!("{{\"response\":\"{text}\",\"done\":false}}\n")),
    ];
    for (format, piece) in pieces {
        for (texts, expected) in [
            (&["a\\ud83d", "\\ude80b"][..], "a🚀b"),
            (&["\\ud83d", "", "\\ude80", "x"], "🚀x"),
            (&["\\ud83d", "x", "\\ude80", "y"], "\u{FFFD}x\u{FFFD}y"),
            (&["\\ude80\\ud83d", "\\ud83d\\ude80", "."], "\u{FFFD}\u{FFFD}🚀."),
            (&["\\\\ud83d", "\u{FDD0}\\ud83d", "\\ude80"], "\\ud83d\u{FDD0}🚀"),
        ] {
            let body: String = texts.iter().map(|text| piece(text)).collect();
            is_text(&body, expected, Ending::Truncated);
        }
        // Truncated after a half, it is no error; at a complete end, a character is lost.
        is_text(&piece("a\\ud83d"), "a", Ending::Truncated);
        assert_eq!(format.to_string().parse(), Ok(format));
    }
    is_text(&(chunk("a\\ud83d") + DONE), "a\u{FFFD}", Ending::Unstated);
    let block = |index: u8, text: &str| {
        format!(
            "data: {{\"type\":\"content_block_delta\",\"index\":{index},\"delta\":{{\"type\":\"text_delta\",\"text\":\"{text}\"}}}}\n\n"
        )
    };
    is_text(&(block(0, "\\ud83d") + &block(1, "\\ude80.")), "\u{FFFD}\u{FFFD}.", Ending::Truncated);
}

/// Blocks are distinguished by their full index, and never mixed.
#[test]
fn blocks_in_order() {
    let part = |output: u8, content: u8, text: &str| {
        format!(
            "data: {{\"type\":\"response.output_text.delta\",\"output_index\":{output},\"content_index\":{content},\"delta\":\"{text}\"}}\n\n"
        )
    };
    let body = part(0, 0, "a") + &part(0, 1, "b") + &part(1, 0, "c") + &part(1, 0, "d");
    is_text(&body, "abcd", Ending::Truncated);
    let error = "event 3 goes back to an earlier block of text: the order of the text is unknown";
    is_error(&(part(0, 0, "a") + &part(1, 0, "b") + &part(0, 0, "c")), "ab", error);
    is_error(&(part(1, 0, "a") + &part(1, 1, "b") + &part(1, 0, "c")), "ab", error);
    let block = |index: u8, text: &str| {
        format!(
            "data: {{\"type\":\"content_block_delta\",\"index\":{index},\"delta\":{{\"type\":\"text_delta\",\"text\":\"{text}\"}}}}\n\n"
        )
    };
    is_error(&(block(1, "a") + &block(2, "b") + &block(1, "c")), "ab", error);
    is_text(&(block(1, "a") + &block(1, "b") + &block(4, "c")), "abc", Ending::Truncated);
}

/// Complete text without preceding pieces.
#[test]
fn responses_without_deltas() {
    let done =
        "data: {\"type\":\"response.output_text.done\",\"output_index\":0,\"content_index\":0,\"text\":\"ab\"}\n\n";
    let completed = "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"ab\"}]}]}}\n\n";
    let delta =
        "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"ab\"}\n\n";
    let part = done.replace("output_text.done", "content_part.done");
    let part = &part.replace("\"text\":\"ab\"", "\"part\":{\"type\":\"output_text\",\"text\":\"ab\"}");
    let item = "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"ab\"}]}}\n\n";
    for body in [
        [done, part, item, completed].concat(),
        [part, item, completed].concat(),
        [item, completed].concat(),
        [delta, item, completed].concat(),
        [delta, done, completed].concat(),
        [done, completed].concat(),
        completed.to_owned(),
        [delta, completed].concat(),
    ] {
        is_text(&body, "ab", Ending::Complete);
    }
}

#[test]
fn an_answer_that_begins_again() {
    let again =
        |number: u8| format!("event {number} begins the answer again: two answers in one stream cannot be told apart");
    let role = |id: &str, text: &str| {
        format!(
            "data: {{\"id\":\"{id}\",\"choices\":[{{\"index\":0,\"delta\":{{\"role\":\"assistant\",\"content\":\"{text}\"}}}}]}}\n\n"
        )
    };
    is_error(&(role("1", "a") + &role("2", "a")), "a", &again(2));
    is_error(&(role("1", "") + &chunk("a") + &role("2", "")), "a", &again(3));
    // Servers repeat the role, or give each chunk an id of its own.
    is_text(&(role("1", "a") + &role("1", "b")), "ab", Ending::Truncated);
    is_text(&(role("1", "") + &role("2", "a")), "a", Ending::Truncated);
    let id = |id: &str, text: &str| role(id, text).replace("\"role\":\"assistant\",", "");
    is_text(&(role("1", "a") + &id("2", "b") + &id("3", "c")), "abc", Ending::Truncated);

    let start = |id: u8| format!("data: {{\"type\":\"message_start\",\"message\":{{\"id\":\"{id}\"}}}}\n\n");
    let block =
        "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n";
    is_error(&(start(1) + block + &start(2)), "a", &again(3));
    is_error(&(start(1) + block + &start(1)), "a", &again(3));
    is_text(&(start(1) + &start(2) + block), "a", Ending::Truncated);

    let created = "data: {\"type\":\"response.created\",\"response\":{\"id\":\"1\"}}\n\n";
    let delta = "data: {\"type\":\"response.output_text.delta\",\"delta\":\"a\"}\n\n";
    is_error(&[created, delta, created].concat(), "a", &again(3));

    let cohere = "data: {\"type\":\"message-start\",\"id\":\"1\"}\n\n";
    let content =
        "data: {\"type\":\"content-delta\",\"index\":0,\"delta\":{\"message\":{\"content\":{\"text\":\"a\"}}}}\n\n";
    is_error(&[cohere, content, cohere].concat(), "a", &again(3));

    let gemini = |id: u8| {
        format!(
            "data: {{\"responseId\":\"{id}\",\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"a\"}}]}}}}]}}\n\n"
        )
    };
    is_error(&(gemini(1) + &gemini(1) + &gemini(2)), "aa", &again(3));
}

/// The type of an event only in its `event:` line.
#[test]
fn types_in_the_event_line() {
    let body = "event: response.output_text.delta\ndata: {\"delta\":\"a\"}\n\nevent: response.completed\ndata: {\"response\":{\"status\":\"completed\"}}\n\n";
    is_text(body, "a", Ending::Complete);
    let body = "event: content-delta\ndata: {\"delta\":{\"message\":{\"content\":{\"text\":\"a\"}}}}\n\nevent: message-end\ndata: {\"delta\":{\"finish_reason\":\"COMPLETE\"}}\n\n";
    is_text(body, "a", Ending::Complete);
    // Without the type of the block either.
    let body = "event: content_block_start\ndata: {\"index\":0,\"content_block\":{\"type\":\"thinking\"}}\n\nevent: content_block_delta\ndata: {\"index\":0,\"delta\":{\"text\":\"hm\"}}\n\nevent: content_block_start\ndata: {\"index\":1,\"content_block\":{\"type\":\"text\"}}\n\nevent: content_block_delta\ndata: {\"index\":1,\"delta\":{\"text\":\"a\"}}\n\nevent: message_stop\ndata: {}\n\n";
    is_text(body, "a", Ending::Unstated);
}

#[test]
fn bytes_that_are_no_text() {
    for (body, what) in [
        (
            &b"\x1F\x8B\x08\x00"[..],
            "bytes compressed with gzip: run curl with `--compressed`, or do not ask for compression",
        ),
        (
            b"\x28\xB5\x2F\xFD",
            "bytes compressed with zstd: run curl with `--compressed`, or do not ask for compression",
        ),
        (b"\x78\x9C\x01", "bytes compressed with deflate: run curl with `--compressed`, or do not ask for compression"),
    ] {
        for answer in [Answer::auto(), Answer::auto().lossy()] {
            let given = read_with(&answer, body);
            assert_eq!(given.error, Some(format!("expected an event stream, got {what}")));
        }
    }
}

/// One U+FFFD for each part that is not UTF-8, as the standard library has it.
#[test]
fn lossy_bytes() {
    let body = b"data: {\"choices\":[{\"delta\":{\"content\":\"a\xFF\xE2\x82b\xF0\x9F\x9A\"},\"finish_reason\":\"stop\"}]}\n\n";
    let given = read_with(&Answer::auto().lossy(), body);
    assert_eq!((&*given.text, given.finish), ("a\u{FFFD}\u{FFFD}b\u{FFFD}", Some(Ending::Complete)));
    let given = read_with(&Answer::auto(), body);
    assert_eq!((&*given.text, given.error.as_deref()), ("", Some("invalid UTF-8 at byte 40")));
}
