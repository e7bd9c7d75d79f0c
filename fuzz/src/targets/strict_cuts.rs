//! Any text in the strict dialect in any cutting, as text and as bytes, with events left untaken and replies given up: the events are
//! those of the whole reply, they tile it, and they cost a constant a byte.

use tagwire::{Parser, Utf8Decoder};

use super::bounds;
use super::cuts::with_marks;
use super::input::{CUT, CUT_TAKE_NONE, CUT_TAKE_ONE, Input, RESET, floor, scripts};
use super::seeds::Seed;
use super::strict::{Strict, options, seeds_of_vectors, whole};
use crate::strict_library::{finish, seen};
use crate::support::strict_follow::Follower;

pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let (library, twin) = Strict::shared().reader(&mut input);
    let policy = library.policy(&twin);
    let scripts = scripts(input.rest());
    let (mut parser, mut decoder) = (Parser::new(policy.clone()), Utf8Decoder::lossy());
    for script in &scripts {
        let text = &*String::from_utf8_lossy(&script.bytes);
        let expected = whole(&policy, &twin, text);
        let mut at = 0;
        for tile in &expected.tiles {
            assert!(tile.span().start == at && tile.span().end > at, "{tile:?} after {at} in {text:?}");
            at = tile.span().end;
        }
        assert_eq!(at, text.len(), "{text:?}");
        let cuts: Vec<usize> = script.cuts.iter().map(|&(at, _)| floor(text, at)).collect();
        bounds::assert_strict_stream(&policy, &twin, text, &cuts);

        // As text, of some chunks not all events taken.
        begin(&mut parser, twin.begins_inside.as_deref());
        let mut follower = Follower::new(text, &expected, &cuts);
        let mut from = 0;
        for (&to, &(_, taken)) in cuts.iter().zip(&script.cuts) {
            let to = to.max(from);
            parser.feed(&text[from..to]).take(taken).for_each(|event| follower.take(seen(&event)));
            from = to;
        }
        if !script.is_given_up {
            parser.feed(&text[from..]).for_each(|event| follower.take(seen(&event)));
            // Dropped early once, and asked again: what was said first holds.
            let finish = finish(twin.is_truncated);
            parser.finish_with(finish).take(script.cuts.len() % 3).for_each(|event| follower.take(seen(&event)));
            parser.finish().for_each(|event| follower.take(seen(&event)));
            assert!(parser.is_finished() && parser.pending().is_none());
            assert_eq!(parser.feed("[[x]]").count() + parser.finish().count(), 0);
            follower.end();
        }

        // As bytes, which cut characters.
        begin(&mut parser, twin.begins_inside.as_deref());
        let mut follower = Follower::new(text, &expected, &[]);
        let mut from = 0;
        for &(to, taken) in &script.cuts {
            for piece in decoder.decode(&script.bytes[from..to]).take(taken) {
                parser.feed(piece.expect("a lossy decoder")).for_each(|event| follower.take(seen(&event)));
            }
            from = to;
        }
        if !script.is_given_up {
            for piece in decoder.finish() {
                parser.feed(piece.expect("a lossy decoder")).for_each(|event| follower.take(seen(&event)));
            }
            parser.finish_with(finish(twin.is_truncated)).for_each(|event| follower.take(seen(&event)));
            follower.end();
        }
        decoder.reset();
    }
    if let [script] = &*scripts {
        let text = &*String::from_utf8_lossy(&script.bytes);
        bounds::assert_strict_whole(&policy, &twin, text);
        let (reply, arena) = (policy.parse_with(text, options(&twin)), bumpalo::Bump::new());
        assert_eq!(policy.parse_in_with(text, &arena, options(&twin)), reply);
    }
}

/// Begins the next reply.
fn begin(parser: &mut Parser<'_>, region: Option<&str>) {
    parser.reset();
    if let Some(region) = region {
        parser.begin_inside(region);
    }
}

/// Some of the named vectors, with a few cuts.
pub fn seeds() -> Vec<Seed> {
    let marks = [CUT, CUT, CUT, CUT_TAKE_NONE, CUT_TAKE_ONE, RESET];
    seeds_of_vectors(8, |mut data, vector, rng| {
        data.extend_from_slice(&with_marks(vector.text.as_bytes(), rng, &marks));
        data
    })
}
