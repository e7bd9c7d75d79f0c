//! `tagwire edit`: applies the edit blocks of an `EDIT_FILE` body to a file, whole or not at all.

mod diff;
mod lines;

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::ColorChoice;
use tagwire::workforce::edit::edit_blocks;

use crate::failure::{Failure, Outcome};
use crate::input::Input;
use crate::replace::Replacement;
use crate::terminal;

/// Apply the edit blocks of an EDIT_FILE body to a file
///
/// Each block's OLD must be in the file exactly once. If any block does not fit, nothing is written, the exit code is 1, and
/// what is said about it may be sent back to the model.
///
/// The file is replaced as a whole, under the same owner and permissions; a link stays one. Refused is a file that is read-only,
/// that is no plain file, or whose owner can't be kept.
///
/// Exit codes: 0 the file was changed (with --dry-run: the blocks fit); 1 a block does not fit, or there is none; 2 bad usage, or
/// something that can't be read or written. After 1 and 2 the file is as it was. The change is shown when it is made: if
/// standard output can't be written then, standard error says so, and the exit code stays 0.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file to edit
    file: PathBuf,
    /// The blocks: <<<OLD, ===, NEW>>>; standard input if there is none, or for `-`
    #[arg(long, value_name = "FILE")]
    blocks: Option<PathBuf>,
    /// Show what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Whether the change is shown in colour; by default on a terminal, unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
}

pub(crate) fn run(args: Args) -> Outcome {
    let file = Input::File(args.file.clone());
    if !args.dry_run {
        // Before anything is read: to read a pipe twice would be to wait for ever.
        check(&file, &args.file)?;
    }
    let before = file.read_text()?;
    let body = Input::new(args.blocks).read_text()?;
    let blocks = match edit_blocks(&body) {
        Ok(blocks) => blocks,
        Err(error) => return Ok(refuse(&error.to_string())),
    };
    let after = match blocks.apply(&before) {
        Ok(after) => after,
        Err(error) => return Ok(refuse(&error.to_string())),
    };
    if !args.dry_run {
        replace(&args.file, &before, &after).map_err(|error| unwritten(&file, &error))?;
    }
    let shown = terminal::print_styled(&diff::diff(&before, &after, &file.to_string()), args.color);
    match shown {
        // Whoever asks for the exit code asks whether the file was changed.
        Err(Failure::Unusable(reason)) if !args.dry_run => {
            terminal::complain(&format!("{file} was changed, but the change can't be shown: {reason}"));
            Ok(0)
        }
        shown => shown.map(|()| 0),
    }
}

/// Says why nothing was written, and is the exit code.
fn refuse(reason: &str) -> u8 {
    terminal::complain_at_length(reason);
    1
}

/// Whether the file may be replaced. What can't be read is for others to say.
fn check(file: &Input, path: &Path) -> Result<(), Failure> {
    let Ok(metadata) = fs::metadata(path) else { return Ok(()) };
    if !metadata.is_file() && !metadata.is_dir() {
        return Err(Failure::Unusable(format!(
            "cannot edit {file}: it is no plain file, and would become one; with --dry-run it is only read"
        )));
    }
    Replacement::check(&metadata).map_err(|error| unwritten(file, &error))
}

fn replace(path: &Path, before: &str, after: &str) -> io::Result<()> {
    let new = Replacement::of(path)?;
    new.file().write_all(after.as_bytes())?;
    // Not to lose what somebody else wrote in between.
    new.keep_if(|path| match fs::read(path)? == before.as_bytes() {
        true => Ok(()),
        false => Err(io::Error::other("it was changed meanwhile; try again")),
    })
}

fn unwritten(file: &Input, error: &io::Error) -> Failure {
    Failure::Unusable(format!("cannot write {file}: {error}; nothing was changed"))
}
