//! `tagwire` reads the replies of language-model agents that write double-bracket tags in plain text.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod space;
pub mod workforce;
