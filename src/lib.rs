//! `tagwire` reads the replies of language-model agents that write double-bracket tags in plain text.
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs, unreachable_pub)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[macro_use]
pub mod steps;

mod attrs;
mod close;
mod diagnostic;
mod event;
mod feedback;
mod lines;
mod near;
mod pending;
mod policy;
mod protocol;
mod protocol_error;
mod pull;
mod reply;
mod resolve;
mod scan;
#[cfg(feature = "serde")]
mod serialize;
mod space;
mod store;
mod stream;
mod tag_set;
mod utf8;
mod window;
pub mod workforce;

pub use attrs::{Attrs, AttrsIter};
pub use diagnostic::{Code, Diagnostic, Name, OwnedDiagnostic};
pub use event::{Event, OwnedEvent, OwnedTag, Span, Tag};
pub use feedback::Feedback;
pub use lines::{LineColumn, LineCounter, LineTracker};
pub use pending::{OpenTag, Pending};
pub use policy::{Limits, Policy, UnknownName};
pub use protocol::{Budget, Grant, InvalidProtocol, MAX_TAGS, Protocol, ProtocolBuf, TagSpec};
pub use protocol_error::ProtocolError;
pub use reply::{Reply, ReplyEvents};
pub use scan::Finish;
pub use stream::{Events, Parser};
pub use utf8::{InvalidUtf8, Pieces, Utf8Decoder};
