//! Code, section 7 of the dialect: fences, inline code and quotes, in which tags are told but not read.
//!
//! Code is prose in any case, so its text is given as it comes. Its tokens are read from text that was given already, and is
//! kept in sight for them.

use crate::protocol::TagId;
use crate::scan::{Input, Sink, Window};
use crate::span::Span;
use crate::storage::{List as _, Storage};

use super::token::Status;
use super::{Machine, State, UntilMark};
use crate::diagnostic::DiagnosticCode;
use crate::diagnostic::raw::{RawDiagnostic, Reason, Subject};

/// The line that is read, up to a place in it: whether it is a prefix, after which a fence may open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// What is before this is seen.
    pub(super) at: usize,
    phase: Prefix,
    /// How many characters the line has, while they are a prefix.
    len: usize,
    has_arrow: bool,
    /// Nothing but blanks was read of it.
    is_blank: bool,
}

/// How far a prefix is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prefix {
    Complete,
    /// After `-`, `*`, `+` or a number: a blank is due.
    Marker,
    Digits(u8),
    /// The line is none.
    No,
}

impl Line {
    pub(super) const START: Line = Line { at: 0, phase: Prefix::Complete, len: 0, has_arrow: false, is_blank: true };

    /// A line that begins at `at`.
    pub(super) fn begin(&mut self, at: usize) {
        *self = Line { at, ..Line::START };
    }

    /// Whether it may be a prefix, or the start of one.
    #[inline]
    pub(super) fn may_be_prefix(&self) -> bool {
        self.phase != Prefix::No
    }

    pub(super) fn is_prefix(&self) -> bool {
        self.phase == Prefix::Complete
    }

    /// Whether it has nothing but blanks.
    pub(super) fn is_blank(&self) -> bool {
        self.is_blank
    }

    /// Where it begins, if it may be a prefix.
    pub(super) fn start(&self) -> usize {
        self.at - self.len
    }

    /// Goes on to `to` in the same line, past what is in no prefix.
    pub(super) fn end_prefix(&mut self, to: usize) {
        (self.at, self.phase, self.is_blank) = (to, Prefix::No, false);
    }

    /// Goes on to `to`, in text that is in sight.
    pub(super) fn advance(&mut self, window: &Window<'_>, to: usize) {
        if to <= self.at {
            return;
        }
        let text = window.bytes(Span::new(self.at, to));
        count_work!(text.len());
        let line = match memchr::memrchr(b'\n', text) {
            Some(last) => {
                self.begin(self.at + last + 1);
                &text[last + 1..]
            }
            None => text,
        };
        for &byte in line {
            if !self.may_be_prefix() {
                break;
            }
            self.pass(byte);
        }
        self.at = to;
    }

    /// Goes on by one byte of the same line.
    pub(super) fn pass(&mut self, byte: u8) {
        self.phase = match (self.phase, byte) {
            (Prefix::Complete, b' ' | b'\t') | (Prefix::Marker, b' ' | b'\t') => Prefix::Complete,
            (Prefix::Complete, b'>') => {
                self.has_arrow = true;
                Prefix::Complete
            }
            (Prefix::Complete, b'-' | b'*' | b'+') => Prefix::Marker,
            (Prefix::Complete, b'0'..=b'9') => Prefix::Digits(1),
            (Prefix::Digits(n @ 1..9), b'0'..=b'9') => Prefix::Digits(n + 1),
            (Prefix::Digits(_), b'.' | b')') => Prefix::Marker,
            _ => Prefix::No,
        };
        self.is_blank &= matches!(byte, b' ' | b'\t');
        self.len += 1;
        self.at += 1;
    }

    /// Whether a fence opens with the text from `at` on, if the line up to there is `self`; none where more text has to say.
    pub(super) fn opens_fence(mut self, window: &Window<'_>, at: usize, is_end: bool) -> Option<bool> {
        let text = window.from(at);
        for (i, &byte) in text.iter().enumerate() {
            if self.is_prefix() && matches!(byte, b'`' | b'~') {
                let run = text[i..].iter().take_while(|&&other| other == byte).count();
                let rest = &text[i + run..];
                return match memchr::memchr2(b'`', b'\n', rest) {
                    _ if run < 3 && (is_end || !rest.is_empty()) => Some(false),
                    _ if run >= 3 && byte == b'~' => Some(true),
                    Some(end) if run >= 3 => Some(rest[end] == b'\n'),
                    _ => is_end.then_some(run >= 3),
                };
            }
            self.pass(byte);
            if !self.may_be_prefix() {
                return Some(false);
            }
        }
        is_end.then_some(false)
    }
}

/// A line of code, or the part of a line that is code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Code {
    kind: Kind,
    /// Up to here the end of the code was looked for.
    seen: usize,
    /// So many backticks stand before `seen`, in inline code.
    run: usize,
    /// A backtick was seen in it.
    has_tick: bool,
    /// Where it ends, once that is seen.
    stop: Option<usize>,
    /// Where a line turned out to be a quote, or to open a fence.
    decided: Option<usize>,
    /// A token is being read.
    is_in_token: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// After so many backticks: inline code, or the line of an opening fence.
    Inline(usize),
    /// The line of an opening fence.
    Opening,
    Quote,
    /// After so many backticks in a quote: a fence opens if no backtick follows on the line.
    QuoteOrOpening,
    /// A line in a fence.
    Fence,
}

impl Code {
    pub(super) const NONE: Code =
        Code { kind: Kind::Quote, seen: 0, run: 0, has_tick: false, stop: None, decided: None, is_in_token: false };

    pub(super) fn is_in_token(&self) -> bool {
        self.is_in_token
    }

    fn new(kind: Kind, at: usize) -> Self {
        Code { kind, seen: at, ..Code::NONE }
    }
}

/// A fence that is open, or may open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fence {
    byte: u8,
    /// How many of them.
    len: usize,
    /// How many characters may stand before the closing ones.
    room: usize,
    has_arrow: bool,
    hold: Hold,
    /// What of the closing line is read.
    head: Head,
    /// The next byte of the fence, and the next opening of a token, as far as they were searched for: no line searches what another did.
    next_byte: usize,
    next_opening: usize,
}

/// What holds a fence open.
#[derive(Clone, Copy, Debug)]
enum Hold {
    /// Nothing, from this offset on.
    Until(usize),
    /// A tag with a body, up to its close.
    Close,
    /// A tag with a body whose close cannot be known.
    Forever,
}

/// How far a line is read that may close a fence.
#[derive(Clone, Copy, Debug)]
struct Head {
    lead: usize,
    run: usize,
    phase: HeadPhase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HeadPhase {
    Lead,
    Run,
    Trail,
    CarriageReturn,
}

impl Fence {
    pub(super) const NONE: Fence = Fence {
        byte: b'`',
        len: 0,
        room: 0,
        has_arrow: false,
        hold: Hold::Until(0),
        head: Head::START,
        next_byte: 0,
        next_opening: 0,
    };

    fn after(byte: u8, line: &Line) -> Self {
        let is_prefix = line.is_prefix();
        let room = if is_prefix { line.len + 3 } else { usize::MAX };
        Fence { byte, room, has_arrow: is_prefix && line.has_arrow, ..Fence::NONE }
    }
}

impl Head {
    const START: Head = Head { lead: 0, run: 0, phase: HeadPhase::Lead };

    /// Goes on by one byte; false if the line does not close the fence.
    fn pass(&mut self, fence: &Fence, byte: u8) -> bool {
        self.phase = match self.phase {
            HeadPhase::Lead if matches!(byte, b' ' | b'\t') || byte == b'>' && fence.has_arrow => {
                self.lead += 1;
                HeadPhase::Lead
            }
            HeadPhase::Lead | HeadPhase::Run if byte == fence.byte => {
                self.run += 1;
                HeadPhase::Run
            }
            HeadPhase::Run | HeadPhase::Trail if matches!(byte, b' ' | b'\t') => HeadPhase::Trail,
            HeadPhase::Run | HeadPhase::Trail if byte == b'\r' => HeadPhase::CarriageReturn,
            _ => return false,
        };
        self.lead <= fence.room && (matches!(self.phase, HeadPhase::Lead | HeadPhase::Run) || self.run >= fence.len)
    }

    fn closes(&self, fence: &Fence) -> bool {
        self.phase != HeadPhase::Lead && self.run >= fence.len
    }
}

/// A tag in code of which it is not known yet what code it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deferred {
    id: TagId,
    span: Span,
}

impl<S: Storage> Machine<S> {
    /// A backtick in prose.
    pub(super) fn begin_ticks(&mut self, is_quote: bool) {
        if is_quote && !self.line.is_prefix() {
            return self.begin_quote();
        }
        self.is_quote = is_quote;
        self.fence = Fence::after(b'`', &self.line);
        self.state = State::Ticks;
    }

    /// A tilde after a prefix.
    pub(super) fn begin_tildes(&mut self, is_quote: bool) {
        self.is_quote = is_quote;
        self.fence = Fence::after(b'~', &self.line);
        self.state = State::Tildes;
    }

    /// The rest of the line is a quote.
    pub(super) fn begin_quote(&mut self) {
        self.code = Code::new(Kind::Quote, self.at);
        self.state = State::Code;
    }

    /// Counts what a fence or inline code opens with.
    pub(super) fn ticks(&mut self, input: &Input<'_, '_, '_>, sink: &mut impl Sink) -> bool {
        if !self.count_run(input) {
            self.give_prose(self.at, sink);
            return false;
        }
        let len = self.fence.len;
        let kind = match self.is_quote {
            true if len >= 3 => Kind::QuoteOrOpening,
            true => Kind::Quote,
            false => Kind::Inline(len),
        };
        self.code = Code::new(kind, self.at);
        self.state = State::Code;
        true
    }

    /// Counts what a fence of tildes opens with.
    pub(super) fn tildes(&mut self, input: &Input<'_, '_, '_>, sink: &mut impl Sink) -> bool {
        if !self.count_run(input) {
            self.give_prose(self.at, sink);
            return false;
        }
        if self.fence.len >= 3 {
            self.code = Code::new(Kind::Opening, self.at);
            self.state = State::Code;
        } else if self.is_quote {
            self.begin_quote();
        } else {
            self.line.end_prefix(self.at);
            self.state = State::Prose;
        }
        true
    }

    /// Whether the run of the fence's character has ended.
    fn count_run(&mut self, input: &Input<'_, '_, '_>) -> bool {
        let text = input.window.from(self.at);
        let run = text.iter().take_while(|&&byte| byte == self.fence.byte).count();
        count_work!(run + 1);
        self.fence.len += run;
        self.at += run;
        run < text.len() || input.end.is_some()
    }

    /// Reads the head of a line in a fence: whether it closes the fence.
    pub(super) fn fence_head(&mut self, input: &Input<'_, '_, '_>, sink: &mut impl Sink) -> bool {
        self.hold(input);
        let window = &input.window;
        let start = self.at;
        if !self.is_in_head() {
            self.skip_plain_lines(input);
        }
        // While part of the head is read, nothing holds the fence open.
        let may_close = self.is_in_head() || matches!(self.fence.hold, Hold::Until(end) if self.at >= end);
        let mut head = self.fence.head;
        loop {
            if !may_close {
                break;
            }
            match window.byte(self.at) {
                Some(b'\n') if head.closes(&self.fence) => {
                    self.at += 1;
                    self.line.begin(self.at);
                    self.resume_prose();
                    count_work!(self.at - start);
                    return true;
                }
                Some(byte) if head.pass(&self.fence, byte) => self.at += 1,
                Some(_) => break,
                None => {
                    count_work!(self.at - start);
                    self.fence.head = head;
                    self.give_prose(self.at, sink);
                    return self.finish_if(input.end.is_some());
                }
            }
        }
        count_work!(self.at - start);
        self.fence.head = Head::START;
        self.code = Code::new(Kind::Fence, self.at);
        self.state = State::Code;
        true
    }

    /// Passes lines of a fence in which nothing begins and that do not close it. At the start of a line before and after.
    fn skip_plain_lines(&mut self, input: &Input<'_, '_, '_>) {
        let (window, at) = (&input.window, self.at);
        let fence = &mut self.fence;
        if fence.next_byte < at {
            let text = window.from(at);
            fence.next_byte = at + memchr::memchr(fence.byte, text).unwrap_or(text.len());
            count_work!(fence.next_byte - at);
        }
        if fence.next_opening < at {
            let text = window.from(at);
            fence.next_opening = at + input.policy.opening().find(text).unwrap_or(text.len());
            count_work!(fence.next_opening - at);
        }
        let text = window.bytes(Span::new(at, fence.next_byte.min(fence.next_opening)));
        if let Some(last) = memchr::memrchr(b'\n', text) {
            self.at += last + 1;
        }
    }

    /// Whether part of the head of a line is read.
    fn is_in_head(&self) -> bool {
        self.fence.head.lead + self.fence.head.run > 0
    }

    /// Looks for the close of the tag that holds the fence open, in all the text in sight.
    fn hold(&mut self, input: &Input<'_, '_, '_>) {
        if let Hold::Close = self.fence.hold
            && let Some(close) = self.search.run(input, input.window.end(), input.end.is_some())
        {
            self.fence.hold = Hold::Until(close.end);
        }
    }

    /// Reads code, up to its end or that of its line.
    pub(super) fn code(&mut self, input: &Input<'_, '_, '_>, sink: &mut impl Sink) -> bool {
        let window = &input.window;
        if self.code.kind == Kind::Fence {
            self.hold(input);
        }
        self.find_stop(input);
        let stop = self.code.stop;
        let limit = stop.unwrap_or(self.code.seen - self.code.run);
        loop {
            if !self.code.is_in_token {
                let Some(start) = self.find_token(input, limit) else {
                    if self.say_deferred(limit, sink) {
                        return true;
                    }
                    if stop.is_some() {
                        self.at = limit;
                        return self.end_code(input, limit, sink);
                    }
                    let is_bracket = limit > self.at && window.byte(limit - 1) == Some(b'[');
                    self.at = limit - usize::from(is_bracket);
                    self.give_prose(window.end(), sink);
                    return false;
                };
                self.at = start;
                self.token.begin(start);
                self.attrs.clear();
                self.code.is_in_token = true;
            }
            let was_too_long = self.token.too_long.is_some();
            match self.token.read(input, &mut self.attrs, self.rules.limits.token_bytes, limit, stop.is_some()) {
                Status::More => {
                    if self.say_deferred(self.token.pos, sink) {
                        return true;
                    }
                    self.give_prose(window.end(), sink);
                    return false;
                }
                Status::NoWord | Status::Slash => self.pass_bracket_in_code(),
                // The shape of a token that is too long was seen while its text was in sight.
                _ if !was_too_long && !self.has_shape(input) => self.pass_bracket_in_code(),
                Status::TooLong => {}
                Status::Ended | Status::Faulted => {
                    if self.end_token_in_code(input, sink) {
                        return true;
                    }
                }
            }
        }
    }

    /// The first byte of code that is read again.
    pub(super) fn needed_in_code(&self) -> usize {
        match (self.code.is_in_token, self.token.too_long) {
            (false, _) => self.at,
            (true, None) => self.token.start,
            (true, Some(_)) => self.token.pos,
        }
    }

    /// Whether text without brackets, backticks and line breaks is passed without a look.
    pub(super) fn is_quiet_in_code(&self) -> bool {
        !self.code.is_in_token
            && self.code.run == 0
            && self.code.decided.is_none()
            && self.at == self.code.seen
            && (!self.is_held() || self.search.is_between())
    }

    /// Passes such text.
    pub(super) fn skip_in_code(&mut self, len: usize) {
        self.code.seen += len;
        if self.is_held() {
            self.search.skip(len);
        }
    }

    /// Whether the close of a tag is looked for that holds the fence open.
    fn is_held(&self) -> bool {
        self.code.kind == Kind::Fence && matches!(self.fence.hold, Hold::Close)
    }

    fn pass_bracket_in_code(&mut self) {
        self.at = self.token.start + 1;
        self.code.is_in_token = false;
    }

    /// Where the next `[[` begins before `limit`.
    fn find_token(&self, input: &Input<'_, '_, '_>, limit: usize) -> Option<usize> {
        let text = input.window.bytes(Span::new(self.at.min(limit), limit));
        let found = input.policy.opening().find(text);
        count_work!(found.unwrap_or(text.len()));
        found.map(|found| self.at + found)
    }

    /// Looks for the end of the code in the text in sight.
    fn find_stop(&mut self, input: &Input<'_, '_, '_>) {
        let window = &input.window;
        let before = self.code.seen;
        while self.code.stop.is_none() && self.code.seen < window.end() {
            let code = &mut self.code;
            let text = window.from(code.seen);
            if code.run > 0 {
                let more = text.iter().take_while(|&&byte| byte == b'`').count();
                code.run += more;
                code.seen += more;
                if more < text.len() {
                    if code.kind == Kind::Inline(code.run) {
                        code.stop = Some(code.seen - code.run);
                    }
                    code.run = 0;
                }
                continue;
            }
            let found = match code.kind {
                Kind::Inline(_) | Kind::QuoteOrOpening => memchr::memchr2(b'`', b'\n', text),
                Kind::Opening | Kind::Quote | Kind::Fence => memchr::memchr(b'\n', text),
            };
            let Some(found) = found else {
                code.seen = window.end();
                break;
            };
            let at = code.seen + found;
            code.seen = at;
            match (text[found], code.kind) {
                (b'`', Kind::QuoteOrOpening) => {
                    code.kind = Kind::Quote;
                    code.decided = Some(at);
                }
                (b'`', _) => {
                    code.has_tick = true;
                    code.run = 1;
                    code.seen = at + 1;
                }
                (_, kind) => {
                    code.stop = Some(at);
                    if kind == Kind::QuoteOrOpening {
                        code.kind = Kind::Opening;
                        code.decided = Some(at);
                    }
                }
            }
        }
        if input.end.is_some() && self.code.stop.is_none() {
            let code = &mut self.code;
            let closes = code.run > 0 && code.kind == Kind::Inline(code.run);
            let end = if closes { code.seen - code.run } else { code.seen };
            code.stop = Some(end);
            code.run = 0;
            if code.kind == Kind::QuoteOrOpening {
                code.kind = Kind::Opening;
                code.decided = Some(end);
            }
        }
        count_work!(self.code.seen - before);
    }

    /// Reads on after a token that has the shape of a tag. Whether something is said.
    fn end_token_in_code(&mut self, input: &Input<'_, '_, '_>, sink: &mut impl Sink) -> bool {
        let end = self.token.stop_of_grammar();
        if self.say_deferred(end - 1, sink) {
            return true;
        }
        self.code.is_in_token = false;
        self.at = end;
        if !self.token.is_complete() {
            return false;
        }
        let Some(id) = self.selected(input) else { return false };
        if self.code.kind == Kind::Fence && input.policy.has_body(id) && !self.token.closes_itself {
            self.hold_fence(input);
        }
        if !input.policy.is_granted(id) {
            return false;
        }
        let deferred = Deferred { id, span: Span::new(self.token.start, end) };
        if self.code.kind == Kind::QuoteOrOpening || self.code.decided.is_some_and(|decided| end <= decided) {
            // Of more nothing will be said.
            if self.said as usize + self.deferred.len() <= self.rules.limits.diagnostics as usize {
                self.deferred.push(deferred);
            }
            return false;
        }
        self.say_in_code(deferred, end, sink);
        true
    }

    /// Says the next of what waited until the kind of code was known, if that is so at an offset up to `reached`.
    fn say_deferred(&mut self, reached: usize, sink: &mut impl Sink) -> bool {
        let Some(decided) = self.code.decided.filter(|&decided| reached >= decided) else { return false };
        let Some(&deferred) = self.deferred.get(self.undeferred) else {
            self.deferred.clear();
            self.undeferred = 0;
            return false;
        };
        self.undeferred += 1;
        self.say_in_code(deferred, decided, sink);
        true
    }

    fn say_in_code(&mut self, Deferred { id, span }: Deferred, at: usize, sink: &mut impl Sink) {
        let reason = match self.code.kind {
            Kind::Inline(_) | Kind::Opening | Kind::QuoteOrOpening => Reason::Inline,
            Kind::Quote => Reason::Quote,
            Kind::Fence => Reason::Fence,
        };
        self.give_prose(at, sink);
        self.say(RawDiagnostic::new(DiagnosticCode::TagInCode, Subject::Tag(id), span).reason(reason).warning(), sink);
    }

    /// A complete token of a tag with a body holds the fence open, unless it stands in what holds it already.
    fn hold_fence(&mut self, input: &Input<'_, '_, '_>) {
        match self.fence.hold {
            Hold::Until(end) if self.token.start >= end => {}
            _ => return,
        }
        self.fence.hold = match self.until(input) {
            UntilMark::Invalid => Hold::Forever,
            until => {
                self.search_close(input, until, self.at);
                Hold::Close
            }
        };
        self.hold(input);
    }

    /// The end of code, at `stop`.
    fn end_code(&mut self, input: &Input<'_, '_, '_>, stop: usize, sink: &mut impl Sink) -> bool {
        let window = &input.window;
        let is_line_end = window.byte(stop) == Some(b'\n');
        match self.code.kind {
            Kind::Inline(len) if !is_line_end => {
                self.at = (stop + len).min(window.end());
                self.line.end_prefix(self.at);
                self.resume_prose();
            }
            Kind::Inline(len) if len < 3 || self.code.has_tick => self.end_line_of_code(),
            Kind::Quote => self.end_line_of_code(),
            Kind::Inline(_) | Kind::Opening | Kind::QuoteOrOpening | Kind::Fence => {
                if !is_line_end {
                    self.give_prose(window.end(), sink);
                    return self.finish_if(true);
                }
                self.at = stop + 1;
                self.fence.head = Head::START;
                self.state = State::FenceHead;
            }
        }
        true
    }

    /// Prose goes on with the next line.
    fn end_line_of_code(&mut self) {
        self.line.at = self.at;
        self.state = State::Prose;
    }
}
