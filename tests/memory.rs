//! Memory: only text that must be held is kept, and a warm parser allocates nothing.
//!
//! Counted by an allocator, per thread.

use std::panic::{AssertUnwindSafe, catch_unwind};

use allocation_counter::{AllocationInfo, measure, opt_out};
use bumpalo::Bump;
use tagwire::workforce::{self, Mode, Role};
use tagwire::{Event, Limits, Parser, Pending, Policy, Utf8Decoder};

/// Replies of different lengths, with all kinds of content.
fn replies() -> Vec<String> {
    let reply = |number: usize| {
        format!(
            "I look at it.\n[[READ_FILE path=\"src/{number}.py\"/]] [[NOTE]]{}[[/NOTE]]\n[[WRITE_FILE path='a' mode=\"w\" path='b']]\n{}\n[[/WRITE_FILE]][[HIRE name=\"x\"]]\n[[/RUN]][[RUN cmd=\"pytest\" ???/]] [[UNHEARD]] [[ASK_USER]]",
            "note ".repeat(number % 7),
            "x = [[1], [2]]\n".repeat(number % 40),
        )
    };
    (0..120).map(reply).collect()
}

fn developer() -> Policy<'static> {
    workforce::policy(Role::Developer, Mode::Work)
}

#[test]
fn an_arena_that_is_warm_takes_replies_without_allocating() {
    let (policy, replies) = (developer(), replies());
    let mut arena = Bump::new();
    let mut read_all = || {
        let mut found = 0;
        for text in &replies {
            let reply = policy.parse_in(text, &arena);
            found += reply.tags().len() + reply.diagnostics().len() + reply.prose_parts().count();
            found += reply.tags().iter().filter_map(|tag| tag.attr("path")).count();
            arena.reset();
        }
        found
    };
    let found = read_all();
    let memory = measure(|| assert_eq!(read_all(), found));
    assert!(found > 1_000);
    assert_eq!(memory.count_total, 0, "{memory:?}");
}

/// The arena limits its own size: a reply that does not fit panics, and the arena stays usable.
#[test]
fn a_limited_arena_panics_and_can_be_used_again() {
    let policy = developer();
    let mut arena = Bump::new();
    arena.set_allocation_limit(Some(1 << 20));
    let large = "[[NOTE]]".repeat(100_000);
    let panic = catch_unwind(AssertUnwindSafe(|| policy.parse_in(&large, &arena).diagnostics().len()));
    assert!(panic.is_err(), "{panic:?}");
    assert!(arena.allocated_bytes() <= 1 << 20);
    arena.reset();
    assert_eq!(policy.parse_in("[[RUN/]][[NOTE]]", &arena).tags().len(), 1);
    // Events need no limit.
    assert_eq!(policy.events(&large).filter(|event| matches!(event, Event::Diagnostic(_))).count(), 100_000);
}

#[test]
fn a_stream_that_is_warm_allocates_nothing() {
    let replies = replies();
    for length in [1, 4, 50, 1000] {
        let mut parser = Parser::new(developer());
        let mut read_all = || {
            let mut events = 0;
            for text in &replies {
                for chunk in text.as_bytes().chunks(length) {
                    let chunk = std::str::from_utf8(chunk).expect("ASCII");
                    events += parser.feed(chunk).count();
                    events += usize::from(parser.pending().is_some());
                }
                events += parser.finish().count();
                parser.reset();
            }
            events
        };
        read_all();
        let memory = measure(|| assert!(read_all() > 1_000));
        assert_eq!(memory.count_total, 0, "chunks of {length}: {memory:?}");
    }
}

#[test]
fn bytes_cost_no_memory_at_all() {
    let text = "[[ASK_USER]]日本語🙂[[/ASK_USER]]".repeat(100);
    for length in [1, 2, 3, 5, 1000] {
        let mut decoder = Utf8Decoder::lossy();
        let memory = measure(|| {
            for chunk in text.as_bytes().chunks(length) {
                decoder.decode(chunk).for_each(drop);
            }
            assert_eq!(decoder.finish().count(), 0);
        });
        assert_eq!(memory.count_total, 0, "chunks of {length}: {memory:?}");
    }
}

/// While nothing is held, a chunk is not copied.
#[test]
fn a_chunk_that_leaves_nothing_open_is_not_copied() {
    let text = format!("{}[[RUN cmd=\"x\"/]] and so on", "prose ] [x] ".repeat(100_000));
    let policy = developer();
    let memory = measure(|| {
        let mut parser = Parser::new(policy.clone());
        assert_eq!(parser.feed(&text).count(), 3);
        assert_eq!(parser.feed(&text).count(), 3);
        assert_eq!(parser.finish().count(), 0);
    });
    assert_eq!(memory.count_total, 0, "{memory:?}");
}

/// Held memory is a small constant times the text that must be held, plus the chunk.
#[test]
fn what_is_held_is_a_small_constant_times_what_must_be() {
    let body = |piece: &str| format!("[[ASK_USER]]{}", piece.repeat(1_000_000 / piece.len()));
    for (what, text, most) in [
        ("a body", body("text "), 3.1),
        // Each is recorded in eight bytes, so that a missing close does not cause another pass.
        ("openings", body("[[ "), 12.0),
        ("brackets", body("["), 3.1),
        ("closes", body("[[/RUN]]"), 6.0),
        ("the shortest closes", body("[[/]]"), 8.0),
        ("a token", format!("[[RUN cmd=\"{}", "x".repeat(1_000_000)), 3.1),
    ] {
        for length in [1, 7, 4096] {
            let policy = developer();
            let memory = measure(|| {
                let mut parser = Parser::new(policy.clone());
                for chunk in chunks(&text, length) {
                    parser.feed(chunk).for_each(drop);
                }
                assert!(parser.pending().is_some());
            });
            assert!(memory.bytes_max >= text.len() as u64, "{what}: the allocator counts {memory:?}");
            assert_at_most(memory, most * text.len() as f64 + 1000.0, &format!("{what} in chunks of {length}"));
        }
    }
}

/// Memory depends on the open text, not on the text read.
#[test]
fn what_is_given_is_forgotten() {
    let piece = "some prose, [[RUN cmd=\"x\"/]] [[ASK_USER]]a short body[[/ASK_USER]] [[NOTE/]] [[/NOTE]] [";
    let policy = developer();
    for length in [1, 5, 64] {
        let memory = measure(|| {
            let mut parser = Parser::new(policy.clone());
            for _ in 0..5_000 {
                for chunk in chunks(piece, length) {
                    parser.feed(chunk).for_each(drop);
                }
            }
        });
        assert_at_most(memory, 1500.0, &format!("chunks of {length}"));
    }
}

/// An early drop keeps only the events not yielded.
#[test]
fn what_is_not_taken_is_kept_once() {
    let text = "[[RUN/]] ".repeat(10_000);
    let policy = developer();
    let memory = measure(|| {
        let mut parser = Parser::new(policy.clone());
        let mut events = parser.feed(&text).take(1).count();
        while events < 20_000 {
            events += parser.feed("").take(1).count();
        }
    });
    assert_at_most(memory, 1.1 * text.len() as f64 + 1000.0, "one event a feed");
}

/// The end reads the held text in place: only the index of closes is allocated.
#[test]
fn finish_needs_a_small_constant_more() {
    for (what, text, most) in [
        ("unknown names", (0..100_000).map(|i| format!("[[U{i}]]")).collect::<String>(), 7.0),
        ("closes", format!("[[ASK_USER]]{}", "[[/RUN]]".repeat(100_000)), 16.0),
        ("the shortest closes", format!("[[ASK_USER]]{}", "[[/]]".repeat(100_000)), 25.0),
    ] {
        let policy = developer();
        let memory = measure(|| {
            let mut parser = Parser::new(policy.clone());
            parser.feed(&text).for_each(drop);
            parser.finish().for_each(drop);
        });
        assert_at_most(memory, most * text.len() as f64 + 1000.0, what);
    }
}

/// With a limit on the length of a tag, an endless tag needs no more memory than the limit allows.
#[test]
fn an_endless_tag_is_bounded_by_its_limit() {
    const LIMIT: usize = 10_000;
    for start in ["[[WRITE_FILE path='a']]", "[[NOTE]]", "[[HIRE]]", "[[RUN cmd=\"", "[["] {
        for piece in ["endless text ", "[[ ", "[[/RUN]] ", "\u{3000}", "[[/WRITE_FILE", "[[U]]"] {
            let mut policy = developer();
            policy = policy.with_limits(Limits::default().with_max_tag_bytes(Some(LIMIT)));
            let memory = measure(|| {
                let mut parser = Parser::new(policy.clone());
                parser.feed(start).for_each(drop);
                for _ in 0..200_000 {
                    parser.feed(piece).for_each(drop);
                }
                opt_out(|| {
                    assert!(matches!(
                        parser.pending(),
                        None | Some(Pending::Dropped { .. } | Pending::Token { .. } | Pending::Held { .. })
                    ))
                });
                parser.finish().for_each(drop);
            });
            // If each is an open tag, all of them within the limit are recorded.
            assert_at_most(memory, 14.0 * LIMIT as f64, &format!("{start:?} and {piece:?}"));
        }
    }
}

/// Only finding repeated keys among more than a dozen attributes takes memory.
#[test]
fn a_dozen_attributes_are_read_without_allocating() {
    let policy = developer();
    for (count, keys) in [(1, 1), (2, 2), (2, 1), (3, 3), (12, 12), (12, 5), (13, 13)] {
        let attributes: String = (0..count).map(|i| format!(" k{}='{i}'", i % keys)).collect();
        let text = format!("[[RUN{attributes}/]]");
        let reply = policy.parse(&text);
        let memory = measure(|| assert_eq!(reply.tags()[0].attrs().iter().count(), keys));
        assert_eq!(memory.count_total > 0, count > 12, "{count} attributes of {keys} keys");
    }
}

/// An event kept beyond its feed costs only its own text.
#[test]
fn an_owned_event_is_its_own_size() {
    let text = format!("[[ASK_USER]]{}[[/ASK_USER]]", "x".repeat(10_000));
    let policy = developer();
    let event = policy.events(&text).find(|event| matches!(event, Event::Tag(_))).expect("a tag");
    let memory = measure(|| drop(event.into_owned()));
    assert_at_most(memory, text.len() as f64 + 100.0, "an owned tag");
}

fn chunks(text: &str, length: usize) -> impl Iterator<Item = &str> {
    assert!(text.is_ascii());
    (0..text.len()).step_by(length).map(move |at| &text[at..(at + length).min(text.len())])
}

#[track_caller]
fn assert_at_most(memory: AllocationInfo, most: f64, what: &str) {
    assert!(memory.bytes_max as f64 <= most, "{what}: {} bytes, at most {most} are fine", memory.bytes_max);
    assert_eq!(memory.bytes_current, 0, "{what}");
}
