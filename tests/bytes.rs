//! The decoder compared with the standard library, at every cut.

#[path = "support/decoded.rs"]
mod decoded;
#[path = "support/rng.rs"]
mod rng;

use decoded::Decoded;
use rng::Rng;
use tagwire::Utf8Decoder;

#[derive(Clone, Copy, Debug)]
enum Mode {
    Strict,
    Lossy,
}

impl Mode {
    const ALL: [Self; 2] = [Self::Strict, Self::Lossy];

    fn decoder(self) -> Utf8Decoder {
        match self {
            Self::Strict => Utf8Decoder::strict(),
            Self::Lossy => Utf8Decoder::lossy(),
        }
    }

    /// The result of the standard library for the whole.
    fn whole(self, bytes: &[u8]) -> Decoded {
        match (self, std::str::from_utf8(bytes)) {
            (Self::Lossy, _) => Decoded { text: String::from_utf8_lossy(bytes).into_owned(), error: None },
            (Self::Strict, Ok(text)) => Decoded { text: text.to_owned(), error: None },
            (Self::Strict, Err(error)) => Decoded {
                text: String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned(),
                error: Some(error.valid_up_to()),
            },
        }
    }

    /// The number of decided bytes: all except those that more bytes may complete, none after an error.
    fn decided(self, bytes: &[u8]) -> usize {
        let mut at = 0;
        loop {
            match std::str::from_utf8(&bytes[at..]) {
                Ok(_) => return bytes.len(),
                Err(error) => {
                    at += error.valid_up_to();
                    match (self, error.error_len()) {
                        (Self::Lossy, Some(length)) => at += length,
                        _ => return at,
                    }
                }
            }
        }
    }
}

/// Decodes `bytes` cut at `cuts`, and checks the promises on the way.
#[track_caller]
fn cut(mode: Mode, bytes: &[u8], cuts: &[usize]) -> Decoded {
    let mut decoder = mode.decoder();
    let mut given = Decoded::default();
    let mut start = 0;
    for &end in cuts.iter().chain([&bytes.len()]) {
        let chunk = &bytes[start..end];
        for piece in decoder.decode(chunk) {
            if let Ok(text) = piece {
                let borrowed = chunk.as_ptr_range().contains(&text.as_ptr());
                assert!(borrowed || text.chars().count() == 1, "copied {text:?}");
            }
            given.take(piece);
        }
        start = end;
        let failed = given.error.is_some();
        assert_eq!(decoder.offset(), mode.decided(&bytes[..end]));
        assert!(failed || end - decoder.offset() <= 3);
        assert_eq!(decoder.is_pending(), !failed && decoder.offset() < end);
    }
    decoder.finish().for_each(|piece| given.take(piece));
    assert!(!decoder.is_pending());
    assert_eq!(decoder.offset(), given.error.unwrap_or(bytes.len()));
    assert_eq!(decoder.finish().count(), 0);
    given
}

#[track_caller]
fn same(bytes: &[u8], cuts: &[usize]) {
    for mode in Mode::ALL {
        let given = cut(mode, bytes, cuts);
        let whole = mode.whole(bytes);
        assert_eq!(given, whole, "{mode:?} {bytes:x?} at {cuts:?}");
    }
}

/// Whole, byte by byte, byte by byte with an empty chunk around each, and every cut in two and in three.
#[track_caller]
fn same_everywhere(bytes: &[u8]) {
    let length = bytes.len();
    same(bytes, &[]);
    same(bytes, &(0..=length).collect::<Vec<_>>());
    same(bytes, &(0..=length).flat_map(|at| [at; 3]).collect::<Vec<_>>());
    for first in 0..=length {
        same(bytes, &[first]);
        for second in first..=length {
            same(bytes, &[first, second]);
        }
    }
}

/// Whole and broken characters, each alone and next to every other.
const BATTERY: &[&[u8]] = &[
    b"",
    b"a",
    b"ab\ncd",
    // Valid: the first and the last of each width, and a byte-order mark.
    b"\x00\x7F",
    b"\xC2\x80\xDF\xBF",
    b"\xE0\xA0\x80\xEF\xBF\xBF",
    b"\xED\x9F\xBF\xEE\x80\x80",
    b"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF",
    b"\xEF\xBB\xBF",
    "aé€\u{1F600}".as_bytes(),
    "\u{FFFD}".as_bytes(),
    // Cut short at each byte.
    b"\xC3",
    b"\xE2",
    b"\xE2\x82",
    b"\xF0",
    b"\xF0\x9F",
    b"\xF0\x9F\x98",
    // Too many continuation bytes, or no first byte.
    b"\x80",
    b"\xBF\x80",
    b"\x80\x80\x80\x80",
    b"\xC3\xA9\xA9",
    b"\xE2\x82\xAC\xAC",
    b"\xF0\x9F\x98\x80\x80",
    // Overlong.
    b"\xC0\x80",
    b"\xC1\xBF",
    b"\xE0\x80\x80",
    b"\xE0\x9F\xBF",
    b"\xF0\x80\x80\x80",
    b"\xF0\x8F\xBF\xBF",
    // Surrogates, alone and as a pair.
    b"\xED\xA0\x80",
    b"\xED\xBF\xBF",
    b"\xED\xA0\xBD\xED\xB8\x80",
    // Beyond U+10FFFF, and bytes that never occur in UTF-8.
    b"\xF4\x90\x80\x80",
    b"\xF5\x80\x80\x80",
    b"\xF8\x88\x80\x80\x80",
    b"\xFE\xFF",
    b"\xFF",
    // Interrupted by the next character: the Unicode standard's examples of maximal subparts.
    b"\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64",
    b"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41",
    b"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41",
    b"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42",
    b"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41",
];

#[test]
fn the_battery_at_every_cut() {
    for bytes in BATTERY {
        same_everywhere(bytes);
    }
}

#[test]
fn any_two_of_the_battery_at_every_cut() {
    for first in BATTERY {
        for second in BATTERY {
            same_everywhere(&[*first, *second].concat());
        }
    }
}

/// A byte of each class in the table of well-formed sequences.
const KINDS: [u8; 19] =
    [0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF];

#[test]
fn four_bytes_of_any_kind_in_any_pieces() {
    let kinds = KINDS.len();
    for number in 0..kinds.pow(4) {
        let bytes: [u8; 4] = std::array::from_fn(|place| KINDS[number / kinds.pow(place as u32) % kinds]);
        for cuts in 0..8 {
            let cuts: Vec<_> = (1..4).filter(|at| cuts >> (at - 1) & 1 == 1).collect();
            same(&bytes, &cuts);
        }
    }
}

struct Random(Rng);

impl Random {
    fn new(state: u64) -> Self {
        Self(Rng::with_state(state))
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0.below(limit)
    }

    /// Characters of all widths, some of them broken; about one text in three is valid.
    fn bytes(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for _ in 0..self.below(12) {
            let piece = BATTERY[self.below(BATTERY.len())];
            let text = ["plain", "é", "日本語", "\u{1F600}", "[[RUN/]]"][self.below(5)];
            bytes.extend_from_slice(if self.below(3) == 0 { piece } else { text.as_bytes() });
        }
        if self.below(2) == 0 {
            bytes = String::from_utf8_lossy(&bytes).into_owned().into_bytes();
        } else if self.below(4) == 0 && !bytes.is_empty() {
            let place = self.below(bytes.len());
            bytes[place] = self.below(256) as u8;
        }
        bytes
    }

    fn cuts(&mut self, length: usize) -> Vec<usize> {
        let mut cuts: Vec<_> = (0..self.below(9)).map(|_| self.below(length + 1)).collect();
        cuts.sort_unstable();
        cuts
    }
}

#[test]
fn random_bytes_at_random_cuts() {
    let mut random = Random::new(1);
    for _ in 0..100_000 {
        let bytes = random.bytes();
        same(&bytes, &random.cuts(bytes.len()));
    }
}

#[test]
fn random_bytes_byte_by_byte() {
    let mut random = Random::new(2);
    for _ in 0..10_000 {
        let bytes = random.bytes();
        same(&bytes, &(0..bytes.len()).collect::<Vec<_>>());
    }
}

#[test]
fn pieces_dropped_early_lose_nothing() {
    let mut random = Random::new(3);
    for _ in 0..100_000 {
        let bytes = random.bytes();
        let mut cuts = random.cuts(bytes.len());
        cuts.push(bytes.len());
        for mode in Mode::ALL {
            let mut decoder = mode.decoder();
            let mut given = Decoded::default();
            let mut start = 0;
            for &end in &cuts {
                let read = random.below(4);
                for piece in decoder.decode(&bytes[start..end]).take(read) {
                    given.take(piece);
                }
                start = end;
            }
            while decoder.is_pending() {
                let read = random.below(3);
                for piece in decoder.finish().take(read) {
                    given.take(piece);
                }
            }
            assert_eq!(given, mode.whole(&bytes), "{mode:?} {bytes:x?} at {cuts:?}");
            assert_eq!(decoder.offset(), given.error.unwrap_or(bytes.len()));
        }
    }
}

#[test]
fn a_reset_starts_a_new_stream() {
    let mut random = Random::new(4);
    for mode in Mode::ALL {
        let mut decoder = mode.decoder();
        for _ in 0..10_000 {
            let bytes = random.bytes();
            let read = random.below(3);
            decoder.decode(&bytes).take(read).for_each(drop);
            decoder.reset();
            assert!(!decoder.is_pending());

            let mut given = Decoded::default();
            decoder.decode(&bytes).for_each(|piece| given.take(piece));
            decoder.finish().for_each(|piece| given.take(piece));
            assert_eq!(given, mode.whole(&bytes), "{mode:?} {bytes:x?}");
            decoder.reset();
        }
    }
}
