//! Truncated replies: no tag after one that still waits for its close is read.

mod support;

#[path = "support/library.rs"]
mod library;

use bumpalo::Bump;
use support::generator::{Rng, small_limit, workforce_case};
use support::places;
use support::twin::{self, TwinEvent, TwinPending, TwinProtocol};
use tagwire::workforce::{self, Mode, Role};
use tagwire::{Event, Finish, Parser, Policy};

#[test]
fn behind_a_tag_that_is_let_through_the_text_is_dropped() {
    let text = "a [[WRITE_FILE path='x']] b [[RUN cmd='rm'/]] c";
    let events = truncated(text);
    let message = "ERROR: unclosed tag [[WRITE_FILE]] ignored (the reply was cut off)";
    assert_eq!(events, [prose(0..2), unclosed("WRITE_FILE", 2..25, message), TwinEvent::Dropped(2..text.len())]);
}

#[test]
fn behind_a_refused_tag_too() {
    let events = truncated("[[HIRE]] b [[RUN cmd='rm'/]] c");
    assert_eq!(events.len(), 3, "refused, cut off, dropped: {events:?}");
    let message = "ERROR: unclosed tag [[HIRE]] ignored (the reply was cut off)";
    assert_eq!(events[1..], [unclosed("HIRE", 0..8, message), TwinEvent::Dropped(0..30)]);
}

#[test]
fn behind_an_unknown_tag_the_text_is_prose_and_one_line_says_that_no_tag_was_read() {
    let events = truncated("if [[ -f x ]]; then [[RUN cmd='rm'/]]");
    let message = "ERROR: no tag after unknown tag [[]] was read (the reply was cut off)";
    assert_eq!(events[2..], [unclosed("", 3..13, message), TwinEvent::Dropped(3..13), prose(13..37)]);
}

#[test]
fn where_no_tag_can_be_behind_it_nothing_is_said_of_that() {
    let events = truncated("m = [[1, 2]] and so on");
    assert_eq!(events[2..], [TwinEvent::Dropped(4..12), prose(12..22)]);
}

#[test]
fn a_token_that_was_cut_off_is_prose() {
    assert_eq!(truncated("a [[RUN cmd='rm'/]"), [prose(0..18)]);
}

#[test]
fn what_was_complete_stays() {
    let events = truncated("[[RUN cmd='a'/]] [[ASK_USER]]q[[/ASK_USER]]");
    assert_eq!(events.iter().filter(|event| matches!(event, TwinEvent::Tag { .. })).count(), 2);
}

/// The decided events and the twin's open tag determine the rest.
#[test]
fn cut_off_anywhere_it_ends_as_what_is_open_demands() {
    let protocol = TwinProtocol::workforce();
    let owned = library::protocol_buf(&protocol);
    let mut cases = 0;
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let mut case = workforce_case(&protocol, seed);
        if rng.percent(25) {
            case.twin = case.twin.with_max_tag_bytes(Some(small_limit(&mut rng)));
        }
        let policy = library::policy_of(&owned, &case.twin);
        for end in places(&case.text).filter(|end| end % 7 == 0 || *end == case.text.len()) {
            let text = &case.text[..end];
            let mut parser = Parser::new(policy.clone());
            let mut events = Vec::new();
            for at in [0, text.len()].windows(2) {
                parser.feed(&text[at[0]..at[1]]).for_each(|event| events.push(library::event(&event)));
            }
            let given = tiled_to(&events);
            let mut last: Vec<_> = parser.finish_with(Finish::Truncated).map(|event| library::event(&event)).collect();
            match case.twin.pending(text) {
                None => assert_eq!(last, []),
                Some(TwinPending::Token { start, .. }) => assert_eq!(last, [prose(start..end)]),
                Some(TwinPending::TooLong { start }) => assert_eq!(last, [TwinEvent::Dropped(start..end)]),
                Some(TwinPending::Open { start, .. } | TwinPending::Held { code: "not-allowed", start, .. }) => {
                    assert_cut_off(&last[0], "ignored (the reply was cut off)");
                    assert_eq!(last[1..], [TwinEvent::Dropped(start..end)]);
                }
                Some(TwinPending::Held { start, text: held, .. }) => {
                    if matches!(last[0], TwinEvent::Diagnostic { .. }) {
                        assert_cut_off(&last.remove(0), "was read (the reply was cut off)");
                    } else {
                        let is_prose = policy.events(&held).all(|event| matches!(event, Event::Prose { .. }));
                        assert!(is_prose, "unsaid: {text:?}");
                    }
                    let behind = end - held.len();
                    assert_eq!(last.remove(0), TwinEvent::Dropped(start..behind));
                    let rest = if held.is_empty() { vec![] } else { vec![prose(behind..end)] };
                    assert_eq!(last, rest);
                }
            }
            let ended = || parser_events(&policy, text);
            assert!(policy.events_with(text, Finish::Truncated).map(|event| library::event(&event)).eq(ended()));
            assert_collected(&policy, text, &ended());
            assert!(parser.is_finished());
            assert_eq!(parser.feed("[[RUN cmd='late'/]]").count(), 0);
            assert!(given <= end);
            cases += 1;
        }
    }
    assert!(cases > 5_000, "{cases}");
}

#[test]
fn a_whole_reply_may_be_told_how_it_ended() {
    let policy = workforce::policy(Role::Developer, Mode::Work);
    let text = "a [[RUN cmd='a'/]] [[WRITE_FILE path='x']] b [[RUN cmd='rm'/]] c";
    let complete = policy.parse_with(text, Finish::Complete);
    assert_eq!(complete, policy.parse(text));
    assert!(policy.events_with(text, Finish::Complete).eq(policy.events(text)));
    assert_eq!(complete.tags().len(), 2);
    let cut_off = policy.parse_with(text, Finish::Truncated);
    assert_eq!((cut_off.tags().len(), &*cut_off.prose()), (1, "a"));
    assert_eq!(cut_off.error_text(), "ERROR: unclosed tag [[WRITE_FILE]] ignored (the reply was cut off)");
}

/// A collected reply matches its events, on the heap and in an arena.
#[track_caller]
fn assert_collected(policy: &Policy<'_>, text: &str, events: &[TwinEvent]) {
    let arena = Bump::new();
    let reply = policy.parse_with(text, Finish::Truncated);
    assert_eq!(policy.parse_in_with(text, &arena, Finish::Truncated), reply);
    let tags = reply.tags().iter().map(|tag| library::event(&Event::Tag(*tag)));
    assert!(tags.eq(events.iter().filter(|event| matches!(event, TwinEvent::Tag { .. })).cloned()), "{text:?}");
    let diagnostics = reply.diagnostics().iter().map(|diagnostic| library::event(&Event::Diagnostic(*diagnostic)));
    let expected = events.iter().filter(|event| matches!(event, TwinEvent::Diagnostic { .. })).cloned();
    assert!(diagnostics.eq(expected), "{text:?}");
    assert_eq!(twin::prose(text, events), reply.prose(), "{text:?}");
}

fn truncated(text: &str) -> Vec<TwinEvent> {
    parser_events(&workforce::policy(Role::Developer, Mode::Work), text)
}

/// The events of a stream truncated after this text, with adjacent prose joined.
#[track_caller]
fn parser_events(policy: &Policy<'_>, text: &str) -> Vec<TwinEvent> {
    let mut parser = Parser::new(policy.clone());
    let mut events: Vec<_> = parser.feed(text).map(|event| library::event(&event)).collect();
    for event in parser.finish_with(Finish::Truncated).map(|event| library::event(&event)) {
        match (events.last_mut(), event) {
            (Some(TwinEvent::Prose(last)), TwinEvent::Prose(more)) => last.end = more.end,
            (_, event) => events.push(event),
        }
    }
    assert_eq!(tiled_to(&events), text.len());
    events
}

/// The end of the tiles that start at 0.
#[track_caller]
fn tiled_to(events: &[TwinEvent]) -> usize {
    let mut end = 0;
    for event in events {
        let (TwinEvent::Prose(span) | TwinEvent::Dropped(span) | TwinEvent::Tag { span, .. }) = event else {
            continue;
        };
        assert_eq!(span.start, end, "a gap in {events:?}");
        end = span.end;
    }
    end
}

fn prose(span: std::ops::Range<usize>) -> TwinEvent {
    TwinEvent::Prose(span)
}

fn unclosed(tag: &str, span: std::ops::Range<usize>, message: &str) -> TwinEvent {
    TwinEvent::Diagnostic { code: "unclosed", tag: Some(tag.to_owned()), span, message: message.to_owned() }
}

#[track_caller]
fn assert_cut_off(event: &TwinEvent, end: &str) {
    assert!(
        matches!(event, TwinEvent::Diagnostic { code: "unclosed", message, .. } if message.ends_with(end)),
        "{event:?}"
    );
}
