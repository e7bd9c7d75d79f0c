//! What a line is like, cheaply: white space aside.

use memchr::memmem;

use crate::whitespace::is_space;

/// A line with what is needed to compare it to many others.
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    pub(super) hash: u64,
    pub(super) profile: Profile,
}

impl<'a> Line<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Line { text, hash: hash(text), profile: Profile::new(text) }
    }
}

/// The bytes of a line that are not white space.
pub(super) fn dense(line: &str) -> impl Iterator<Item = u8> {
    let mut bytes = [0; 4];
    let chars = line.chars().inspect(|c| count_work!(c.len_utf8()));
    chars.filter(|&c| !is_space(c)).flat_map(move |c| {
        let len = c.encode_utf8(&mut bytes).len();
        bytes.into_iter().take(len)
    })
}

/// A hash of a line without its white space. Collisions only make a hint worse.
pub(super) fn hash(line: &str) -> u64 {
    dense(line).fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// How often each pair of neighbouring bytes occurs in a line, white space and the case of ASCII letters aside; both ends
/// of the line make pairs, too. Pairs share 256 places.
pub(super) struct Profile {
    pairs: [u16; 256],
    total: u64,
}

impl Profile {
    pub(super) fn new(line: &str) -> Self {
        let mut profile = Profile { pairs: [0; 256], total: 0 };
        let mut before = 0;
        for byte in dense(line).map(|byte| byte.to_ascii_lowercase()) {
            profile.add(before, byte);
            before = byte;
        }
        if before != 0 {
            profile.add(before, 0);
        }
        profile
    }

    fn add(&mut self, first: u8, second: u8) {
        let place = &mut self.pairs[usize::from(first.wrapping_mul(37).wrapping_add(second))];
        // Saturated pairs are not counted, so that the total stays the sum.
        self.total += u64::from(*place < u16::MAX);
        *place = place.saturating_add(1);
    }

    /// How many pairs there are.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// How many pairs both have.
    pub(super) fn common(&self, other: &Profile) -> u64 {
        self.pairs.iter().zip(&other.pairs).map(|(a, b)| u64::from(*a.min(b))).sum()
    }

    /// The share of the pairs that both have, up to 1,000 (the coefficient of Sørensen and Dice).
    pub(super) fn likeness(&self, other: &Profile) -> u64 {
        (2000 * self.common(other)).checked_div(self.total + other.total).unwrap_or(1000)
    }
}

/// The longest start of `part` that is in `line`, and the longest end: for each its bytes and where it is. The first
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
        let middle = boundary_behind(part, (start.0 + most).div_ceil(2));
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
            None => most = len - boundary_behind(part, middle + 1),
        }
    }
    [start, end]
}

/// The last start of a character at `at` or before.
pub(super) fn boundary_before(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// The first start of a character at `at` or behind, or the end.
fn boundary_behind(text: &str, at: usize) -> usize {
    (at..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}
