//! `tagwire parse`: one reply.

use std::path::PathBuf;
use std::str;

use crate::args::PolicyArgs;
use crate::failure::Outcome;
use crate::input::Input;
use crate::json::{self, ReplyLine};

/// Read one reply, and print what is in it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    policy: PolicyArgs,
    /// Exit with 1 when there is any error in the reply
    #[arg(long)]
    strict: bool,
    /// The reply; standard input if there is none, or for `-`
    file: Option<PathBuf>,
}

pub(crate) fn run(args: Args) -> Outcome {
    let policy = args.policy.policy()?;
    let input = Input::new(args.file);
    let bytes = input.read()?;
    let text = str::from_utf8(&bytes).map_err(|error| input.not_utf8(error.valid_up_to()))?;
    let reply = policy.parse(text);
    let mut out = Vec::new();
    json::push_line(&mut out, &ReplyLine { id: None, reply: &reply });
    json::print(&out)?;
    Ok(u8::from(args.strict && !reply.diagnostics().is_empty()))
}
