//! The formats: what an API calls the parts of an event stream, and how to tell which it is.

use core::fmt;
use core::str::FromStr;

use serde_json::Value;

/// The format of an event stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// OpenAI chat completions and the older completions, and the many servers that are compatible with them: `openai`.
    OpenAi,
    /// OpenAI responses: `openai-responses`.
    OpenAiResponses,
    /// Anthropic messages: `anthropic`.
    Anthropic,
    /// Gemini, `streamGenerateContent?alt=sse`: `gemini`.
    Gemini,
    /// Ollama's own `/api/chat` and `/api/generate`, a JSON object a line: `ollama`.
    Ollama,
    /// Cohere chat, version 2: `cohere`.
    Cohere,
    /// Mistral chat completions, which are close to those of OpenAI: `mistral`.
    Mistral,
}

impl Format {
    /// All formats.
    pub const ALL: &'static [Format] = &[
        Format::OpenAi,
        Format::OpenAiResponses,
        Format::Anthropic,
        Format::Gemini,
        Format::Ollama,
        Format::Cohere,
        Format::Mistral,
    ];

    /// The name, in lower case.
    pub const fn as_str(self) -> &'static str {
        match self {
            Format::OpenAi => "openai",
            Format::OpenAiResponses => "openai-responses",
            Format::Anthropic => "anthropic",
            Format::Gemini => "gemini",
            Format::Ollama => "ollama",
            Format::Cohere => "cohere",
            Format::Mistral => "mistral",
        }
    }

    /// The format of an event that tells. A `ping` does not: several servers send it.
    ///
    /// `kind` is the type of the event, in its JSON or in its `event:` line.
    pub(super) fn of(kind: &str, value: &Value) -> Option<Self> {
        let is = |key: &str, is_type: fn(&Value) -> bool| value.get(key).is_some_and(is_type);
        match kind {
            "message_start" | "message_delta" | "message_stop" => return Some(Format::Anthropic),
            "message-start" | "message-end" | "tool-plan-delta" => return Some(Format::Cohere),
            _ if kind.starts_with("content_block_") => return Some(Format::Anthropic),
            _ if kind.starts_with("response.") => return Some(Format::OpenAiResponses),
            _ if ["content-", "tool-call-", "citation-"].iter().any(|start| kind.starts_with(start)) => {
                return Some(Format::Cohere);
            }
            _ => {}
        }
        if is("choices", Value::is_array) || is("choices", Value::is_object) {
            let is_mistral = value["model"].as_str().is_some_and(is_model_of_mistral);
            return Some(if is_mistral { Format::Mistral } else { Format::OpenAi });
        }
        let is_gemini = |value: &Value| {
            value.get("candidates").is_some_and(Value::is_array)
                || value.get("promptFeedback").is_some_and(Value::is_object)
                || (value.get("usageMetadata").is_some() && value.get("modelVersion").is_some())
        };
        if is_gemini(gemini_response(value)) {
            return Some(Format::Gemini);
        }
        let is_ollama =
            is("done", Value::is_boolean) && (is("message", Value::is_object) || is("response", Value::is_string));
        is_ollama.then_some(Format::Ollama)
    }

    /// Whether events of the format `other` are read in the same way.
    pub(super) fn is_compatible(self, other: Format) -> bool {
        let reader = |format| if format == Format::Mistral { Format::OpenAi } else { format };
        reader(self) == reader(other)
    }

    /// Whether `[DONE]` ends an answer. Other formats have an end event of their own, after which some servers send it too.
    pub(super) fn ends_with_done(self) -> bool {
        matches!(self, Format::OpenAi | Format::Mistral | Format::Gemini)
    }

    /// Whether an ordinary reason to end is enough for a complete answer, when the body ends without an end event.
    pub(super) fn may_end_with_reason(self) -> bool {
        self.ends_with_done()
    }

    /// Writes all names, with commas.
    pub(super) fn write_names(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, format) in Format::ALL.iter().enumerate() {
            let comma = if number > 0 { ", " } else { "" };
            write!(f, "{comma}{}", format.as_str())?;
        }
        Ok(())
    }
}

/// The response in an event of Gemini, which Code Assist wraps in an object of its own.
pub(super) fn gemini_response(value: &Value) -> &Value {
    value.get("response").filter(|response| response.get("candidates").is_some()).unwrap_or(value)
}

/// Whether a model has a name of Mistral's API. Servers that run a model of the same family name it with a path or a tag:
/// `mistralai/Mistral-7B-Instruct-v0.3`, `mistral:latest`.
fn is_model_of_mistral(model: &str) -> bool {
    const FAMILIES: [&str; 8] =
        ["mistral-", "ministral-", "magistral-", "codestral-", "devstral-", "pixtral-", "voxtral-", "open-mi"];
    !model.contains([':', '/']) && FAMILIES.iter().any(|family| model.starts_with(family))
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Takes exactly the name of the format.
impl FromStr for Format {
    type Err = ParseFormatError;

    fn from_str(name: &str) -> Result<Self, ParseFormatError> {
        Self::ALL.iter().copied().find(|format| format.as_str() == name).ok_or(ParseFormatError(()))
    }
}

/// The error for a name of no [`Format`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseFormatError(());

impl fmt::Display for ParseFormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown format (known: ")?;
        Format::write_names(f)?;
        f.write_str(")")
    }
}

impl core::error::Error for ParseFormatError {}
