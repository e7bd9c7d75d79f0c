//! `tagwire` reads the replies of language-model agents that write double-bracket tags in plain text.
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs, unreachable_pub)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

/// Counts steps, where they are counted.
#[cfg(feature = "steps")]
macro_rules! steps {
    ($steps:expr) => {
        $crate::steps::add($steps)
    };
}
#[cfg(not(feature = "steps"))]
macro_rules! steps {
    ($steps:expr) => {
        let _ = $steps;
    };
}

mod attrs;
mod close;
mod diagnostic;
mod event;
mod policy;
mod protocol;
mod pull;
mod reply;
mod resolve;
mod scan;
mod space;
#[cfg(feature = "steps")]
pub mod steps;
mod store;
mod stream;
mod tag_set;
mod window;
pub mod workforce;

pub use attrs::{Attrs, AttrsIter};
pub use diagnostic::{Code, Diagnostic, Name, OwnedDiagnostic};
pub use event::{Event, OwnedEvent, OwnedTag, Span, Tag};
pub use policy::{Limits, Policy, UnknownName};
pub use protocol::{Budget, Grant, InvalidProtocol, MAX_TAGS, Protocol, ProtocolBuf, TagSpec};
pub use reply::{Reply, ReplyEvents};
pub use stream::{Events, OpenTag, Parser, Pending};
