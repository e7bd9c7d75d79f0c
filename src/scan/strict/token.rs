//! Reading one token, section 2 of the dialect: byte by byte, resumable at any of them.
//!
//! [`Token::read`] stops where the token is complete, at its fault, where it becomes too long, or where the text does. A token
//! that is too long is read on, to find its end, while its text is dropped: from there on nothing of it is kept but what may
//! be needed of its close.

use crate::bytes;
use crate::charset::{is_key_byte, is_plain_byte, is_space, is_word_byte, starts_key, starts_word};
use crate::diagnostic::raw::TokenFault;
use crate::event::Finish;
use crate::protocol::TagId;
use crate::scan::{Input, Window};
use crate::span::Span;

use super::MAX_KEYS;
use super::attributes::RawAttr;
use super::close::Mark;
use crate::storage::List;

/// A token, as far as it is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(super) start: usize,
    pub(super) word: Span,
    pub(super) word_id: Option<TagId>,
    /// The word is one of the protocol's, written as it is declared.
    pub(super) is_declared: bool,
    pub(super) argument: Option<Argument>,
    pub(super) closes_itself: bool,
    /// An `=`, a `:` or a `"` stands in it, up to its end or its fault.
    pub(super) has_sign: bool,
    /// A quoted value was read whole.
    pub(super) has_quoted_value: bool,
    pub(super) end: Option<usize>,
    pub(super) fault: Option<Fault>,
    /// The offset of the character that makes it too long.
    pub(super) too_long: Option<usize>,
    /// Where reading goes on.
    pub(super) pos: usize,
    phase: Phase,
    /// The start of the key, value or argument that is being read.
    item: usize,
    key: Span,
    is_last_plain: bool,
    /// An odd number of backslashes stands before `pos`, in quotes.
    is_escaped: bool,
    bare: Bare,
    late: Late,
}

/// An argument that was read whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Argument {
    /// Without its quotes.
    pub(super) value: Span,
    pub(super) is_quoted: bool,
}

impl Argument {
    /// With its quotes.
    pub(super) fn span(&self) -> Span {
        let quote = usize::from(self.is_quoted);
        Span::new(self.value.start - quote, self.value.end + quote)
    }
}

/// The first character that fits nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    pub(super) at: usize,
    pub(super) reason: TokenFault,
    /// What a diagnostic points at.
    pub(super) place: Span,
}

/// How reading a token ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// The text ends here.
    More,
    /// No word that can begin a token.
    NoWord,
    /// A `/` stands before the word: it may be a close.
    Slash,
    Ended,
    Faulted,
    /// It has just become too long; the next call reads on.
    TooLong,
}

/// What is read next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    BeforeWord,
    Word,
    AfterWord,
    BeforeArgument,
    QuotedArgument {
        quote: u8,
    },
    LongArgument,
    ShortArgument,
    /// Between attributes. `gap`: white space was passed; `after_quote`: a closing quote stands before it.
    Between {
        gap: bool,
        after_quote: bool,
    },
    Key,
    AfterKey,
    BeforeValue,
    QuotedValue {
        quote: u8,
    },
    PlainValue,
    AfterSlash,
    LastBracket,
}

/// How far a bare argument is read.
#[derive(Clone, Copy, Debug, Default)]
struct Bare {
    /// Its last run of characters other than blanks.
    run: (usize, usize),
    /// The end of the run before that, 0 where there is none.
    previous_end: usize,
    /// The last character of the argument is a slash; in a long argument, the first one of the run.
    is_slash: bool,
}

/// What is kept of a token that is too long.
#[derive(Clone, Copy, Debug)]
struct Late {
    /// The first bytes of the item.
    head: [u8; Mark::MAX],
    head_len: u8,
    is_until: bool,
    until: Option<Option<Mark>>,
    argument: Option<Mark>,
}

impl Token {
    /// None yet.
    pub(super) const fn new() -> Self {
        Token {
            start: 0,
            word: Span::NONE,
            word_id: None,
            is_declared: false,
            argument: None,
            closes_itself: false,
            has_sign: false,
            has_quoted_value: false,
            end: None,
            fault: None,
            too_long: None,
            pos: 0,
            phase: Phase::BeforeWord,
            item: 0,
            key: Span::NONE,
            is_last_plain: false,
            is_escaped: false,
            bare: Bare { run: (0, 0), previous_end: 0, is_slash: false },
            late: Late { head: [0; Mark::MAX], head_len: 0, is_until: false, until: None, argument: None },
        }
    }

    /// Begins with the `[[` at `start`.
    pub(super) fn begin(&mut self, start: usize) {
        self.start = start;
        self.pos = start + 2;
        self.phase = Phase::BeforeWord;
        (self.word_id, self.is_declared) = (None, false);
        (self.argument, self.end, self.fault, self.too_long) = (None, None, None, None);
        (self.closes_itself, self.has_sign, self.has_quoted_value, self.is_last_plain) = (false, false, false, false);
        // What is kept of a token that is too long is reset when it becomes that.
    }

    /// Its end, its fault, or where it became too long, whichever comes first.
    pub(super) fn stop(&self) -> usize {
        let ends = [self.end, self.fault.map(|fault| fault.at), self.too_long];
        ends.into_iter().flatten().min().unwrap_or(self.pos)
    }

    /// Its end, or its fault.
    pub(super) fn stop_of_grammar(&self) -> usize {
        self.end.or(self.fault.map(|fault| fault.at)).unwrap_or(self.pos)
    }

    /// Whether it is complete, without a fault.
    pub(super) fn is_complete(&self) -> bool {
        self.end.is_some() && self.too_long.is_none()
    }

    /// Passes text in quotes that holds neither that quote nor a backslash.
    pub(super) fn skip(&mut self, len: usize) {
        self.pos += len;
        self.is_escaped &= len == 0;
    }

    /// The quote of the value that is being read.
    pub(super) fn quote(&self) -> Option<u8> {
        match self.phase {
            Phase::QuotedArgument { quote } | Phase::QuotedValue { quote } => Some(quote),
            _ => None,
        }
    }

    /// The `until` that was read after the token became too long: `None` without one, `Some(None)` where it is no mark.
    pub(super) fn late_until(&self) -> Option<Option<Mark>> {
        self.late.until
    }

    /// The argument that was read whole after the token became too long, if it is a mark.
    pub(super) fn late_argument(&self) -> Option<Mark> {
        self.late.argument
    }

    /// Reads on to `limit` at the most, as if the text ended there; `is_end` says that it does. A token is too long over `most`
    /// bytes.
    ///
    /// Constant work a byte: no byte is read twice, but for a run of backslashes or blanks, and a character at `limit`.
    pub(super) fn read(
        &mut self,
        input: &Input<'_, '_, '_>,
        attrs: &mut impl List<RawAttr>,
        most: usize,
        limit: usize,
        is_end: bool,
    ) -> Status {
        if let Some(status) = self.outcome() {
            return status;
        }
        let window = &input.window;
        let before = self.pos;
        let status = match self.room(input, most, limit) {
            Some(room) => {
                let mut reading = Reading { token: self, attrs, input, limit: room, text_end: limit, is_end };
                match reading.run() {
                    // It reaches the limit: the next character is too much, whatever it is.
                    Status::More => {
                        reading.token.turn_too_long(window, room);
                        reading.limit = room + char_at(window, room).len_utf8();
                        match reading.run() {
                            Status::NoWord => Status::NoWord,
                            _ if reading.token.is_before_word_end() => Status::NoWord,
                            _ => Status::TooLong,
                        }
                    }
                    status => status,
                }
            }
            None => {
                let mut reading = Reading { token: self, attrs, input, limit, text_end: limit, is_end };
                reading.run()
            }
        };
        if self.too_long.is_some() {
            self.keep_head(window);
        }
        count_work!(self.pos - before);
        status
    }

    /// Where a token that is not too long yet has no more room, if the text reaches so far.
    fn room(&self, input: &Input<'_, '_, '_>, most: usize, limit: usize) -> Option<usize> {
        let most = self.start.saturating_add(most);
        if self.too_long.is_some() || limit <= most {
            return None;
        }
        let window = &input.window;
        // No character is cut.
        (self.start..=most).rev().find(|&at| window.byte(at).is_some_and(|byte| !is_continuation(byte)))
    }

    /// The part of the word that is read, while it is not complete.
    pub(super) fn word_so_far(&self) -> Option<Span> {
        (self.phase == Phase::Word).then(|| Span::new(self.word.start, self.pos))
    }

    /// Whether only its end can follow: no more attributes.
    pub(super) fn is_closing(&self) -> bool {
        matches!(self.phase, Phase::AfterSlash | Phase::LastBracket)
    }

    pub(super) fn is_before_word_end(&self) -> bool {
        matches!(self.phase, Phase::BeforeWord | Phase::Word)
    }

    /// The character at `at` is too much, while all the token so far is in sight.
    fn turn_too_long(&mut self, window: &Window<'_>, at: usize) {
        self.too_long = Some(at);
        let is_after_key =
            matches!(self.phase, Phase::AfterKey | Phase::BeforeValue | Phase::PlainValue | Phase::QuotedValue { .. });
        let late = &mut self.late;
        (late.head_len, late.until, late.argument) = (0, None, None);
        late.is_until = is_after_key && window.bytes(self.key).eq_ignore_ascii_case(UNTIL);
    }

    /// How the token ended, where it did after it became too long in the same call of [`Token::read`].
    pub(super) fn outcome(&self) -> Option<Status> {
        match (self.end, self.fault) {
            (Some(_), _) => Some(Status::Ended),
            (_, Some(_)) => Some(Status::Faulted),
            _ => None,
        }
    }

    /// Whether the item that is being read may be needed of a text that is dropped.
    fn keep_head(&mut self, window: &Window<'_>) {
        let reads_item = matches!(
            self.phase,
            Phase::Key
                | Phase::PlainValue
                | Phase::QuotedValue { .. }
                | Phase::QuotedArgument { .. }
                | Phase::LongArgument
                | Phase::ShortArgument
        );
        if reads_item {
            self.fill_head(window, self.pos);
        }
    }

    /// Copies the first bytes of the item, up to `end`.
    fn fill_head(&mut self, window: &Window<'_>, end: usize) {
        let len = (end - self.item).min(Mark::MAX);
        let from = usize::from(self.late.head_len);
        if from < len {
            let bytes = window.bytes(Span::new(self.item + from, self.item + len));
            self.late.head[from..len].copy_from_slice(bytes);
            self.late.head_len = len as u8;
        }
    }

    /// Begins to read a key, a value or an argument.
    fn begin_item(&mut self, at: usize, phase: Phase) {
        self.item = at;
        self.late.head_len = 0;
        self.is_escaped = false;
        self.phase = phase;
    }

    /// The item of a token that is too long, which ends at `end`, as a mark.
    fn late_mark(&mut self, window: &Window<'_>, end: usize) -> Option<Mark> {
        self.fill_head(window, end);
        let len = end - self.item;
        if len > Mark::MAX { None } else { Mark::new(&self.late.head[..len]) }
    }
}

/// One call of [`Token::read`].
struct Reading<'r, 's, 'a, 'p, L> {
    token: &'r mut Token,
    attrs: &'r mut L,
    input: &'r Input<'s, 'a, 'p>,
    limit: usize,
    /// Up to where the text may be looked at.
    text_end: usize,
    /// The text ends at `text_end`.
    is_end: bool,
}

/// Whether reading goes on.
enum Flow {
    On,
    Stop(Status),
}

impl<L: List<RawAttr>> Reading<'_, '_, '_, '_, L> {
    fn run(&mut self) -> Status {
        loop {
            let at = self.token.pos;
            if at >= self.limit {
                return if self.is_end && at >= self.text_end { self.cut_off() } else { Status::More };
            }
            let Some(byte) = self.input.window.byte(at) else { return Status::More };
            match self.byte(at, byte) {
                Flow::On => {}
                Flow::Stop(status) => return status,
            }
        }
    }

    fn byte(&mut self, at: usize, byte: u8) -> Flow {
        match self.token.phase {
            Phase::BeforeWord => self.before_word(at, byte),
            Phase::Word => self.word(at, byte),
            Phase::AfterWord => match byte {
                b' ' | b'\t' => self.pass(Phase::AfterWord),
                b':' => self.colon(at),
                _ => self.between(at, byte, at > self.token.word.end, false),
            },
            Phase::BeforeArgument => self.before_argument(at, byte),
            Phase::QuotedArgument { quote } => match self.quoted(quote) {
                Some(end) => self.end_argument(end, true, Phase::Between { gap: false, after_quote: true }),
                None => Flow::On,
            },
            Phase::LongArgument => self.long_argument(at, byte),
            Phase::ShortArgument => self.short_argument(at, byte),
            Phase::Between { gap, after_quote } => self.between(at, byte, gap, after_quote),
            Phase::Key => {
                let end = at + self.count_while(at, is_key_byte);
                self.token.pos = end;
                if end < self.limit {
                    self.end_key(end);
                }
                Flow::On
            }
            Phase::AfterKey => match byte {
                _ if is_space(byte) => self.pass(Phase::AfterKey),
                b'=' => {
                    self.sign();
                    self.pass(Phase::BeforeValue)
                }
                _ => self.fault(at, TokenFault::NoValue),
            },
            Phase::BeforeValue => self.before_value(at, byte),
            Phase::QuotedValue { quote } => match self.quoted(quote) {
                Some(end) => self.end_value(end, false),
                None => Flow::On,
            },
            Phase::PlainValue => {
                let end = at + self.count_while(at, is_plain_byte);
                self.token.pos = end;
                if end < self.limit { self.end_value(end, true) } else { Flow::On }
            }
            Phase::AfterSlash => match byte {
                _ if is_space(byte) => self.pass(Phase::AfterSlash),
                b']' => self.pass(Phase::LastBracket),
                _ => self.fault(at, TokenFault::Unexpected),
            },
            Phase::LastBracket if byte == b']' => {
                self.token.pos = at + 1;
                self.token.end = Some(at + 1);
                Flow::Stop(Status::Ended)
            }
            Phase::LastBracket => self.fault(at, TokenFault::Unexpected),
        }
    }

    /// The number of bytes from `at` on that are of a kind.
    #[inline]
    fn count_while(&self, at: usize, is: fn(u8) -> bool) -> usize {
        let text = &self.input.window.from(at)[..self.limit - at];
        text.iter().position(|&byte| !is(byte)).unwrap_or(text.len())
    }

    fn pass(&mut self, phase: Phase) -> Flow {
        self.token.pos += 1;
        self.token.phase = phase;
        Flow::On
    }

    fn before_word(&mut self, at: usize, byte: u8) -> Flow {
        match byte {
            b' ' | b'\t' => self.pass(Phase::BeforeWord),
            b'/' => Flow::Stop(Status::Slash),
            _ if starts_word(byte) => {
                self.token.word = Span::new(at, at);
                self.pass(Phase::Word)
            }
            _ => Flow::Stop(Status::NoWord),
        }
    }

    fn word(&mut self, at: usize, byte: u8) -> Flow {
        let start = self.token.word.start;
        if is_word_byte(byte) && at - start < MAX_WORD {
            let room = MAX_WORD - (at - start);
            self.token.pos = at + self.count_while(at, is_word_byte).min(room);
            return Flow::On;
        }
        self.token.word.end = at;
        let Input { policy, ref window, .. } = *self.input;
        let is_opening = is_space(byte) || matches!(byte, b':' | b'/' | b']');
        // An invisible character takes more than a byte.
        if !is_opening && byte.is_ascii() {
            return Flow::Stop(Status::NoWord);
        }
        let written = window.bytes(self.token.word);
        self.token.word_id = policy.find(written);
        self.token.is_declared =
            self.token.word_id.is_some_and(|id| policy.protocol().tag(id).word().as_bytes() == written);
        self.token.phase = Phase::AfterWord;
        match is_opening {
            true => Flow::On,
            false if self.token.is_declared && is_invisible(char_at(window, at)) => {
                self.fault(at, TokenFault::Invisible)
            }
            false => Flow::Stop(Status::NoWord),
        }
    }

    fn colon(&mut self, at: usize) -> Flow {
        if self.token.word_id.is_some_and(|id| !self.input.policy.takes_argument(id)) {
            return self.fault(at, TokenFault::UnexpectedArgument);
        }
        self.sign();
        self.pass(Phase::BeforeArgument)
    }

    fn before_argument(&mut self, at: usize, byte: u8) -> Flow {
        match byte {
            b' ' | b'\t' => return self.pass(Phase::BeforeArgument),
            b'"' | b'\'' => {
                self.token.pos = at + 1;
                self.token.begin_item(at + 1, Phase::QuotedArgument { quote: byte });
                return Flow::On;
            }
            b':' | b'[' | b']' | b'\r' | b'\n' => return self.fault(at, TokenFault::NoArgument),
            b'/' => match self.peek(at + 1) {
                Peek::Byte(b'/') => return self.fault(at, TokenFault::NoArgument),
                Peek::Unknown => return Flow::Stop(Status::More),
                Peek::Byte(_) | Peek::End => {}
            },
            _ if !byte.is_ascii() && is_typographic_quote(char_at(&self.input.window, at)) => {
                return self.fault(at, TokenFault::SmartQuote);
            }
            _ => {}
        }
        let is_long = self.token.word_id.is_some_and(|id| self.input.policy.has_long_argument(id));
        self.token.begin_item(at, if is_long { Phase::LongArgument } else { Phase::ShortArgument });
        self.token.bare = Bare { run: (at, at), previous_end: 0, is_slash: false };
        Flow::On
    }

    fn long_argument(&mut self, at: usize, byte: u8) -> Flow {
        let bare = &mut self.token.bare;
        match byte {
            b'[' | b']' | b'"' | b'\r' | b'\n' => return self.end_long_argument(),
            b' ' | b'\t' => {}
            _ => {
                if bare.run.1 != at {
                    bare.previous_end = bare.run.1;
                    bare.run.0 = at;
                }
                if bare.run.0 == at {
                    bare.is_slash = byte == b'/';
                }
                bare.run.1 = at + 1;
            }
        }
        self.pass(Phase::LongArgument)
    }

    fn end_long_argument(&mut self) -> Flow {
        let Bare { run, previous_end, is_slash } = self.token.bare;
        if is_slash && run.1 - run.0 == 1 && previous_end != 0 {
            self.token.closes_itself = true;
            return self.end_argument(previous_end, false, Phase::AfterSlash);
        }
        let gap = self.token.pos > run.1;
        self.end_argument(run.1, false, Phase::Between { gap, after_quote: false })
    }

    fn short_argument(&mut self, at: usize, byte: u8) -> Flow {
        if !matches!(byte, b'[' | b']' | b'"' | b'\'') && !is_space(byte) {
            self.token.bare.is_slash = byte == b'/';
            return self.pass(Phase::ShortArgument);
        }
        if byte == b']' && self.token.bare.is_slash && at - self.token.item > 1 {
            match self.peek(at + 1) {
                Peek::Unknown => return Flow::Stop(Status::More),
                Peek::Byte(b']') => {
                    self.token.closes_itself = true;
                    return self.end_argument(at - 1, false, Phase::AfterSlash);
                }
                Peek::Byte(_) | Peek::End => {}
            }
        }
        self.end_argument(at, false, Phase::Between { gap: false, after_quote: false })
    }

    fn end_argument(&mut self, end: usize, is_quoted: bool, next: Phase) -> Flow {
        let token = &mut *self.token;
        if token.too_long.is_some() {
            token.late.argument = token.late_mark(&self.input.window, end);
        }
        token.argument = Some(Argument { value: Span::new(token.item, end), is_quoted });
        token.phase = next;
        Flow::On
    }

    fn between(&mut self, at: usize, byte: u8, gap: bool, after_quote: bool) -> Flow {
        match byte {
            _ if is_space(byte) => self.pass(Phase::Between { gap: true, after_quote }),
            b'/' => {
                self.token.closes_itself = true;
                self.pass(Phase::AfterSlash)
            }
            b']' => self.pass(Phase::LastBracket),
            _ if gap && starts_key(byte) => {
                if self.attrs.len() == MAX_KEYS && self.token.too_long.is_none() {
                    self.token.phase = Phase::Between { gap, after_quote };
                    self.token.turn_too_long(&self.input.window, at);
                    return Flow::Stop(Status::TooLong);
                }
                self.token.begin_item(at, Phase::Key);
                Flow::On
            }
            _ if !gap && after_quote => self.fault(at, TokenFault::InnerQuote),
            _ => self.fault(at, TokenFault::Unexpected),
        }
    }

    fn end_key(&mut self, at: usize) {
        let token = &mut *self.token;
        token.key = Span::new(token.item, at);
        if token.too_long.is_some() {
            token.fill_head(&self.input.window, at);
            token.late.is_until =
                token.key.len() == UNTIL.len() && token.late.head[..UNTIL.len()].eq_ignore_ascii_case(UNTIL);
        }
        token.phase = Phase::AfterKey;
    }

    fn before_value(&mut self, at: usize, byte: u8) -> Flow {
        match byte {
            _ if is_space(byte) => self.pass(Phase::BeforeValue),
            b'"' | b'\'' => {
                self.token.pos = at + 1;
                self.token.begin_item(at + 1, Phase::QuotedValue { quote: byte });
                Flow::On
            }
            _ if is_plain_byte(byte) => {
                self.token.begin_item(at, Phase::PlainValue);
                Flow::On
            }
            _ if !byte.is_ascii() && is_typographic_quote(char_at(&self.input.window, at)) => {
                self.fault(at, TokenFault::SmartQuote)
            }
            _ => self.fault(at, TokenFault::UnquotedValue),
        }
    }

    /// Reads on in quotes. The offset of the closing quote, where it comes.
    fn quoted(&mut self, quote: u8) -> Option<usize> {
        let token = &mut *self.token;
        let text = &self.input.window.from(token.pos)[..self.limit - token.pos];
        let found = bytes::find(quote, text);
        let before = &text[..found.unwrap_or(text.len())];
        let run = before.iter().rev().take_while(|&&byte| byte == b'\\').count();
        let is_escaped = (run % 2 == 1) ^ (run == before.len() && token.is_escaped);
        let Some(found) = found else {
            token.pos = self.limit;
            token.is_escaped = is_escaped;
            return None;
        };
        let at = token.pos + found;
        token.pos = at + 1;
        token.is_escaped = false;
        (!is_escaped).then_some(at)
    }

    fn end_value(&mut self, end: usize, is_plain: bool) -> Flow {
        let token = &mut *self.token;
        token.is_last_plain = is_plain;
        // A plain value ends with a character that may be too much itself.
        if token.too_long.is_none_or(|too_long| is_plain && end <= too_long) {
            token.has_quoted_value |= !is_plain;
            self.attrs.push(RawAttr { key: token.key, value: Span::new(token.item, end), is_plain });
        } else if token.late.is_until {
            let mark = token.late_mark(&self.input.window, end);
            token.late.until.get_or_insert(mark);
        }
        token.late.is_until = false;
        token.phase = Phase::Between { gap: false, after_quote: !is_plain };
        Flow::On
    }

    /// The end of the text.
    fn cut_off(&mut self) -> Status {
        let at = self.token.pos;
        match self.token.phase {
            Phase::BeforeWord | Phase::Word => return Status::NoWord,
            Phase::LongArgument => {
                self.end_long_argument();
            }
            Phase::ShortArgument => {
                self.end_argument(at, false, Phase::Between { gap: false, after_quote: false });
            }
            Phase::PlainValue => {
                self.end_value(at, true);
            }
            _ => {}
        }
        let quote = self.token.quote().is_some() && self.input.end == Some(Finish::Complete);
        let (reason, place) = if quote {
            (TokenFault::UnclosedQuote, Span::new(self.token.item - 1, self.token.item))
        } else {
            (TokenFault::CutOff, Span::new(at, at))
        };
        self.token.fault = Some(Fault { at, reason, place });
        Status::Faulted
    }

    fn fault(&mut self, at: usize, reason: TokenFault) -> Flow {
        let found = char_at(&self.input.window, at);
        let reason = match (reason, found) {
            (_, c) if is_invisible(c) => TokenFault::Invisible,
            (TokenFault::InnerQuote | TokenFault::Unexpected, ',') => TokenFault::Comma,
            (TokenFault::Unexpected | TokenFault::NoValue, _) if self.token.is_last_plain => TokenFault::UnquotedValue,
            (reason, _) => reason,
        };
        if self.token.too_long.is_none_or(|too_long| too_long == at) && matches!(found, '=' | ':' | '"') {
            self.token.has_sign = true;
        }
        self.token.fault = Some(Fault { at, reason, place: Span::new(at, at + found.len_utf8()) });
        Flow::Stop(Status::Faulted)
    }

    fn sign(&mut self) {
        self.token.has_sign |= self.token.too_long.is_none();
    }

    fn peek(&self, at: usize) -> Peek {
        if at < self.text_end {
            self.input.window.byte(at).map_or(Peek::Unknown, Peek::Byte)
        } else if self.is_end {
            Peek::End
        } else {
            Peek::Unknown
        }
    }
}

/// What comes next.
enum Peek {
    Byte(u8),
    End,
    Unknown,
}

/// The key of an attribute that names the mark of a tag's close.
pub(super) const UNTIL: &[u8] = b"until";
/// The longest word, in bytes.
pub(super) const MAX_WORD: usize = 64;

const fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Characters that show as nothing, or as a space.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{A0}' | '\u{AD}' | '\u{2000}'..='\u{200F}' | '\u{2028}'..='\u{202F}' | '\u{205F}'..='\u{2064}' | '\u{3000}' | '\u{FEFF}')
}

fn is_typographic_quote(c: char) -> bool {
    matches!(c, '\u{AB}' | '\u{BB}' | '\u{2018}'..='\u{201F}' | '\u{2039}' | '\u{203A}' | '\u{FF02}' | '\u{FF07}')
}

/// The character at `at`, which is one's start and in sight.
pub(super) fn char_at(window: &Window<'_>, at: usize) -> char {
    window.text(Span::new(at, window.end())).chars().next().unwrap_or_default()
}
