//! How an answer ended, by all that was said about its end.

use alloc::borrow::ToOwned as _;
use alloc::string::String;

use super::error::{Error, Kind, ServerError};
use super::reason::{Meaning, meaning};
use crate::input::decode::Ending;

/// What was said about the end of an answer. Evidence against a complete end wins, in whatever order it comes.
///
/// | API | for | against | the end event |
/// | --- | --- | --- | --- |
/// | chat completions, Mistral | `finish_reason` | `finish_reason`, `native_finish_reason`, a filter that was triggered | `[DONE]`, or the end of the body after a reason |
/// | responses | `status` | `status`, `incomplete_details`, a message with the status `incomplete`, the name of the event | `response.completed`, `.incomplete`, `.cancelled`, `.failed` |
/// | messages | `stop_reason` | `stop_reason` | `message_stop` |
/// | Gemini | `finishReason` | `finishReason`, `blockReason` | the end of the body after a reason |
/// | Ollama | `done_reason` | `done_reason` | `"done": true` |
/// | Cohere | `finish_reason` | `finish_reason`, `error` | `message-end` |
///
/// Which reasons are which is in [`reason`](super::reason). One that is not known is evidence against: a new one is more likely a new
/// way to be stopped.
#[derive(Clone, Debug, Default)]
pub(super) struct Evidence {
    /// The reason that decides, as the server wrote it.
    reason: Option<String>,
    is_for: bool,
    is_against: bool,
    /// Text came after an ordinary reason: the server sends it with every piece, and the last piece may be missing.
    is_doubtful: bool,
}

impl Evidence {
    pub(super) fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    pub(super) fn is_against(&self) -> bool {
        self.is_against
    }

    /// Takes a reason. One that is a failure of the server is an error.
    pub(super) fn take(&mut self, reason: &str) -> Result<(), Error> {
        match meaning(reason) {
            Some(Meaning::Complete) => {
                self.is_for = true;
                if !self.is_against {
                    self.reason = Some(reason.to_owned());
                }
            }
            Some(Meaning::Failed) => return Err(Kind::Server(ServerError::reason(reason)).into()),
            Some(Meaning::CutOff) | None => self.against(reason),
        }
        Ok(())
    }

    /// Takes a reason that is evidence against, whatever it is.
    pub(super) fn against(&mut self, reason: &str) {
        if !self.is_against {
            self.is_against = true;
            self.reason = Some(reason.to_owned());
        }
    }

    /// More text came.
    pub(super) fn text(&mut self) {
        self.is_doubtful |= self.is_for;
    }

    /// How the answer ended; `is_ended` if its end event came, `may_lack_end` if it needs none after a reason.
    pub(super) fn ending(&self, is_ended: bool, may_lack_end: bool) -> Ending {
        match self {
            Evidence { is_against: true, .. } => Ending::Truncated,
            Evidence { is_for: true, .. } if is_ended => Ending::Complete,
            Evidence { is_for: true, is_doubtful, .. } if may_lack_end => {
                if *is_doubtful {
                    Ending::Unstated
                } else {
                    Ending::Complete
                }
            }
            _ if is_ended => Ending::Unstated,
            _ => Ending::Truncated,
        }
    }
}
