//! `tagwire` reads the replies of language-model agents that write double-bracket tags in plain text:
//! `[[WRITE_FILE path="a.py"]]…[[/WRITE_FILE]]`, `[[RUN cmd="pytest"/]]`.
//!
//! It finds the tags while a reply streams in, lets through only what this role may do in this mode, stops a runaway reply at
//! its budgets, and writes one line for each mistake, which the host sends back so that the model learns the rule.
//!
//! ```
//! use tagwire::{Budget, Event, Grant, Parser, Protocol, ProtocolSpec, TagSpec};
//!
//! // A protocol is data, checked when it is compiled.
//! const PROTOCOL: Protocol<'static> = Protocol::checked(
//!     &ProtocolSpec::seed("notes", &[TagSpec::with_body("NOTE").budget("notes"), TagSpec::new("SHELL")])
//!         .budgets(&[Budget::new("notes", 3)])
//!         .grants(&[Grant::new("writer", "draft", &["NOTE"])]),
//! );
//!
//! let mut parser = Parser::new(PROTOCOL.policy("writer", "draft")?);
//! let mut seen = Vec::new();
//! for chunk in ["Well. [[NO", "TE]]buy [[milk]][[/NOTE]] [[SHELL run=\"rm\"/]]"] {
//!     for event in parser.feed(chunk) {
//!         match event {
//!             Event::Tag(tag) => seen.push(format!("{}: {}", tag.name(), tag.body())),
//!             Event::Diagnostic(diagnostic) => seen.push(diagnostic.to_string()),
//!             _ => {}
//!         }
//!     }
//! }
//! assert_eq!(parser.finish().count(), 0);
//! assert_eq!(
//!     seen,
//!     ["NOTE: buy [[milk]]", "ERROR: tag [[SHELL]] is not allowed for role=writer mode=draft"],
//! );
//! # Ok::<(), tagwire::UnknownRole>(())
//! ```
//!
//! # Where to begin
//!
//! - [`Protocol`] is a vocabulary, a matrix and budgets; [`Policy`] is a protocol for one role and mode. [`workforce`] is a
//!   preset, with typed views of its tags.
//! - [`Policy::parse`] reads a whole reply, [`Policy::parse_in`] into an arena, and [`Policy::events`] as a list of what is
//!   where.
//! - [`Parser`] reads a reply as it arrives, and [`Parser::pending`] shows what is open. [`Utf8Decoder`] makes text of bytes.
//! - [`Reader`] makes events of a `Read`, and [`TagStream`] a stream of events of a stream of chunks. [`sse`] takes the answer
//!   out of what chat APIs stream.
//! - [`Reply::feedback`] and [`Feedback`] write what goes back to the model. [`Escaped`] makes visible what could deceive, for
//!   a model, a log or a terminal.
//!
//! # What it promises
//!
//! - **The same events, however the text was cut.** Any cutting, in two, in three, into single characters, with empty chunks,
//!   gives the same events once adjacent prose is joined, and those of the whole text. An [`Events`] dropped early loses
//!   nothing.
//! - **An event is final**, and given as soon as no text that may still come can change it, and not before.
//! - **The events tile the reply**: the spans of prose, tags and what is dropped cover each byte once, in order.
//! - **Nothing in a closed body is read as a tag**, and no tag outside its policy is given.
//! - **Linear time on every input**: a constant a byte, *n* log *n* where many different names meet. Memory is a small constant
//!   times what must be held, which [`Limits`] bounds.
//! - **No panic** on any text, no unsafe code, no regular expression, and by default no dependency but memchr, smallvec and
//!   bumpalo.
//!
//! # What it refuses to do
//!
//! - It carries nothing out: no file is touched, no command run. A tag is what a model asks for, not what is safe to do.
//! - It guesses nothing: what is nearly a tag is prose, there are no escapes, and bodies do not nest.
//! - It hides nothing: all that is dropped is an event, with its place.
//!
//! # Features
//!
//! - `std` (default): [`Reader`], and what the dependencies do better with the standard library. Without it the crate needs
//!   `alloc`.
//! - `futures`: [`TagStream`], on futures-core alone, so for any executor.
//! - `sse`: the module [`sse`], for the event streams of OpenAI and Anthropic and what is compatible with them.
//! - `serde`: `Serialize` for all that is read out, `Deserialize` for [`ProtocolBuf`].
//! - `cli`: the program `tagwire`.
//!
#![cfg_attr(not(feature = "std"), doc = "[`Reader`]: https://docs.rs/tagwire/latest/tagwire/struct.Reader.html")]
#![cfg_attr(
    not(feature = "futures"),
    doc = "[`TagStream`]: https://docs.rs/tagwire/latest/tagwire/struct.TagStream.html"
)]
#![cfg_attr(not(feature = "sse"), doc = "[`sse`]: https://docs.rs/tagwire/latest/tagwire/sse/index.html")]
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

#[macro_use]
#[cfg(feature = "steps")]
#[doc(hidden)]
pub mod work;
#[macro_use]
#[cfg(not(feature = "steps"))]
mod work;

mod attrs;
mod diagnostic;
mod escape;
mod event;
mod feedback;
mod ident;
mod input;
mod line_index;
mod parser;
// What the strict machine looks up is not used before it is there.
#[allow(dead_code, unused_imports)]
mod protocol;
mod reply;
mod scan;
#[cfg(feature = "serde")]
pub mod serialize;
mod shorten;
mod span;
mod storage;
mod tag;
mod tag_error;
mod whitespace;
pub mod workforce;

pub use attrs::{AttrValue, Attrs, AttrsIter};
pub use diagnostic::{Diagnostic, DiagnosticCode, Name, OwnedDiagnostic};
pub use escape::{Escaped, EscapedChar, is_deceptive};
pub use event::{Event, Finish, OwnedEvent};
pub use feedback::{Feedback, FeedbackLimits};
#[cfg(any(feature = "std", feature = "futures"))]
pub use input::decode::{Decode, Ending, FinishBy, StreamError, TextChunks};
#[cfg(feature = "std")]
pub use input::reader::Reader;
#[cfg(feature = "sse")]
pub use input::sse;
#[cfg(feature = "futures")]
pub use input::stream::{TagStream, TagStreamExt};
pub use input::utf8::{InvalidUtf8, Pieces, Utf8Decoder};
pub use line_index::{ChunkedLineIndex, LineColumn, LineIndex};
pub use parser::{Events, OpenTag, Parser, Pending};
pub use protocol::{
    AttrSpec, AttrType, Body, Budget, Dialect, EnumValues, ExampleSpec, Grant, Limits, MAX_TAGS, Policy, PolicyBuf,
    Protocol, ProtocolBuf, ProtocolError, ProtocolSpec, RegionSpec, Schema, SectionSpec, Select, StrictLimits, TagSpec,
    TagsInCode, UnknownAttributes, UnknownRole, UnknownTags,
};
#[cfg(feature = "protocol-file")]
pub use protocol::{FileFault, ProtocolFileError};
pub use reply::{Reply, ReplyEvents};
pub use span::Span;
pub use tag::{OwnedTag, Tag};
pub use tag_error::TagError;
pub use whitespace::is_space;

// Its examples use the adapters.
#[cfg(all(doctest, feature = "sse"))]
#[doc = include_str!("../README.md")]
struct Readme;
