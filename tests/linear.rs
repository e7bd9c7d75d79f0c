//! No reply costs more than a constant per byte, in counted steps: bytes read or moved, list entries added or compared.
//!
//! Each shape makes some parser quadratic. It is read whole and in chunks, with all attributes of its tags, at one size and at
//! twice that size: the cost per byte is within the table's bound, and the same at both sizes.

use tagwire::workforce::{self, Mode, Role};
use tagwire::{Event, Limits, Parser, Policy, work};

/// A text of about this number of bytes or pieces.
type Make = fn(usize) -> String;

/// A shape of text, its size, and the most steps per byte to read it whole.
struct Shape {
    name: &'static str,
    role: Role,
    mode: Mode,
    make: Make,
    size: usize,
    most: f64,
}

const fn worker(name: &'static str, size: usize, make: Make, most: f64) -> Shape {
    Shape { name, role: Role::Developer, mode: Mode::Work, make, size, most }
}

const fn manager(name: &'static str, size: usize, make: Make, most: f64) -> Shape {
    Shape { name, role: Role::Manager, mode: Mode::Chat, make, size, most }
}

/// All prose or one body: each byte is read once, and copied once if it must be held.
const PLAIN: &[Shape] = &[
    worker("prose", 400_000, |n| "x".repeat(n), 1.001),
    worker("closing brackets", 100_000, |n| "]".repeat(n), 1.001),
    worker("a body", 100_000, |n| format!("[[WRITE_FILE]]{}[[/WRITE_FILE]]", "x".repeat(n)), 1.001),
    worker("an unknown tag's body", 100_000, |n| format!("[[NOTE]]{}[[/NOTE]]", "x".repeat(n)), 1.001),
];

const SHAPES: &[Shape] = &[
    // Never closed.
    worker("unclosed tags", 20_000, |n| "[[WRITE_FILE path='a']]".repeat(n), 3.1),
    worker("unclosed tags and text", 20_000, |n| "[[ASK_USER]] what about this? ".repeat(n), 1.9),
    worker("unclosed tag, then prose", 100_000, |n| format!("[[ASK_USER]]{}", "x".repeat(n)), 1.1),
    worker("one unknown name", 50_000, |n| "[[NOTE]]".repeat(n), 2.3),
    worker("different unknown names", 100_000, |n| numbered(n, |i| format!("[[U{i}]]")), 2.7),
    worker(
        "different unknown names, the closes of others",
        30_000,
        |n| numbered(n, |i| format!("[[U{i}]][[/V{i}]]")),
        4.5,
    ),
    worker(
        "names that begin alike",
        3_000,
        |n| numbered(n, |i| format!("[[{0}U{i}]][[/{0}V{i}]]", "A".repeat(40))),
        4.0,
    ),
    worker("closes before their tags", 30_000, |n| numbered(n, |i| format!("[[/U{i}]][[U{i}]]")), 5.2),
    worker("one opening", 400_000, |n| format!("[[{}", "x".repeat(n)), 1.1),
    worker("one opening with a quote", 100_000, |n| format!("[[RUN cmd=\"{}", "x".repeat(n)), 1.1),
    // Brackets.
    worker("opening brackets", 109_000, |n| "[".repeat(n), 1.1),
    worker("opening brackets in a body", 109_000, |n| format!("[[ASK_USER]]{}", "[".repeat(n)), 1.1),
    worker("pairs of opening brackets", 50_000, |n| "[[ ".repeat(n), 1.1),
    worker("empty tokens", 50_000, |n| "[[]]".repeat(n), 1.1),
    worker("half tokens", 50_000, |n| "[[a] ".repeat(n), 1.1),
    worker("openings of a tag", 3_300, |n| "[[WRITE_FILE path=\"".repeat(n), 1.1),
    worker("openings of a command", 2_500, |n| "[[RUN cmd=".repeat(n), 1.1),
    // Closes.
    worker("stray closes", 100_000, |n| "[[/RUN]]".repeat(n), 1.1),
    worker("stray closes in an open body", 100_000, |n| format!("[[ASK_USER]]{}", "[[/RUN]]".repeat(n)), 2.4),
    worker("starts of closes", 50_000, |n| "[[/".repeat(n), 1.1),
    worker("starts of closes in a body", 50_000, |n| format!("[[ASK_USER]]{}", "[[/".repeat(n)), 1.1),
    worker("starts of its close in a body", 20_000, |n| format!("[[ASK_USER]]{}", "[[/ASK_USER".repeat(n)), 1.8),
    worker("white space in a close", 100_000, |n| format!("[[ASK_USER]][[/{}ASK_USER]]", " ".repeat(n)), 1.1),
    worker(
        "white space behind a close's name",
        100_000,
        |n| format!("[[ASK_USER]][[/ASK_USER{}x", "\u{3000}".repeat(n)),
        2.1,
    ),
    worker(
        "white space in many closes",
        1_000,
        |n| format!("[[ASK_USER]]{}", format!("[[/{}x]]", " \u{a0}".repeat(50)).repeat(n)),
        3.0,
    ),
    worker("a long name in a close", 100_000, |n| format!("[[ASK_USER]][[/{}]]", "ſ".repeat(n)), 3.1),
    // Attributes.
    worker("white space in a token", 100_000, |n| format!("[[{}RUN{0}/{0}]]", " ".repeat(n)), 2.1),
    worker("white space after keys", 1_000, |n| format!("[[RUN {}]]", format!("a{}", " ".repeat(100)).repeat(n)), 2.1),
    worker(
        "white space about equals signs",
        1_000,
        |n| format!("[[RUN {}]]", format!("a{}={0}", " ".repeat(100)).repeat(n)),
        2.1,
    ),
    worker("equals signs", 100_000, |n| format!("[[RUN {}]]", "a=".repeat(n)), 1.6),
    worker("a long word", 100_000, |n| format!("[[RUN {}]]", "a".repeat(n)), 2.1),
    worker("long words", 1_000, |n| format!("[[RUN {}]]", format!("{} ", "a".repeat(200)).repeat(n)), 2.1),
    worker("a long name", 100_000, |n| format!("[[{}/]]", "a".repeat(n)), 2.1),
    worker("quotes that stay open", 50_000, |n| format!("[[RUN {}a=\"{0}]]", "a='".repeat(n)), 3.4),
    worker("a repeated key", 20_000, |n| format!("[[RUN {}]]", "key='v' ".repeat(n)), 2.8),
    // Each is compared with all of a dozen.
    worker(
        "a repeated key among few",
        2_000,
        |n| format!("[[RUN {}]]", numbered(12, |i| format!("k{}='{}' ", i % 11, "x".repeat(n)))),
        16.0,
    ),
    worker("different keys", 20_000, |n| format!("[[RUN {}]]", numbered(n, |i| format!("k{i}='' "))), 15.0),
    worker("repeated keys", 20_000, |n| format!("[[RUN {}]]", numbered(n, |i| format!("k{}='' ", i % 3_000))), 14.0),
    worker("a fragment", 100_000, |n| format!("[[RUN a='b' {}]]", "? ".repeat(n)), 2.1),
    // Whole tags.
    worker("tags", 30_000, |n| "[[RUN cmd=\"x\"/]]".repeat(n), 1.7),
    worker("tags with bodies", 30_000, |n| "[[ASK_USER]]a[[/ASK_USER]]".repeat(n), 1.4),
    worker("refused tags", 50_000, |n| "[[HIRE name='x'/]]".repeat(n), 1.3),
    manager("tags over budget", 100_000, |n| "[[HIRE/]]".repeat(n), 1.6),
    manager("tags with bodies over budget", 30_000, |n| "[[KNOWLEDGE]]a[[/KNOWLEDGE]]".repeat(n), 1.4),
];

#[test]
fn plain_text_is_looked_at_once() {
    for shape in PLAIN {
        check(shape, &policy(shape), 1.05);
    }
}

#[test]
fn hostile_shapes_cost_a_constant_a_byte() {
    for shape in SHAPES {
        check(shape, &policy(shape), KEPT);
    }
}

#[test]
fn so_they_do_with_a_limit_on_the_length_of_a_tag() {
    for shape in PLAIN.iter().chain(SHAPES) {
        for limit in [10, 5_000] {
            let limits = Limits::default().with_max_tag_bytes(Some(limit));
            check(shape, &policy(shape).with_limits(limits), KEPT);
        }
    }
}

/// If one event is taken per feed, the carry is rarely moved.
#[test]
fn an_early_drop_costs_no_more() {
    let policy = workforce::policy(Role::Developer, Mode::Work);
    let cost = |count: usize| {
        let text = "[[RUN/]] ".repeat(count);
        let mut parser = Parser::new(policy.clone());
        work::take();
        let mut events = parser.feed(&text).take(1).count();
        while events < 2 * count {
            events += parser.feed("").take(1).count();
        }
        work::take() as f64 / text.len() as f64
    };
    let (once, twice) = (cost(20_000), cost(40_000));
    assert!(twice <= 7.0 && twice <= 1.05 * once, "{once:.2}, then {twice:.2}");
}

/// The extra cost of chunks: a held byte is copied once, each chunk is checked for whether it needs a step, and its last bytes
/// are read again.
const KEPT: f64 = 2.15;

fn policy(shape: &Shape) -> Policy<'static> {
    workforce::policy(shape.role, shape.mode)
}

#[track_caller]
fn check(shape: &Shape, policy: &Policy<'_>, kept: f64) {
    let Shape { name, make, size, most, .. } = shape;
    let texts = [make(*size), make(2 * size)];
    let measure = |read: &dyn Fn(&str)| {
        texts.each_ref().map(|text| {
            work::take();
            read(text);
            work::take() as f64 / text.len() as f64
        })
    };
    let costs = [
        ("parsed", *most, measure(&|text| read_whole(policy, text))),
        ("in one chunk", most + kept, measure(&|text| read_chunks(policy, text, text.len()))),
        ("in chunks of 4,096", most + kept, measure(&|text| read_chunks(policy, text, 4096))),
        ("in chunks of 4", most + kept, measure(&|text| read_chunks(policy, text, 4))),
        ("in chunks of 1", most + kept, measure(&|text| read_chunks(policy, text, 1))),
    ];
    for (how, most, [once, twice]) in costs {
        let limit = policy.limits().max_tag_bytes;
        if std::env::var_os("TAGWIRE_SHOW_STEPS").is_some() {
            println!("{name}, {how}, limit {limit:?}: {once:.2}, then {twice:.2}");
        }
        assert!(
            once <= most && twice <= most,
            "{name}, {how}, limit {limit:?}: {once:.2}, then {twice:.2} steps a byte"
        );
        // At twice the size, sorted closes need one more comparison each.
        assert!(twice <= 1.15 * once, "{name}, {how}, limit {limit:?}: {once:.2}, then {twice:.2} steps a byte");
    }
}

/// Reads everything, with attributes.
fn read_whole(policy: &Policy<'_>, text: &str) {
    let reply = policy.parse(text);
    for tag in reply.tags() {
        tag.attrs().iter().for_each(drop);
    }
}

/// Reads in chunks, and the pending text after each.
fn read_chunks(policy: &Policy<'_>, text: &str, length: usize) {
    let read = |event: Event<'_>| {
        if let Event::Tag(tag) = event {
            tag.attrs().iter().for_each(drop);
        }
    };
    let mut parser = Parser::new(policy.clone());
    let mut from = 0;
    while from < text.len() {
        let mut to = (from + length).min(text.len());
        while !text.is_char_boundary(to) {
            to += 1;
        }
        parser.feed(&text[from..to]).for_each(read);
        let _ = parser.pending();
        from = to;
    }
    parser.finish().for_each(read);
}

fn numbered(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).map(piece).collect()
}
