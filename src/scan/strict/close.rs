//! Closes, section 6 of the dialect: of one tag, found as the text comes; of any word, in prose; and of many tags at once, for
//! the text that is read again where a reply ends without the close of an unknown tag.

use core::cmp::Ordering;

use crate::scan::{Input, Window};
use crate::span::Span;
use crate::storage::{List, Storage};

use super::token::MAX_WORD;
use crate::charset::{is_blank, is_space, is_word_byte, starts_word};

/// A mark: 1 to 64 letters, digits, `_`, `.` or `-`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    len: u8,
    bytes: [u8; Mark::MAX],
}

impl Mark {
    /// The most bytes of one.
    pub(super) const MAX: usize = 64;

    pub(super) const EMPTY: Mark = Mark { len: 0, bytes: [0; Mark::MAX] };

    /// `text`, if it is a mark.
    pub(super) fn new(text: &[u8]) -> Option<Self> {
        if !is_mark(text) {
            return None;
        }
        let mut mark = Mark { len: text.len() as u8, ..Mark::EMPTY };
        mark.bytes[..text.len()].copy_from_slice(text);
        Some(mark)
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    pub(super) fn as_str(&self) -> &str {
        core::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }
}

impl core::fmt::Debug for Mark {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.as_str().fmt(f)
    }
}

pub(super) fn is_mark(text: &[u8]) -> bool {
    matches!(text.len(), 1..=Mark::MAX) && text.iter().all(|&byte| is_word_byte(byte))
}

/// What the close of a tag looks like. Owned, since the text of a token may be gone when its close comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CloseName {
    /// Of the tag; every word is a mark.
    word: Mark,
    suffix: Suffix,
}

#[derive(Clone, Copy, Debug)]
enum Suffix {
    None,
    /// The argument may follow a colon.
    Argument(Mark),
    /// The mark of the tag's `until` follows a blank.
    Until(Mark),
}

impl CloseName {
    pub(super) const NONE: CloseName = CloseName { word: Mark::EMPTY, suffix: Suffix::None };

    /// The close of a tag with an `until`, or with an argument.
    pub(super) fn new(word: &[u8], until: Option<Mark>, argument: Option<Mark>) -> Self {
        let suffix = match (until, argument) {
            (Some(mark), _) => Suffix::Until(mark),
            (None, Some(argument)) => Suffix::Argument(argument),
            (None, None) => Suffix::None,
        };
        CloseName { word: Mark::new(word).unwrap_or(Mark::EMPTY), suffix }
    }

    pub(super) fn word(&self) -> &str {
        self.word.as_str()
    }

    /// The argument that may follow the word.
    pub(super) fn argument(&self) -> Option<Mark> {
        match self.suffix {
            Suffix::Argument(mark) => Some(mark),
            _ => None,
        }
    }

    /// Whether only a close with a mark ends the tag.
    pub(super) fn has_until(&self) -> bool {
        matches!(self.suffix, Suffix::Until(_))
    }
}

/// The search for the close of one tag. It can stop at any byte, and needs no text again that it has passed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CloseSearch {
    name: CloseName,
    /// The longest close, in bytes.
    most: usize,
    /// The text before this offset has been scanned.
    at: usize,
    /// Where the text begins that may become a close.
    start: usize,
    phase: Phase,
    /// A close stood directly before a quote.
    has_met_quoted: bool,
}

/// What comes next in what may become a close.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Nothing has begun.
    Outside,
    SecondBracket,
    Slash,
    BeforeWord,
    /// So many bytes of the word fit.
    Word(u8),
    /// `gap`: a blank was passed.
    AfterWord {
        gap: bool,
    },
    BeforeArgument,
    Argument(u8),
    Mark(u8),
    /// Blanks, then a bracket.
    FirstClosing,
    SecondClosing,
    /// It is complete, and ends the tag unless a quote follows.
    Quote,
}

impl CloseSearch {
    pub(super) const NONE: CloseSearch = CloseSearch::new(CloseName::NONE, 0, 0);

    /// Looks for closes of at most `most` bytes from `at` on.
    pub(super) const fn new(name: CloseName, most: usize, at: usize) -> Self {
        CloseSearch { name, most, at, start: at, phase: Phase::Outside, has_met_quoted: false }
    }

    pub(super) fn name(&self) -> &CloseName {
        &self.name
    }

    /// The text before this offset has been scanned.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Passes text without a bracket, where nothing has begun.
    pub(super) fn skip(&mut self, len: usize) {
        self.at += len;
    }

    /// The first offset at which a close may still begin.
    pub(super) fn held_from(&self) -> usize {
        if self.phase == Phase::Outside { self.at } else { self.start }
    }

    /// Whether nothing that may become a close has begun.
    pub(super) fn is_between(&self) -> bool {
        self.phase == Phase::Outside
    }

    /// Whether a close stood directly before a quote.
    pub(super) fn has_met_quoted(&self) -> bool {
        self.has_met_quoted
    }

    /// The first close up to `limit`; `is_end` says that the reply ends there.
    pub(super) fn run(&mut self, input: &Input<'_, '_, '_>, limit: usize, is_end: bool) -> Option<Span> {
        let before = self.at;
        let close = self.search(input, limit, is_end);
        count_work!(self.at - before);
        close
    }

    fn search(&mut self, input: &Input<'_, '_, '_>, limit: usize, is_end: bool) -> Option<Span> {
        let window = &input.window;
        while self.at < limit {
            if self.phase == Phase::Outside {
                let text = &window.from(self.at)[..limit - self.at];
                match input.policy.opening().find(text) {
                    Some(opening) => {
                        self.start = self.at + opening;
                        self.at = self.start + 2;
                        self.phase = Phase::Slash;
                    }
                    None => {
                        self.at = limit;
                        if text.last() == Some(&b'[') {
                            self.start = limit - 1;
                            self.phase = Phase::SecondBracket;
                        }
                    }
                }
                continue;
            }
            let byte = window.byte(self.at)?;
            if self.phase == Phase::Quote {
                if let Some(close) = self.complete(byte) {
                    return Some(close);
                }
                continue;
            }
            self.phase = self.next(byte);
            self.at += 1;
            if self.phase == Phase::Quote && self.name.has_until() {
                self.phase = Phase::Outside;
                return Some(Span::new(self.start, self.at));
            }
        }
        if is_end && self.phase == Phase::Quote {
            self.phase = Phase::Outside;
            return Some(Span::new(self.start, self.at));
        }
        None
    }

    /// A complete close before `byte`.
    fn complete(&mut self, byte: u8) -> Option<Span> {
        self.phase = Phase::Outside;
        if is_quote(byte) {
            self.has_met_quoted = true;
            return None;
        }
        Some(Span::new(self.start, self.at))
    }

    fn next(&mut self, byte: u8) -> Phase {
        if byte == b'[' {
            return match self.phase {
                // Of more brackets the last two count.
                Phase::SecondBracket | Phase::Slash if self.at - self.start <= 2 => {
                    self.start = self.at - 1;
                    Phase::Slash
                }
                _ => {
                    self.start = self.at;
                    Phase::SecondBracket
                }
            };
        }
        let word = self.name.word.as_bytes();
        let phase = match self.phase {
            Phase::Slash if is_blank(byte) => Phase::Slash,
            Phase::Slash if byte == b'/' => Phase::BeforeWord,
            Phase::BeforeWord if is_blank(byte) => Phase::BeforeWord,
            Phase::BeforeWord => step(word, 0, byte, true, Phase::Word, Phase::AfterWord { gap: false }),
            Phase::Word(n) => step(word, n, byte, true, Phase::Word, Phase::AfterWord { gap: false }),
            Phase::AfterWord { .. } if is_blank(byte) => Phase::AfterWord { gap: true },
            Phase::AfterWord { gap } => match self.name.suffix {
                Suffix::Until(mark) if gap => step(mark.as_bytes(), 0, byte, false, Phase::Mark, Phase::FirstClosing),
                Suffix::Argument(_) if byte == b':' => Phase::BeforeArgument,
                Suffix::None | Suffix::Argument(_) if byte == b']' => Phase::SecondClosing,
                _ => Phase::Outside,
            },
            Phase::BeforeArgument if is_blank(byte) => Phase::BeforeArgument,
            Phase::BeforeArgument => self.argument(0, byte),
            Phase::Argument(n) => self.argument(n, byte),
            Phase::Mark(n) => match self.name.suffix {
                Suffix::Until(mark) => step(mark.as_bytes(), n, byte, false, Phase::Mark, Phase::FirstClosing),
                _ => Phase::Outside,
            },
            Phase::FirstClosing if is_blank(byte) => Phase::FirstClosing,
            Phase::FirstClosing if byte == b']' => Phase::SecondClosing,
            Phase::SecondClosing if byte == b']' => Phase::Quote,
            _ => Phase::Outside,
        };
        let len = self.at + 1 - self.start;
        if len + least_after(phase) > self.most { Phase::Outside } else { phase }
    }

    fn argument(&self, n: u8, byte: u8) -> Phase {
        match self.name.suffix {
            Suffix::Argument(mark) => step(mark.as_bytes(), n, byte, true, Phase::Argument, Phase::FirstClosing),
            _ => Phase::Outside,
        }
    }
}

/// The phase after `byte`, of which `n` bytes of `wanted` stand before.
fn step(wanted: &[u8], n: u8, byte: u8, any_case: bool, inside: fn(u8) -> Phase, after: Phase) -> Phase {
    let fits =
        wanted.get(usize::from(n)).is_some_and(|&next| next == byte || any_case && next.eq_ignore_ascii_case(&byte));
    match fits {
        false => Phase::Outside,
        true if usize::from(n) + 1 == wanted.len() => after,
        true => inside(n + 1),
    }
}

/// How many bytes a close has after this phase, at least.
fn least_after(phase: Phase) -> usize {
    match phase {
        Phase::Outside | Phase::Quote => 0,
        Phase::SecondBracket => 5,
        Phase::Slash => 4,
        Phase::BeforeWord => 3,
        Phase::SecondClosing => 1,
        _ => 2,
    }
}

/// Whether a close directly before `byte` is text.
pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// A close of any word, read in prose. Resumable; its text is held.
#[derive(Clone, Copy, Debug)]
pub(super) struct AnyClose {
    pub(super) start: usize,
    pos: usize,
    phase: AnyPhase,
    pub(super) word: Span,
    suffix: Span,
    kind: SuffixKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnyPhase {
    Slash,
    BeforeWord,
    Word,
    AfterWord,
    BeforeMark,
    Mark,
    AfterMark,
    SecondClosing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SuffixKind {
    None,
    Colon,
    Blank,
}

/// How reading a close ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CloseStatus {
    More,
    /// The word is complete; the next call reads on.
    Word,
    /// Complete, up to this offset.
    Ended(usize),
    /// No close.
    Broken,
}

impl AnyClose {
    /// The close that may begin with the `[[` at `start`.
    pub(super) const fn new(start: usize) -> Self {
        AnyClose {
            start,
            pos: start + 2,
            phase: AnyPhase::Slash,
            word: Span::NONE,
            suffix: Span::NONE,
            kind: SuffixKind::None,
        }
    }

    /// The part of the word that is read, while it is not complete.
    pub(super) fn word_so_far(&self) -> Option<Span> {
        (self.phase == AnyPhase::Word).then(|| Span::new(self.word.start, self.pos))
    }

    /// Reads on to the end of the text in sight.
    pub(super) fn read(&mut self, window: &Window<'_>, most: usize) -> CloseStatus {
        let before = self.pos;
        let status = self.run(window, most);
        count_work!(self.pos - before);
        status
    }

    fn run(&mut self, window: &Window<'_>, most: usize) -> CloseStatus {
        loop {
            if self.pos + self.least_after() > self.start.saturating_add(most) {
                return CloseStatus::Broken;
            }
            let at = self.pos;
            let Some(byte) = window.byte(at) else { return CloseStatus::More };
            let mut is_word = false;
            self.phase = match self.phase {
                AnyPhase::Slash if is_blank(byte) => AnyPhase::Slash,
                AnyPhase::Slash if byte == b'/' => AnyPhase::BeforeWord,
                AnyPhase::BeforeWord if is_blank(byte) => AnyPhase::BeforeWord,
                AnyPhase::BeforeWord if starts_word(byte) => {
                    self.word = Span::new(at, at);
                    AnyPhase::Word
                }
                AnyPhase::Word if is_word_byte(byte) && at - self.word.start < MAX_WORD => AnyPhase::Word,
                AnyPhase::Word if is_blank(byte) || matches!(byte, b':' | b']') => {
                    self.word.end = at;
                    self.suffix = Span::new(at, at);
                    is_word = true;
                    self.after_word(byte)
                }
                AnyPhase::AfterWord if is_word_byte(byte) => self.begin_mark(at, SuffixKind::Blank),
                AnyPhase::AfterWord if is_blank(byte) || matches!(byte, b':' | b']') => self.after_word(byte),
                AnyPhase::BeforeMark if is_blank(byte) => AnyPhase::BeforeMark,
                AnyPhase::BeforeMark if is_word_byte(byte) => self.begin_mark(at, SuffixKind::Colon),
                AnyPhase::Mark if is_word_byte(byte) && at - self.suffix.start < Mark::MAX => AnyPhase::Mark,
                AnyPhase::Mark if is_blank(byte) || byte == b']' => {
                    self.suffix.end = at;
                    if byte == b']' { AnyPhase::SecondClosing } else { AnyPhase::AfterMark }
                }
                AnyPhase::AfterMark if is_blank(byte) => AnyPhase::AfterMark,
                AnyPhase::AfterMark if byte == b']' => AnyPhase::SecondClosing,
                AnyPhase::SecondClosing if byte == b']' => return CloseStatus::Ended(at + 1),
                _ => return CloseStatus::Broken,
            };
            self.pos += 1;
            if is_word {
                return CloseStatus::Word;
            }
        }
    }

    fn after_word(&self, byte: u8) -> AnyPhase {
        match byte {
            b':' => AnyPhase::BeforeMark,
            b']' => AnyPhase::SecondClosing,
            _ => AnyPhase::AfterWord,
        }
    }

    fn begin_mark(&mut self, at: usize, kind: SuffixKind) -> AnyPhase {
        self.suffix = Span::new(at, at);
        self.kind = kind;
        AnyPhase::Mark
    }

    fn least_after(&self) -> usize {
        match self.phase {
            AnyPhase::Slash => 4,
            AnyPhase::BeforeWord | AnyPhase::BeforeMark => 3,
            AnyPhase::SecondClosing => 1,
            _ => 2,
        }
    }
}

/// All closes of a text, by what they look like: where a complete reply has ended without the close of an unknown tag, the
/// text after its token is read again, and each unknown tag in it finds its close here. So no text is searched twice.
pub(super) struct Closes<S: Storage> {
    /// Sorted by [`order`], then by offset.
    closes: S::List<Close>,
    is_made: bool,
}

/// One close of any word.
#[derive(Clone, Copy, Debug)]
struct Close {
    span: Span,
    word: Span,
    suffix: Span,
    kind: SuffixKind,
    hash: u32,
}

impl<S: Storage> Closes<S> {
    pub(super) fn new(store: S) -> Self {
        Closes { closes: store.list(), is_made: false }
    }

    /// Forgets all, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.closes.clear();
        self.is_made = false;
    }

    /// Whether the closes are known.
    pub(super) fn is_made(&self) -> bool {
        self.is_made
    }

    /// Finds the closes from `from` up to the end of the reply, of at most `most` bytes each. *n* log *n* in their number.
    pub(super) fn make(&mut self, window: &Window<'_>, from: usize, most: usize) {
        self.is_made = true;
        let mut at = from;
        while let Some(found) = memchr::memchr(b'[', window.from(at)) {
            let start = at + found;
            count_work!(found + 1);
            at = start + 1;
            if window.byte(start + 1) != Some(b'[') || window.byte(start + 2) == Some(b'[') {
                continue;
            }
            let mut close = AnyClose::new(start);
            let status = match close.read(window, most) {
                CloseStatus::Word => close.read(window, most),
                status => status,
            };
            let CloseStatus::Ended(end) = status else { continue };
            at = end;
            let AnyClose { word, suffix, kind, .. } = close;
            if kind != SuffixKind::Blank && window.byte(end).is_some_and(is_quote) {
                continue;
            }
            let hash = hash(window.bytes(word), window.bytes(suffix));
            self.closes.push(Close { span: Span::new(start, end), word, suffix, kind, hash });
        }
        self.closes.sort_unstable_by(|a, b| {
            count_work!(1);
            let text = |close: &Close| (window.bytes(close.word), close.kind, window.bytes(close.suffix));
            order((a.hash, text(a)), (b.hash, text(b))).then(a.span.start.cmp(&b.span.start))
        });
    }

    /// The first close at or after `from`.
    pub(super) fn find(&self, window: &Window<'_>, name: &CloseName, from: usize) -> Option<Span> {
        let word = name.word.as_bytes();
        let plain = self.first(window, (word, SuffixKind::None, &[]), from);
        match &name.suffix {
            Suffix::None => plain,
            Suffix::Argument(mark) => {
                let both = [plain, self.first(window, (word, SuffixKind::Colon, mark.as_bytes()), from)];
                both.into_iter().flatten().min_by_key(|close| close.start)
            }
            Suffix::Until(mark) => self.first(window, (word, SuffixKind::Blank, mark.as_bytes()), from),
        }
    }

    fn first(&self, window: &Window<'_>, wanted: Text<'_>, from: usize) -> Option<Span> {
        let hash = hash(wanted.0, wanted.2);
        let compare = |close: &Close| {
            let text = (window.bytes(close.word), close.kind, window.bytes(close.suffix));
            order((close.hash, text), (hash, wanted))
        };
        let first = self.closes.partition_point(|close| {
            count_work!(1);
            compare(close).then(close.span.start.cmp(&from)).is_lt()
        });
        let close = self.closes.get(first)?;
        compare(close).is_eq().then_some(close.span)
    }
}

type Text<'t> = (&'t [u8], SuffixKind, &'t [u8]);

/// Words and arguments compare in any case, marks exactly.
fn order(a: (u32, Text<'_>), b: (u32, Text<'_>)) -> Ordering {
    a.0.cmp(&b.0).then_with(|| {
        let (a, b) = (a.1, b.1);
        let suffix = || match a.1 {
            SuffixKind::Blank => a.2.cmp(b.2),
            _ => folded(a.2).cmp(folded(b.2)),
        };
        folded(a.0).cmp(folded(b.0)).then(a.1.cmp(&b.1)).then_with(suffix)
    })
}

fn folded(text: &[u8]) -> impl Iterator<Item = u8> + '_ {
    text.iter().map(u8::to_ascii_lowercase)
}

/// Of both in any case, as FNV-1a has it.
fn hash(word: &[u8], suffix: &[u8]) -> u32 {
    let bytes = folded(word).chain([b' ']).chain(folded(suffix));
    bytes.fold(0x811C_9DC5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Whether `until`, white space and `=` stand in what is passed, in any case. Resumable.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UntilSearch {
    /// How many letters fit; one more than all of them in the white space after it.
    letters: u8,
    pub(super) is_found: bool,
}

impl UntilSearch {
    pub(super) fn pass(&mut self, byte: u8) {
        const UNTIL: &[u8] = super::token::UNTIL;
        let letters = usize::from(self.letters);
        self.is_found |= letters == UNTIL.len() && byte == b'=';
        self.letters = match byte {
            _ if letters == UNTIL.len() && is_space(byte) => self.letters,
            _ if letters < UNTIL.len() && byte.eq_ignore_ascii_case(&UNTIL[letters]) => self.letters + 1,
            _ => u8::from(byte.eq_ignore_ascii_case(&UNTIL[0])),
        };
    }
}
