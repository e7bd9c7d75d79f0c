//! Decoding of an input's bytes.
//!
//! An input is a few bytes of choices, then a text. Commands in the text are bytes that never occur in UTF-8, so a mutation
//! moves a cut together with the text around it.

use std::sync::OnceLock;

use tagwire::{Limits, Policy, ProtocolBuf};

use crate::library::{policy_of, protocol_buf};
use crate::support::twin::{Twin, TwinProtocol};

/// Bytes, taken from the front. Zeros follow the end.
pub struct Input<'d> {
    data: &'d [u8],
}

impl<'d> Input<'d> {
    pub fn new(data: &'d [u8]) -> Self {
        Self { data }
    }

    pub fn is_over(&self) -> bool {
        self.data.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.data.split_first() else {
            return 0;
        };
        self.data = rest;
        first
    }

    pub fn below(&mut self, limit: usize) -> usize {
        usize::from(self.byte()) % limit.max(1)
    }

    /// The next bytes, or as many as there are.
    pub fn bytes(&mut self, count: usize) -> &'d [u8] {
        let (first, rest) = self.data.split_at(count.min(self.data.len()));
        self.data = rest;
        first
    }

    pub fn rest(self) -> &'d [u8] {
        self.data
    }

    /// A role and a mode of the preset, granted or not.
    pub fn pair(&mut self) -> (&'static str, &'static str) {
        PAIRS[self.below(PAIRS.len())]
    }

    /// Mostly none, otherwise a small one.
    pub fn limit(&mut self) -> Option<usize> {
        usize::from(self.byte()).checked_sub(NO_LIMIT)
    }
}

/// The largest byte that means no limit.
pub const NO_LIMIT: usize = 128;

/// The byte that selects this role and mode.
pub fn pair_byte(role: &str, mode: &str) -> u8 {
    PAIRS.iter().position(|pair| *pair == (role, mode)).unwrap_or(0) as u8
}

const PAIRS: [(&str, &str); 10] = [
    ("developer", "work"),
    ("manager", "triage"),
    ("manager", "final"),
    ("manager", "error"),
    ("manager", "chat"),
    ("planner", "work"),
    ("reviewer", "work"),
    ("tester", "work"),
    ("manager", "work"),
    ("tester", "chat"),
];

/// The preset, for the library and for the twin.
pub struct Workforce {
    pub twin: TwinProtocol,
    buf: ProtocolBuf,
}

impl Workforce {
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Workforce> = OnceLock::new();
        SHARED.get_or_init(|| {
            let twin = TwinProtocol::workforce();
            let buf = protocol_buf(&twin);
            Workforce { twin, buf }
        })
    }

    pub fn pair(&self, (role, mode): (&str, &str), limit: Option<usize>) -> (Twin, Policy<'_>) {
        let twin = self.twin.twin(role, mode).with_max_tag_bytes(limit);
        let policy = policy_of(&self.buf, &twin);
        (twin, policy)
    }

    /// The policy of the library's preset.
    pub fn preset((role, mode): (&str, &str), limit: Option<usize>) -> Policy<'static> {
        let policy = tagwire::workforce::PROTOCOL.policy(role, mode).expect("a known role and mode");
        policy.with_limits(Limits::default().with_max_tag_bytes(limit))
    }
}

/// A command within a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The end of a chunk, and the number of its events to take.
    Cut { taken: usize },
    /// Abandons the reply and begins the next one.
    Reset,
}

/// The bytes that end a chunk: all, none or one of its events are taken.
pub const CUT: u8 = 0xFF;
pub const CUT_TAKE_NONE: u8 = 0xFE;
pub const CUT_TAKE_ONE: u8 = 0xFD;
pub const RESET: u8 = 0xFC;

/// A chunk of a reply.
#[derive(Debug)]
pub struct Chunk<'d> {
    pub bytes: &'d [u8],
    /// The number of its events to take.
    pub taken: usize,
    /// Whether the reply is abandoned after it.
    pub is_given_up: bool,
}

/// The chunks of an input's text.
pub fn chunks(data: &[u8]) -> impl Iterator<Item = Chunk<'_>> {
    data.split_inclusive(|&byte| byte >= RESET).map(|piece| {
        let (bytes, mark) = match piece.split_last() {
            Some((&mark, bytes)) if mark >= RESET => (bytes, mark),
            _ => (piece, CUT),
        };
        let taken = match mark {
            CUT_TAKE_NONE => 0,
            CUT_TAKE_ONE => 1,
            _ => usize::MAX,
        };
        Chunk { bytes, taken, is_given_up: mark == RESET }
    })
}

/// A reply, in chunks.
#[derive(Default)]
pub struct Script {
    pub bytes: Vec<u8>,
    /// The end of each chunk, and the number of its events to take.
    pub cuts: Vec<(usize, usize)>,
    pub is_given_up: bool,
}

/// The replies of an input's text.
pub fn scripts(data: &[u8]) -> Vec<Script> {
    let mut scripts = vec![Script::default()];
    for chunk in chunks(data) {
        let script = scripts.last_mut().expect("one at least");
        script.bytes.extend_from_slice(chunk.bytes);
        script.cuts.push((script.bytes.len(), chunk.taken));
        if chunk.is_given_up {
            script.is_given_up = true;
            scripts.push(Script::default());
        }
    }
    scripts
}

/// The character boundary at or before `at`.
pub fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
