//! The machine of the strict dialect.
//!
//! A machine owns offsets and no text. Each [`Machine::step`] reads the [`Input`] and emits [`RawEvent`]s with offsets in the reply.
//! The same steps read whole replies and streams; whether the end of the reply is known is the only difference.
//!
//! ```text
//!  Ticks, Tildes, QuoteHead ─► Code ◄─► FenceHead     StrayClose
//!         ▲                      │          │            ▲  │
//!      ` ~ >                     │          │           [[/ │
//!         │                      ▼          ▼            │  ▼
//!         └─────────────────── Prose ◄──────────────── no tag: one bracket is passed
//!        Region ◄── marker ────┘│ ▲                        ▲
//!                              [[ │ emitted or dropped     │
//!                               ▼ │                        │
//!                             Token ── complete ──► Check ──► Body
//!                               │                     │        │
//!                               ├─ fault ──► Broken ──┴─► DropBody, Wait ──► UnreadToClose, Unread
//!                               └─ too long ─► Long ─► LongBroken ─┘
//! ```
//!
//! # Why it is linear
//!
//! Text only goes forward, with two exceptions, each of which reads a byte again a constant number of times:
//! - A token without the shape of a tag is prose, and is read again after its first bracket. Only quoted values contain brackets, and
//!   a byte is part of at most one value for each kind of quote, since the quote that opens a value closes the one before.
//! - If a complete reply ends without the close of an unknown tag, the text after its token is read again. From then on all closes are
//!   indexed ([`Closes`]), so no tag in that text is read twice.
//!
//! Searches that may run past the text they are for keep how far they came (`clear`, `no_end`).
//!
//! # Invariants
//!
//! - Everything before `given` has been emitted. `given <= at`, except in code, whose text is emitted before its tokens are read.
//! - The window covers everything from [`Machine::needed_from`] on.
//! - `line` describes the line that contains `line.at`; `line.at` never falls behind what leaves the window.
//!
//! To add a state: a variant of [`State`], its arm in [`Machine::step`], and its text in [`Machine::needed_from`] if that starts before
//! `given`.

mod attributes;
mod close;
mod code;
pub(crate) mod token;

use crate::diagnostic::DiagnosticCode;
use crate::event::Finish;
use crate::protocol::{Bodies, Body, MAX_BUDGETS, Policy, StrictLimits, TagId, TagSet, TagsInCode, UnknownTags};
use crate::scan::{Input, RawEvent, Sink, Window};
use crate::span::Span;
use crate::storage::{List as _, Storage};

use self::attributes::{Check, Key, RawAttr};
use self::close::{AnyClose, CloseName, CloseSearch, CloseStatus, Closes, Mark, UntilSearch};
use self::code::{Code, Deferred, Fence, Line};
use self::token::{Status, Token};
use crate::body;
use crate::charset::is_space;
use crate::diagnostic::raw::{RawDiagnostic, Reason, Subject, TokenFault};

/// A tag that was written whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawTag {
    pub(crate) id: TagId,
    /// Up to the end of its close.
    pub(crate) span: Span,
    pub(crate) body: Span,
    /// Without its quotes.
    pub(crate) argument: Option<Span>,
    /// Where its attributes begin, after the word or the argument.
    pub(crate) attrs: usize,
}

/// Where the reading of a reply stands.
pub(crate) struct Machine<S: Storage> {
    state: State,
    rules: Rules,
    /// Everything before this offset has been emitted.
    given: usize,
    /// Everything before this offset has been scanned in this state.
    at: usize,
    line: Line,
    /// Where prose began, or went on after something else.
    prose_from: usize,
    clear: Clear,
    /// The line begins with `>`.
    is_quote: bool,
    token: Token,
    attrs: S::List<RawAttr>,
    /// What the keys name that were checked.
    keys: S::List<Key>,
    close: AnyClose,
    /// The search for the close of the tag that is open, or that holds a fence open.
    search: CloseSearch,
    code: Code,
    fence: Fence,
    deferred: S::List<Deferred>,
    /// How many of `deferred` were said.
    undeferred: usize,
    /// No `]]` begins from the first offset up to the second.
    no_end: (usize, usize),
    closes: Closes<S>,
    /// The tags given, all of them and of each budget.
    tags: u32,
    used: [u32; MAX_BUDGETS],
    /// The words of the tags with a body that were given.
    words_given: TagSet,
    has_told_tags: bool,
    said: u32,
    /// For values without their escapes, and for sections that were seen.
    scratch: S::List<u8>,
    /// What the close of a token that is too long looks like, but for what was read of it since.
    kept: CloseName,
    kept_until: UntilMark,
}

/// What is asked at every step.
#[derive(Clone, Copy)]
struct Rules {
    limits: StrictLimits,
    reads_code: bool,
    reports_unknown: bool,
    /// The first bytes of the markers that open regions, as bits.
    region_set: [u64; 4],
    /// The first few of them, and how many there are.
    region_bytes: [u8; Rules::FEW],
    region_byte_count: usize,
}

impl Rules {
    /// So many bytes are searched for one by one.
    const FEW: usize = 3;

    fn new(policy: &Policy<'_>) -> Self {
        let protocol = policy.protocol();
        let mut rules = Rules {
            // What a tag records of its token takes 4 bytes an offset.
            limits: protocol.limits().with_token_bytes(protocol.limits().token_bytes.min(u32::MAX as usize)),
            reads_code: protocol.code() == TagsInCode::Prose,
            reports_unknown: protocol.unknown() == UnknownTags::Report,
            region_set: [0; 4],
            region_bytes: [0; Rules::FEW],
            region_byte_count: 0,
        };
        for byte in protocol.regions().filter_map(|spec| spec.opening().bytes().next()) {
            if !rules.may_open_region(byte) {
                rules.region_set[usize::from(byte / 64)] |= 1 << (byte % 64);
                if let Some(slot) = rules.region_bytes.get_mut(rules.region_byte_count) {
                    *slot = byte;
                }
                rules.region_byte_count += 1;
            }
        }
        rules
    }

    /// Prose until one of these, a bracket, or what may open a region.
    fn quiet_prose(&self, one: u8, two: u8) -> Quiet {
        let mut bytes = [b'[', one, two, b'[', b'[', b'['];
        if self.region_byte_count > Rules::FEW {
            return Quiet::NONE;
        }
        bytes[3..3 + self.region_byte_count].copy_from_slice(&self.region_bytes[..self.region_byte_count]);
        Quiet::prose(bytes)
    }

    #[inline]
    fn may_open_region(&self, byte: u8) -> bool {
        self.region_set[usize::from(byte / 64)] >> (byte % 64) & 1 == 1
    }

    /// The first byte in `text` that may open a region.
    #[inline]
    fn find_region(&self, text: &[u8]) -> Option<usize> {
        if self.region_byte_count > Rules::FEW {
            return text.iter().position(|&byte| self.may_open_region(byte));
        }
        let bytes = self.region_bytes[..self.region_byte_count].iter();
        bytes.filter_map(|&byte| memchr::memchr(byte, text)).min()
    }
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// Outside of tags.
    Prose,
    /// After a `[[`.
    Token,
    /// After a `[[/`.
    StrayClose,
    /// The token of a known or unknown tag has a fault: its `]]` is looked for.
    Broken { id: Option<TagId> },
    /// The token of `Broken` ends at `end`, with what may be its own close.
    OwnClose { id: Option<TagId>, end: usize },
    /// A token that is too long is read on.
    Long { id: Option<TagId>, drops: bool },
    /// A token that is too long has a fault: its `]]` is looked for.
    LongBroken(LongBroken),
    /// The attributes of a complete token are checked.
    Check(Check),
    /// After the token of a tag with a body. All is held.
    Body { id: TagId },
    /// In a body that is dropped as it comes. `knows_close`: up to its close.
    DropBody { knows_close: bool },
    /// After the token of a tag that may or may not have a body, which begins at `from`.
    Wait { from: usize },
    /// Prose up to and with a close.
    UnreadToClose,
    /// Prose up to the end.
    Unread,
    /// In a region that began with a marker at `span`.
    Region { region: usize, opening: Span },
    /// In a line that begins with `>`.
    QuoteHead,
    /// In a run of backticks that opens code.
    Ticks,
    /// In a run of tildes that may open a fence.
    Tildes,
    /// In code.
    Code,
    /// At the start of a line in a fence.
    FenceHead,
    /// The reply has ended, and all of it is given.
    Finished,
}

/// Up to where prose was searched, for what begins with which byte.
#[derive(Clone, Copy, Debug, Default)]
struct Clear {
    /// Brackets, backticks, `>`.
    most: usize,
    tildes: usize,
    regions: usize,
}

/// How far the text after the fault of a token that is too long is read.
#[derive(Clone, Copy, Debug)]
struct LongBroken {
    id: Option<TagId>,
    until: UntilSearch,
    /// The last character other than white space.
    last: u8,
    is_after_bracket: bool,
    /// Where its `]]` ends, if that may be its own close.
    end: Option<usize>,
}

impl<S: Storage> Machine<S> {
    /// A machine for replies under `policy`.
    pub(crate) fn new(store: S, policy: &Policy<'_>) -> Self {
        Machine {
            state: State::Prose,
            rules: Rules::new(policy),
            given: 0,
            at: 0,
            line: Line::START,
            prose_from: 0,
            clear: Clear::default(),
            is_quote: false,
            token: Token::new(),
            attrs: store.list(),
            keys: store.list(),
            close: AnyClose::new(0),
            search: CloseSearch::NONE,
            code: Code::NONE,
            fence: Fence::NONE,
            deferred: store.list(),
            undeferred: 0,
            no_end: (0, 0),
            closes: Closes::new(store),
            tags: 0,
            used: [0; MAX_BUDGETS],
            words_given: TagSet::EMPTY,
            has_told_tags: false,
            said: 0,
            scratch: store.list(),
            kept: CloseName::NONE,
            kept_until: UntilMark::None,
        }
    }

    /// Starts the next reply and keeps the memory.
    pub(crate) fn reset(&mut self) {
        self.state = State::Prose;
        (self.given, self.at) = (0, 0);
        (self.line, self.prose_from) = (Line::START, 0);
        self.clear = Clear::default();
        self.deferred.clear();
        self.undeferred = 0;
        self.no_end = (0, 0);
        self.closes.clear();
        self.tags = 0;
        self.used = [0; MAX_BUDGETS];
        self.words_given = TagSet::EMPTY;
        self.has_told_tags = false;
        self.said = 0;
    }

    /// Makes the reply begin inside the region at this position of the protocol's.
    pub(crate) fn begin_inside(&mut self, region: usize) {
        self.state = State::Region { region, opening: Span::NONE };
    }

    /// Decides and emits one thing. Returns false if nothing more can be decided without more text.
    pub(crate) fn step(&mut self, input: &Input<'_, '_, '_>, sink: &mut impl Sink) -> bool {
        match self.state {
            State::Prose => self.prose(input, sink),
            State::Token => self.token(input, sink),
            State::StrayClose => self.stray_close(input, sink),
            State::Broken { id } => self.broken(input, id, sink),
            State::OwnClose { id, end } => self.own_close(input, id, end, sink),
            State::Long { id, drops } => self.long(input, id, drops, sink),
            State::LongBroken(broken) => self.long_broken(input, broken, sink),
            State::Check(check) => self.check(input, check, sink),
            State::Body { id } => self.body(input, id, sink),
            State::DropBody { knows_close } => self.drop_body(input, knows_close, sink),
            State::Wait { from } => self.wait(input, from, sink),
            State::UnreadToClose => self.unread_to_close(input, sink),
            State::Unread => {
                self.at = input.window.end();
                self.give_prose(self.at, sink);
                self.finish_if(input.end.is_some())
            }
            State::Region { region, opening } => self.region(input, region, opening, sink),
            State::QuoteHead => self.quote_head(input, sink),
            State::Ticks => self.ticks(input, sink),
            State::Tildes => self.tildes(input, sink),
            State::Code => self.code(input, sink),
            State::FenceHead => self.fence_head(input, sink),
            State::Finished => false,
        }
    }

    /// Decides and emits until the sink is full or nothing more can be decided without more text. Returns whether the latter.
    pub(crate) fn run(&mut self, input: &Input<'_, '_, '_>, sink: &mut impl Sink) -> bool {
        while self.step(input, sink) {
            if sink.is_full() {
                return false;
            }
        }
        true
    }

    /// The offset up to which the text has been scanned.
    pub(crate) fn pos(&self) -> usize {
        match self.state {
            State::Token | State::Long { .. } => self.token.pos,
            State::Body { .. } | State::Wait { .. } | State::DropBody { .. } => self.search.at(),
            State::Code if self.code.is_in_token() => self.token.pos,
            _ => self.at,
        }
    }

    /// How the next chunk is classified if it has no delimiter. Applies only if all text before it was looked at.
    pub(crate) fn quiet(&self) -> Quiet {
        let rules = &self.rules;
        match self.state {
            State::Prose if !rules.reads_code => rules.quiet_prose(b'[', b'['),
            State::Prose if !self.line.may_be_prefix() => rules.quiet_prose(b'`', b'\n'),
            State::Code if self.is_quiet_in_code() => Quiet::prose([b'[', b'`', b'\n', b'[', b'[', b'[']),
            State::Token => match self.token.quote() {
                Some(quote) if rules.reports_unknown || self.token.word_id.is_some() => {
                    Quiet::held(quote, b'\\', self.token.start.saturating_add(rules.limits.token_bytes))
                }
                _ => Quiet::NONE,
            },
            State::Body { .. } if self.search.is_between() => {
                Quiet::held(b'[', b'[', self.token.pos.saturating_add(rules.limits.body_bytes))
            }
            State::Wait { from } if self.search.is_between() => {
                Quiet::held(b'[', b'[', from.saturating_add(rules.limits.body_bytes))
            }
            _ => Quiet::NONE,
        }
    }

    /// Passes a chunk that [`Machine::quiet`] admits.
    pub(crate) fn skip(&mut self, len: usize) {
        match self.state {
            State::Token => self.token.skip(len),
            State::Body { .. } | State::Wait { .. } => self.search.skip(len),
            State::Code => {
                self.at += len;
                self.given = self.at;
                self.skip_in_code(len);
            }
            _ => {
                self.at += len;
                self.given = self.at;
                self.line.at = self.at;
            }
        }
    }

    /// What is open, for whoever shows a reply while it grows.
    pub(crate) fn pending(&self, policy: &Policy<'_>, window: &Window<'_>) -> Option<RawPending<'_>> {
        let token = Span::new(self.token.start, self.token.pos);
        Some(match self.state {
            State::Token | State::StrayClose | State::Broken { .. } => RawPending::Token { start: token.start },
            State::Prose if self.at + 1 == window.end() && window.byte(self.at) == Some(b'[') => {
                RawPending::Token { start: self.at }
            }
            State::Body { id } => {
                let body = Span::new(token.end, self.search.held_from());
                let tag = self.raw_tag(id, Span::new(token.start, body.end), body);
                RawPending::Open { tag, is_over_budget: self.is_used_up(policy, id) }
            }
            State::Wait { from } => RawPending::Held { name: self.search.name().word(), start: token.start, from },
            State::Long { drops: true, .. } | State::LongBroken(_) => {
                RawPending::Dropped { name: self.kept.word(), start: token.start }
            }
            State::DropBody { .. } => RawPending::Dropped { name: self.search.name().word(), start: token.start },
            _ => return None,
        })
    }

    /// Whether the next tag of this kind will be dropped, whatever it holds.
    fn is_used_up(&self, policy: &Policy<'_>, id: TagId) -> bool {
        let is_spent = |budget| self.used[budget] >= policy.protocol().budget_max(budget);
        self.tags >= self.rules.limits.tags || policy.budget_of(id).is_some_and(is_spent)
    }

    /// The offset of the first byte still needed, apart from what the emitted events need.
    pub(crate) fn needed_from(&self) -> usize {
        match self.state {
            State::Code => self.needed_in_code().min(self.given),
            State::Token | State::OwnClose { .. } => self.token.start.min(self.given),
            State::Region { .. } => self.at.min(self.given),
            _ => self.given,
        }
    }

    fn prose(&mut self, input: &Input<'_, '_, '_>, sink: &mut impl Sink) -> bool {
        let window = &input.window;
        loop {
            self.at = self.find_in_prose(window);
            let Some(byte) = window.byte(self.at) else {
                self.line.advance(window, self.at);
                self.give_prose(self.at, sink);
                return self.finish_if(input.end.is_some());
            };
            match byte {
                b'`' if self.rules.reads_code => {
                    self.line.advance(window, self.at);
                    self.begin_ticks(false);
                    return true;
                }
                b'~' if self.rules.reads_code && self.is_in_prefix(window) => {
                    self.begin_tildes(false);
                    return true;
                }
                b'>' if self.rules.reads_code && self.begins_quote(window) => {
                    self.state = State::QuoteHead;
                    return true;
                }
                _ => {}
            }
            if byte != b'[' && !self.rules.may_open_region(byte) {
                self.at += 1;
                continue;
            }
            match self.marker(input) {
                Marker::Region { region, len } => {
                    self.line.advance(window, self.at);
                    self.give_prose(self.at, sink);
                    let opening = Span::new(self.at, self.at + len);
                    self.at = opening.end;
                    self.state = State::Region { region, opening };
                    return true;
                }
                Marker::Token => {
                    self.line.advance(window, self.at + 1);
                    self.token.begin(self.at);
                    self.attrs.clear();
                    self.state = State::Token;
                    return true;
                }
                Marker::None => self.at += 1,
                Marker::Undecided => {
                    self.line.advance(window, self.at);
                    self.give_prose(self.at, sink);
                    return false;
                }
            }
        }
    }

    /// The next offset at which something may open, or the end of the text. What was searched once is not searched again: tildes and
    /// regions are only looked for before the next bracket, backtick or `>`.
    fn find_in_prose(&mut self, window: &Window<'_>) -> usize {
        let mut end = self.at.max(self.clear.most);
        let before = end;
        let is_region = self.rules.may_open_region(b'[');
        loop {
            let text = window.from(end);
            let found = match self.rules.reads_code {
                true => memchr::memchr3(b'[', b'`', b'>', text),
                false => memchr::memchr(b'[', text),
            };
            let found = found.unwrap_or(text.len());
            end += found;
            // A single bracket opens nothing.
            match text[found..] {
                [b'[', next, ..] if next != b'[' && !is_region => end += 1,
                _ => break,
            }
        }
        count_work!(end - before + 1);
        self.clear.most = end;
        if self.rules.reads_code {
            let from = self.at.max(self.clear.tildes);
            let text = window.bytes(Span::new(from.min(end), end));
            end = from.min(end) + memchr::memchr(b'~', text).unwrap_or(text.len());
            count_work!(end.saturating_sub(from));
            self.clear.tildes = end;
        }
        if self.rules.region_byte_count > 0 {
            let from = self.at.max(self.clear.regions);
            let text = window.bytes(Span::new(from.min(end), end));
            end = from.min(end) + self.rules.find_region(text).unwrap_or(text.len());
            count_work!(end.saturating_sub(from));
            self.clear.regions = end;
        }
        end
    }

    /// Whether the line up to `at` is a prefix, after which a fence may open.
    fn is_in_prefix(&mut self, window: &Window<'_>) -> bool {
        self.line.advance(window, self.at);
        self.line.is_prefix()
    }

    /// Whether a `>` at `at` begins its line, blanks aside, and prose was read from the start of the line on.
    fn begins_quote(&mut self, window: &Window<'_>) -> bool {
        self.line.advance(window, self.at);
        self.line.is_blank() && self.is_line_prose()
    }

    /// Whether prose was read from the start of the line on, which is a prefix.
    fn is_line_prose(&self) -> bool {
        self.line.start() >= self.prose_from
    }

    /// Reads on in a line that begins with `>`: it is a quote, unless a fence opens after its prefix.
    fn quote_head(&mut self, input: &Input<'_, '_, '_>, sink: &mut impl Sink) -> bool {
        let start = self.at;
        let goes_on = loop {
            match input.window.byte(self.at) {
                Some(b'`') => {
                    self.begin_ticks(true);
                    break true;
                }
                Some(b'~') if self.line.is_prefix() => {
                    self.begin_tildes(true);
                    break true;
                }
                Some(byte) => {
                    let mut line = self.line;
                    line.pass(byte);
                    if byte == b'\n' || !line.may_be_prefix() {
                        self.begin_quote();
                        break true;
                    }
                    self.line = line;
                    self.at += 1;
                }
                None => {
                    self.give_prose(self.at, sink);
                    break self.finish_if(input.end.is_some());
                }
            }
        };
        count_work!(self.at - start + 1);
        goes_on
    }

    /// What stands at `at`, which is a bracket or may open a region.
    fn marker(&mut self, input: &Input<'_, '_, '_>) -> Marker {
        match self.region_marker(input, self.at) {
            Marker::None => {}
            marker @ Marker::Region { .. } => return self.region_or_fence(input, marker),
            marker => return marker,
        }
        match input.window.from(self.at) {
            [b'[', b'[', ..] => Marker::Token,
            [b'['] if input.end.is_none() => Marker::Undecided,
            _ => Marker::None,
        }
    }

    /// Whether a region opens at `at`.
    fn region_marker(&self, input: &Input<'_, '_, '_>, at: usize) -> Marker {
        let text = input.window.from(at);
        if !text.first().is_some_and(|&byte| self.rules.may_open_region(byte)) {
            return Marker::None;
        }
        for (region, spec) in input.policy.protocol().regions().enumerate() {
            let opening = spec.opening().as_bytes();
            count_work!(1);
            if text.starts_with(opening) {
                return Marker::Region { region, len: opening.len() };
            }
            if opening.starts_with(text) && input.end.is_none() {
                return Marker::Undecided;
            }
        }
        Marker::None
    }

    /// Decides between a region whose marker is part of a prefix and a fence that opens after that prefix; the fence comes first.
    fn region_or_fence(&mut self, input: &Input<'_, '_, '_>, region: Marker) -> Marker {
        self.line.advance(&input.window, self.at);
        if !self.rules.reads_code || !self.line.may_be_prefix() || !self.is_line_prose() {
            return region;
        }
        match self.line.opens_fence(&input.window, self.at, input.end.is_some()) {
            Some(true) => Marker::None,
            Some(false) => region,
            None => Marker::Undecided,
        }
    }

    fn token(&mut self, input: &Input<'_, '_, '_>, sink: &mut impl Sink) -> bool {
        let limit = input.window.end();
        match self.token.read(input, &mut self.attrs, self.rules.limits.token_bytes, limit, input.end.is_some()) {
            Status::More => {
                let end = if self.is_prose_anyway(input) { self.bracketless_end(input) } else { self.token.start };
                self.give_prose(end, sink);
                return false;
            }
            Status::Slash => {
                self.close = AnyClose::new(self.token.start);
                self.state = State::StrayClose;
            }
            Status::NoWord => self.pass_bracket(),
            Status::Ended | Status::Faulted | Status::TooLong => {
                if !self.has_shape(input) {
                    self.pass_bracket();
                    return true;
                }
                self.give_prose(self.token.start, sink);
                match self.token.word_id {
                    Some(first) => return self.known(input, first, sink),
                    None => return self.unknown(input, sink),
                }
            }
        }
        true
    }

    /// Whether a token that is not complete is prose, whatever follows: read or unread.
    fn is_prose_anyway(&self, input: &Input<'_, '_, '_>) -> bool {
        let policy = input.policy;
        match self.token.word_so_far() {
            Some(word) => !self.rules.reports_unknown && !policy.begins_word(input.window.bytes(word)),
            None if self.token.is_before_word_end() => false,
            None if self.token.word_id.is_none() && !self.rules.reports_unknown => true,
            // A word as it is declared may still get its shape from a fault.
            None => !self.token.is_declared && self.token.is_closing() && !self.has_shape_if(input, true),
        }
    }

    /// Where the first bracket after those of the token stands, or what may open a region; or the end of the text. What is before
    /// is prose if the token is.
    fn bracketless_end(&self, input: &Input<'_, '_, '_>) -> usize {
        let window = &input.window;
        let second = self.token.start + 1;
        if !matches!(self.region_marker(input, second), Marker::None) {
            return second;
        }
        let from = self.given.max(second + 1);
        let text = window.from(from);
        let bracket = memchr::memchr(b'[', text).unwrap_or(text.len());
        let end = self.rules.find_region(&text[..bracket]).unwrap_or(bracket);
        count_work!(end);
        from + end
    }

    /// What stands at the `[[` is prose: only its first bracket is passed.
    fn pass_bracket(&mut self) {
        self.at = self.token.start + 1;
        self.state = State::Prose;
    }

    /// Section 3 of the dialect: whether the token has the shape of a tag.
    fn has_shape(&self, input: &Input<'_, '_, '_>) -> bool {
        self.has_shape_if(input, self.token.is_complete())
    }

    fn has_shape_if(&self, input: &Input<'_, '_, '_>, is_complete: bool) -> bool {
        let Token { word, word_id, is_declared, .. } = self.token;
        let policy = input.policy;
        let written = input.window.bytes(word);
        if is_declared && !written.iter().any(u8::is_ascii_lowercase) {
            return true;
        }
        if is_declared && (self.token.has_sign || is_complete && word_id.is_some_and(|id| policy.lacks_nothing(id))) {
            return true;
        }
        if self.token.has_quoted_value {
            return true;
        }
        let is_in_other_case = word_id.is_some() && !is_declared;
        let is_in_case = || policy.is_in_letter_case(written);
        if is_complete && self.token.closes_itself && (is_in_other_case || is_in_case()) {
            return true;
        }
        is_complete
            && self.token.argument.is_some()
            && (is_in_other_case || policy.any_takes_argument() && is_in_case())
    }

    fn stray_close(&mut self, input: &Input<'_, '_, '_>, sink: &mut impl Sink) -> bool {
        let window = &input.window;
        match self.close.read(window, self.rules.limits.token_bytes) {
            CloseStatus::More if input.end.is_some() => self.pass_bracket(),
            CloseStatus::More => {
                if self.close.word_so_far().is_some_and(|word| !input.policy.begins_word(window.bytes(word))) {
                    self.pass_bracket();
                    return true;
                }
                self.give_prose(self.close.start, sink);
                return false;
            }
            CloseStatus::Broken => self.pass_bracket(),
            CloseStatus::Word => {
                if input.policy.find(window.bytes(self.close.word)).is_none() {
                    self.pass_bracket();
                }
            }
            CloseStatus::Ended(end) => {
                let span = Span::new(self.close.start, end);
                self.give_prose(span.start, sink);
                if let Some(first) = input.policy.find(window.bytes(self.close.word)) {
                    let mut diagnostic = RawDiagnostic::new(DiagnosticCode::StrayClose, Subject::Word(first), span);
                    diagnostic.follows_tag = self.words_given.has(first);
                    self.say(diagnostic, sink);
                }
                self.drop_to(window, end, sink);
                self.resume(window, end);
            }
        }
        true
    }

    /// Section 5 of the dialect, checks 1 to 4.
    fn known(&mut self, input: &Input<'_, '_, '_>, first: TagId, sink: &mut impl Sink) -> bool {
        let policy = input.policy;
        let id = self.selected(input);
        let subject = id.map_or(Subject::Word(first), Subject::Tag);
        let token = &self.token;
        let diagnostic = if !policy.is_any_granted(first) {
            let end = self.early_end(&input.window).map_or(token.stop(), |end| end.min(token.stop()));
            Some(RawDiagnostic::new(DiagnosticCode::NotAllowed, subject, Span::new(token.start, end)))
        } else if let Some((reason, place)) = self.malformed(&input.window) {
            let diagnostic = RawDiagnostic::new(DiagnosticCode::MalformedTag, subject, place);
            let quote = Span::new(token.start, place.end.max(token.stop()));
            Some(diagnostic.reason(Reason::Token(reason)).quote(quote))
        } else {
            let span = Span::new(token.start, token.stop());
            match id {
                None => {
                    let mut diagnostic = RawDiagnostic::new(DiagnosticCode::UnknownTag, subject, span);
                    diagnostic.selector = self.selector(input, first);
                    Some(diagnostic)
                }
                Some(id) if !policy.is_granted(id) => {
                    Some(RawDiagnostic::new(DiagnosticCode::NotAllowed, subject, span))
                }
                Some(_) => None,
            }
        };
        match (diagnostic, id) {
            (Some(diagnostic), _) => {
                let diagnostic = self.refusing(input, id.unwrap_or(first), diagnostic);
                self.say(diagnostic, sink);
                self.refuse(input, id, sink)
            }
            (None, Some(id)) => {
                self.keys.clear();
                self.check(input, Check::new(id), sink)
            }
            (None, None) => unreachable!("a word without a selected variant is refused"),
        }
    }

    /// Why the token is malformed, and where.
    fn malformed(&self, window: &Window<'_>) -> Option<(TokenFault, Span)> {
        if let Some(at) = self.token.too_long {
            let len = token::char_at(window, at).len_utf8();
            return Some((TokenFault::TooLong, Span::new(at, at + len)));
        }
        self.token.fault.map(|fault| (fault.reason, fault.place))
    }

    /// A diagnostic that refuses the tag of `id`.
    fn refusing(&self, input: &Input<'_, '_, '_>, id: TagId, diagnostic: RawDiagnostic) -> RawDiagnostic {
        let has_body = input.policy.has_body(id);
        RawDiagnostic { drops_body: has_body && !(self.token.is_complete() && self.token.closes_itself), ..diagnostic }
    }

    /// Refuses the tag, which is that of `id` where that is known.
    fn refuse(&mut self, input: &Input<'_, '_, '_>, id: Option<TagId>, sink: &mut impl Sink) -> bool {
        if self.token.too_long.is_some() {
            self.keep_close(input);
            self.state = State::Long { id, drops: true };
            return true;
        }
        match self.token.end {
            Some(end) => self.refuse_from(input, id, end, self.token.closes_itself, false, sink),
            None => self.break_token(input, id, sink),
        }
    }

    /// Drops a refused token, which ends at `end`, with what it takes with it. `closes_itself`: that is nothing.
    fn refuse_from(
        &mut self,
        input: &Input<'_, '_, '_>,
        id: Option<TagId>,
        end: usize,
        closes_itself: bool,
        has_late_until: bool,
        sink: &mut impl Sink,
    ) -> bool {
        let window = &input.window;
        let bodies = match (id, self.token.word_id) {
            (Some(id), _) if input.policy.has_body(id) => Bodies::All,
            (Some(_), _) | (None, None) => Bodies::None,
            (None, Some(first)) => input.policy.bodies(first),
        };
        if closes_itself || bodies == Bodies::None {
            self.drop_to(window, end, sink);
            self.resume_after_fault(window, end, sink);
            return true;
        }
        let until = self.until(input);
        let knows_close = until != UntilMark::Invalid && !has_late_until;
        self.search_close(input, until, end);
        self.drop_to(window, end, sink);
        self.state = match bodies {
            Bodies::Mixed if knows_close => State::Wait { from: end },
            _ => State::DropBody { knows_close },
        };
        true
    }

    /// Section 4 of the dialect.
    fn unknown(&mut self, input: &Input<'_, '_, '_>, sink: &mut impl Sink) -> bool {
        if self.token.too_long.is_some() {
            self.state = State::Long { id: None, drops: false };
            return true;
        }
        if !self.rules.reports_unknown {
            let end = self.token.stop_of_grammar();
            self.give_prose(end, sink);
            self.resume(&input.window, end);
            return true;
        }
        match self.token.end {
            Some(end) => {
                self.say_unknown(end, sink);
                self.unknown_from(input, end, self.token.closes_itself, sink)
            }
            None => self.break_token(input, None, sink),
        }
    }

    /// Drops the token of an unknown tag, which ends at `end`.
    fn unknown_from(
        &mut self,
        input: &Input<'_, '_, '_>,
        end: usize,
        closes_itself: bool,
        sink: &mut impl Sink,
    ) -> bool {
        let window = &input.window;
        if closes_itself {
            self.drop_to(window, end, sink);
            self.resume_after_fault(window, end, sink);
            return true;
        }
        let until = match self.until(input) {
            UntilMark::Invalid => UntilMark::None,
            until => until,
        };
        self.search_close(input, until, end);
        self.drop_to(window, end, sink);
        self.state = State::Wait { from: end };
        true
    }

    /// The token has a fault, and is not too long.
    fn break_token(&mut self, input: &Input<'_, '_, '_>, id: Option<TagId>, sink: &mut impl Sink) -> bool {
        match self.early_end(&input.window) {
            Some(end) => {
                let closes_itself = self.has_slash_before(&input.window, end - 2);
                self.end_broken(input, id, end, closes_itself, false, sink)
            }
            None => {
                self.state = State::Broken { id };
                true
            }
        }
    }

    /// Says that the tag is unknown, where it is. Its token ends at `end`.
    fn say_unknown(&mut self, end: usize, sink: &mut impl Sink) {
        if self.token.word_id.is_none() {
            let span = Span::new(self.token.start, end.min(self.token.stop()));
            self.say(RawDiagnostic::new(DiagnosticCode::UnknownTag, Subject::Written(self.token.word), span), sink);
        }
    }

    /// Looks for the `]]` of a token after its fault.
    fn broken(&mut self, input: &Input<'_, '_, '_>, id: Option<TagId>, sink: &mut impl Sink) -> bool {
        let window = &input.window;
        let Some(fault) = self.token.fault else { unreachable!("only a token with a fault is broken") };
        let last = self.token.start.saturating_add(self.rules.limits.token_bytes);
        let found = self.find_end(window, fault.at);
        match found {
            Some(at) if at + 2 <= last => {
                let has_late_until = has_until(window.bytes(Span::new(fault.at, at)));
                let closes_itself = self.has_slash_before(window, at);
                match self.is_own_close(input, fault.at, at, has_late_until) {
                    Some(is_own) => self.end_broken(input, id, at + 2, closes_itself || is_own, has_late_until, sink),
                    None => {
                        self.say_unknown(at + 2, sink);
                        self.drop_to(window, at + 2, sink);
                        self.state = State::OwnClose { id, end: at + 2 };
                        false
                    }
                }
            }
            None if input.end.is_none() && self.no_end.1 + 2 <= last => false,
            _ => {
                self.give_prose(fault.at, sink);
                self.resume(window, fault.at);
                true
            }
        }
    }

    /// A broken token ends with what is its own close, unless a quote follows.
    fn own_close(&mut self, input: &Input<'_, '_, '_>, id: Option<TagId>, end: usize, sink: &mut impl Sink) -> bool {
        let is_own = match input.window.byte(end) {
            Some(byte) => !close::is_quote(byte),
            None if input.end.is_some() => true,
            None => return false,
        };
        match self.token.word_id {
            Some(_) => self.refuse_from(input, id, end, is_own, false, sink),
            None => self.unknown_from(input, end, is_own, sink),
        }
    }

    fn end_broken(
        &mut self,
        input: &Input<'_, '_, '_>,
        id: Option<TagId>,
        end: usize,
        closes_itself: bool,
        has_late_until: bool,
        sink: &mut impl Sink,
    ) -> bool {
        match self.token.word_id {
            Some(_) => self.refuse_from(input, id, end, closes_itself, has_late_until, sink),
            None => {
                self.say_unknown(end, sink);
                self.unknown_from(input, end, closes_itself, sink)
            }
        }
    }

    /// The end of the first `]]` after the word, if it comes before the token's fault. Only of a token that is not too long.
    fn early_end(&self, window: &Window<'_>) -> Option<usize> {
        let fault = self.token.fault.filter(|_| self.token.too_long.is_none())?;
        let text = window.bytes(Span::new(self.token.word.end, fault.at));
        count_work!(text.len());
        memchr::memmem::find(text, b"]]").map(|at| self.token.word.end + at + 2)
    }

    /// The first `]]` at or after `from`. What was searched once is not searched again.
    fn find_end(&mut self, window: &Window<'_>, from: usize) -> Option<usize> {
        if from < self.no_end.0 || from > self.no_end.1 {
            self.no_end = (from, from);
        }
        let text = window.from(self.no_end.1);
        let found = memchr::memmem::find(text, b"]]");
        let passed = found.unwrap_or(text.len() - usize::from(text.last() == Some(&b']')));
        count_work!(passed);
        self.no_end.1 += passed;
        found.map(|_| self.no_end.1)
    }

    /// Whether the `]]` at `at` ends the close of the token itself, which begins after its fault; none where more text has to say.
    fn is_own_close(
        &mut self,
        input: &Input<'_, '_, '_>,
        fault: usize,
        at: usize,
        has_late_until: bool,
    ) -> Option<bool> {
        let window = &input.window;
        let until = self.until(input);
        if until == UntilMark::Invalid || has_late_until {
            return Some(false);
        }
        let Some(bracket) = memchr::memrchr(b'[', window.bytes(Span::new(fault, at))) else { return Some(false) };
        let start = (fault + bracket).saturating_sub(1).max(fault);
        let mut search = CloseSearch::new(self.close_name(input, until), self.rules.limits.token_bytes, start);
        let limit = window.end().min(at + 3);
        let is_end = limit == window.end() && input.end.is_some();
        match search.run(input, limit, is_end) {
            Some(close) => Some(close.end == at + 2),
            None if search.is_between() => Some(false),
            None => (limit > at + 2).then_some(false),
        }
    }

    /// Whether a `/`, white space aside, stands before `at`, after the word.
    fn has_slash_before(&self, window: &Window<'_>, at: usize) -> bool {
        let text = window.bytes(Span::new(self.token.word.end, at));
        text.iter().rev().find(|&&byte| !is_space(byte)) == Some(&b'/')
    }

    /// Reads on in a token that is too long, and gives or drops it as it comes.
    fn long(&mut self, input: &Input<'_, '_, '_>, id: Option<TagId>, drops: bool, sink: &mut impl Sink) -> bool {
        let window = &input.window;
        let status =
            self.token.read(input, &mut self.attrs, self.rules.limits.token_bytes, window.end(), input.end.is_some());
        let at = match status {
            Status::Ended | Status::Faulted => self.token.stop_of_grammar(),
            _ => self.token.pos,
        };
        if drops {
            self.drop_to(window, at, sink);
        } else {
            self.give_prose(at, sink);
            self.line.advance(window, at);
        }
        match status {
            Status::Ended if drops => self.refuse_from(input, id, at, self.token.closes_itself, false, sink),
            Status::Faulted if drops => {
                let until = self.until(input);
                self.search_close(input, until, at);
                self.at = at;
                self.state = State::LongBroken(LongBroken {
                    id,
                    until: UntilSearch::default(),
                    last: 0,
                    is_after_bracket: false,
                    end: None,
                });
                true
            }
            Status::Ended | Status::Faulted => {
                self.resume(window, at);
                true
            }
            _ => false,
        }
    }

    /// Looks for the `]]` of a token that is too long and has a fault.
    fn long_broken(&mut self, input: &Input<'_, '_, '_>, mut broken: LongBroken, sink: &mut impl Sink) -> bool {
        let window = &input.window;
        let start = self.at;
        while broken.end.is_none() {
            let Some(byte) = window.byte(self.at) else { break };
            self.at += 1;
            if byte == b']' && broken.is_after_bracket {
                broken.end = Some(self.at);
                break;
            }
            broken.until.pass(byte);
            if byte != b']' && broken.is_after_bracket {
                broken.last = b']';
            }
            broken.is_after_bracket = byte == b']';
            if byte != b']' && !is_space(byte) {
                broken.last = byte;
            }
        }
        count_work!(self.at - start);
        self.drop_to(window, self.at, sink);
        let close =
            self.search.run(input, broken.end.map_or(self.at, |end| window.end().min(end + 1)), input.end.is_some());
        let Some(end) = broken.end else {
            self.state = State::LongBroken(broken);
            return self.finish_if(input.end.is_some());
        };
        let has_until = broken.until.is_found || self.until(input) == UntilMark::Invalid;
        let is_undecided =
            close.is_none() && !self.search.is_between() && self.search.at() == end && input.end.is_none();
        if is_undecided && !has_until {
            self.state = State::LongBroken(broken);
            return false;
        }
        let is_own = !has_until && close.is_some_and(|close| close.end == end);
        let closes_itself = is_own || broken.last == b'/';
        self.refuse_from(input, broken.id, end, closes_itself, broken.until.is_found, sink)
    }

    /// A complete token without a fault.
    fn accept(&mut self, input: &Input<'_, '_, '_>, id: TagId, sink: &mut impl Sink) -> bool {
        let end = self.token.pos;
        if !input.policy.has_body(id) || self.token.closes_itself {
            return self.complete(input, id, Span::new(end, end), end, sink);
        }
        let until = self.until(input);
        self.search_close(input, until, end);
        self.state = State::Body { id };
        true
    }

    fn body(&mut self, input: &Input<'_, '_, '_>, id: TagId, sink: &mut impl Sink) -> bool {
        let window = &input.window;
        let start = self.token.pos;
        let most = start.saturating_add(self.rules.limits.body_bytes);
        let close = self.search.run(input, window.end(), input.end.is_some());
        let reach = match close {
            Some(close) => close.start,
            None if input.end.is_some() => window.end(),
            None => self.search.held_from(),
        };
        let token = Span::new(self.token.start, start);
        if reach > most {
            let diagnostic = RawDiagnostic::new(DiagnosticCode::TooLong, Subject::Tag(id), token);
            let diagnostic = self.refusing(input, id, diagnostic);
            self.say(diagnostic, sink);
            match close {
                Some(close) => {
                    self.drop_to(window, close.end, sink);
                    self.resume(window, close.end);
                }
                None => self.state = State::DropBody { knows_close: true },
            }
            return true;
        }
        match close {
            Some(close) => self.complete(input, id, Span::new(start, close.start), close.end, sink),
            None if input.end.is_some() => {
                let reason = match () {
                    () if self.search.name().has_until() => Reason::Until,
                    () if self.search.has_met_quoted() => Reason::Quoted,
                    () => Reason::NoClose,
                };
                let diagnostic = RawDiagnostic::new(DiagnosticCode::Unclosed, Subject::Tag(id), token).reason(reason);
                self.say(diagnostic, sink);
                self.drop_to(window, window.end(), sink);
                self.finish_if(true)
            }
            None => false,
        }
    }

    /// A tag that was written whole, up to `end`.
    fn complete(&mut self, input: &Input<'_, '_, '_>, id: TagId, body: Span, end: usize, sink: &mut impl Sink) -> bool {
        let window = &input.window;
        if let Some(fault) = self.body_fault(input, id, body) {
            let at = body.start + fault.at;
            let len = if at < body.end { token::char_at(window, at).len_utf8() } else { 0 };
            let diagnostic = RawDiagnostic::new(DiagnosticCode::InvalidBody, Subject::Tag(id), Span::new(at, at + len));
            self.say(diagnostic.reason(Reason::Body(fault.reason)).quote(self.start_of(input, at, body.end)), sink);
        } else if self.is_within_limits(input, id, sink) {
            let tag = self.raw_tag(id, Span::new(self.token.start, end), body);
            if input.policy.has_body(id) {
                self.words_given = self.words_given.with(input.policy.first_of(id));
            }
            sink.emit(RawEvent::StrictTag(tag));
            self.given = end;
        }
        self.drop_to(window, end, sink);
        self.resume(window, end);
        true
    }

    /// The first few characters of a line.
    fn start_of(&self, input: &Input<'_, '_, '_>, start: usize, end: usize) -> Span {
        const MOST: usize = 40;
        let text = input.window.text(Span::new(start, end));
        let mut chars = text.char_indices().enumerate();
        let len = chars.find(|(i, (_, c))| *i == MOST || matches!(c, '\n' | '\r') && *i > 0);
        Span::new(start, len.map_or(end, |(_, (at, _))| start + at))
    }

    fn raw_tag(&self, id: TagId, span: Span, body: Span) -> RawTag {
        let argument = self.token.argument;
        RawTag {
            id,
            span,
            body,
            argument: argument.map(|argument| argument.value),
            attrs: argument.map_or(self.token.word.end, |argument| argument.span().end),
        }
    }

    fn body_fault(&mut self, input: &Input<'_, '_, '_>, id: TagId, body: Span) -> Option<body::Fault> {
        let text = input.window.text(body);
        match input.policy.body(id) {
            Body::Json => body::check_json(text.as_bytes()).err(),
            Body::Edits => body::check_edits(text).err(),
            Body::Sections => {
                let tag = input.policy.protocol().tag(id);
                body::check_sections(text, &tag, &mut self.scratch).err()
            }
            _ => None,
        }
    }

    /// Section 9 of the dialect.
    fn is_within_limits(&mut self, input: &Input<'_, '_, '_>, id: TagId, sink: &mut impl Sink) -> bool {
        let token = Span::new(self.token.start, self.token.pos);
        if self.tags >= self.rules.limits.tags {
            if !self.has_told_tags {
                let diagnostic = RawDiagnostic::new(DiagnosticCode::OverLimit, Subject::Tag(id), token);
                self.say(diagnostic.reason(Reason::Tags), sink);
            }
            self.has_told_tags = true;
            return false;
        }
        if let Some(budget) = input.policy.budget_of(id) {
            if self.used[budget] >= input.policy.protocol().budget_max(budget) {
                self.say(RawDiagnostic::new(DiagnosticCode::OverBudget, Subject::Tag(id), token), sink);
                return false;
            }
            self.used[budget] += 1;
        }
        self.tags += 1;
        true
    }

    fn drop_body(&mut self, input: &Input<'_, '_, '_>, knows_close: bool, sink: &mut impl Sink) -> bool {
        let window = &input.window;
        let close = if knows_close { self.search.run(input, window.end(), input.end.is_some()) } else { None };
        match close {
            Some(close) => {
                self.drop_to(window, close.end, sink);
                self.resume_after_fault(window, close.end, sink);
                true
            }
            None => {
                self.drop_to(window, window.end(), sink);
                self.finish_if(input.end.is_some())
            }
        }
    }

    /// Looks for the close of a tag that may have none.
    fn wait(&mut self, input: &Input<'_, '_, '_>, from: usize, sink: &mut impl Sink) -> bool {
        let window = &input.window;
        let most = from.saturating_add(self.rules.limits.body_bytes);
        let (close, reach) = if self.closes.is_made() {
            let close = self.closes.find(window, self.search.name(), from);
            (close, close.map_or(window.end(), |close| close.start))
        } else {
            let close = self.search.run(input, window.end(), input.end.is_some());
            let reach = if input.end.is_some() { window.end() } else { self.search.held_from() };
            (close, close.map_or(reach, |close| close.start))
        };
        match (close, input.end) {
            (Some(close), _) if reach > most => {
                self.give_prose(close.end, sink);
                self.resume_after_fault(window, close.end, sink);
            }
            (None, _) if reach > most => {
                self.state = State::UnreadToClose;
            }
            (Some(close), _) => {
                self.drop_to(window, close.end, sink);
                self.resume_after_fault(window, close.end, sink);
            }
            (None, None) => return false,
            (None, Some(Finish::Complete)) => {
                if !self.closes.is_made() {
                    self.closes.make(window, from, self.rules.limits.token_bytes);
                }
                self.resume_after_fault(window, from, sink);
            }
            (None, Some(Finish::Truncated)) => self.state = State::Unread,
        }
        true
    }

    fn unread_to_close(&mut self, input: &Input<'_, '_, '_>, sink: &mut impl Sink) -> bool {
        let window = &input.window;
        match self.search.run(input, window.end(), input.end.is_some()) {
            Some(close) => {
                self.give_prose(close.end, sink);
                self.resume_after_fault(window, close.end, sink);
                true
            }
            None => {
                self.line.advance(window, window.end());
                self.give_prose(window.end(), sink);
                self.finish_if(input.end.is_some())
            }
        }
    }

    fn region(&mut self, input: &Input<'_, '_, '_>, region: usize, opening: Span, sink: &mut impl Sink) -> bool {
        let window = &input.window;
        let spec = input.policy.protocol().regions().nth(region);
        let closing = spec.map_or("", |spec| spec.closing()).as_bytes();
        loop {
            let text = window.from(self.at);
            let found = memchr::memchr(closing.first().copied().unwrap_or_default(), text).unwrap_or(text.len());
            count_work!(found + 1);
            let rest = &text[found..];
            if rest.starts_with(closing) {
                let end = self.at + found + closing.len();
                self.give_region(window, region, end, true, sink);
                self.resume(window, end);
                return true;
            }
            if !rest.is_empty() && !closing.starts_with(rest) {
                self.at += found + 1;
                continue;
            }
            self.at += found;
            let is_end = input.end.is_some();
            self.give_region(window, region, window.end(), is_end, sink);
            if is_end {
                let diagnostic = RawDiagnostic::new(DiagnosticCode::UnclosedRegion, Subject::Region(region), opening);
                self.say(diagnostic.warning(), sink);
            }
            return self.finish_if(is_end);
        }
    }

    /// The mark of the token's `until`.
    fn until(&self, input: &Input<'_, '_, '_>) -> UntilMark {
        if self.token.too_long.is_some() {
            return match (self.kept_until, self.token.late_until()) {
                (UntilMark::None, Some(late)) => late.map_or(UntilMark::Invalid, UntilMark::Mark),
                (kept, _) => kept,
            };
        }
        self.written_until(&input.window)
    }

    fn written_until(&self, window: &Window<'_>) -> UntilMark {
        let is_until = |attr: &&RawAttr| window.bytes(attr.key).eq_ignore_ascii_case(token::UNTIL);
        match self.attrs.iter().find(is_until) {
            Some(attr) => Mark::new(window.bytes(attr.value)).map_or(UntilMark::Invalid, UntilMark::Mark),
            None => UntilMark::None,
        }
    }

    /// Keeps of a token that has just become too long what its close looks like.
    fn keep_close(&mut self, input: &Input<'_, '_, '_>) {
        let window = &input.window;
        self.kept_until = self.written_until(window);
        let argument = self.token.argument.filter(|it| it.span().end <= self.token.stop());
        let argument = argument.and_then(|argument| Mark::new(window.bytes(argument.value)));
        self.kept = CloseName::new(window.bytes(self.token.word), None, argument);
    }

    /// What the close of the token looks like.
    fn close_name(&self, input: &Input<'_, '_, '_>, until: UntilMark) -> CloseName {
        let until = match until {
            UntilMark::Mark(mark) => Some(mark),
            UntilMark::None | UntilMark::Invalid => None,
        };
        let window = &input.window;
        if self.token.too_long.is_some() {
            let argument = self.kept.argument().or(self.token.late_argument());
            return CloseName::new(self.kept.word().as_bytes(), until, argument);
        }
        let argument = self.token.argument.and_then(|argument| Mark::new(window.bytes(argument.value)));
        CloseName::new(window.bytes(self.token.word), until, argument)
    }

    fn search_close(&mut self, input: &Input<'_, '_, '_>, until: UntilMark, from: usize) {
        let name = self.close_name(input, until);
        self.search = CloseSearch::new(name, self.rules.limits.token_bytes, from);
    }

    fn say(&mut self, diagnostic: RawDiagnostic, sink: &mut impl Sink) {
        let most = self.rules.limits.diagnostics;
        if self.said < most {
            self.said += 1;
            sink.emit(RawEvent::StrictDiagnostic(diagnostic));
        } else if self.said == most {
            self.said += 1;
            let RawDiagnostic { subject, span, .. } = diagnostic;
            let diagnostic = RawDiagnostic::new(DiagnosticCode::OverLimit, subject, span);
            sink.emit(RawEvent::StrictDiagnostic(diagnostic.reason(Reason::Diagnostics)));
        }
    }

    /// Reading goes on in prose, after text that was dropped or given, up to the token's fault if that is further on.
    fn resume_after_fault(&mut self, window: &Window<'_>, end: usize, sink: &mut impl Sink) {
        let fault = self.token.fault.map_or(0, |fault| fault.at);
        self.give_prose(end.max(fault), sink);
        self.resume(window, end.max(fault));
    }

    /// Reading goes on in prose, at `at`.
    fn resume(&mut self, window: &Window<'_>, at: usize) {
        self.at = at;
        self.line.advance(window, at);
        self.resume_prose();
    }

    fn resume_prose(&mut self) {
        self.state = State::Prose;
        self.prose_from = self.at;
    }

    fn give_prose(&mut self, end: usize, sink: &mut impl Sink) {
        if self.given < end {
            sink.emit(RawEvent::Prose(Span::new(self.given, end)));
            self.given = end;
        }
    }

    fn drop_to(&mut self, window: &Window<'_>, end: usize, sink: &mut impl Sink) {
        self.line.advance(window, end);
        if self.given < end {
            sink.emit(RawEvent::Dropped(Span::new(self.given, end)));
            self.given = end;
        }
    }

    fn give_region(&mut self, window: &Window<'_>, region: usize, end: usize, ends: bool, sink: &mut impl Sink) {
        self.line.advance(window, end);
        if self.given < end {
            sink.emit(RawEvent::Region { region, span: Span::new(self.given, end), ends });
            self.given = end;
        }
    }

    /// Ends the reading where the reply has ended. False, since there is no more to decide.
    fn finish_if(&mut self, is_end: bool) -> bool {
        if is_end {
            self.state = State::Finished;
        }
        false
    }
}

/// When a chunk in which nothing begins or ends needs no step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quiet {
    /// The chunk is prose if it has none of these bytes; otherwise it is held.
    pub(crate) is_prose: bool,
    /// The bytes that it must not have. Some of them may be the same.
    pub(crate) delimiters: [u8; 6],
    /// The text must end at or before this offset.
    pub(crate) end: usize,
}

impl Quiet {
    /// Every chunk takes a step.
    pub(crate) const NONE: Quiet = Quiet { is_prose: false, delimiters: [b'['; 6], end: 0 };

    const fn prose(delimiters: [u8; 6]) -> Self {
        Quiet { is_prose: true, delimiters, end: usize::MAX }
    }

    const fn held(one: u8, two: u8, end: usize) -> Self {
        Quiet { is_prose: false, delimiters: [one, two, one, one, one, one], end }
    }

    /// Whether a chunk, with which the text ends at `end`, is passed with [`Machine::skip`].
    #[inline(always)]
    pub(crate) fn admits(&self, chunk: &[u8], end: usize) -> bool {
        count_work!(chunk.len());
        end <= self.end && !chunk.iter().fold(false, |any, byte| any | self.delimiters.contains(byte))
    }
}

/// What is open in the middle of a reply.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RawPending<'m> {
    /// What may still become a token, from `start` to the end of the text.
    Token { start: usize },
    /// A granted tag with a body so far: without what may begin its close.
    Open { tag: RawTag, is_over_budget: bool },
    /// A tag that is not granted or unknown, whose body, from `from` on, waits for its close.
    Held { name: &'m str, start: usize, from: usize },
    /// A tag that is dropped as it comes.
    Dropped { name: &'m str, start: usize },
}

/// What a bracket, or the first byte of a region's marker, turns out to be.
enum Marker {
    None,
    Undecided,
    Token,
    Region { region: usize, len: usize },
}

/// The `until` of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UntilMark {
    None,
    /// It is no mark.
    Invalid,
    Mark(Mark),
}

fn has_until(text: &[u8]) -> bool {
    let mut search = UntilSearch::default();
    text.iter().for_each(|&byte| search.pass(byte));
    search.is_found
}

/// The most attributes of a token.
const MAX_KEYS: usize = 64;
