//! The decoder: any bytes cut anywhere, with pieces left unread, compared with the standard library.

#[path = "../../../tests/support/decoded.rs"]
mod decoded;

use tagwire::Utf8Decoder;

use self::decoded::Decoded;
use super::bounds;
use super::input::Input;
use super::seeds::{self, Seed};

pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let mut cuts: Vec<(usize, usize)> = Vec::new();
    for _ in 0..input.below(12) {
        let at = cuts.last().map_or(0, |&(at, _)| at) + input.below(40);
        let read = input.byte();
        cuts.push((at, if read < 128 { usize::MAX } else { usize::from(read) % 4 }));
    }
    let bytes = input.rest();
    for lossy in [false, true] {
        let mut decoder = if lossy { Utf8Decoder::lossy() } else { Utf8Decoder::strict() };
        // A reset discards the rest of an abandoned stream.
        decoder.decode(bytes).take(1).for_each(drop);
        decoder.reset();
        let whole = whole(lossy, bytes);
        assert_cut(&mut decoder, lossy, bytes, &cuts, &whole);
        decoder.reset();
        let byte_by_byte: Vec<_> = (0..=bytes.len()).map(|at| (at, usize::MAX)).collect();
        assert_cut(&mut decoder, lossy, bytes, &byte_by_byte, &whole);
        assert_bounded(lossy, bytes, &cuts);
    }
}

/// The texts of vectors as bytes, some of them broken.
pub fn seeds() -> Vec<Seed> {
    seeds::of_vectors(4, |vector, rng| {
        let count = rng.below(12);
        let mut data = vec![count as u8];
        data.extend((0..2 * count).map(|_| rng.below(256) as u8));
        let start = data.len();
        data.extend_from_slice(vector.text.as_bytes());
        for _ in 0..rng.below(4) {
            data.insert(rng.between(start, data.len()), *rng.pick(b"\xFF\x80\xC3\xE2\x82\xF0\x9F\x98\xED\xA0"));
        }
        data
    })
}

/// The result of the standard library.
fn whole(lossy: bool, bytes: &[u8]) -> Decoded {
    match std::str::from_utf8(bytes) {
        Err(error) if !lossy => Decoded {
            text: String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned(),
            error: Some(error.valid_up_to()),
        },
        _ => Decoded { text: String::from_utf8_lossy(bytes).into_owned(), error: None },
    }
}

#[track_caller]
fn assert_cut(decoder: &mut Utf8Decoder, lossy: bool, bytes: &[u8], cuts: &[(usize, usize)], whole: &Decoded) {
    let mut given = Decoded::default();
    let mut from = 0;
    let mut is_all_read = true;
    for &(to, read) in cuts.iter().chain([&(bytes.len(), 1)]) {
        let to = to.min(bytes.len());
        decoder.decode(&bytes[from..to]).take(read).for_each(|piece| given.take(piece));
        from = to;
        is_all_read = read == usize::MAX;
        if is_all_read {
            let kept = to - decoder.offset();
            assert!(kept <= 3 || given.error.is_some(), "{kept} bytes kept");
            assert_eq!(decoder.is_pending(), kept > 0 && given.error.is_none());
        }
    }
    assert!(!is_all_read);
    decoder.finish().take(1).for_each(|piece| given.take(piece));
    decoder.finish().for_each(|piece| given.take(piece));
    assert!(!decoder.is_pending());
    assert_eq!(given, *whole, "lossy: {lossy}, {bytes:x?} at {cuts:?}");
    assert_eq!(decoder.offset(), given.error.unwrap_or(bytes.len()));
    assert_eq!(decoder.finish().count(), 0);
}

/// Work is linear; without unread pieces nothing is allocated.
#[track_caller]
fn assert_bounded(lossy: bool, bytes: &[u8], cuts: &[(usize, usize)]) {
    for all in [true, false] {
        let cost = bounds::cost(|| {
            let mut decoder = if lossy { Utf8Decoder::lossy() } else { Utf8Decoder::strict() };
            let mut from = 0;
            for &(to, read) in cuts {
                let to = to.min(bytes.len());
                let read = if all { usize::MAX } else { read };
                decoder.decode(&bytes[from..to]).take(read).for_each(drop);
                from = to;
            }
            decoder.decode(&bytes[from..]).for_each(drop);
            decoder.finish().for_each(drop);
        });
        let most = 16 + if all { 3 } else { 8 } * bytes.len();
        assert!(cost.steps <= most as u64, "{cost:?} for {bytes:x?} at {cuts:?}");
        let most = if all { 0 } else { 64 + 4 * bytes.len() };
        assert!(cost.peak <= most as u64, "{cost:?} for {bytes:x?} at {cuts:?}");
    }
}
