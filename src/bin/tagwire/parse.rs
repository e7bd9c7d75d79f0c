//! `tagwire parse`: one reply.

use std::path::PathBuf;

use crate::args::{Format, OutputArgs, PolicyArgs};
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
    #[command(flatten)]
    output: OutputArgs,
    /// Exit with 1 when there is any error in the reply
    #[arg(long)]
    strict: bool,
    /// The reply; standard input if there is none, or for `-`
    file: Option<PathBuf>,
}

pub(crate) fn run(args: Args) -> Outcome {
    let policy = args.policy.policy()?;
    let input = Input::new(args.file);
    let text = input.read_text()?;
    let reply = policy.parse(&text);
    match args.output.format() {
        Format::Text => terminal::print_styled(&report::of(&reply, &input.to_string()), args.output.color)?,
        Format::Json => {
            let mut out = Vec::new();
            json::push_line(&mut out, &ReplyLine { id: None, reply: &reply });
            json::print(&out)?;
        }
    }
    Ok(u8::from(args.strict && !reply.diagnostics().is_empty()))
}
