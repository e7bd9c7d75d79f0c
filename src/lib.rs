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
//! | you have | use |
//! |---|---|
//! | a whole reply, as `&str` | [`Policy::parse`], or [`Policy::events`] for everything in order |
//! | many whole replies | [`Policy::parse_in`], into an arena |
//! | chunks of text | [`Parser`]; [`Parser::pending`] shows the open tag |
//! | chunks of bytes | [`Utf8Decoder`], then [`Parser`] |
//! | a `Read` | [`EventReader`] |
//! | a `Stream` of text or bytes | [`EventStream`], by [`EventStreamExt`] |
//! | the event stream of a chat API | [`sse::Answer`], in one of these two adapters |
//!
//! [`Protocol`] is a vocabulary, its grants and its budgets; [`Policy`] is a protocol for one role and mode. [`workforce`] is a preset,
//! with typed views of its tags. [`Reply::feedback`] and [`Feedback`] write what goes back to the model. [`Escaped`] makes invisible and
//! deceptive characters visible, for a model, a log or a terminal.
//!
//! The [`guide`] goes from a hand-written regular expression to a protocol in a file, and from the Python module to the strict dialect.
//!
//! # What it promises
//!
//! - **The same events, however the text was cut.** Cut in two, in three, into single characters, with empty chunks: the events are
//!   those of the whole text, once adjacent prose is joined. An [`Events`] dropped early loses nothing.
//! - **Events are final**, and yielded as soon as no further text can change them.
//! - **The events tile the reply**: the spans of prose, tags and dropped text cover each byte once, in order.
//! - **No text in a closed body is read as a tag**, and no tag outside its policy is yielded.
//! - **Linear time on every input**: constant per byte, *n* log *n* if many different names meet. Memory is a small constant times the
//!   text that must be held, which [`Limits`] bounds.
//! - **No panic** on any text, no unsafe code, no regular expression, and by default no dependency but memchr, smallvec and bumpalo.
//!
//! # What it refuses to do
//!
//! - It carries nothing out: it touches no file and runs no command. A tag is a request of a model, which need not be safe.
//! - It does not guess: text that is almost a tag is prose, and bodies do not nest.
//! - It hides nothing: all dropped text is an event, with its span.
//!
//! # Features
//!
//! - `std` (default): [`EventReader`], and faster searches in the dependencies. Without it the crate needs `alloc`.
//! - `futures`: [`EventStream`], on futures-core alone, so for any executor.
//! - `sse`: the module [`sse`], for the event streams of OpenAI, Anthropic, Gemini, Ollama, Cohere, Mistral and compatible servers.
//! - `serde`: `Serialize` for all that is read out, `Deserialize` for [`ProtocolBuf`].
//! - `cli`: the program `tagwire`.
//!
#![cfg_attr(
    not(feature = "std"),
    doc = "[`EventReader`]: https://docs.rs/tagwire/latest/tagwire/struct.EventReader.html"
)]
#![cfg_attr(
    not(feature = "futures"),
    doc = "[`EventStream`]: https://docs.rs/tagwire/latest/tagwire/struct.EventStream.html"
)]
#![cfg_attr(
    not(feature = "futures"),
    doc = "[`EventStreamExt`]: https://docs.rs/tagwire/latest/tagwire/trait.EventStreamExt.html"
)]
#![cfg_attr(not(feature = "sse"), doc = "[`sse`]: https://docs.rs/tagwire/latest/tagwire/sse/index.html")]
#![cfg_attr(
    not(feature = "sse"),
    doc = "[`sse::Answer`]: https://docs.rs/tagwire/latest/tagwire/sse/struct.Answer.html"
)]
#![no_std]
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
mod body;
mod bytes;
mod charset;
mod diagnostic;
mod escape;
mod event;
mod feedback;
#[cfg(any(doc, doctest))]
pub mod guide;
mod ident;
mod input;
mod line_index;
mod parse_options;
mod parser;
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
mod window;
pub mod workforce;

pub use attrs::{AttrValue, Attrs, AttrsIter};
pub use diagnostic::{Diagnostic, DiagnosticCode, Name, OwnedDiagnostic, Severity};
pub use escape::{Escaped, EscapedChar, is_deceptive};
pub use event::{Event, Finish, OwnedEvent};
pub use feedback::{Feedback, FeedbackLimits};
#[cfg(any(feature = "std", feature = "futures"))]
pub use input::decode::{Decode, Ending, FinishBy, StreamError, TextChunks};
#[cfg(feature = "std")]
pub use input::reader::EventReader;
#[cfg(feature = "sse")]
pub use input::sse;
#[cfg(feature = "futures")]
pub use input::stream::{EventStream, EventStreamExt};
pub use input::utf8::{Utf8Chunks, Utf8Decoder, Utf8Error};
pub use line_index::{ChunkedLineIndex, LineColumn, LineIndex};
pub use parse_options::ParseOptions;
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
