//! `tagwire edit`: applies the edit blocks of an `EDIT_FILE` body to a file, whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};
use clap::ColorChoice;
use similar::{ChangeTag, TextDiff};
use tagwire::workforce::edit::edit_blocks;
use tempfile::NamedTempFile;

use crate::failure::{Failure, Outcome};
use crate::input::Input;
use crate::terminal;

/// Apply the edit blocks of an EDIT_FILE body to a file
///
/// Each block's OLD must be in the file exactly once. If any block does not fit, nothing is written, the exit code is 1, and
/// what is said about it may be sent back to the model.
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
        // Through links, so that the file they lead to is replaced and not the link.
        let target = fs::canonicalize(&args.file).map_err(|error| file.unreadable(&error))?;
        replace(&target, &before, &after).map_err(|error| unwritten(&file, &error))?;
    }
    terminal::print_styled(&diff(&before, &after, &file.to_string()), args.color)?;
    Ok(0)
}

/// Says why nothing was written, and is the exit code.
fn refuse(reason: &str) -> u8 {
    terminal::complain_at_length(reason);
    1
}

/// Writes a new file beside the old one and puts it in its place, so that at each moment one of them is there whole.
fn replace(path: &Path, before: &str, after: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let mut new = NamedTempFile::new_in(folder)?;
    new.write_all(after.as_bytes())?;
    new.as_file().set_permissions(fs::metadata(path)?.permissions())?;
    new.as_file().sync_all()?;
    // Not to lose what somebody else wrote in between.
    if fs::read(path)? != before.as_bytes() {
        return Err(io::Error::other("it was changed meanwhile; try again"));
    }
    new.persist(path).map_err(|error| error.error)?;
    // The file is in its place whether or not the folder can be told to keep it.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

fn unwritten(file: &Input, error: &io::Error) -> Failure {
    Failure::Unusable(format!("cannot write {file}: {error}; nothing was changed"))
}

const HEADER: Style = Style::new().bold();
const HUNK: Style = AnsiColor::Cyan.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();

/// A unified diff, with styles. What a terminal would act on is shown as an escape.
fn diff(before: &str, after: &str, name: &str) -> String {
    let name = terminal::visible(name);
    let mut shown = format!("{HEADER}--- {name}{HEADER:#}\n{HEADER}+++ {name}{HEADER:#}\n");
    let diff = TextDiff::from_lines(before, after);
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        shown.push_str(&format!("{HUNK}{}{HUNK:#}\n", hunk.header()));
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', REMOVED),
                ChangeTag::Insert => ('+', ADDED),
                ChangeTag::Equal => (' ', Style::new()),
            };
            let line = change.value().strip_suffix('\n').unwrap_or(change.value());
            shown.push_str(&format!("{style}{sign}"));
            terminal::push_visible_line(&mut shown, line);
            shown.push_str(&format!("{style:#}\n"));
            if change.missing_newline() {
                shown.push_str("\\ No newline at end of file\n");
            }
        }
    }
    shown
}
