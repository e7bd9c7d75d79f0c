//! Failures that end a command.

use std::fmt::Display;
use std::io;

use tagwire::ProtocolFileError;

/// The exit code of a command that ran to its end, or why it did not.
pub(crate) type Outcome = Result<u8, Failure>;

/// Why a command ends early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The reader of the output went away: the command ends quietly.
    ClosedPipe,
    /// A signal, and its exit code.
    Interrupted(u8),
    /// Input or output that cannot be used: exit code 2, and this message.
    Unusable(String),
    /// A file that is not a protocol: exit code 2, and a line for each fault.
    Protocol(ProtocolFileError),
}

impl Failure {
    /// The failure to write to `where_to`.
    pub(crate) fn of_writing(where_to: impl Display, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::Unusable(format!("cannot write to {where_to}: {error}")),
        }
    }

    /// The failure to get memory for what is at this location.
    pub(crate) fn out_of_memory(location: &str) -> Self {
        Failure::Unusable(format!("out of memory at {location}; lower --max-line-bytes, or use fewer --threads"))
    }

    /// The failure to write to standard output.
    pub(crate) fn of_stdout(error: &io::Error) -> Self {
        Self::of_writing("standard output", error)
    }
}
