//! The command line `tagwire`: reads single replies, streams and files of replies, and writes JSON for other programs.
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod args;
mod atomic_file;
mod batch;
mod edit;
mod failure;
mod input;
mod json;
mod man;
mod parse;
mod protocol;
mod report;
mod signals;
mod stream;
mod terminal;
mod views;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::failure::{Failure, Outcome};

/// Reads the double-bracket tags of language-model agents.
///
/// A reply is plain text with tags in it, [[WRITE_FILE path="a.py"]]...[[/WRITE_FILE]]. tagwire finds the tags, lets through
/// those that the role may use in the mode, and reports what is wrong with the rest.
#[derive(Debug, Parser)]
#[command(name = "tagwire", version, after_long_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Parse(parse::Args),
    Batch(batch::Args),
    Stream(stream::Args),
    Edit(edit::Args),
    Protocol(protocol::Args),
    Completions(man::CompletionsArgs),
    Man(man::ManArgs),
}

const EXIT_CODES: &str = "Exit codes: 0 done, whatever the reply holds; 1 errors with `parse --strict`, edit blocks that do not \
fit, or lines that `batch` could not read; 2 bad usage, or input that cannot be read; 130 interrupted by Ctrl-C, 143 by SIGTERM, 129 by SIGHUP.";

fn main() -> ExitCode {
    finish(Cli::try_parse().map_or_else(|error| terminal::print_usage(&error), run))
}

fn run(cli: Cli) -> Outcome {
    match cli.command {
        Command::Parse(args) => parse::run(args),
        Command::Batch(args) => batch::run(args),
        Command::Stream(args) => stream::run(args),
        Command::Edit(args) => edit::run(args),
        Command::Protocol(args) => protocol::run(args),
        Command::Completions(args) => man::completions(&args, Cli::command()),
        Command::Man(args) => man::man(&args, Cli::command()),
    }
}

fn finish(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(code) => ExitCode::from(code),
        // The reader of the output has seen enough.
        Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(Failure::Interrupted(code)) => ExitCode::from(code),
        Err(Failure::Unusable(message)) => {
            terminal::complain(&message);
            ExitCode::from(2)
        }
        Err(Failure::Protocol(error)) => {
            terminal::complain_at_length(&error.to_string());
            ExitCode::from(2)
        }
    }
}
