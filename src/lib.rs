//! `tagwire` reads the replies of language-model agents that write double-bracket tags in plain text.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod lines;
mod space;
mod utf8;
pub mod workforce;

pub use lines::{LineColumn, LineCounter, LineTracker};
pub use utf8::{InvalidUtf8, Pieces, Utf8Decoder};
