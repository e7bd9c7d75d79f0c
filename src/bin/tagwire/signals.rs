//! Signals that end the program, for commands that have something to do first: Ctrl-C (SIGINT), SIGTERM and SIGHUP.

#[cfg(unix)]
use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

#[cfg(unix)]
use signal_hook::consts::SIGHUP;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::failure::Failure;

/// How often a thread that waits for something else checks for a signal.
pub(crate) const POLL: Duration = Duration::from_millis(50);

/// Whether a signal arrived since [`Signals::install`]. Clones share the answer. The default watches nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signals {
    /// The number of the last signal, or 0.
    received: Arc<AtomicUsize>,
}

impl Signals {
    /// Replaces the default action of each signal, which is to end the program at once.
    ///
    /// A second Ctrl-C still ends the program at once. SIGHUP stays ignored under `nohup`.
    pub(crate) fn install() -> Result<Self, Failure> {
        let signals = Self::default();
        match signals.register() {
            Ok(()) => Ok(signals),
            Err(error) => Err(Failure::Unusable(format!("cannot handle signals: {error}"))),
        }
    }

    /// The flag is set in the handler itself, not by a thread that is told of the signal: the same Ctrl-C may end the program
    /// that writes our input, and the end of its pipe must not be taken for the end of the reply.
    fn register(&self) -> io::Result<()> {
        let is_repeated = Arc::new(AtomicBool::new(false));
        flag::register_conditional_shutdown(SIGINT, exit_code(SIGINT).into(), Arc::clone(&is_repeated))?;
        for signal in watched() {
            flag::register_usize(signal, Arc::clone(&self.received), signal.unsigned_abs() as usize)?;
            flag::register(signal, Arc::clone(&is_repeated))?;
        }
        Ok(())
    }

    /// Whether a signal arrived.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.exit_code().is_some()
    }

    /// An error once a signal arrived.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        self.exit_code().map_or(Ok(()), |code| Err(Failure::Interrupted(code)))
    }

    /// The exit code of a command that a signal ended: 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP.
    pub(crate) fn exit_code(&self) -> Option<u8> {
        match self.received.load(Ordering::Relaxed) {
            0 => None,
            signal => Some(exit_code(signal as i32)),
        }
    }
}

/// 128 plus the number of the signal, as shells report it.
fn exit_code(signal: i32) -> u8 {
    128 | signal as u8
}

#[cfg(unix)]
fn watched() -> Vec<i32> {
    let mut signals = vec![SIGINT, SIGTERM];
    if !is_ignored(SIGHUP) {
        signals.push(SIGHUP);
    }
    signals
}

#[cfg(not(unix))]
fn watched() -> Vec<i32> {
    vec![SIGINT, SIGTERM]
}

/// Whether `signal` was ignored when the program started. Only Linux tells.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
