//! The traits of the types: for storing, sharing and printing.

use std::collections::HashSet;
use std::fmt::Debug;

use tagwire::workforce::{self, Mode, Role};
use tagwire::{
    Attrs, Diagnostic, DiagnosticCode, Escaped, Event, Events, Name, OwnedEvent, OwnedTag, Parser, Pending, Policy,
    PolicyBuf, Protocol, ProtocolBuf, ProtocolError, Reply, ReplyEvents, Span, Tag, TagError, UnknownRole, Utf8Decoder,
};

#[test]
fn all_can_be_shared_between_threads() {
    fn check<T: Send + Sync + Debug>() {}
    check::<Protocol<'_>>();
    check::<ProtocolBuf>();
    check::<Policy<'_>>();
    check::<PolicyBuf>();
    check::<Reply<'_>>();
    check::<ReplyEvents<'_>>();
    check::<Tag<'_>>();
    check::<Attrs<'_>>();
    check::<Diagnostic<'_>>();
    check::<Event<'_>>();
    check::<OwnedEvent>();
    check::<Parser<'_>>();
    check::<Events<'_>>();
    check::<Pending<'_>>();
    check::<Utf8Decoder>();
    check::<TagError>();
    check::<Escaped<'_>>();
}

#[test]
fn what_is_found_can_be_copied() {
    fn check<T: Copy>() {}
    check::<Protocol<'_>>();
    check::<Tag<'_>>();
    check::<Attrs<'_>>();
    check::<Diagnostic<'_>>();
    check::<Event<'_>>();
    check::<Pending<'_>>();
    check::<Span>();
    check::<DiagnosticCode>();
    check::<Name<'_>>();
}

#[test]
fn errors_are_errors_that_live_on() {
    fn check<T: std::error::Error + Send + Sync + 'static>() {}
    check::<ProtocolError>();
    check::<UnknownRole>();
    check::<TagError>();
    check::<workforce::ParseNameError>();
    check::<workforce::edit::EditError>();
    check::<tagwire::Utf8Error>();
}

#[test]
fn a_tag_is_at_most_96_bytes() {
    assert!(size_of::<Tag<'_>>() <= 96, "{}", size_of::<Tag<'_>>());
    assert!(size_of::<Diagnostic<'_>>() <= 96, "{}", size_of::<Diagnostic<'_>>());
    assert!(size_of::<Event<'_>>() <= 104, "{}", size_of::<Event<'_>>());
}

#[test]
fn a_policy_is_small_and_aligned_like_a_pointer() {
    assert!(size_of::<Policy<'_>>() <= 64, "{}", size_of::<Policy<'_>>());
    assert!(size_of::<Protocol<'_>>() <= 16, "{}", size_of::<Protocol<'_>>());
    assert!(align_of::<Policy<'_>>() <= 16, "{}", align_of::<Policy<'_>>());
}

#[test]
fn a_span_that_ends_before_it_starts_is_empty() {
    let span = Span::new(3, 1);
    assert_eq!((span.len(), span.is_empty()), (0, true));
    assert_eq!((Span::new(1, 3).len(), Span::new(1, 3).is_empty(), Span::new(1, 1).is_empty()), (2, false, true));
}

/// Lifetimes are covariant.
#[test]
fn lives_may_be_shortened() {
    fn reply<'s, 'l: 's>(reply: Reply<'l>) -> Reply<'s> {
        reply
    }
    fn policy<'s, 'l: 's>(policy: Policy<'l>) -> Policy<'s> {
        policy
    }
    assert!(reply(policy(developer()).parse("[[RUN/]]")).has_tag("RUN"));
}

#[test]
fn tags_print_and_compare() {
    let text = "[[RUN cmd='a'/]] [[RUN cmd='a'/]]";
    let reply = developer().parse(text);
    let (first, second) = (reply.tags()[0], reply.tags()[1]);
    assert_eq!(first.to_string(), "[[RUN cmd='a'/]]");
    assert_eq!(
        format!("{first:?}"),
        r#"Tag { name: "RUN", attrs: {"cmd": "a"}, body: "", span: Span { start: 0, end: 16 } }"#
    );
    assert_eq!(first, developer().parse(text).tags()[0]);
    assert_ne!(first, second, "the same at another place");
    assert_eq!(first.attrs(), second.attrs());
    assert_ne!(first.attrs(), developer().parse("[[RUN cmd='b'/]]").tags()[0].attrs());
    assert_eq!(HashSet::from([first, second, first]).len(), 2);
    let owned: OwnedTag = first.into_owned();
    assert_eq!(owned.as_tag(), first);
    assert_eq!(format!("{owned:?} {owned}"), format!("{first:?} {first}"));
}

#[test]
fn attributes_are_counted_however_many_and_however_often() {
    let many: String = (0..40).map(|i| format!("k{}='{i}' ", i % 30)).collect();
    let known =
        [("", 0), ("a='1'", 1), ("a='1' b='2'", 2), ("a='1' b='2' c='3'", 3), ("a='1' a='2' b='3'", 2), (&many, 30)];
    for (written, count) in known {
        let text = format!("[[RUN {written}/]]");
        let reply = developer().parse(&text);
        let attrs = reply.tags()[0].attrs();
        assert_eq!((attrs.len(), attrs.is_empty(), attrs.into_iter().count()), (count, count == 0, count), "{text}");
        assert_eq!(attrs.get("c").is_some(), written.contains("c="), "{text}");
        assert_eq!(attrs.get("k9"), if count == 30 { Some("39".into()) } else { None }, "{text}");
    }
}

#[test]
fn owned_events_say_what_the_borrowed_ones_say() {
    let text = "a [[RUN x/]] [[note]] [[/b]]";
    for event in developer().events(text) {
        let owned = event.into_owned();
        assert_eq!(owned.span(), event.span());
        match (&owned, event) {
            (OwnedEvent::Prose { text, .. }, Event::Prose { text: borrowed, .. }) => assert_eq!(text, borrowed),
            (OwnedEvent::Tag(tag), Event::Tag(borrowed)) => assert_eq!(tag.as_tag(), borrowed),
            (OwnedEvent::Dropped { .. }, Event::Dropped { .. }) => {}
            (OwnedEvent::Diagnostic(owned), Event::Diagnostic(borrowed)) => {
                assert_eq!(owned.to_string(), borrowed.to_string());
                assert_eq!(owned.to_string(), borrowed.to_string());
                assert_eq!(owned.code(), borrowed.code());
                assert_eq!(
                    owned.tag_name().map(|name| name.to_string()),
                    borrowed.tag_name().map(|name| name.to_string())
                );
            }
            (owned, event) => panic!("{owned:?} of {event:?}"),
        }
    }
}

#[test]
fn names_compare_in_any_case() {
    let reply = developer().parse("[[note]]");
    let name = reply.diagnostics()[0].tag_name().expect("a name");
    assert_eq!(name, "NOTE");
    assert_eq!(name, *"Note");
    assert_ne!(name, "NOTES");
    assert_eq!((name.as_written(), name.to_string()), ("note", "NOTE".to_owned()));
}

fn developer() -> Policy<'static> {
    workforce::policy(Role::Developer, Mode::Work)
}
