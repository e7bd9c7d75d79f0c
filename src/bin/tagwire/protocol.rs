//! `tagwire protocol`: the preset's matrix, and files with protocols.

mod preset;
mod schema;
mod show;
mod test;

use std::path::PathBuf;

use tagwire::{ProtocolBuf, ProtocolFileError};

use crate::args;
use crate::failure::{Failure, Outcome};
use crate::json;
use crate::terminal;

/// Print who may use which tags, and check protocol files
///
/// Without a command, prints the matrix of the preset, or what one role may use in one mode.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    preset: preset::PresetArgs,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Check protocol files, and print every fault with its line and column
    Check {
        /// The files, in JSON if the name ends in .json, else in TOML
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Print the protocol of a file as a table
    Show(ShowArgs),
    /// Print a commented protocol file to start from
    Init,
    /// Read the example replies of a protocol file, and print what differs
    Test {
        /// The file
        file: PathBuf,
    },
    /// Print the JSON Schema of protocol files, for editors
    Schema,
}

#[derive(Debug, clap::Args)]
struct ShowArgs {
    /// The file
    file: PathBuf,
    /// Only what this role may use
    #[arg(long)]
    role: Option<String>,
    /// Only what may be used in this mode
    #[arg(long)]
    mode: Option<String>,
    /// Print it as JSON, in the keys of a protocol file
    #[arg(long, conflicts_with_all = ["role", "mode"])]
    json: bool,
}

pub(crate) fn run(args: Args) -> Outcome {
    match args.command {
        None => preset::run(args.preset),
        Some(Command::Check { files }) => check(&files),
        Some(Command::Show(args)) => show(args),
        Some(Command::Init) => print(INIT),
        Some(Command::Test { file }) => test::run(&file),
        Some(Command::Schema) => print(&schema::json()),
    }
}

fn check(files: &[PathBuf]) -> Outcome {
    let mut lines = String::new();
    let mut code = 0;
    for file in files {
        match ProtocolBuf::read(file) {
            Ok(protocol) => {
                let tags = protocol.as_protocol().tags().len();
                let valid =
                    format!("{}: valid, with {tags} {}", file.display(), if tags == 1 { "tag" } else { "tags" });
                terminal::push_visible_line(&mut lines, &valid);
                lines.push('\n');
            }
            Err(error) => {
                for line in error.to_string().lines() {
                    terminal::push_visible_line(&mut lines, line);
                    lines.push('\n');
                }
                code = code.max(if is_unreadable(&error) { 2 } else { 1 });
            }
        }
    }
    terminal::print_plain(&lines)?;
    Ok(code)
}

/// Whether there was no text to find a fault in.
fn is_unreadable(error: &ProtocolFileError) -> bool {
    error.faults().iter().all(|fault| fault.place().is_none())
}

fn show(args: ShowArgs) -> Outcome {
    let protocol = ProtocolBuf::read(&args.file).map_err(Failure::Protocol)?;
    let protocol = protocol.as_protocol();
    if args.json {
        json::print_line(&protocol)?;
        return Ok(0);
    }
    if args.role.is_none() && args.mode.is_none() {
        return print(&show::protocol(protocol));
    }
    let policy = args::policy(protocol, args.role.as_deref(), args.mode.as_deref()).map_err(Failure::Unusable)?;
    print(&show::policy(&policy))
}

fn print(text: &str) -> Outcome {
    terminal::print_plain(text)?;
    Ok(0)
}

const INIT: &str = include_str!("protocol/init.toml");
