//! The naive twin, a reference for the library in other tests, returns the seed's answers to all vectors.

mod support;

use support::generator::{self, Rng};
use support::twin::{Pairs, TwinEvent, TwinPending, TwinProtocol, errors, prose};
use support::{places, vectors};

#[test]
fn twin_gives_the_answers_of_the_seed() {
    let protocol = TwinProtocol::workforce();
    for vector in vectors() {
        let twin = protocol.twin(&vector.role, &vector.mode);
        let events = twin.events(&vector.text);
        let tags: Vec<(&str, &Pairs, &str, &str)> = events
            .iter()
            .filter_map(|event| match event {
                TwinEvent::Tag { name, attrs, body, raw, .. } => Some((&**name, attrs, &**body, &**raw)),
                _ => None,
            })
            .collect();
        let expected: Vec<(&str, &Pairs, &str, &str)> =
            vector.tags.iter().map(|tag| (&*tag.name, &tag.attrs, &*tag.body, &*tag.raw)).collect();
        assert_eq!(tags, expected, "tags of {}", vector.id);
        assert_eq!(errors(&events), vector.errors, "errors of {}", vector.id);
        assert_eq!(prose(&vector.text, &events), vector.prose, "prose of {}", vector.id);
        assert_tiles(&vector.text, &events);
    }
}

#[test]
fn a_tag_is_too_long_one_byte_behind_the_limit() {
    let text = "[[ASK_USER]]q[[/ASK_USER]] x";
    let close_end = text.len() - 2;
    let asks = |limit| {
        let developer = TwinProtocol::workforce().twin("developer", "work");
        developer.with_max_tag_bytes(Some(limit)).events(text)
    };
    assert!(matches!(&asks(close_end)[0], TwinEvent::Tag { .. }));
    assert_eq!(
        asks(close_end - 1),
        [
            TwinEvent::Diagnostic {
                code: "too-long",
                tag: Some("ASK_USER".to_owned()),
                span: 0..12,
                message: format!("ERROR: tag [[ASK_USER]] is longer than {} bytes; ignored", close_end - 1),
            },
            TwinEvent::Dropped(0..close_end),
            TwinEvent::Prose(close_end..text.len()),
        ]
    );
    // A token over the limit is prose, and its close is then a token like any other.
    assert_eq!(asks(11), [TwinEvent::Prose(0..text.len())]);
}

#[test]
fn what_begins_a_token_or_a_close_is_held() {
    let developer = TwinProtocol::workforce().twin("developer", "work");
    let token = |text: &str| match developer.pending(text) {
        Some(TwinPending::Token { text, .. }) => Some(text),
        None => None,
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(token("a [[[").as_deref(), Some("[["));
    assert_eq!(token("a [[RUN cm").as_deref(), Some("[[RUN cm"));
    assert_eq!(token("a [[RUN]").as_deref(), Some("[[RUN]"));
    assert_eq!(token("a [[RUN] "), None);
    assert_eq!(token("[[RUN]]"), None);

    let body = |end: &str| match developer.pending(&format!("[[WRITE_FILE]]x{end}")) {
        Some(TwinPending::Open { body, .. }) => body,
        other => panic!("{end}: {other:?}"),
    };
    for held in ["[", "[[", "[[/", "[[/ \u{1c} WRI", "[[/wrı", "[[/WRITE_FILE  ]"] {
        assert_eq!(body(held), "x", "{held}");
    }
    assert_eq!(body("[[/EDI"), "x[[/EDI");
    assert_eq!(body("[[/WRITE_FILE] "), "x[[/WRITE_FILE] ");
    assert_eq!(body("[[/W[["), "x[[/W");
}

#[track_caller]
fn assert_tiles(text: &str, events: &[TwinEvent]) {
    let mut at = 0;
    for event in events {
        let span = match event {
            TwinEvent::Prose(span) | TwinEvent::Dropped(span) | TwinEvent::Tag { span, .. } => span,
            TwinEvent::Diagnostic { .. } => continue,
        };
        assert_eq!(span.start, at);
        assert!(span.end > at, "an empty tile at {at}");
        at = span.end;
    }
    assert_eq!(at, text.len());
}

/// Decided events are never revoked, and end exactly where the pending text starts.
#[test]
fn decided_and_pending_meet() {
    let protocol = TwinProtocol::workforce();
    for seed in 0..300 {
        let mut case = generator::workforce_case(&protocol, seed);
        if seed % 3 == 0 {
            let limit = generator::small_limit(&mut Rng::new(seed));
            case.twin = case.twin.with_max_tag_bytes(Some(limit));
        }
        let (twin, text) = (&case.twin, &*case.text);
        let mut before = Vec::new();
        for end in places(text).filter(|&end| end <= 1000) {
            let prefix = &text[..end];
            let decided = twin.decided(prefix);
            assert_begins(&decided, &before, prefix);
            assert_begins(&twin.events(text), &decided, prefix);
            let start = match twin.pending(prefix) {
                None => end,
                Some(
                    TwinPending::Token { start, .. }
                    | TwinPending::Open { start, .. }
                    | TwinPending::Held { start, .. }
                    | TwinPending::TooLong { start },
                ) => start,
            };
            assert_tiles(&prefix[..start], &decided);
            before = decided;
        }
    }
}

/// The list starts with these events; the last piece of prose may be longer.
#[track_caller]
fn assert_begins(list: &[TwinEvent], beginning: &[TwinEvent], prefix: &str) {
    for (number, (event, expected)) in list.iter().zip(beginning).enumerate() {
        match (event, expected) {
            (TwinEvent::Prose(long), TwinEvent::Prose(short)) if number + 1 == beginning.len() => {
                assert!(long.start == short.start && long.end >= short.end, "{prefix:?}");
            }
            _ => assert_eq!(event, expected, "{prefix:?}"),
        }
    }
    assert!(list.len() >= beginning.len(), "{prefix:?}");
}
