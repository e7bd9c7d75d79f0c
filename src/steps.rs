//! Counting the work that was done, so that a test can hold it against the length of the text.
//!
//! Only in tests, and with the feature `steps`, which is for tests: else, nothing is counted. A step is a byte looked at, or an
//! entry of a list noted or compared.

#[cfg(any(test, feature = "steps"))]
std::thread_local! {
    static STEPS: core::cell::Cell<u64> = const { core::cell::Cell::new(0) };
}

/// The steps that this thread has done since the last call, and starts again from 0.
#[cfg(any(test, feature = "steps"))]
pub fn take() -> u64 {
    STEPS.replace(0)
}

/// Adds to the count of this thread.
#[cfg(any(test, feature = "steps"))]
pub(crate) fn add(steps: usize) {
    STEPS.set(STEPS.get() + steps as u64);
}

#[cfg(not(any(test, feature = "steps")))]
#[inline(always)]
pub(crate) fn add(_: usize) {}

/// Counts steps, where they are counted.
macro_rules! steps {
    ($steps:expr) => {
        $crate::steps::add($steps)
    };
}
