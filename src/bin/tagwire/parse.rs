//! `tagwire parse`: one reply.

use std::path::PathBuf;

use tagwire::serialize::{LazyReply, Tiles};
use tagwire::{Finish, ParseOptions};

use crate::args::{self, FinishArg, Format, OutputArgs, PolicyArgs};
use crate::failure::{Failure, Outcome};
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
    /// The region that the reply begins in: its opening marker was written before it
    #[arg(long, value_name = "REGION")]
    begins_inside: Option<String>,
    /// Add "tiles" to the JSON: what each part of the reply is
    #[arg(long)]
    tiles: bool,
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
    if let Some(region) = &args.begins_inside {
        args::check_region(policy.protocol(), region).map_err(Failure::Unusable)?;
    }
    let options = ParseOptions::from(Finish::from(args.finish)).with_begins_inside(args.begins_inside.as_deref());
    let reply = LazyReply::new(&policy, &text, options);
    match args.output.format() {
        Format::Text => report::print(&reply, &input.to_string(), args.output.color)?,
        Format::Json => {
            let tiles = args.tiles.then(|| Tiles::new(&policy, &text, options));
            json::print_line(&ReplyLine { id: None, reply: &reply, tiles, has_views: args.policy.has_views() })?;
        }
    }
    Ok(u8::from(args.strict && reply.error_count() > 0))
}
