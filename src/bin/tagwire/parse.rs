//! `tagwire parse`: one reply.

use std::path::PathBuf;

use tagwire::serialize::LazyReply;

use crate::args::{FinishArg, Format, OutputArgs, PolicyArgs};
use crate::failure::Outcome;
use crate::input::Input;
use crate::json::{self, ReplyLine};
use crate::report;
use crate::terminal;

/// Read one reply, and print what is in it
///
/// Use --finish truncated for a reply that a limit, a filter or a broken connection cut off. It matters: such a reply may end
/// inside a body, and what is written there is no request. Of
///
///   [[WRITE_FILE path="notes.md"]]Never run this:
///
///   [[RUN cmd="rm -rf /"/]]
///
/// a complete reply, in which the close of WRITE_FILE was forgotten, asks for RUN; a truncated one asks for nothing.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// How the reply ended
    #[arg(long, value_name = "END", value_enum, default_value = "complete")]
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
    let finish = args.finish.into();
    let errors = match args.output.format() {
        Format::Text => {
            let reply = policy.parse_with(&text, finish);
            terminal::print_styled(&report::of(&reply, &input.to_string()), args.output.color)?;
            reply.diagnostics().len()
        }
        Format::Json => {
            let reply = LazyReply::new(&policy, &text, finish);
            json::print_line(&ReplyLine { id: None, reply: &reply })?;
            reply.diagnostic_count()
        }
    };
    Ok(u8::from(args.strict && errors > 0))
}
