//! Ctrl-C, for commands that have something to do before they end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signal_hook::consts::SIGINT;
use signal_hook::flag;

use crate::failure::Failure;

/// The exit code of a command that was interrupted.
pub(crate) const CODE: u8 = 130;

/// Whoever waits for something else looks at the flag this often.
pub(crate) const GLANCE: Duration = Duration::from_millis(50);

/// Whether Ctrl-C was pressed since [`Interrupt::watch`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on Ctrl-C no longer ends the program, unless it is pressed again.
    ///
    /// The flag is set in the handler itself, and not by a thread that hears of it: a pipe from a program that the same Ctrl-C
    /// ended closes at once, and its end must not be taken for the end of the reply.
    pub(crate) fn watch(&self) -> Result<(), Failure> {
        let Interrupt(flag) = self;
        let ends = flag::register_conditional_shutdown(SIGINT, CODE.into(), Arc::clone(flag));
        let sets = ends.and_then(|_| flag::register(SIGINT, Arc::clone(flag)));
        sets.map(drop).map_err(|error| Failure::Unusable(format!("cannot listen for Ctrl-C: {error}")))
    }

    pub(crate) fn is_pressed(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
