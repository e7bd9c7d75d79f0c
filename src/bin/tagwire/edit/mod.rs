//! `tagwire edit`: applies the edit blocks of an `EDIT_FILE` body to a file, whole or not at all.

mod common_lines;
mod diff;

mod locked_file;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::ColorChoice;
use tagwire::workforce::edit::edit_blocks;

use self::locked_file::{LockedFile, WriteError};
use crate::atomic_file;
use crate::failure::{Failure, Outcome};
use crate::input::Input;
use crate::terminal;

/// Apply the edit blocks of an EDIT_FILE body to a file
///
/// Each block's OLD must be in the file exactly once. If any block does not fit, nothing is written, the exit code is 1, and
/// the message may be sent back to the model. Line ends need not match: they stay those of the file.
///
/// The file is locked while it is read and written, so that edits at the same time wait for each other. It is replaced as a
/// whole, by a file with the same owner, permissions, access control lists and extended attributes; a symbolic link stays one.
/// A file with several hard links, or with attributes that a new file cannot have, is written in place instead, while a copy of
/// it is kept beside it. A file that is read-only or not a plain file is refused, and so is one whose owner cannot be kept or
/// whose folder cannot be written, unless --in-place is given.
///
/// Exit codes: 0 the file was changed (with --dry-run: the blocks fit); 1 a block does not fit, or there is none; 2 bad usage,
/// or a file that cannot be read or written. After 1 and 2 the file is as it was, unless the message says
/// otherwise. The change is shown when it is made: if standard output cannot be written then, standard error says so, and the
/// exit code stays 0.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file to edit; for `-`, the edited text of standard input is printed, and --blocks has to name a file
    file: PathBuf,
    /// The blocks: <<<OLD, ===, NEW>>>; standard input if there is none, or for `-`
    #[arg(long, value_name = "FILE")]
    blocks: Option<PathBuf>,
    /// Show what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Write into the file instead of replacing it
    #[arg(long)]
    in_place: bool,
    /// Do not show the change
    #[arg(short, long)]
    quiet: bool,
    /// Whether the change is shown in color; by default on a terminal, unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
}

pub(crate) fn run(args: Args) -> Outcome {
    let file = Input::new(Some(args.file.clone()));
    let blocks = Input::new(args.blocks.clone());
    match (&file, &blocks) {
        (Input::Stdin, Input::Stdin) => {
            let message = "standard input cannot be both the text and the blocks; name a file with --blocks";
            return Err(Failure::Unusable(message.into()));
        }
        (Input::File(path), _) => check(&file, path, args.dry_run)?,
        _ => {}
    }
    // Standard input may be long in coming: the file is not locked until then.
    let body = blocks.read_text()?;
    match &file {
        Input::File(path) if !args.dry_run => edit(&args, &file, path, &body),
        _ => print(&args, &file, &body),
    }
}

/// Edits a file.
fn edit(args: &Args, file: &Input, path: &Path, body: &str) -> Outcome {
    let locked = LockedFile::open(path).map_err(|error| unwritten(file, &error))?;
    let before = file.text(locked.read().map_err(|error| file.unreadable(&error))?)?;
    let after = match apply(body, &before) {
        Ok(after) => after,
        Err(reason) => return Ok(refuse(&reason)),
    };
    locked.write(before.as_bytes(), after.as_bytes(), args.in_place).map_err(|error| match error {
        WriteError::Unchanged(error) => unwritten(file, &error),
        WriteError::Damaged { error, copy } => Failure::Unusable(format!(
            "cannot write {file}: {error}; it is incomplete now, and its former content is in {}",
            copy.display()
        )),
    })?;
    drop(locked);
    match show(args, file, &before, &after) {
        // The exit code tells whether the file was changed.
        Err(Failure::Unusable(reason)) => {
            terminal::complain(&format!("{file} was changed, but the change can't be shown: {reason}"));
            Ok(0)
        }
        shown => shown.map(|()| 0),
    }
}

/// Prints what an edit would change, or the edited text of standard input.
fn print(args: &Args, file: &Input, body: &str) -> Outcome {
    let before = file.read_text()?;
    match apply(body, &before) {
        Ok(after) if args.dry_run => show(args, file, &before, &after).map(|()| 0),
        Ok(after) => terminal::print_plain(&after).map(|()| 0),
        Err(reason) => Ok(refuse(&reason)),
    }
}

/// The edited text, or why there is none.
fn apply(body: &str, before: &str) -> Result<String, String> {
    let blocks = edit_blocks(body).map_err(|error| error.to_string())?;
    blocks.apply(before).map_err(|error| error.to_string())
}

/// Says why nothing was written, and returns the exit code.
fn refuse(reason: &str) -> u8 {
    terminal::complain_at_length(reason);
    1
}

fn show(args: &Args, file: &Input, before: &str, after: &str) -> Result<(), Failure> {
    if args.quiet {
        return Ok(());
    }
    terminal::print_styled(&diff::diff(before, after, &file.to_string()), args.color)
}

/// Whether the file can be read, and may be written. Checked first: to read a pipe would be to wait.
fn check(file: &Input, path: &Path, dry_run: bool) -> Result<(), Failure> {
    let metadata = fs::metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Failure::Unusable(format!("cannot read {file}: {error}; check the path")),
        _ => file.unreadable(&error),
    })?;
    if metadata.is_dir() || dry_run {
        return file.check().map(drop);
    }
    if !metadata.is_file() {
        return Err(Failure::Unusable(format!(
            "cannot edit {file}: it is not a plain file, and would become one; with --dry-run it is only read"
        )));
    }
    atomic_file::check_writable(&metadata).map_err(|error| unwritten(file, &error))
}

fn unwritten(file: &Input, error: &io::Error) -> Failure {
    let hint = match error.kind() {
        io::ErrorKind::PermissionDenied => "; check the permissions of the file and of its folder, or try --in-place",
        _ => "",
    };
    Failure::Unusable(format!("cannot write {file}: {error}; nothing was changed{hint}"))
}
