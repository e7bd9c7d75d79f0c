//! Counts work, so that a test can compare it with the length of the text.
//!
//! Counts only in tests and with the feature `steps`, which is for tests. A step is a byte examined, or an entry of a list written or
//! compared.

#[cfg(any(test, feature = "steps"))]
std::thread_local! {
    static STEPS: core::cell::Cell<u64> = const { core::cell::Cell::new(0) };
}

/// Returns the steps counted on this thread since the last call.
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

/// Adds to the number of steps, in builds that count them.
macro_rules! count_work {
    ($steps:expr) => {
        $crate::work::add($steps)
    };
}
