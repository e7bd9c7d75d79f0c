//! How alike two lines are, cheaply: by their pairs of neighboring characters, without those that do not show.

use memchr::memmem;
#[cfg(feature = "normalization")]
use unicode_normalization::UnicodeNormalization as _;

use crate::escape::is_deceptive;
use crate::whitespace::is_space;

/// A line with what is needed to compare it to many others.
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    pub(super) hash: u64,
    pub(super) bigrams: Bigrams,
}

impl<'a> Line<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Line { text, hash: hash(text), bigrams: Bigrams::new(text) }
    }
}

/// The characters of a line that show, decomposed if the feature `normalization` is on. Lines for which they are equal differ
/// invisibly at most.
pub(super) fn visible(line: &str) -> impl Iterator<Item = char> {
    let shown = line.chars().inspect(|c| count_work!(c.len_utf8())).filter(|&c| !is_invisible(c));
    #[cfg(feature = "normalization")]
    return shown.nfd();
    #[cfg(not(feature = "normalization"))]
    shown
}

/// Calls `each` with the visible characters.
fn for_each_visible(line: &str, mut each: impl FnMut(char)) {
    if line.is_ascii() {
        count_work!(line.len());
        line.bytes().map(char::from).filter(|&c| !is_invisible(c)).for_each(each);
    } else {
        visible(line).for_each(&mut each);
    }
}

/// Alone, a joiner or a variation selector is invisible too.
fn is_invisible(c: char) -> bool {
    is_space(c) || is_deceptive("", c, "")
}

/// The number of visible characters.
pub(super) fn visible_len(line: &str) -> usize {
    let mut len = 0;
    for_each_visible(line, |_| len += 1);
    len
}

/// A hash of the visible characters. Collisions only make a hint worse.
pub(super) fn hash(line: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for_each_visible(line, |c| hash = (hash ^ u64::from(c)).wrapping_mul(0x0100_0000_01b3));
    hash
}

/// How often each pair of neighbors occurs among the visible characters of a line, ASCII letters in either case; both
/// ends of the line make pairs, too. Characters share 256 numbers, and pairs as many counters.
pub(super) struct Bigrams {
    counts: [u16; 256],
    total: u64,
}

impl Bigrams {
    pub(super) fn new(line: &str) -> Self {
        let mut bigrams = Bigrams { counts: [0; 256], total: 0 };
        let mut before = 0;
        for_each_visible(line, |c| {
            let number = match u8::try_from(u32::from(c)) {
                Ok(ascii @ 0..0x80) => ascii.to_ascii_lowercase(),
                _ => (u32::from(c) % 127) as u8 | 0x80,
            };
            bigrams.add(before, number);
            before = number;
        });
        if before != 0 {
            bigrams.add(before, 0);
        }
        bigrams
    }

    fn add(&mut self, first: u8, second: u8) {
        let count = &mut self.counts[usize::from(first.wrapping_mul(37).wrapping_add(second))];
        // Saturated pairs are not counted, so that the total stays the sum.
        self.total += u64::from(*count < u16::MAX);
        *count = count.saturating_add(1);
    }

    /// How many pairs there are.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// How many pairs both have.
    pub(super) fn common(&self, other: &Bigrams) -> u64 {
        self.counts.iter().zip(&other.counts).map(|(a, b)| u64::from(*a.min(b))).sum()
    }

    /// The share of the pairs that both have, up to 1,000 (the coefficient of Sørensen and Dice), if it is so large that the
    /// lines are alike.
    pub(super) fn likeness(&self, other: &Bigrams) -> Option<u64> {
        let likeness = (2000 * self.common(other)).checked_div(self.total + other.total).unwrap_or(1000);
        let needed = if self.total.min(other.total) <= SHORT { ALIKE_SHORT } else { ALIKE };
        (likeness >= needed).then_some(likeness)
    }
}

/// The likeness, of 1,000, that makes lines alike.
pub(super) const ALIKE: u64 = 500;
/// The likeness that is enough where one of the lines has two characters: a single other one changes two pairs of three.
const ALIKE_SHORT: u64 = 333;
const SHORT: u64 = 3;

/// The longest start of `part` that is in `line`, and the longest end: for each its bytes and its offset. The first
/// and the last 200 bytes of `part` are looked for at most, in a logarithm of passes over the line.
pub(super) fn longest_ends(part: &str, line: &str) -> [(usize, usize); 2] {
    let find = |piece: &str| {
        count_work!(line.len() + piece.len());
        memmem::find(line.as_bytes(), piece.as_bytes())
    };
    let len = part.len();
    let (mut start, mut end) = ((0, 0), (0, 0));
    let mut most = len.min(200);
    while start.0 < most {
        let middle = boundary_after(part, (start.0 + most).div_ceil(2));
        match find(&part[..middle]) {
            Some(at) => start = (middle, at),
            None => most = boundary_before(part, middle - 1),
        }
    }
    most = len.min(200);
    while end.0 < most {
        let middle = boundary_before(part, len - (end.0 + most).div_ceil(2));
        match find(&part[middle..]) {
            Some(at) => end = (len - middle, at),
            None => most = len - boundary_after(part, middle + 1),
        }
    }
    [start, end]
}

/// The last start of a character at `at` or before.
pub(super) fn boundary_before(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// The first start of a character at `at` or after, or the end.
fn boundary_after(text: &str, at: usize) -> usize {
    (at..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}
