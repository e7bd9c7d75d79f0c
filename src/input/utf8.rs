//! Bytes to text, in chunks that may cut a character.

mod cut;

use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;
use core::mem;
use core::str;

use self::cut::{Short, split_cut};

/// Turns chunks of bytes into pieces of text, wherever the chunks are cut.
///
/// Network clients and pipes deliver bytes, and cut characters in half. The decoder keeps such a half, at most three
/// bytes, until the next chunk completes it. All other text is borrowed from the chunk and not copied.
///
/// Invalid bytes are an error with their offset in the stream ([`strict`](Self::strict)), or become U+FFFD exactly as in
/// [`String::from_utf8_lossy`](alloc::string::String::from_utf8_lossy) ([`lossy`](Self::lossy)). In both cases the
/// pieces, joined, are the same however the bytes are cut, and a piece is yielded as soon as no later byte can
/// change it. A byte-order mark is text like any other.
///
/// ```
/// use tagwire::Utf8Decoder;
///
/// let mut decoder = Utf8Decoder::strict();
/// let mut text = String::new();
/// for chunk in [&b"3 \xE2"[..], b"\x82", b"\xAC."] {
///     for piece in decoder.decode(chunk) {
///         text.push_str(piece?);
///     }
/// }
/// for piece in decoder.finish() {
///     text.push_str(piece?);
/// }
/// assert_eq!(text, "3 €.");
/// # Ok::<(), tagwire::Utf8Error>(())
/// ```
///
/// # Pieces that are not read
///
/// A [`Utf8Chunks`] that is dropped early loses nothing: what it did not yield is copied, and comes first from the next
/// [`decode`](Self::decode) or [`finish`](Self::finish). Only then are more than three bytes kept.
///
/// # Complexity
///
/// Linear in the bytes, and no allocation, unless a [`Utf8Chunks`] is dropped early.
#[derive(Clone, Debug)]
pub struct Utf8Decoder {
    lossy: bool,
    progress: Progress,
    /// The start of a character that the last chunk cut.
    cut: Short,
    /// What became of the cut character; a field of its own, since `Utf8Chunks` lends it while `cut` has the next one.
    joined: Short,
    /// What a `Utf8Chunks` dropped early did not yield, from `read` on; it comes before `cut`.
    backlog: Vec<u8>,
    read: usize,
}

/// What `Utf8Chunks` moves forward with each item.
#[derive(Clone, Debug, Default)]
struct Progress {
    offset: usize,
    failed: bool,
    /// A `Utf8Chunks` is out, and has not been dropped.
    lent: bool,
}

impl Utf8Decoder {
    /// A decoder that stops at the first invalid byte.
    ///
    /// The text before it is yielded first, then the error, once. The error is final: whatever is decoded after it
    /// yields nothing, until [`reset`](Self::reset).
    #[must_use]
    pub const fn strict() -> Self {
        Self::new(false)
    }

    /// A decoder that yields U+FFFD for invalid bytes, one for each maximal invalid part as
    /// [`String::from_utf8_lossy`](alloc::string::String::from_utf8_lossy) does, and never an error.
    ///
    /// U+FFFD has three bytes: after the first one, offsets in the text are no longer offsets in the stream of bytes.
    #[must_use]
    pub const fn lossy() -> Self {
        Self::new(true)
    }

    const fn new(lossy: bool) -> Self {
        Self {
            lossy,
            progress: Progress { offset: 0, failed: false, lent: false },
            cut: Short::EMPTY,
            joined: Short::EMPTY,
            backlog: Vec::new(),
            read: 0,
        }
    }

    /// The text in the next chunk of bytes, which may be empty.
    ///
    /// # Errors
    ///
    /// In strict mode the last item is [`Utf8Error`] if the bytes are not UTF-8.
    ///
    /// # Panics
    ///
    /// If a [`Utf8Chunks`] from earlier was leaked (`mem::forget`), since its text would be lost.
    ///
    /// # Complexity
    ///
    /// The call itself takes constant time, if the last [`Utf8Chunks`] was read to its end; all of its items together are
    /// linear in the chunk.
    pub fn decode<'a>(&'a mut self, bytes: &'a [u8]) -> Utf8Chunks<'a> {
        self.pieces(bytes, End::Open)
    }

    /// Ends the bytes: an incomplete character there is an error at the offset where it starts, or U+FFFD.
    ///
    /// What is decoded afterwards follows at the same [`offset`](Self::offset); a new stream begins with
    /// [`reset`](Self::reset). Utf8Chunks that are not read are not finished.
    ///
    /// # Errors
    ///
    /// In strict mode the last item is [`Utf8Error`] if an incomplete character is left.
    ///
    /// # Panics
    ///
    /// If a [`Utf8Chunks`] from earlier was leaked (`mem::forget`).
    pub fn finish(&mut self) -> Utf8Chunks<'_> {
        self.pieces(&[], End::Reached)
    }

    /// Forgets everything but the mode and the memory: the next byte is the first of a new stream.
    pub fn reset(&mut self) {
        self.progress = Progress::default();
        self.drop_kept();
    }

    /// Whether bytes have been taken that have not been yielded: the start of a cut character, or what a
    /// [`Utf8Chunks`] dropped early left. After an error nothing is pending.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        !self.progress.failed && (!self.cut.is_empty() || self.read < self.backlog.len())
    }

    /// The number of bytes of the stream that have been yielded as text or replaced.
    ///
    /// This is where a pending character starts, and after an error it is the offset of the error.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.progress.offset
    }

    fn pieces<'a>(&'a mut self, bytes: &'a [u8], end: End) -> Utf8Chunks<'a> {
        assert!(!self.progress.lent, "the pieces of an earlier chunk were leaked, and their text with them");
        self.joined = Short::EMPTY;
        let bytes = if self.progress.failed {
            self.drop_kept();
            &[]
        } else {
            self.drop_read();
            bytes
        };
        let (rest, source) = if self.backlog.is_empty() {
            let rest = match end {
                End::Open => self.take_direct(bytes),
                End::Reached => {
                    self.joined = mem::take(&mut self.cut);
                    bytes
                }
            };
            (rest, Source::Chunk(&mut self.backlog))
        } else {
            self.take_backlog(bytes, end);
            (&self.backlog[self.read..], Source::Backlog(&mut self.read))
        };
        self.progress.lent = true;
        Utf8Chunks { joined: self.joined.as_bytes(), rest, lossy: self.lossy, progress: &mut self.progress, source }
    }

    /// Joins the cut character with the start of `bytes`, keeps the one cut at their end, and returns the text between.
    fn take_direct<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let (joined, used) = self.cut.join(bytes);
        self.joined = joined;
        let (rest, tail) = split_cut(&bytes[used..]);
        // Without a tail, `cut` may still hold the character that all of `bytes` did not complete.
        if !tail.is_empty() {
            self.cut = Short::new(tail);
        }
        rest
    }

    /// Appends everything that is not read to the backlog, and keeps the character cut at the end.
    fn take_backlog(&mut self, bytes: &[u8], end: End) {
        self.backlog.extend_from_slice(mem::take(&mut self.cut).as_bytes());
        self.backlog.extend_from_slice(bytes);
        count_work!(bytes.len());
        if end == End::Open {
            let (rest, tail) = split_cut(&self.backlog[self.read..]);
            self.cut = Short::new(tail);
            self.backlog.truncate(self.read + rest.len());
        }
    }

    fn drop_kept(&mut self) {
        self.cut = Short::EMPTY;
        self.backlog.clear();
        self.read = 0;
    }

    /// Drops the read part of the backlog, but only when it is half of it, so that a byte is moved once on average.
    fn drop_read(&mut self) {
        if self.read >= self.backlog.len() - self.read {
            count_work!(self.backlog.len() - self.read);
            self.backlog.drain(..self.read);
            self.read = 0;
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Open,
    Reached,
}

/// The pieces of text in a chunk: an iterator of `Result<&str, Utf8Error>`, never empty, from
/// [`Utf8Decoder::decode`] and [`Utf8Decoder::finish`].
///
/// A character that was cut is a piece of its own, and so is each U+FFFD; every other piece is as long as possible. A piece
/// may outlive the iterator. Dropped early, it leaves the rest to the next call.
#[derive(Debug)]
#[must_use = "the text is in the pieces; unread, it is copied and comes from the next call"]
pub struct Utf8Chunks<'a> {
    /// A whole character, or one that is broken off: comes before `rest`.
    joined: &'a [u8],
    /// Has no character that a later chunk may complete.
    rest: &'a [u8],
    lossy: bool,
    progress: &'a mut Progress,
    source: Source<'a>,
}

/// The source of `Utf8Chunks::rest`, and where to note what of it is not read.
#[derive(Debug)]
enum Source<'a> {
    /// In the caller's chunk; here is where the rest is kept.
    Chunk(&'a mut Vec<u8>),
    /// In the backlog, which is read up to here.
    Backlog(&'a mut usize),
}

impl<'a> Iterator for Utf8Chunks<'a> {
    type Item = Result<&'a str, Utf8Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let from = if self.joined.is_empty() { &mut self.rest } else { &mut self.joined };
        let (text, length) = match str::from_utf8(from) {
            Ok("") => return None,
            Ok(text) => (text, text.len()),
            // Reads the valid part again, but only where bytes are invalid: `utf8_chunks` alone is the slower way.
            Err(_) => {
                let chunk = from.utf8_chunks().next()?;
                count_work!(chunk.valid().len());
                match chunk.valid() {
                    "" if self.lossy => ("\u{FFFD}", chunk.invalid().len()),
                    "" => return Some(Err(self.fail())),
                    valid => (valid, valid.len()),
                }
            }
        };
        count_work!(length);
        *from = &from[length..];
        self.progress.offset += length;
        if let Source::Backlog(read) = &mut self.source {
            **read += length;
        }
        Some(Ok(text))
    }
}

impl FusedIterator for Utf8Chunks<'_> {}

impl Utf8Chunks<'_> {
    fn fail(&mut self) -> Utf8Error {
        self.joined = &[];
        self.rest = &[];
        self.progress.failed = true;
        Utf8Error { offset: self.progress.offset }
    }
}

impl Drop for Utf8Chunks<'_> {
    fn drop(&mut self) {
        self.progress.lent = false;
        if let Source::Chunk(backlog) = &mut self.source {
            count_work!(self.joined.len() + self.rest.len());
            backlog.extend_from_slice(self.joined);
            backlog.extend_from_slice(self.rest);
        }
    }
}

/// The error for bytes that are not UTF-8, or that end inside a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Utf8Error {
    offset: usize,
}

impl Utf8Error {
    /// The offset of the first invalid byte, in bytes from the start of the stream: everything before it is valid.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }
}

impl fmt::Display for Utf8Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid UTF-8 at byte {}", self.offset)
    }
}

impl core::error::Error for Utf8Error {}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::{String, ToString};
    use alloc::vec;

    type Piece<'a> = Result<&'a str, Utf8Error>;

    const fn at(offset: usize) -> Utf8Error {
        Utf8Error { offset }
    }

    #[track_caller]
    fn gives(pieces: Utf8Chunks<'_>, expected: &[Piece<'_>]) {
        assert_eq!(pieces.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_cut_character_is_a_piece_of_its_own() {
        let mut decoder = Utf8Decoder::strict();
        gives(decoder.decode(b"a\xF0\x9F"), &[Ok("a")]);
        assert!(decoder.is_pending());
        assert_eq!(decoder.offset(), 1);
        gives(decoder.decode(b""), &[]);
        gives(decoder.decode(b"\x98"), &[]);
        assert_eq!(decoder.offset(), 1);
        gives(decoder.decode(b"\x80bc\xC3"), &[Ok("\u{1F600}"), Ok("bc")]);
        assert_eq!(decoder.offset(), 7);
        gives(decoder.decode(b"\xA9"), &[Ok("é")]);
        assert!(!decoder.is_pending());
        gives(decoder.finish(), &[]);
        assert_eq!(decoder.offset(), 9);
    }

    #[test]
    fn valid_text_is_borrowed_and_whole() {
        let chunk = "an é and a \u{1F600}".as_bytes();
        let mut decoder = Utf8Decoder::lossy();
        let piece = decoder.decode(chunk).next().unwrap().unwrap();
        assert_eq!(piece.as_bytes().as_ptr_range(), chunk.as_ptr_range());
        assert_eq!(decoder.backlog.capacity(), 0);
    }

    #[test]
    fn the_first_error_is_final() {
        let mut decoder = Utf8Decoder::strict();
        gives(decoder.decode(b"ab"), &[Ok("ab")]);
        gives(decoder.decode(b"c\xFFd\xFF"), &[Ok("c"), Err(at(3))]);
        gives(decoder.decode(b"e"), &[]);
        gives(decoder.finish(), &[]);
        assert!(!decoder.is_pending());
        assert_eq!(decoder.offset(), 3);
        decoder.reset();
        assert_eq!(decoder.offset(), 0);
        gives(decoder.decode(b"e\xFF"), &[Ok("e"), Err(at(1))]);
    }

    #[test]
    fn an_error_forgets_what_is_cut_behind_it() {
        let mut decoder = Utf8Decoder::strict();
        gives(decoder.decode(b"\xFF\xC3"), &[Err(at(0))]);
        assert!(!decoder.is_pending());
        gives(decoder.decode(b"\xA9"), &[]);
        gives(decoder.finish(), &[]);
        decoder.reset();
        gives(decoder.decode(b"\xA9"), &[Err(at(0))]);
    }

    #[test]
    fn the_error_of_a_cut_character_is_where_it_starts() {
        let mut decoder = Utf8Decoder::strict();
        gives(decoder.decode(b"a\xE2\x82"), &[Ok("a")]);
        gives(decoder.decode(b"b"), &[Err(at(1))]);

        let mut decoder = Utf8Decoder::strict();
        gives(decoder.decode(b"a\xE2\x82"), &[Ok("a")]);
        gives(decoder.finish(), &[Err(at(1))]);
        assert_eq!(decoder.offset(), 1);
        gives(decoder.finish(), &[]);
    }

    #[test]
    fn lossy_replaces_what_is_broken_off_once() {
        let mut decoder = Utf8Decoder::lossy();
        gives(decoder.decode(b"\xF0\x9F\x98"), &[]);
        gives(decoder.decode(b"\xF0"), &[Ok("\u{FFFD}")]);
        assert_eq!(decoder.offset(), 3);
        gives(
            decoder.decode(b"ok\x80\xED\xA0"),
            &[Ok("\u{FFFD}"), Ok("ok"), Ok("\u{FFFD}"), Ok("\u{FFFD}"), Ok("\u{FFFD}")],
        );
        gives(decoder.decode(b"\xE2\x82"), &[]);
        gives(decoder.finish(), &[Ok("\u{FFFD}")]);
        assert!(!decoder.is_pending());
        assert_eq!(decoder.offset(), 11);
        gives(decoder.decode(b"\xACx"), &[Ok("\u{FFFD}"), Ok("x")]);
    }

    #[test]
    fn dropped_early_loses_nothing() {
        let mut decoder = Utf8Decoder::lossy();
        assert_eq!(decoder.decode(b"ab\xFFcd\xE2").next(), Some(Ok("ab")));
        assert!(decoder.is_pending());
        assert_eq!(decoder.offset(), 2);
        // What was left, the cut character and the new chunk are one text now.
        assert_eq!(decoder.decode(b"\x82\xACe\xC3").next(), Some(Ok("\u{FFFD}")));
        assert_eq!(decoder.offset(), 3);
        drop(decoder.decode(b"\xA9f\xC3"));
        gives(decoder.decode(b""), &[Ok("cd€eéf")]);
        // Back to the chunk.
        gives(decoder.decode(b"\xA9g"), &[Ok("é"), Ok("g")]);
        assert!(decoder.backlog.is_empty());
        assert_eq!(decoder.offset(), 15);
    }

    #[test]
    fn a_joined_character_dropped_unread_is_kept() {
        let mut decoder = Utf8Decoder::strict();
        drop(decoder.decode(b"\xC3"));
        drop(decoder.decode(b"\xA9x"));
        assert_eq!(decoder.offset(), 0);
        gives(decoder.finish(), &[Ok("éx")]);
        assert_eq!(decoder.offset(), 3);
    }

    #[test]
    fn a_finish_dropped_unread_has_not_finished() {
        let mut decoder = Utf8Decoder::lossy();
        drop(decoder.decode(b"a\xC3"));
        assert_eq!(decoder.finish().next(), Some(Ok("a")));
        drop(decoder.finish());
        assert!(decoder.is_pending());
        gives(decoder.finish(), &[Ok("\u{FFFD}")]);

        gives(decoder.decode(b"\xC3"), &[]);
        drop(decoder.finish());
        gives(decoder.decode(b"\xA9"), &[Ok("é")]);
    }

    #[test]
    fn an_error_in_the_backlog_is_final_too() {
        let mut decoder = Utf8Decoder::strict();
        drop(decoder.decode(b"ab\xFFcd"));
        gives(decoder.decode(b"e"), &[Ok("ab"), Err(at(2))]);
        assert!(!decoder.is_pending());
        gives(decoder.decode(b"f"), &[]);
        gives(decoder.finish(), &[]);
        decoder.reset();
        assert!(!decoder.is_pending());
        gives(decoder.decode(b"f"), &[Ok("f")]);
    }

    #[test]
    fn a_long_backlog_is_moved_seldom() {
        let mut decoder = Utf8Decoder::lossy();
        let mut expected = String::new();
        let mut given = String::new();
        drop(decoder.decode(&[0xFF; 1000]));
        expected.extend(["\u{FFFD}"; 1000]);
        let mut drains = 0;
        while decoder.is_pending() {
            let before = decoder.read;
            given.push_str(decoder.decode(b"").next().unwrap().unwrap());
            drains += usize::from(decoder.read <= before);
        }
        assert_eq!(given, expected);
        assert!(drains <= 10, "{drains}");
    }

    #[test]
    #[should_panic(expected = "leaked")]
    fn leaked_pieces_are_noticed() {
        let mut decoder = Utf8Decoder::lossy();
        mem::forget(decoder.decode(b"lost"));
        let _ = decoder.decode(b"");
    }

    #[test]
    fn a_reset_forgives_a_leak() {
        let mut decoder = Utf8Decoder::lossy();
        mem::forget(decoder.decode(b"lost\xC3"));
        decoder.reset();
        gives(decoder.decode(b"\xA9"), &[Ok("\u{FFFD}")]);
    }

    #[test]
    fn pieces_outlive_the_iterator_and_it_stays_ended() {
        let mut decoder = Utf8Decoder::strict();
        let mut pieces = decoder.decode(b"a");
        let piece = pieces.next();
        assert_eq!((pieces.next(), pieces.next()), (None, None));
        drop(pieces);
        assert_eq!(piece, Some(Ok("a")));
    }

    #[test]
    fn the_error_prints() {
        let error: &dyn core::error::Error = &at(7);
        assert_eq!(error.to_string(), "invalid UTF-8 at byte 7");
        assert_eq!(vec![at(7).offset()], [7]);
    }
}
