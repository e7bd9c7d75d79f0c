//! Why an answer ended: the words of the servers, and what each says about its end.

use crate::event::Finish;

/// How a reply ended for which a server states this reason: `finish_reason`, `stop_reason`, `finishReason`, `done_reason`, or the
/// `status` of a response. `None` for a reason that is not known, which is best taken as [`Finish::Truncated`].
///
/// A reason with which a model ends its reply itself, tool calls included, is [`Finish::Complete`]. A limit, a filter, a refusal, a
/// pause, and a failure of the server are [`Finish::Truncated`]. ASCII case does not matter, and `-` is `_`.
///
/// ```
/// use tagwire::Finish;
/// use tagwire::sse::finish_for_reason;
///
/// assert_eq!(finish_for_reason("end_turn"), Some(Finish::Complete));
/// assert_eq!(finish_for_reason("MAX_TOKENS"), Some(Finish::Truncated));
/// assert_eq!(finish_for_reason("because"), None);
/// ```
pub fn finish_for_reason(reason: &str) -> Option<Finish> {
    meaning(reason).map(|meaning| match meaning {
        Meaning::Complete => Finish::Complete,
        Meaning::CutOff | Meaning::Failed => Finish::Truncated,
    })
}

/// What a reason says about the end of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The model ended it: evidence for a complete answer.
    Complete,
    /// Something else ended it: evidence against.
    CutOff,
    /// The server failed.
    Failed,
}

/// The meaning of a reason, whichever server writes it: proxies pass on the words of other servers.
pub(super) fn meaning(reason: &str) -> Option<Meaning> {
    let lists = TABLE.iter().flat_map(|reasons| {
        [(reasons.complete, Meaning::Complete), (reasons.cut_off, Meaning::CutOff), (reasons.failed, Meaning::Failed)]
    });
    lists.filter(|(list, _)| list.iter().any(|known| is_same(known, reason))).map(|(_, meaning)| meaning).next()
}

fn is_same(known: &str, reason: &str) -> bool {
    let plain = |byte: u8| if byte == b'-' { b'_' } else { byte.to_ascii_lowercase() };
    known.bytes().map(plain).eq(reason.bytes().map(plain))
}

/// The reasons of one API, as its servers write them.
pub(super) struct Reasons {
    pub(super) complete: &'static [&'static str],
    pub(super) cut_off: &'static [&'static str],
    pub(super) failed: &'static [&'static str],
}

/// A word has the same meaning in every API that uses it.
pub(super) const TABLE: &[Reasons] = &[
    // OpenAI chat completions, and what is compatible: Azure, DeepSeek, OpenRouter, vLLM, llama.cpp, TGI, Together.
    Reasons {
        complete: &["stop", "tool_calls", "function_call", "eos", "eos_token", "stop_sequence", "end"],
        cut_off: &[
            "length",
            "content_filter",
            "insufficient_system_resource",
            "limit",
            "abort",
            "aborted",
            "timeout",
            "repetition",
        ],
        failed: &["error"],
    },
    // OpenAI responses: the status, and the reason of incomplete_details.
    Reasons {
        complete: &["completed"],
        cut_off: &[
            "incomplete",
            "max_output_tokens",
            "content_filter",
            "cancelled",
            "canceled",
            "in_progress",
            "queued",
        ],
        failed: &["failed"],
    },
    // Anthropic messages, and Bedrock.
    Reasons {
        complete: &["end_turn", "stop_sequence", "tool_use"],
        cut_off: &[
            "max_tokens",
            "pause_turn",
            "refusal",
            "model_context_window_exceeded",
            "compaction",
            "content_filtered",
            "guardrail_intervened",
            "malformed_model_output",
            "malformed_tool_use",
        ],
        failed: &[],
    },
    // Gemini.
    Reasons {
        complete: &["STOP"],
        cut_off: &[
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
            "TOO_MANY_TOOL_CALLS",
            "MISSING_THOUGHT_SIGNATURE",
            "MALFORMED_RESPONSE",
            "MODEL_ARMOR",
            "IMAGE_SAFETY",
            "IMAGE_PROHIBITED_CONTENT",
            "IMAGE_RECITATION",
            "IMAGE_OTHER",
            "NO_IMAGE",
        ],
        failed: &[],
    },
    // Ollama.
    Reasons { complete: &["stop"], cut_off: &["length", "load", "unload"], failed: &[] },
    // Cohere.
    Reasons {
        complete: &["COMPLETE", "STOP_SEQUENCE", "TOOL_CALL"],
        cut_off: &["MAX_TOKENS", "TIMEOUT", "ERROR_LIMIT", "USER_CANCEL", "ERROR_TOXIC"],
        failed: &["ERROR"],
    },
    // Mistral.
    Reasons { complete: &["stop", "tool_calls"], cut_off: &["length", "model_length"], failed: &["error"] },
    // LM Studio's own.
    Reasons {
        complete: &["eosFound", "stopStringFound", "toolCalls"],
        cut_off: &["maxPredictedTokensReached", "contextLengthReached", "userStopped", "modelUnloaded"],
        failed: &[],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> impl Iterator<Item = (&'static str, Meaning)> {
        TABLE.iter().flat_map(|Reasons { complete, cut_off, failed }| {
            let lists = [(complete, Meaning::Complete), (cut_off, Meaning::CutOff), (failed, Meaning::Failed)];
            lists.into_iter().flat_map(move |(list, meaning)| list.iter().map(move |&word| (word, meaning)))
        })
    }

    #[test]
    fn a_word_has_one_meaning() {
        for (word, expected) in words() {
            assert_eq!(meaning(word), Some(expected), "{word}");
            for written in [word.to_ascii_lowercase(), word.to_ascii_uppercase(), word.replace('_', "-")] {
                assert_eq!(meaning(&written), Some(expected), "{written}");
            }
        }
    }

    #[test]
    fn finish_is_complete_for_a_reason_of_the_model_only() {
        for (word, meaning) in words() {
            let expected = if meaning == Meaning::Complete { Finish::Complete } else { Finish::Truncated };
            assert_eq!(finish_for_reason(word), Some(expected), "{word}");
        }
        for ordinary in ["tool_use", "STOP", "eos", "eos_token", "end", "completed", "stop", "end_turn", "COMPLETE"] {
            assert_eq!(finish_for_reason(ordinary), Some(Finish::Complete), "{ordinary}");
        }
    }

    #[test]
    fn other_words_are_unknown() {
        for word in ["", "stopped?", "sto", "stop ", "null", "endturn", "ｓｔｏｐ"] {
            assert_eq!(finish_for_reason(word), None, "{word}");
        }
    }
}
