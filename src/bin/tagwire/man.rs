//! `tagwire man` and `tagwire completions`, generated from the definition of the arguments.

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::failure::{Failure, Outcome};
use crate::json;

/// Print a script with which a shell completes commands and options
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Print a man page: `tagwire man | man -l -`
#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// The command to describe; by default tagwire itself
    command: Option<String>,
}

// Both are written to memory first: the libraries panic if a pipe is closed.

pub(crate) fn completions(args: &CompletionsArgs, mut tagwire: Command) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut tagwire, "tagwire", &mut script);
    json::print(&script)?;
    Ok(0)
}

pub(crate) fn man(args: &ManArgs, tagwire: Command) -> Outcome {
    let mut tagwire = tagwire.disable_help_subcommand(true);
    tagwire.build();
    let subject = match &args.command {
        Some(name) => tagwire.find_subcommand(name).ok_or_else(|| unknown(name, &tagwire))?,
        None => &tagwire,
    };
    let mut page = Vec::new();
    Man::new(subject.clone()).render(&mut page).expect("a Vec takes all");
    json::print(&page)?;
    Ok(0)
}

fn unknown(name: &str, tagwire: &Command) -> Failure {
    let known = tagwire.get_subcommands().map(Command::get_name).collect::<Vec<_>>().join(", ");
    Failure::Unusable(format!("unknown command {name:?} (known: {known})"))
}
