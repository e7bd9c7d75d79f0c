//! What is known of a reply besides its text.

use crate::event::Finish;
use crate::protocol::Protocol;

/// What is known of a reply besides its text: how it ended, and whether it begins inside a region. Made of a [`Finish`] alone, or built up.
///
/// ```
/// use tagwire::{Finish, ParseOptions, Protocol, ProtocolSpec, RegionSpec, TagSpec};
///
/// const PROTOCOL: Protocol<'static> = Protocol::checked(
///     &ProtocolSpec::strict("shell", &[TagSpec::new("RUN")])
///         .regions(&[RegionSpec::new("think", "<think>", "</think>")])
///         .open(),
/// );
/// let options = ParseOptions::from(Finish::Truncated).with_begins_inside(Some("think"));
/// let reply = PROTOCOL.unrestricted().parse_with("Shall I [[RUN/]]?</think>No.", options);
/// assert_eq!((reply.tags().len(), &*reply.prose()), (0, "No."));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ParseOptions<'o> {
    /// How the reply ended; complete by default.
    pub finish: Finish,
    /// The region of the protocol, by its name, that the reply begins in: its host, or its prompt, has written the opening marker.
    pub begins_inside: Option<&'o str>,
}

impl<'o> ParseOptions<'o> {
    /// Sets how the reply ended.
    #[must_use]
    pub const fn with_finish(self, finish: Finish) -> Self {
        ParseOptions { finish, ..self }
    }

    /// Sets the region that the reply begins in.
    #[must_use]
    pub const fn with_begins_inside(self, region: Option<&'o str>) -> Self {
        ParseOptions { begins_inside: region, ..self }
    }

    /// The position of the region that the reply begins in.
    #[inline]
    #[track_caller]
    pub(crate) fn region_in(&self, protocol: Protocol<'_>) -> Option<usize> {
        self.begins_inside.map(|name| position_of(name, protocol))
    }
}

impl From<Finish> for ParseOptions<'_> {
    fn from(finish: Finish) -> Self {
        ParseOptions { finish, begins_inside: None }
    }
}

/// The position of the region called `name`.
///
/// # Panics
///
/// If there is none.
#[track_caller]
pub(crate) fn position_of(name: &str, protocol: Protocol<'_>) -> usize {
    let region = protocol.find_region(name);
    region.unwrap_or_else(|| panic!("the protocol {:?} has no region called {name:?}", protocol.name()))
}
