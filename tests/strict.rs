//! The strict dialect in the public API: every way to read a whole reply, the lines for the model, and what a host sees of a stream.
//! `strict_twin.rs` has the cuttings and the principles.

#[path = "support/strict_library.rs"]
mod strict_library;
mod support;

use std::borrow::Cow;
use std::cell::RefCell;

use bumpalo::Bump;
use strict_library::{Library, finish, seen};
use support::strict_follow::Follower;
use support::strict_generator::{StrictCase, strict_case, strict_protocols};
use support::strict_twin::StrictTwin;
use support::strict_vectors::{PROTOCOLS, StrictVector, strict_protocol, strict_vectors};
use tagwire::{
    AttrSpec, Event, EventReader, FeedbackLimits, ParseOptions, Parser, Pending, Policy, Protocol, ProtocolSpec,
    Severity, TagSpec,
};

/// Calls `check` with each vector.
fn over_vectors(check: impl Fn(&Library, &StrictTwin<'_>, &StrictVector)) {
    let protocols = PROTOCOLS.map(|name| (name, strict_protocol(name)));
    let libraries = protocols.each_ref().map(|(_, protocol)| Library::new(protocol));
    for vector in strict_vectors() {
        let i = protocols.iter().position(|(name, _)| *name == vector.protocol).expect("a protocol");
        let twin = vector.twin(&protocols[i].1);
        check(&libraries[i], &twin, &vector);
    }
}

/// Calls `check` with so many generated replies.
fn over_replies(count: u64, check: impl Fn(&Library, &StrictCase<'_>)) {
    let protocols = strict_protocols();
    let libraries: Vec<Library> = protocols.iter().map(Library::new).collect();
    for seed in 0..count {
        let case = strict_case(&protocols, seed);
        let i = protocols.iter().position(|protocol| std::ptr::eq(protocol, case.protocol)).expect("one of them");
        check(&libraries[i], &case);
    }
}

/// The whole reply, by each of the ways to read one.
fn assert_whole(library: &Library, twin: &StrictTwin<'_>, text: &str) {
    let policy = library.policy(twin);
    let expected = twin.read(text);
    let options = ParseOptions::from(finish(twin.is_truncated)).with_begins_inside(twin.begins_inside.as_deref());
    let mut follower = Follower::new(text, &expected, &[]);
    let (mut tags, mut diagnostics, mut prose) = (Vec::new(), Vec::new(), String::new());
    for event in policy.events_with(text, options) {
        follower.take(seen(&event));
        match event {
            Event::Tag(tag) => tags.push(tag),
            Event::Diagnostic(diagnostic) => diagnostics.push(diagnostic),
            Event::Prose { text, .. } => prose.push_str(text),
            _ => {}
        }
    }
    follower.end();
    let arena = Bump::new();
    for reply in [policy.parse_with(text, options), policy.parse_in_with(text, &arena, options)] {
        assert_eq!((reply.tags(), reply.diagnostics()), (&*tags, &*diagnostics), "{text:?}");
        assert_eq!(reply.prose(), prose.trim_matches(tagwire::is_space), "{text:?}");
    }
}

#[test]
fn vectors_whole() {
    over_vectors(|library, twin, vector| {
        assert_eq!(twin.read(&vector.text).to_json(), vector.expected, "{}", vector.id);
        assert_whole(library, twin, &vector.text);
    });
}

#[test]
fn generated_replies_whole() {
    over_replies(1_500, |library, case| assert_whole(library, &case.twin(), &case.text));
}

/// The golden file has the line of every diagnostic of the named vectors. `TAGWIRE_WRITE_LINES=1` writes it.
#[test]
fn lines_for_the_model() {
    let lines = RefCell::new(String::new());
    over_vectors(|library, twin, vector| {
        if vector.shows.is_empty() {
            return;
        }
        let options = ParseOptions::from(finish(twin.is_truncated)).with_begins_inside(twin.begins_inside.as_deref());
        for diagnostic in library.policy(twin).parse_with(&vector.text, options).diagnostics() {
            let line = diagnostic.to_string().replace('\n', "\\n").replace('\r', "\\r");
            lines.borrow_mut().push_str(&format!("{}: {line}\n", vector.id));
        }
    });
    let lines = lines.into_inner();
    if std::env::var_os("TAGWIRE_WRITE_LINES").is_some() {
        std::fs::write("tests/data/strict-lines.txt", &lines).expect("the file can be written");
    }
    let expected = include_str!("data/strict-lines.txt");
    for (line, expected) in lines.lines().zip(expected.lines()) {
        assert_eq!(line, expected);
    }
    assert_eq!(lines.len(), expected.len());
}

/// A developer at work in the protocol of the desk.
fn with_desk(check: impl Fn(Policy<'_>)) {
    let protocol = strict_protocol("desk");
    let library = Library::new(&protocol);
    check(library.policy(&protocol.twin(Some("developer"), Some("work"))));
}

#[test]
fn pending_shows_what_is_open() {
    with_desk(|policy| {
        let mut parser = Parser::new(policy);
        assert_eq!(parser.feed("a [[WRITE_FILE path=\"x]]").count(), 1);
        let Some(Pending::Token { text, start: 2 }) = parser.pending() else { panic!("{:?}", parser.pending()) };
        assert_eq!(text, "[[WRITE_FILE path=\"x]]");
        let mut events = parser.feed("\" file=\"b\\\"c\"]]body [[/WRI");
        assert!(matches!(events.next(), Some(Event::Diagnostic(_))), "path is given twice");
        assert!(events.by_ref().all(|event| matches!(event, Event::Dropped { .. })));
        drop(events);
        let Some(Pending::Dropped { name, start: 2 }) = parser.pending() else { panic!("{:?}", parser.pending()) };
        assert_eq!(name.to_string(), "WRITE_FILE");
        // Before a quote the close would be text.
        assert!(parser.feed("TE_FILE]]").all(|event| matches!(event, Event::Dropped { .. })));
        assert!(matches!(parser.pending(), Some(Pending::Dropped { start: 2, .. })));
        assert!(matches!(parser.feed(" x").last(), Some(Event::Prose { text: " x", .. })));
        assert_eq!(parser.pending(), None);

        parser.reset();
        assert_eq!(parser.feed("[[WRITE_FILE file=\"b\\\"c\" until='E']]body [[/WRITE_FILE ").count(), 0);
        let Some(Pending::Open(tag)) = parser.pending() else { panic!("{:?}", parser.pending()) };
        let attrs: Vec<_> = tag.attrs().iter().map(|(name, value)| (name, value.text().into_owned())).collect();
        assert_eq!((tag.name(), tag.start(), tag.body()), ("WRITE_FILE", 0, "body "));
        assert_eq!(attrs, [("path", "b\"c".to_owned())]);
        assert!(!tag.is_over_budget());

        parser.reset();
        assert_eq!(parser.feed("[[FOO x=\"1\"]]text").count(), 2, "its token is dropped in any case");
        let Some(Pending::Held { name, text, start: 0, .. }) = parser.pending() else {
            panic!("{:?}", parser.pending())
        };
        assert_eq!((name.to_string(), text), ("FOO".to_owned(), "text"));
    });
}

#[test]
fn values_are_as_written_and_as_meant() {
    with_desk(|policy| {
        let reply = policy
            .parse("[[WRITE_FILE path=' a.py ' mode=REPLACE]]\r\nx[[/WRITE_FILE]][[RUN cmd=\"say \\\"hi\\\"\"/]]");
        let [file, run] = reply.tags() else { panic!("{reply:?}") };
        let path = file.attr("path").expect("a path");
        assert_eq!((path.as_written(), path.text()), (" a.py ", "a.py".into()));
        let mode = file.attr("mode").expect("a mode");
        assert_eq!((mode.as_written(), mode.text()), ("REPLACE", "replace".into()));
        assert_eq!((file.body(), file.content()), ("\r\nx", "x"));
        assert!(file.edits().is_none() && file.sections().is_none() && file.argument().is_none());
        assert!(matches!(path.text(), Cow::Borrowed(_)) && matches!(mode.text(), Cow::Borrowed(_)));
        let cmd = run.attr("cmd").expect("a command");
        assert_eq!((cmd.as_written(), cmd.text()), (r#"say \"hi\""#, r#"say "hi""#.into()));
        assert!(matches!(cmd.text(), Cow::Owned(_)));
        assert_eq!(run.into_owned().as_tag(), *run);
    });
}

#[test]
fn feedback_groups_what_repeats_and_tells_warnings() {
    with_desk(|policy| {
        let reply = policy.parse("[[RUN]] [[RUN]] `[[RUN cmd=\"a\"/]]`");
        assert_eq!(
            reply.feedback(FeedbackLimits::default()),
            "ERROR: [[RUN]] was not run: its attribute cmd is missing; write [[RUN cmd=\"...\"/]] (2 times)\n\
             WARNING: [[RUN]] was not run, since it stands in inline code; to run it, outside of code write [[RUN cmd=\"...\"/]]"
        );
        let severities: Vec<_> = reply.diagnostics().iter().map(|diagnostic| diagnostic.severity()).collect();
        assert_eq!(severities, [Severity::Error, Severity::Error, Severity::Warning]);
    });
}

#[test]
fn a_reader_yields_the_events_of_the_whole_text() {
    over_vectors(|library, twin, vector| {
        if twin.begins_inside.is_some() || twin.is_truncated {
            return;
        }
        let expected = twin.read(&vector.text);
        let mut follower = Follower::new(&vector.text, &expected, &[]);
        for event in EventReader::new(vector.text.as_bytes(), library.policy(twin)) {
            follower.take(seen(&event.expect("it is text").as_event()));
        }
        follower.end();
    });
}

#[test]
fn a_warm_arena_and_a_warm_parser_allocate_nothing() {
    let text = "Well.\n[[WRITE_FILE path=\"a\"]]\nb\n[[/WRITE_FILE]] [[x]] `[[RUN cmd=\"a\"/]]` [[RUN cmd='b'/]]\n```\n[[RUN]]\n```\n[[RUN]] [[FO x=\"1\"/]]\n";
    let text = text.repeat(20);
    with_desk(|policy| {
        let mut arena = Bump::with_capacity(1 << 20);
        assert!(policy.parse_in(&text, &arena).tags().len() > 20);
        arena.reset();
        let measured = allocation_counter::measure(|| drop(policy.parse_in(&text, &arena)));
        assert_eq!(measured.count_total, 0);

        let mut parser = Parser::new(policy);
        let mut read = |len: usize| {
            parser.reset();
            let chunks = text.as_bytes().chunks(len).map(|chunk| str::from_utf8(chunk).expect("ASCII"));
            let count: usize = chunks.map(|chunk| parser.feed(chunk).count()).sum();
            count + parser.finish().count()
        };
        for len in [1, 4, 1_000] {
            let warm = read(len);
            let measured = allocation_counter::measure(|| assert_eq!(read(len), warm));
            assert_eq!(measured.count_total, 0, "chunks of {len}");
        }
    });
}

#[test]
#[should_panic(expected = "has no region called \"mind\"")]
fn a_region_must_be_one_of_the_protocol() {
    with_desk(|policy| Parser::new(policy).begin_inside("mind"));
}

#[test]
#[should_panic(expected = "a reply begins before its first chunk")]
fn a_reply_begins_before_its_first_chunk() {
    with_desk(|policy| {
        let mut parser = Parser::new(policy);
        assert_eq!(parser.feed("a").count(), 1);
        parser.begin_inside("think");
    });
}

#[test]
fn a_look_up_of_an_absent_attribute_gives_its_default() {
    const PROTOCOL: Protocol<'static> = Protocol::checked(
        &ProtocolSpec::strict(
            "shell",
            &[TagSpec::new("RUN").attributes(&[
                AttrSpec::new("cmd").required(),
                AttrSpec::new("mode").one_of(&["fast", "slow"]).default_value("FAST"),
            ])],
        )
        .open(),
    );
    let policy = PROTOCOL.unrestricted();
    let reply = policy.parse(r#"[[RUN cmd="a"/]] [[RUN cmd="b" mode=slow/]]"#);
    for (tag, mode) in reply.tags().iter().zip(["fast", "slow"]) {
        let owned = tag.into_owned();
        for tag in [*tag, owned.as_tag()] {
            assert_eq!(tag.attr("mode").expect("a mode"), mode);
            assert_eq!(tag.attr("other"), None);
        }
    }
    assert_eq!(reply.tags()[0].attrs().len(), 1, "what was written");
}
