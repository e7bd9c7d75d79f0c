//! Arguments that several commands share.

use std::io::{self, IsTerminal as _};

use clap::builder::PossibleValuesParser;
use clap::{ColorChoice, ValueEnum};
use tagwire::workforce::PROTOCOL;
use tagwire::{Finish, Limits, Policy};

use crate::failure::Failure;

/// Who writes the reply, and under which limits it is read.
#[derive(Debug, clap::Args)]
pub(crate) struct PolicyArgs {
    /// The role that writes the reply
    #[arg(long, value_parser = roles())]
    role: String,
    /// The mode that it writes in
    #[arg(long, value_parser = modes())]
    mode: String,
    #[command(flatten)]
    limits: LimitArgs,
}

impl PolicyArgs {
    pub(crate) fn policy(&self) -> Result<Policy<'static>, Failure> {
        let policy = PROTOCOL.policy(&self.role, &self.mode);
        let policy = policy.map_err(|unknown| Failure::Unusable(unknown.to_string()))?;
        Ok(policy.with_limits(self.limits.limits()))
    }
}

/// How much a reply may hold.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct LimitArgs {
    /// Report a tag longer than this, and drop it; 16777216 (16 MiB) suits what comes from a network. No limit by default
    #[arg(long, value_name = "BYTES")]
    max_tag_bytes: Option<usize>,
}

impl LimitArgs {
    pub(crate) fn limits(self) -> Limits {
        Limits::default().with_max_tag_bytes(self.max_tag_bytes)
    }
}

/// How a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FinishArg {
    /// The model ended it itself
    Complete,
    /// A limit, a filter or a failure cut it off: it may end inside a body, in which no tag is read
    Truncated,
}

impl From<FinishArg> for Finish {
    fn from(finish: FinishArg) -> Self {
        match finish {
            FinishArg::Complete => Finish::Complete,
            FinishArg::Truncated => Finish::Truncated,
        }
    }
}

/// The help for an argument that is a [`FinishArg`].
pub(crate) const FINISH_HELP: &str =
    "How the reply ended: as the model ended it, or cut off by a limit or a broken connection

A body that was cut off may hold tags that were meant as text. Of these two lines

    [[WRITE_FILE path=\"notes.md\"]]Never run this:
    [[RUN cmd=\"rm -rf /\"/]]

a complete reply gives the tag RUN, because WRITE_FILE is never closed; a truncated one gives no tag.";

/// For whom the output is.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct OutputArgs {
    /// How to print it; by default as text on a terminal, else as JSON
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Whether text is in colour; by default on a terminal, unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
}

impl OutputArgs {
    pub(crate) fn format(self) -> Format {
        let default = || if io::stdout().is_terminal() { Format::Text } else { Format::Json };
        self.format.unwrap_or_else(default)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs: compact, one value a line
    Json,
}

/// The roles of the protocol.
pub(crate) fn roles() -> PossibleValuesParser {
    PossibleValuesParser::new(PROTOCOL.roles())
}

/// The modes of the protocol.
pub(crate) fn modes() -> PossibleValuesParser {
    PossibleValuesParser::new(PROTOCOL.modes())
}
