//! Where the output goes: standard output, or a file that is only replaced when all of it is written.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use crate::atomic_file::{self, Replacement};
use crate::failure::Failure;
use crate::interrupt::{self, Interrupt};

/// Standard output, or a file.
pub(super) enum Output {
    Stdout,
    /// What is no plain file, a device or a pipe, cannot be replaced.
    Direct(PathBuf, File),
    /// Written beside the file that it will replace: so the output may be an input too, and is never half there.
    Replacing(PathBuf, Replacement),
}

impl Output {
    pub(super) fn create(path: Option<PathBuf>, interrupt: &Interrupt) -> Result<Self, Failure> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else { return Ok(Output::Stdout) };
        let unwritable = |error| Failure::of_writing(path.display(), &error);
        if atomic_file::existing(&path).map_err(unwritable)?.is_some_and(|metadata| !metadata.is_file()) {
            let file = open(&path, interrupt)?.map_err(unwritable)?;
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

    /// Puts the file in its place. Without this, what was there before stays.
    pub(super) fn keep(self) -> Result<(), Failure> {
        match self {
            Output::Replacing(path, replacement) => {
                replacement.keep().map_err(|error| Failure::of_writing(path.display(), &error))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn unwritable(&self, error: &io::Error) -> Failure {
        match self {
            Output::Stdout => Failure::of_stdout(error),
            Output::Direct(path, _) | Output::Replacing(path, _) => Failure::of_writing(path.display(), error),
        }
    }
}

/// Opens what may be long in opening: a pipe waits for its reader, and goes on waiting after Ctrl-C. So a thread of its own
/// waits.
fn open(path: &Path, interrupt: &Interrupt) -> Result<io::Result<File>, Failure> {
    let (sender, opened) = mpsc::channel();
    let path = path.to_owned();
    thread::spawn(move || {
        // Nobody listens any more after Ctrl-C.
        let _ = sender.send(File::options().write(true).open(path));
    });
    loop {
        match opened.recv_timeout(interrupt::GLANCE) {
            _ if interrupt.is_pressed() => return Err(Failure::Interrupted),
            Ok(opened) => return Ok(opened),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => unreachable!("the thread sends before it ends"),
        }
    }
}
