//! Arguments that several commands share.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use clap::{ColorChoice, ValueEnum};
use tagwire::workforce::{PROTOCOL, STRICT};
use tagwire::{Finish, Limits, Policy, Protocol, ProtocolBuf};

use crate::failure::Failure;
use crate::report;

/// The writer of the reply, and the limits for reading it.
#[derive(Debug, clap::Args)]
pub(crate) struct PolicyArgs {
    /// The role that writes the reply; not needed where the protocol has no roles
    #[arg(long)]
    role: Option<String>,
    /// The mode that it writes in; not needed where the protocol has no modes
    #[arg(long)]
    mode: Option<String>,
    #[command(flatten)]
    protocol: ProtocolArgs,
    #[command(flatten)]
    limits: LimitArgs,
}

impl PolicyArgs {
    pub(crate) fn policy(&self) -> Result<Policy<'static>, Failure> {
        let policy = policy(self.protocol.protocol()?, self.role.as_deref(), self.mode.as_deref());
        Ok(policy.map_err(Failure::Unusable)?.with_limits(self.limits.limits()))
    }

    /// Whether the tags have views: those of the preset have.
    pub(crate) fn has_views(&self) -> bool {
        self.protocol.is_preset()
    }
}

/// The protocol that a reply is written in.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ProtocolArgs {
    /// A protocol file, in JSON if its name ends in .json, else in TOML; without it, the preset `workforce`
    #[arg(long, value_name = "FILE")]
    protocol: Option<PathBuf>,
    /// The dialect of the preset; a protocol file has its own
    #[arg(long, value_enum, default_value = "seed", conflicts_with = "protocol")]
    dialect: Dialect,
}

impl ProtocolArgs {
    /// Whether the protocol is the preset, in either dialect.
    pub(crate) fn is_preset(&self) -> bool {
        self.protocol.is_none()
    }

    pub(crate) fn protocol(&self) -> Result<Protocol<'static>, Failure> {
        match &self.protocol {
            // Needed until the program ends.
            Some(path) => {
                let protocol = ProtocolBuf::read(path).map_err(Failure::Protocol)?;
                Ok(Box::leak(Box::new(protocol)).as_protocol())
            }
            None => Ok(match self.dialect {
                Dialect::Seed => PROTOCOL,
                Dialect::Strict => STRICT,
            }),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Dialect {
    /// The rules of the Python module that tagwire comes from
    Seed,
    /// Nothing is a tag unless it was written whole and well-formed
    Strict,
}

/// The policy for a role and a mode, which are needed where the grants name any.
pub(crate) fn policy<'p>(protocol: Protocol<'p>, role: Option<&str>, mode: Option<&str>) -> Result<Policy<'p>, String> {
    let needs = |option: &str, asked: Option<&str>, known: Vec<&str>| match asked {
        None if !known.is_empty() => Err(format!("{option} is needed: one of {}", known.join(", "))),
        _ => Ok(()),
    };
    needs("--role", role, protocol.roles().collect())?;
    needs("--mode", mode, protocol.modes().collect())?;
    protocol.policy_for(role, mode).map_err(|unknown| unknown.to_string())
}

/// Checks that a reply can begin inside the region called `name`.
pub(crate) fn check_region(protocol: Protocol<'_>, name: &str) -> Result<(), String> {
    if protocol.regions().any(|region| region.name() == name) {
        return Ok(());
    }
    let known = protocol.regions().map(|region| region.name()).collect::<Vec<_>>();
    let known = if known.is_empty() { "the protocol has none".to_owned() } else { known.join(", ") };
    Err(format!("unknown region \"{}\" (known: {known})", report::short(name)))
}

/// How much a reply may hold.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct LimitArgs {
    /// Report a tag longer than this, and drop it; 16777216 (16 MiB) suits input from a network. No limit by default
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
