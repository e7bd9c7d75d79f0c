//! The library as a parser of the strict dialect, for the checks that every such parser has to pass.

use tagwire::{Event, Finish, Parser, Policy, ProtocolBuf, Tag};

use crate::support::strict_checks::Subject;
use crate::support::strict_follow::{Machine, Seen};
use crate::support::strict_twin::protocol::StrictProtocol;
use crate::support::strict_twin::{GivenTag, Said, StrictTwin, Tile};

/// Makes parsers of the library for a protocol.
pub struct Library {
    protocol: ProtocolBuf,
}

impl Library {
    pub fn new(protocol: &StrictProtocol) -> Self {
        let protocol = ProtocolBuf::from_json(&protocol.source.to_string()).expect("a valid protocol");
        Library { protocol }
    }

    /// The policy that a twin reads by.
    pub fn policy(&self, twin: &StrictTwin<'_>) -> Policy<'_> {
        let protocol = self.protocol.as_protocol();
        protocol.policy_for(twin.role.as_deref(), twin.mode.as_deref()).expect("a known role and mode")
    }
}

impl Subject for Library {
    fn machine(&self, twin: &StrictTwin<'_>) -> Box<dyn Machine + '_> {
        let mut parser = Parser::new(self.policy(twin));
        if let Some(region) = &twin.begins_inside {
            parser.begin_inside(region);
        }
        Box::new(Parses(parser))
    }
}

struct Parses<'p>(Parser<'p>);

impl Machine for Parses<'_> {
    fn feed(&mut self, chunk: &str, most: usize) -> Vec<Seen> {
        self.0.feed(chunk).take(most).map(|event| seen(&event)).collect()
    }

    fn finish(&mut self, is_truncated: bool, most: usize) -> Vec<Seen> {
        self.0.finish_with(finish(is_truncated)).take(most).map(|event| seen(&event)).collect()
    }
}

pub fn finish(is_truncated: bool) -> Finish {
    if is_truncated { Finish::Truncated } else { Finish::Complete }
}

/// An event as the twin would tell it. What is copied says the same.
pub fn seen(event: &Event<'_>) -> Seen {
    let seen = seen_once(event);
    let copy = event.into_owned();
    assert_eq!(seen_once(&copy.as_event()), seen, "the copy of {event:?}");
    assert_eq!(copy.as_event(), *event);
    seen
}

fn seen_once(event: &Event<'_>) -> Seen {
    let tile = match event {
        Event::Prose { span, .. } => Tile::Prose(span.range()),
        Event::Dropped { span } => Tile::Dropped(span.range()),
        Event::Region { name, span, text, .. } => {
            assert_eq!(text.len(), span.len());
            Tile::Region { name: (*name).into(), span: span.range() }
        }
        Event::Tag(tag) => Tile::Tag(Box::new(given(tag))),
        Event::Diagnostic(diagnostic) => {
            let is_unknown = diagnostic.code().as_str() == "unknown-tag";
            let nearest: Vec<String> = diagnostic.nearest().map(str::to_owned).collect();
            assert!(is_unknown || nearest.is_empty());
            return Seen::Said(Said {
                code: diagnostic.code().as_str(),
                severity: diagnostic.severity().as_str(),
                tag: diagnostic.tag_name().expect("a name").to_string(),
                span: diagnostic.span().range(),
                reason: diagnostic.reason(),
                attribute: diagnostic.attribute().map(str::to_owned),
                nearest: is_unknown.then_some(nearest),
            });
        }
        other => panic!("an event of a new kind: {other:?}"),
    };
    Seen::Tile(tile)
}

fn given(tag: &Tag<'_>) -> GivenTag {
    let owned = |(one, two): (&str, &str)| (one.to_owned(), two.to_owned());
    GivenTag {
        span: tag.span().range(),
        name: tag.name().into(),
        attrs: tag.attrs().iter().map(|(name, value)| (name.to_owned(), value.text().into_owned())).collect(),
        argument: tag.argument().map(|argument| argument.text().into_owned()),
        body: tag.body().into(),
        content: tag.content().into(),
        edits: tag.edits().map(|edits| edits.map(|(old, new)| (old.into_owned(), new.into_owned())).collect()),
        sections: tag.sections().map(|sections| sections.map(owned).collect()),
    }
}
