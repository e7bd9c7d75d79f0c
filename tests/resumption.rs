//! Every resumable state with every kind of chunk: the events of the chunk, the pending text after it, and the rest of the reply
//! are those of the twin.

mod support;

#[path = "support/library.rs"]
mod library;

use library::{Follower, policy_of, protocol_buf};
use support::twin::TwinProtocol;
use tagwire::Parser;

/// Texts that end in each state in which a stream can stop.
const STATES: &[&str] = &[
    // Prose, and the beginning of a token.
    "",
    "a",
    "a[",
    "a]",
    "a[[",
    "a[[[",
    "[[R",
    "[[RUN x='",
    "[[RUN x='y'/",
    "[[RUN]",
    "[[RUN]]",
    "[[RUN/]] a",
    "[[ \u{3000}",
    "[[RUN\n/",
    "[[/",
    "[[/RUN]",
    // A body, and the beginning of its close.
    "[[ASK_USER]]",
    "[[ASK_USER x]]é",
    "[[ASK_USER]]a[",
    "[[ASK_USER]]a[[",
    "[[ASK_USER]]a[[[",
    "[[ASK_USER]]a[[/",
    "[[ASK_USER]]a[[/ \u{2003}",
    "[[ASK_USER]]a[[/A",
    "[[ASK_USER]]a[[/aſ",
    "[[ASK_USER]]a[[/ASK_USER",
    "[[ASK_USER]]a[[/ASK_USERS",
    "[[ASK_USER]]a[[/ASK_USER\u{85}",
    "[[ASK_USER]]a[[/ASK_USER ]",
    "[[ASK_USER]]a[[/RU",
    "[[ASK_USER]]a[[/RUN ]",
    "[[ASK_USER]]a[[RUN/]]b[[/RUN]]",
    // Unknown or refused tags, which may have a close.
    "[[note]]",
    "[[note]] [[RUN/]] [[/NOT",
    "[[HIRE x]] [[",
    "[[]]",
    "[[]][[/",
    "[[]][[/]",
    // After other tags.
    "a [[RUN/]] b [[ASK_USER]]q[[/ASK_USER]] [[WRITE_FILE path='a'",
];

/// Chunks of each kind of character that a state distinguishes, and runs of several.
const CHUNKS: &[&str] = &[
    "",
    "[",
    "]",
    "]]",
    "/",
    "/]]",
    " ",
    "\u{3000}",
    "\n",
    "a",
    "S",
    "ſ",
    "K",
    "K",
    "_",
    "7",
    "=",
    "\"",
    "'",
    "é",
    "[[",
    "[[/",
    "[[[",
    "x]",
    "x[",
    "x]]",
    "K_USER]]",
    "SK_USER]]",
    "ASK_USER]]",
    " ASK_USER ]]",
    "N]]",
    "UN]]",
    "E]]",
    "]] a",
    " plain text, and more of it ",
    "a long text with [one] and ]two] brackets, and a ] at the end ]",
    "[[RUN cmd='x'/]]",
    "[[/note]]",
    "[[/HIRE]]",
];

#[test]
fn every_state_takes_every_chunk() {
    let protocol = TwinProtocol::workforce();
    let owned = protocol_buf(&protocol);
    let twin = protocol.twin("developer", "work");
    for limit in [None, Some(3), Some(16), Some(40)] {
        let twin = twin.clone().with_max_tag_bytes(limit);
        let policy = policy_of(&owned, &twin);
        for state in STATES {
            for first in CHUNKS {
                for second in ["", "]", "[", "x"] {
                    let text = format!("{state}{first}{second}");
                    let expected = twin.events(&text);
                    let mut follower = Follower::new(&text, &expected, &[]);
                    let mut parser = Parser::new(policy.clone());
                    for (at, chunk) in [(state.len(), *state), (state.len() + first.len(), first), (text.len(), second)]
                    {
                        parser.feed(chunk).for_each(|event| follower.take(event));
                        let so_far = &text[..at];
                        assert_eq!(follower.taken(), twin.decided(so_far), "{so_far:?} of {text:?}, limit {limit:?}");
                        let pending = parser.pending().map(|pending| library::pending(&pending));
                        assert_eq!(pending, twin.pending(so_far), "{so_far:?} of {text:?}, limit {limit:?}");
                    }
                    parser.finish().for_each(|event| follower.take(event));
                    follower.end();
                }
            }
        }
    }
}

/// A leaked iterator loses the end of its chunk, and the next feed panics.
#[test]
fn a_leak_is_noticed() {
    for (first, taken) in [("x [[WRITE_FILE]]abc", 9), ("x [[WRITE_FILE]]abc", 0), ("x", 0), ("x [[RUN ", 0)] {
        for next in ["y", "[[", ""] {
            let mut parser = Parser::new(tagwire::workforce::PROTOCOL.policy("developer", "work").expect("known"));
            parser.feed("a").for_each(drop);
            let mut events = parser.feed(first);
            events.by_ref().take(taken).for_each(drop);
            std::mem::forget(events);
            assert!(parser.pending().is_none());
            assert!(!format!("{parser:?}").is_empty());
            let fed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| parser.feed(next).count()));
            let message = *fed.expect_err("noticed").downcast::<&str>().expect("a message");
            assert!(message.contains("was leaked"), "{message}");
            parser.reset();
            assert_eq!(parser.feed("b").count(), 1);
        }
    }
}
