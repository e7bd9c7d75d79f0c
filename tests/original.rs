//! The library returns the answers of the seed (the Python module that the protocol comes from) to all vectors, for every way
//! to parse them.

mod support;

#[path = "support/library.rs"]
mod library;

use bumpalo::Bump;
use support::{ExpectedTag, Vector, vectors};
use tagwire::{DiagnosticCode, Event, Parser, Policy, Tag, workforce};

#[test]
fn parse_gives_the_answers_of_the_seed() {
    for vector in vectors() {
        let reply = policy(&vector).parse(&vector.text);
        assert_tags(&vector, reply.tags());
        assert_lines(&vector, reply.errors().map(|line| line.to_string()));
        assert_eq!(reply.error_text(), vector.errors.join("\n"), "{}", vector.id);
        assert_eq!(reply.prose(), vector.prose, "prose of {}", vector.id);
        assert_eq!(reply.text(), vector.text);
        assert!(reply.tag_names().eq(vector.tags.iter().map(|tag| &*tag.name)));
    }
}

#[test]
fn parse_in_an_arena_gives_the_answers_of_the_seed() {
    let mut arena = Bump::new();
    for vector in vectors() {
        arena.reset();
        let reply = policy(&vector).parse_in(&vector.text, &arena);
        assert_tags(&vector, reply.tags());
        assert_lines(&vector, reply.errors().map(|line| line.to_string()));
        assert_eq!(reply.prose(), vector.prose, "prose of {}", vector.id);
        assert_eq!(reply.text(), vector.text);
    }
}

#[test]
fn events_give_the_answers_of_the_seed() {
    for vector in vectors() {
        let mut reader = Reader::new(&vector);
        policy(&vector).events(&vector.text).for_each(|event| reader.take(event));
        reader.end();
    }
}

#[test]
fn a_parser_that_is_fed_it_all_gives_the_answers_of_the_seed() {
    for vector in vectors() {
        let mut parser = Parser::new(policy(&vector));
        let mut reader = Reader::new(&vector);
        parser.feed(&vector.text).for_each(|event| reader.take(event));
        parser.finish().for_each(|event| reader.take(event));
        reader.end();
    }
}

#[track_caller]
fn policy(vector: &Vector) -> Policy<'static> {
    let policy = workforce::PROTOCOL.policy(&vector.role, &vector.mode);
    policy.expect("a known role and mode")
}

/// Holds events against a vector: they say all of it, and their tiles cover each byte of the reply once.
struct Reader<'v> {
    vector: &'v Vector,
    /// Where the next tile starts.
    at: usize,
    tags: usize,
    lines: Vec<String>,
    budget_lines: Vec<String>,
    prose: String,
}

impl<'v> Reader<'v> {
    fn new(vector: &'v Vector) -> Self {
        Self { vector, at: 0, tags: 0, lines: Vec::new(), budget_lines: Vec::new(), prose: String::new() }
    }

    #[track_caller]
    fn take(&mut self, event: Event<'_>) {
        let Vector { id, text, tags, .. } = self.vector;
        let span = event.span();
        assert!(!span.is_empty() && span.end <= text.len(), "{id}: {span:?}");
        match event {
            Event::Diagnostic(diagnostic) => {
                let lines = match diagnostic.code() {
                    DiagnosticCode::OverBudget => &mut self.budget_lines,
                    _ => &mut self.lines,
                };
                lines.push(diagnostic.to_string());
                return;
            }
            Event::Prose { text: piece, .. } => {
                assert_eq!(piece, &text[span.range()], "{id}");
                self.prose.push_str(piece);
            }
            Event::Tag(tag) => {
                assert!(self.tags < tags.len(), "{id}: {tag:?} too many");
                assert_tag(self.vector, tag, &tags[self.tags]);
                self.tags += 1;
            }
            Event::Dropped { .. } => {}
            other => panic!("{id}: {other:?}"),
        }
        assert_eq!(span.start, self.at, "tiles of {id}");
        self.at = span.end;
    }

    #[track_caller]
    fn end(self) {
        let Vector { id, text, tags, .. } = self.vector;
        assert_eq!(self.at, text.len(), "tiles of {id}");
        assert_eq!(self.tags, tags.len(), "tags of {id}");
        assert_lines(self.vector, self.lines.into_iter().chain(self.budget_lines));
        let stripped = self.prose.trim_matches(support::twin::is_space);
        assert_eq!(stripped, self.vector.prose, "prose of {id}");
    }
}

#[track_caller]
fn assert_tags(vector: &Vector, tags: &[Tag<'_>]) {
    assert_eq!(tags.len(), vector.tags.len(), "tags of {}", vector.id);
    for (tag, expected) in tags.iter().zip(&vector.tags) {
        assert_tag(vector, *tag, expected);
    }
}

#[track_caller]
fn assert_tag(vector: &Vector, tag: Tag<'_>, expected: &ExpectedTag) {
    assert_eq!(tag.name(), expected.name, "{}", vector.id);
    assert_eq!(library::pairs(tag), expected.attrs, "{}", vector.id);
    assert_eq!(tag.attrs().len(), expected.attrs.len(), "{}", vector.id);
    for (key, value) in &expected.attrs {
        assert_eq!(tag.attr(key), Some(value.as_str().into()), "{}", vector.id);
    }
    assert_eq!(tag.body(), expected.body, "{}", vector.id);
    assert_eq!(tag.raw(), expected.raw, "{}", vector.id);
    assert_eq!(&vector.text[tag.span().range()], expected.raw, "{}", vector.id);
}

#[track_caller]
fn assert_lines(vector: &Vector, lines: impl Iterator<Item = String>) {
    let lines: Vec<String> = lines.collect();
    assert_eq!(lines, vector.errors, "errors of {}", vector.id);
}
