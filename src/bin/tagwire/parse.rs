//! `tagwire parse`: one reply.

use std::path::PathBuf;

use tagwire::serialize::LazyReply;

use crate::args::{self, FinishArg, Format, OutputArgs, PolicyArgs};
use crate::failure::Outcome;
use crate::input::Input;
use crate::json::{self, ReplyLine};
use crate::report;

/// Read one reply, and print what is in it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// How the reply ended
    #[arg(long, value_name = "END", value_enum, default_value = "complete", long_help = args::FINISH_HELP)]
    finish: FinishArg,
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
    let reply = LazyReply::new(&policy, &text, args.finish.into());
    match args.output.format() {
        Format::Text => report::print(&reply, &input.to_string(), args.output.color)?,
        Format::Json => json::print_line(&ReplyLine { id: None, reply: &reply })?,
    }
    Ok(u8::from(args.strict && reply.diagnostic_count() > 0))
}
