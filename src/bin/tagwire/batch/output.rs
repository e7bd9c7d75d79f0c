//! Where the output goes: standard output, or a file that is replaced once all of the output is written.

use std::fs::File;
use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use crate::atomic_file::{self, Replacement};
use crate::failure::Failure;
use crate::json::Escapes;
use crate::signals::{self, Signals};

/// Standard output, or a file.
pub(super) enum Output {
    Stdout,
    /// A device or a pipe, which cannot be replaced.
    Direct(PathBuf, File),
    /// A new file beside the one that it will replace: so the output may be an input too, and is never incomplete.
    Replacing(PathBuf, Replacement),
}

impl Output {
    pub(super) fn create(path: Option<PathBuf>, signals: &Signals) -> Result<Self, Failure> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else { return Ok(Output::Stdout) };
        let unwritable = |error| Failure::of_writing(path.display(), &error);
        if atomic_file::existing(&path).map_err(unwritable)?.is_some_and(|metadata| !metadata.is_file()) {
            let file = open(&path, signals)?.map_err(unwritable)?;
            return Ok(Output::Direct(path, file));
        }
        let replacement = Replacement::of(&path).map_err(unwritable)?;
        Ok(Output::Replacing(path, replacement))
    }

    pub(super) fn writer(&self) -> Result<Box<dyn Write + Send>, Failure> {
        let file = match self {
            Output::Stdout => return Ok(Box::new(io::stdout())),
            Output::Direct(_, file) => file,
            Output::Replacing(_, replacement) => replacement.file(),
        };
        file.try_clone().map(|file| Box::new(file) as _).map_err(|error| self.unwritable(&error))
    }

    /// Puts the file in its place. Without this, the file that was there stays.
    pub(super) fn keep(self) -> Result<(), Failure> {
        match self {
            Output::Replacing(path, replacement) => {
                replacement.keep().map_err(|error| Failure::of_writing(path.display(), &error))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn escapes(&self) -> Escapes {
        match self {
            Output::Stdout => Escapes::for_stdout(),
            Output::Direct(_, file) => Escapes::for_output(file.is_terminal()),
            Output::Replacing(..) => Escapes::Needed,
        }
    }

    pub(super) fn unwritable(&self, error: &io::Error) -> Failure {
        match self {
            Output::Stdout => Failure::of_stdout(error),
            Output::Direct(path, _) | Output::Replacing(path, _) => Failure::of_writing(path.display(), error),
        }
    }
}

/// Opens a device or a pipe. A pipe waits for its reader, and a signal does not end that wait: so another thread waits.
fn open(path: &Path, signals: &Signals) -> Result<io::Result<File>, Failure> {
    let (sender, opened) = mpsc::channel();
    let path = path.to_owned();
    let waiting = thread::Builder::new().spawn(move || {
        // After a signal nobody receives it.
        let _ = sender.send(File::options().write(true).open(path));
    });
    if let Err(error) = waiting {
        return Ok(Err(error));
    }
    loop {
        let result = opened.recv_timeout(signals::POLL);
        signals.check()?;
        match result {
            Ok(opened) => return Ok(opened),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => unreachable!("the thread sends before it ends"),
        }
    }
}
