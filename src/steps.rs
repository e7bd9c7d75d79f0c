//! Counting the work that was done, so that a test can hold it against the length of the text.
//!
//! Compiled only with the feature `steps`. A step is a byte looked at, or an entry of a list moved or compared.

use core::cell::Cell;

std::thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Adds to the count of this thread.
pub(crate) fn add(steps: usize) {
    STEPS.set(STEPS.get() + steps as u64);
}

/// The steps that this thread has done since the last call, and starts again from 0.
pub fn take() -> u64 {
    STEPS.replace(0)
}
