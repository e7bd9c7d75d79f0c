//! What the events say, in each of the formats.
//!
//! The JSON is read without a schema: these APIs grow by keys and kinds of events, and the servers that speak like them differ in
//! both. What is not known is skipped, and remembered for the case that nothing else comes.

use alloc::borrow::ToOwned as _;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::error::{Error, Kind, ServerError, is_nothing, shown};
use super::evidence::Evidence;
use super::format::{Format, gemini_response};
use super::reason::{Meaning, meaning};
use super::surrogate::Halves;
use crate::input::decode::Ending;

/// What an answer holds that has no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InsteadOfText {
    /// A refusal.
    Refusal,
    /// Calls of tools.
    ToolCalls,
    /// Thinking, and nothing after it.
    Reasoning,
}

impl InsteadOfText {
    /// The name in lower case: `refusal`, `tool_calls`, `reasoning`.
    pub const fn as_str(self) -> &'static str {
        match self {
            InsteadOfText::Refusal => "refusal",
            InsteadOfText::ToolCalls => "tool_calls",
            InsteadOfText::Reasoning => "reasoning",
        }
    }
}

/// What the events so far said.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    pub(super) format: Option<Format>,
    /// Whether an event of the format was seen.
    is_sure: bool,
    pub(super) choice: u64,
    is_choice_seen: bool,
    is_other_choice_seen: bool,
    pub(super) is_ended: bool,
    evidence: Evidence,
    /// The number of the event that is read, from 1.
    pub(super) event: u64,
    /// Whether the strings of the event have lone halves of characters, as [`escape`](super::surrogate::escape) writes them.
    pub(super) is_escaped: bool,
    halves: Halves,
    has_text: bool,
    /// Whether there is more than white space in the text.
    has_visible_text: bool,
    /// Whether the text is that of a whole `message`.
    has_message: bool,
    has_refusal: bool,
    has_tool_calls: bool,
    has_reasoning: bool,
    /// The block of the last text: by output and part, or by index.
    block: Option<(u64, u64)>,
    /// Whether the block that began last is no text.
    is_in_other_block: bool,
    /// The id of the answer.
    id: Option<String>,
    /// The first that was not understood.
    unread: Option<Unread>,
    /// What was not understood since the last event that was, and may say why no more came.
    last_words: Option<Unread>,
}

/// Something that was not understood.
#[derive(Clone, Debug)]
struct Unread {
    start: String,
    /// What it says, if it may be an error.
    error: Option<ServerError>,
    /// Whether it is in a piece of the answer, and so may be what the answer says.
    is_content: bool,
    event: u64,
}

impl Reading {
    pub(super) fn new(format: Option<Format>) -> Self {
        Reading { format, ..Reading::default() }
    }

    /// Whether an event of a known format was seen.
    pub(super) fn is_sure(&self) -> bool {
        self.is_sure
    }

    /// Whether something was not understood.
    pub(super) fn has_unread(&self) -> bool {
        self.unread.is_some()
    }

    /// The reason that decides, as the server wrote it.
    pub(super) fn reason(&self) -> Option<&str> {
        self.evidence.reason()
    }

    pub(super) fn instead_of_text(&self) -> Option<InsteadOfText> {
        match self {
            Reading { has_visible_text: true, .. } => None,
            Reading { has_refusal: true, .. } => Some(InsteadOfText::Refusal),
            Reading { has_tool_calls: true, .. } => Some(InsteadOfText::ToolCalls),
            Reading { has_reasoning: true, .. } => Some(InsteadOfText::Reasoning),
            _ => None,
        }
    }

    /// Takes an event, and appends its text.
    ///
    /// `kind` is its type, which may also stand in its `event:` line.
    pub(super) fn read(&mut self, kind: &str, value: &Value, text: &mut String) -> Result<(), Error> {
        let found = Format::of(kind, value);
        if let Some(found) = found {
            self.last_words = None;
            if !self.is_sure {
                match self.format {
                    Some(expected) if !expected.is_compatible(found) => {
                        return Err(Kind::OtherFormat { expected, found }.into());
                    }
                    Some(_) => {}
                    None => self.format = Some(found),
                }
                self.is_sure = true;
            }
        } else if !is_keep_alive(kind) && !is_nothing(value) {
            let error = ServerError::of_message(value);
            self.not_understood(Unread { error, ..self.unread(&value.to_string()) });
        }
        match self.format.filter(|_| self.is_sure) {
            Some(Format::OpenAi | Format::Mistral) => self.openai(value, text),
            Some(Format::OpenAiResponses) => self.openai_responses(kind, value, text),
            Some(Format::Anthropic) => self.anthropic(kind, value, text),
            Some(Format::Gemini) => self.gemini(gemini_response(value), text),
            Some(Format::Ollama) => self.ollama(value, text),
            Some(Format::Cohere) => self.cohere(kind, value, text),
            None => Ok(()),
        }
    }

    /// `[DONE]`.
    pub(super) fn done(&mut self) {
        self.is_ended |= self.format.is_none_or(Format::ends_with_done);
    }

    /// Remembers text that was not understood, but does no harm.
    pub(super) fn unknown(&mut self, text: &str) {
        self.not_understood(self.unread(text));
    }

    /// Remembers text that belongs to no event stream, and may say why no more comes.
    pub(super) fn stray(&mut self, text: &str) {
        let unread = self.unread(text);
        self.last_words = Some(unread.clone());
        self.not_understood(unread);
    }

    fn not_understood(&mut self, unread: Unread) {
        if unread.error.is_some() {
            self.last_words = Some(unread.clone());
        }
        if self.unread.as_ref().is_none_or(|first| unread.is_content && !first.is_content) {
            self.unread = Some(unread);
        }
    }

    fn unread(&self, text: &str) -> Unread {
        Unread { start: shown(text.trim()), error: None, is_content: false, event: self.event }
    }

    /// The end of the body. An error where nothing was understood, or the choice is missing.
    pub(super) fn finish(&mut self, text: &mut String) -> Result<Ending, Error> {
        let may_lack_end = self.format.is_some_and(Format::may_end_with_reason);
        let ending = self.evidence.ending(self.is_ended, may_lack_end);
        let is_empty = !self.has_text && self.instead_of_text().is_none();
        // A known reason makes it an answer, empty as it is, unless what was not understood may be its text.
        let is_answer = self.is_sure && self.reason().is_some();
        if let Some(Unread { start, error, .. }) =
            self.unread.take_if(|unread| is_empty && (unread.is_content || !is_answer))
        {
            return Err(match error {
                Some(error) => Kind::Server(error).into(),
                None => Kind::NotUnderstood { format: self.format, start }.into(),
            });
        }
        if !self.is_choice_seen && (self.is_ended || self.is_other_choice_seen) {
            return Err(Kind::NoChoice(self.choice).into());
        }
        if ending != Ending::Complete
            && !self.evidence.is_against()
            && let Some(Unread { start, error, event, .. }) = self.last_words.take()
        {
            return Err(match error {
                Some(error) => Kind::Server(error).into(),
                None => Kind::Foreign { event, start }.into(),
            });
        }
        if self.is_ended || ending == Ending::Complete {
            self.halves.flush(text);
        }
        Ok(ending)
    }

    fn openai(&mut self, value: &Value, text: &mut String) -> Result<(), Error> {
        for (position, choice) in choices(value) {
            // Servers that can only give one leave the index out.
            if index(&choice["index"]).unwrap_or(position) != self.choice {
                self.is_other_choice_seen = true;
                continue;
            }
            self.is_choice_seen = true;
            let (delta, message) = (&choice["delta"], &choice["message"]);
            self.identify(&value["id"], !is_nothing(&delta["role"]))?;
            self.openai_text(choice, text)?;
            for part in [delta, message] {
                self.has_refusal |= !is_nothing(&part["refusal"]);
                self.has_tool_calls |= ["tool_calls", "function_call"].iter().any(|key| !is_nothing(&part[*key]));
                self.has_reasoning |= REASONING.iter().any(|key| !is_nothing(&part[*key]));
            }
            let is_unread = |object: &Map<String, Value>, known: &[&str]| {
                object.iter().any(|(key, value)| !known.contains(&&**key) && is_content(value))
            };
            if [delta, message].iter().any(|part| part.as_object().is_some_and(|part| is_unread(part, KEYS_OF_DELTA)))
                || (delta.is_null() && choice.as_object().is_some_and(|choice| is_unread(choice, KEYS_OF_CHOICE)))
                || delta.is_string()
            {
                self.not_understood(Unread { is_content: true, ..self.unread(&value.to_string()) });
            }
            if !is_nothing(&choice["error"]) {
                return Err(Kind::Server(ServerError::of(&choice["error"])).into());
            }
            self.take_reason(&choice["finish_reason"])?;
            // The word of the server that a proxy asked, which the proxy may have translated.
            if let Some(native) = choice["native_finish_reason"].as_str()
                && meaning(native) == Some(Meaning::CutOff)
            {
                self.evidence.against(native);
            }
            let filters = choice["content_filter_results"].as_object();
            if filters.is_some_and(|filters| filters.values().any(|filter| filter["filtered"] == true)) {
                self.evidence.against("content_filter");
            }
        }
        Ok(())
    }

    /// The text of a choice: of its delta, of a completion of the old kind, or of a whole message.
    fn openai_text(&mut self, choice: &Value, text: &mut String) -> Result<(), Error> {
        let of_delta = texts(&choice["delta"]["content"]);
        self.has_reasoning |= has_thinking(&choice["delta"]["content"]);
        let pieces = if of_delta.iter().any(|piece| !piece.is_empty()) {
            if self.has_message {
                return Err(Kind::Repeated { event: self.event }.into());
            }
            of_delta
        } else if let Some(piece) = choice["text"].as_str().filter(|piece| !piece.is_empty()) {
            [piece].into()
        } else {
            let of_message = texts(&choice["message"]["content"]);
            let is_message = of_message.iter().any(|piece| !piece.is_empty());
            if is_message && self.has_message {
                return Err(Kind::Repeated { event: self.event }.into());
            }
            // After deltas it is all of the text again.
            if !is_message || self.has_text {
                return Ok(());
            }
            self.has_message = true;
            of_message
        };
        pieces.iter().for_each(|piece| self.push(piece, text));
        Ok(())
    }

    fn openai_responses(&mut self, kind: &str, value: &Value, text: &mut String) -> Result<(), Error> {
        self.only_choice();
        let response = &value["response"];
        let block = |reading: &Self| {
            let (output, part) = reading.block.unwrap_or_default();
            let output = index(&value["output_index"]).unwrap_or(output);
            (output, index(&value["content_index"]).unwrap_or(part))
        };
        let item = &value["item"];
        match kind {
            "response.created" => self.begin()?,
            "response.output_text.delta" => {
                self.push_in(block(self), &value["delta"], text)?;
            }
            // All the text of a block again, which some servers send without the pieces before.
            "response.output_text.done" | "response.content_part.done"
                if self.block.is_none_or(|last| last < block(self)) =>
            {
                let part = &value["part"];
                let whole = if part["type"] == "output_text" { &part["text"] } else { &value["text"] };
                self.push_in(block(self), whole, text)?;
            }
            "response.output_item.done" => {
                let (output, _) = block(self);
                if item["type"] == "message" && self.block.is_none_or(|(last, _)| last < output) {
                    for (part, piece) in (0..).zip(texts(&item["content"])) {
                        self.enter((output, part), text)?;
                        self.push(piece, text);
                    }
                }
                self.output(item);
            }
            "response.output_item.added" => self.output(item),
            "response.completed" | "response.done" => return self.response_ended(response, None, text),
            "response.incomplete" => return self.response_ended(response, Some("incomplete"), text),
            "response.cancelled" => return self.response_ended(response, Some("cancelled"), text),
            "response.failed" => {
                let error = Some(&response["error"]).filter(|error| !is_nothing(error)).unwrap_or(response);
                return Err(Kind::Server(ServerError::of(error)).into());
            }
            _ if kind.starts_with("response.refusal") => self.has_refusal = true,
            _ if kind.starts_with("response.reasoning") => self.has_reasoning = true,
            _ => {}
        }
        Ok(())
    }

    /// The end of a response, which its object describes; `name` is evidence against, by the name of the event.
    fn response_ended(&mut self, response: &Value, name: Option<&str>, text: &mut String) -> Result<(), Error> {
        let outputs = response["output"].as_array().map_or(&[][..], Vec::as_slice);
        if !self.has_text {
            let parts =
                outputs.iter().filter(|item| item["type"] == "message").flat_map(|item| texts(&item["content"]));
            parts.for_each(|part| self.push(part, text));
        }
        if !is_nothing(&response["error"]) {
            return Err(Kind::Server(ServerError::of(&response["error"])).into());
        }
        if let Some(reason) = word(&response["incomplete_details"]["reason"]) {
            self.evidence.against(&reason);
        } else if !is_nothing(&response["incomplete_details"]) {
            self.evidence.against("incomplete");
        }
        self.take_reason(&response["status"])?;
        name.into_iter().for_each(|name| self.evidence.against(name));
        outputs.iter().for_each(|item| self.output(item));
        self.is_ended = true;
        Ok(())
    }

    /// An item of the output of a response.
    fn output(&mut self, item: &Value) {
        match item["type"].as_str() {
            // It is in progress when it is added.
            Some("message") if item["status"] == "incomplete" => self.evidence.against("incomplete"),
            Some("reasoning") => self.has_reasoning = true,
            Some(kind) if kind.ends_with("_call") => self.has_tool_calls = true,
            _ => {}
        }
    }

    fn anthropic(&mut self, kind: &str, value: &Value, text: &mut String) -> Result<(), Error> {
        self.only_choice();
        let index = index(&value["index"]).or(self.block.map(|(block, _)| block)).unwrap_or_default();
        let delta = &value["delta"];
        match kind {
            "message_start" => {
                let message = &value["message"];
                self.begin()?;
                texts(&message["content"]).iter().for_each(|piece| self.push(piece, text));
                self.take_reason(&message["stop_reason"])?;
            }
            "content_block_start" => {
                let block = &value["content_block"];
                let kind = block["type"].as_str().unwrap_or("text");
                self.is_in_other_block = kind != "text";
                self.has_tool_calls |= kind.ends_with("tool_use");
                self.has_reasoning |= kind.ends_with("thinking");
                if kind == "text" {
                    self.push_in((index, 0), &block["text"], text)?;
                }
            }
            "content_block_delta" => {
                let is_text = delta["type"].as_str().map_or(!self.is_in_other_block, |kind| kind == "text_delta");
                if is_text {
                    self.push_in((index, 0), &delta["text"], text)?;
                }
            }
            "message_delta" => {
                self.has_refusal |= delta["stop_reason"] == "refusal";
                self.take_reason(&delta["stop_reason"])?;
                self.take_reason(&value["stop_reason"])?;
            }
            "message_stop" => self.is_ended = true,
            _ => {}
        }
        Ok(())
    }

    fn gemini(&mut self, value: &Value, text: &mut String) -> Result<(), Error> {
        if let Some(reason) = word(&value["promptFeedback"]["blockReason"]) {
            return Err(Kind::Server(ServerError::blocked(&reason)).into());
        }
        let candidates = value["candidates"].as_array();
        for (position, candidate) in candidates.into_iter().flatten().enumerate() {
            if index(&candidate["index"]).unwrap_or(position as u64) != self.choice {
                self.is_other_choice_seen = true;
                continue;
            }
            self.is_choice_seen = true;
            self.identify(&value["responseId"], true)?;
            for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
                let is_thought = part["thought"] == true;
                self.has_reasoning |= is_thought;
                self.has_tool_calls |= part["functionCall"].is_object();
                if let Some(piece) = part["text"].as_str().filter(|_| !is_thought) {
                    self.push(piece, text);
                }
            }
            self.take_reason(&candidate["finishReason"])?;
        }
        Ok(())
    }

    fn ollama(&mut self, value: &Value, text: &mut String) -> Result<(), Error> {
        self.only_choice();
        let message = &value["message"];
        self.has_tool_calls |= !is_nothing(&message["tool_calls"]);
        self.has_reasoning |= !is_nothing(&message["thinking"]) || !is_nothing(&value["thinking"]);
        let piece = message["content"].as_str().or(value["response"].as_str()).unwrap_or_default();
        self.push(piece, text);
        self.take_reason(&value["done_reason"])?;
        self.is_ended |= value["done"] == true;
        Ok(())
    }

    fn cohere(&mut self, kind: &str, value: &Value, text: &mut String) -> Result<(), Error> {
        self.only_choice();
        let delta = &value["delta"];
        let content = &delta["message"]["content"];
        let index = index(&value["index"]).or(self.block.map(|(block, _)| block)).unwrap_or_default();
        match kind {
            "message-start" => self.begin()?,
            "content-start" | "content-delta" => {
                self.has_reasoning |= !is_nothing(&content["thinking"]);
                self.push_in((index, 0), &content["text"], text)?;
            }
            "message-end" => {
                if !is_nothing(&delta["error"]) {
                    return Err(Kind::Server(ServerError::of(&delta["error"])).into());
                }
                self.take_reason(&delta["finish_reason"])?;
                self.is_ended = true;
            }
            _ => self.has_tool_calls |= kind.starts_with("tool-call-"),
        }
        Ok(())
    }

    /// An event of a format with one choice.
    fn only_choice(&mut self) {
        self.is_choice_seen |= self.choice == 0;
        self.is_other_choice_seen |= self.choice != 0;
    }

    /// The event with which an answer begins. It is an error if there was anything of the answer before.
    fn begin(&mut self) -> Result<(), Error> {
        if self.has_begun() { Err(Kind::Restarted { event: self.event }.into()) } else { Ok(()) }
    }

    /// Takes the id in a piece of an answer. Another one than before is that of another answer, in a piece that `may_begin` one: it has
    /// the role, which in OpenAI's format only the first piece has. Some servers give each piece an id of its own.
    fn identify(&mut self, id: &Value, may_begin: bool) -> Result<(), Error> {
        let Some(id) = id.as_str().filter(|id| !id.is_empty()) else { return Ok(()) };
        match &self.id {
            Some(last) if last == id => return Ok(()),
            Some(_) if may_begin => self.begin()?,
            _ => {}
        }
        self.id = Some(id.to_owned());
        Ok(())
    }

    fn has_begun(&self) -> bool {
        self.has_text || self.has_refusal || self.has_tool_calls || self.has_reasoning || self.reason().is_some()
    }

    /// Takes a reason, if there is one.
    fn take_reason(&mut self, reason: &Value) -> Result<(), Error> {
        word(reason).map_or(Ok(()), |reason| self.evidence.take(&reason))
    }

    fn push_in(&mut self, block: (u64, u64), piece: &Value, text: &mut String) -> Result<(), Error> {
        if let Some(piece) = piece.as_str().filter(|piece| !piece.is_empty()) {
            self.enter(block, text)?;
            self.push(piece, text);
        }
        Ok(())
    }

    /// Goes on to a block of text. A block before the last one is an error: the text after it was given already.
    fn enter(&mut self, block: (u64, u64), text: &mut String) -> Result<(), Error> {
        match self.block {
            Some(last) if block < last => return Err(Kind::Interleaved { event: self.event }.into()),
            Some(last) if block == last => {}
            _ => self.halves.flush(text),
        }
        self.block = Some(block);
        Ok(())
    }

    /// Appends a piece of the text.
    fn push(&mut self, piece: &str, text: &mut String) {
        if piece.is_empty() {
            return;
        }
        if self.is_escaped {
            self.halves.push_escaped(piece, text);
        } else {
            self.halves.push(piece, text);
        }
        self.has_text = true;
        self.has_visible_text |= !piece.trim().is_empty();
        self.evidence.text();
    }
}

/// The choices of a chunk, with their positions. Some servers have an object: of the one choice, or of choices by their index.
fn choices(value: &Value) -> Vec<(u64, &Value)> {
    match &value["choices"] {
        Value::Array(choices) => (0..).zip(choices).collect(),
        Value::Object(object)
            if ["delta", "text", "message", "finish_reason"].iter().any(|key| object.contains_key(*key)) =>
        {
            [(0, &value["choices"])].into()
        }
        Value::Object(object) => object.iter().map(|(key, choice)| (key.parse().unwrap_or(0), choice)).collect(),
        _ => Vec::new(),
    }
}

fn index(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

/// The texts of a content: a string, or a list of parts as servers of models that think may send it.
fn texts(content: &Value) -> Vec<&str> {
    let parts = match content {
        Value::String(text) => return [text.as_str()].into(),
        Value::Array(parts) => parts.as_slice(),
        part => core::slice::from_ref(part),
    };
    let is_text = |part: &&Value| part["type"].as_str().is_none_or(|kind| matches!(kind, "text" | "output_text"));
    parts.iter().filter(is_text).filter_map(|part| part["text"].as_str()).collect()
}

fn has_thinking(content: &Value) -> bool {
    let parts = content.as_array().map_or(&[][..], Vec::as_slice);
    parts.iter().any(|part| matches!(part["type"].as_str(), Some("thinking" | "reasoning")))
}

/// A reason as it is written, if it is one: some servers have a word for none.
fn word(reason: &Value) -> Option<String> {
    const NONE: [&str; 4] = ["null", "none", "FINISH_REASON_UNSPECIFIED", "BLOCK_REASON_UNSPECIFIED"];
    match reason {
        Value::String(word) if NONE.iter().any(|none| none.eq_ignore_ascii_case(word)) => None,
        reason if is_nothing(reason) => None,
        Value::String(word) => Some(word.clone()),
        other => Some(shown(&other.to_string())),
    }
}

/// Whether an event of this type only keeps the connection open.
pub(super) fn is_keep_alive(kind: &str) -> bool {
    matches!(kind, "ping" | "heartbeat" | "keepalive" | "keep-alive" | "keep_alive")
}

/// Whether a value may be what the answer says.
fn is_content(value: &Value) -> bool {
    !is_nothing(value) && !value.is_number() && !value.is_boolean()
}

const REASONING: [&str; 5] = ["reasoning_content", "reasoning", "reasoning_details", "thinking", "thinking_blocks"];

/// The keys of a delta or a message that are read, or known to hold nothing of the answer.
const KEYS_OF_DELTA: &[&str] = &[
    "role",
    "content",
    "refusal",
    "tool_calls",
    "function_call",
    "reasoning_content",
    "reasoning",
    "reasoning_details",
    "thinking",
    "thinking_blocks",
    "name",
    "annotations",
    "audio",
    "citations",
    "context",
    "provider_specific_fields",
    "signature",
    "id",
    "images",
    "prefix",
    "tool_call_id",
];

/// The keys of a choice that are read, or known to hold nothing of the answer.
const KEYS_OF_CHOICE: &[&str] = &[
    "index",
    "delta",
    "message",
    "text",
    "error",
    "finish_reason",
    "native_finish_reason",
    "stop_reason",
    "logprobs",
    "content_filter_results",
    "content_filter_offsets",
    "content_filter_result",
    "matched_stop",
    "token_ids",
    "prompt_token_ids",
    "prompt_logprobs",
];
