//! `tagwire parse`: one reply.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use clap::{ColorChoice, ValueEnum};

use crate::args::PolicyArgs;
use crate::failure::Outcome;
use crate::input::Input;
use crate::json::{self, ReplyLine};
use crate::report;
use crate::terminal;

/// Read one reply, and print what is in it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    policy: PolicyArgs,
    /// How to print it; by default as text on a terminal, else as JSON
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Whether text is in colour; by default on a terminal, unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
    /// Exit with 1 when there is any error in the reply
    #[arg(long)]
    strict: bool,
    /// The reply; standard input if there is none, or for `-`
    file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs: one object on one line
    Json,
}

pub(crate) fn run(args: Args) -> Outcome {
    let policy = args.policy.policy()?;
    let input = Input::new(args.file);
    let text = input.read_text()?;
    let reply = policy.parse(&text);
    let default = || if io::stdout().is_terminal() { Format::Text } else { Format::Json };
    match args.format.unwrap_or_else(default) {
        Format::Text => terminal::print_styled(&report::of(&reply, &input.to_string()), args.color)?,
        Format::Json => {
            let mut out = Vec::new();
            json::push_line(&mut out, &ReplyLine { id: None, reply: &reply });
            json::print(&out)?;
        }
    }
    Ok(u8::from(args.strict && !reply.diagnostics().is_empty()))
}
