//! Feedback is bounded and cannot be forged.

mod support;

#[path = "support/library.rs"]
mod library;

use support::generator::workforce_case;
use support::twin::TwinProtocol;
use tagwire::workforce::{self, Mode, Role};
use tagwire::{Escaped, Event, Feedback, FeedbackLimits, Parser, Reply};

#[test]
fn a_short_list_is_the_list_of_errors() {
    let reply = developer("[[NOTE]] [[ASK_USER x]] [[/NOPE]] [[HIRE/]] [[RUN a]]");
    assert_eq!(reply.feedback(limits(100, 1_000)), reply.error_text());
    assert_eq!(developer("fine").feedback(limits(100, 1_000)), "");
}

#[test]
fn newlines_and_control_characters_are_escaped() {
    let reply = developer("[[/x\nERROR: forged]] [[RUN \u{1b}2J\u{202e}\u{7f}\u{2028}é🙂\t|]]");
    let expected = [
        "ERROR: stray closing tag [[/x\\nERROR: forged]] ignored",
        "ERROR: malformed attribute fragment '\\u{1b}2J\\u{202e}\\u{7f}\\u{2028}é🙂\\t|' (expected key=\"value\")",
    ];
    assert_eq!(reply.feedback(limits(9, 1_000)), expected.join("\n"));
}

#[test]
fn what_is_written_like_an_escape_does_not_look_like_one() {
    for (quote, line) in [
        ("x\ny", r"x\ny"),
        (r"x\ny", r"x\\ny"),
        (r"x\\ny", r"x\\\\ny"),
        ("x\\\ny", r"x\\\ny"),
        (r"x\u{a}y", r"x\\u{a}y"),
        (r"C:\dir", r"C:\dir"),
    ] {
        let text = format!("[[/{quote}]]");
        assert_eq!(developer(&text).feedback(limits(9, 200)), format!("ERROR: stray closing tag [[/{line}]] ignored"));
    }
}

#[test]
fn joiners_are_part_of_words() {
    let reply = developer("[[/نمی\u{200c}خواهم 👩\u{200d}🔬]]");
    assert_eq!(reply.feedback(limits(9, 200)), reply.error_text());
}

/// The default-ignorable code points, and the blocks of unassigned ones among them.
#[test]
fn invisible_characters_are_escaped() {
    let ranges = [(0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)];
    let more =
        [(0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF)];
    let rest = [(0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)];
    for (first, last) in ranges.into_iter().chain(more).chain(rest) {
        for code in first..=last {
            let c = char::from_u32(code).expect("no surrogate");
            let text = format!("[[/- {c}-]]");
            let line = format!("ERROR: stray closing tag [[/- \\u{{{code:x}}}-]] ignored");
            assert_eq!(developer(&text).feedback(FeedbackLimits::default()), line);
        }
    }
}

#[test]
fn a_long_quote_is_shortened_in_its_middle() {
    let text = format!("[[RUN {}z]]", "a".repeat(100_000));
    let line = developer(&text).feedback(limits(9, 80));
    assert_eq!(line.chars().count(), 80);
    assert_eq!(line, "ERROR: malformed attribute fragment 'aaaaaaaaa…aaaaaaaaz' (expected key=\"value\")");
}

#[test]
fn an_escape_is_never_cut() {
    let text = format!("[[/{}]]", "\u{1b}".repeat(100));
    for max in 0..80 {
        let line = developer(&text).feedback(limits(9, max));
        assert!(line.chars().count() <= max);
        let quote = line.trim_start_matches("ERROR: stray closing tag [[").trim_end_matches("]] ignored");
        if line.ends_with(" ignored") {
            let rest = quote.replace("\\u{1b}", "").replace(['/', '…'], "");
            assert_eq!(rest, "", "{line}");
        }
    }
}

#[test]
fn repeats_are_one_line_in_any_case_of_the_name() {
    let reply = developer("[[note/]] [[Other/]] [[NOTE/]] [[Note/]]");
    let expected = "ERROR: unknown tag [[NOTE]] ignored (3 times)\nERROR: unknown tag [[OTHER]] ignored";
    assert_eq!(reply.feedback(limits(2, 80)), expected);
}

#[test]
fn the_last_line_counts_the_rest() {
    let reply = developer("[[A/]] [[A/]] [[B/]] [[C/]] [[C/]] [[D/]]");
    assert_eq!(reply.feedback(limits(4, 80)).lines().count(), 4);
    assert_eq!(reply.feedback(limits(2, 80)), "ERROR: unknown tag [[A]] ignored (2 times)\nERROR: 4 more not listed");
    assert_eq!(reply.feedback(limits(1, 80)), "ERROR: 6 more not listed");
    assert_eq!(reply.feedback(limits(0, 80)), "");
}

#[test]
fn budget_lines_come_last() {
    let text = format!("{}[[NOPE/]]", "[[HIRE/]]".repeat(5));
    let reply = workforce::policy(Role::Manager, Mode::Chat).parse(&text);
    assert_eq!(
        reply.feedback(limits(9, 200)),
        "ERROR: unknown tag [[NOPE]] ignored\n\
         ERROR: too many [[HIRE]] in one reply (max 3); the extra was ignored (2 times)"
    );
}

/// Two limits bound it for every reply, and a stream that collects it agrees.
#[test]
fn bounded_on_every_reply() {
    let protocol = TwinProtocol::workforce();
    let owned = library::protocol_buf(&protocol);
    for seed in 0..3_000 {
        let case = workforce_case(&protocol, seed);
        let policy = library::policy_of(&owned, &case.twin);
        let reply = policy.parse(&case.text);
        for (max_lines, max_chars) in [(0, 10), (1, 0), (3, 20), (5, 60), (100, 400)] {
            let feedback = reply.feedback(limits(max_lines, max_chars));
            let mut stream = Feedback::new(limits(max_lines, max_chars));
            let mut parser = Parser::new(policy.clone());
            let mut add = |event: Event<'_>| {
                if let Event::Diagnostic(diagnostic) = event {
                    stream.add(&diagnostic);
                }
            };
            parser.feed(&case.text).for_each(&mut add);
            parser.finish().for_each(&mut add);
            assert_eq!(stream.to_string(), feedback);
            assert_eq!(stream.is_empty(), reply.diagnostics().is_empty());
            let lines: Vec<&str> = feedback.split('\n').collect();
            assert!(lines.len() <= max_lines.max(1), "{feedback}");
            for line in lines {
                assert!(line.chars().count() <= max_chars, "{line}");
                assert!(Escaped::line(line).is_unchanged(), "{line:?}");
                assert!(max_chars < 20 || line.is_empty() || line.starts_with("ERROR: "), "{line:?}");
            }
        }
    }
}

fn limits(lines: usize, chars: usize) -> FeedbackLimits {
    FeedbackLimits::default().with_max_lines(lines).with_max_line_chars(chars)
}

fn developer(text: &str) -> Reply<'_> {
    workforce::policy(Role::Developer, Mode::Work).parse(text)
}
