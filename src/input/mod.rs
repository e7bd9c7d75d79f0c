//! The ways in: from the chunks of a source to the events of a parser.
//!
//! A decoder ([`Decode`](decode::Decode)) turns chunks into text, the driver feeds the text to a parser, and the adapters run the driver on
//! a `Read` or a `Stream`.

#[cfg(any(feature = "std", feature = "futures"))]
pub(crate) mod decode;
#[cfg(any(feature = "std", feature = "futures"))]
mod driver;
#[cfg(feature = "std")]
pub(crate) mod reader;
#[cfg(feature = "sse")]
pub mod sse;
#[cfg(feature = "futures")]
pub(crate) mod stream;
pub(crate) mod utf8;
