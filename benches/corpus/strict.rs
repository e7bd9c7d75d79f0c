//! The corpora in the strict dialect, and replies that want to be slow in it.
//!
//! The replies are those of the seed dialect, to the byte. Where a rule differs, it is the protocol that gives way: attributes that
//! only the replies have are kept. What differs is counted: wiki links and bash tests are prose, and a refused tag takes its body
//! along.

use std::sync::OnceLock;

use tagwire::workforce::{self, Mode, Role};
use tagwire::{
    Body, Budget, Grant, Policy, ProtocolBuf, ProtocolSpec, RegionSpec, SectionSpec, StrictLimits, TagSpec,
    UnknownAttributes,
};

use super::adversarial::{Shape, names, numbered, plain};
use super::{Builder, KIB, Reply, Rng, paragraph, word, work_tag};

/// The workforce's tags, matrix and budgets, with all attributes that the corpora write.
fn protocol() -> &'static ProtocolBuf {
    static PROTOCOL: OnceLock<ProtocolBuf> = OnceLock::new();
    PROTOCOL.get_or_init(|| {
        let strict = workforce::STRICT;
        let tags: Vec<TagSpec<'_>> = strict.tags().map(|tag| tag.unknown_attributes(UnknownAttributes::Keep)).collect();
        let budgets: Vec<Budget<'_>> = strict.budgets().collect();
        let grants: Vec<Grant<'_>> = strict.grants().collect();
        // The seed's dialect has no limit of tags.
        let limits = StrictLimits::DEFAULT.with_tags(1_000_000);
        let spec = ProtocolSpec::strict("corpora", &tags).budgets(&budgets).grants(&grants).limits(limits);
        ProtocolBuf::new(&spec).expect("a valid protocol")
    })
}

/// What reads a reply of the corpora.
pub fn policy_of(reply: &Reply) -> Policy<'static> {
    protocol().as_protocol().policy(reply.role.as_str(), reply.mode.as_str()).expect("a known role and mode")
}

/// What reads the adversarial shapes: everything is granted, and nearly nothing is too much.
pub fn policy() -> Policy<'static> {
    static PROTOCOL: OnceLock<ProtocolBuf> = OnceLock::new();
    let protocol = PROTOCOL.get_or_init(|| {
        let mut tags: Vec<TagSpec<'_>> = protocol().as_protocol().tags().collect();
        const SECTIONS: &[SectionSpec<'static>] = &[SectionSpec::new("PART").repeat()];
        tags.extend([TagSpec::new("DATA").body(Body::Json), TagSpec::new("MAIL").sections(SECTIONS)]);
        let budgets = ["tasks", "team", "knowledge"].map(|name| Budget::new(name, 3));
        let regions = [RegionSpec::new("think", "<think>", "</think>"), RegionSpec::new("plan", "[PLAN]", "[/PLAN]")];
        let mut limits = StrictLimits::DEFAULT;
        (limits.tags, limits.diagnostics) = (1_000_000, 1_000_000);
        let spec = ProtocolSpec::strict("shapes", &tags).budgets(&budgets).regions(&regions).limits(limits).open();
        ProtocolBuf::new(&spec).expect("a valid protocol")
    });
    protocol.as_protocol().unrestricted()
}

/// A chat in which every sentence has a wiki link, inline code or a fence, of about this many bytes. Nothing of it waits.
pub fn links_and_fences(size: usize) -> Reply {
    let mut rng = Rng::new(5);
    let mut reply = Builder::new(Role::Developer, Mode::Work);
    let mut next_tag = 8 * KIB;
    while reply.text.len() + 2 * KIB < size {
        let (one, other) = (word(&mut rng), word(&mut rng));
        match rng.below(6) {
            0 => reply.prose(&format!("See [[{one} {other}]] and [[{other}|the page]]. ")),
            1 => reply.prose(&format!("Call `{one}[{other}[0]]` or ``[[{one}]]``. ")),
            2 => reply.prose(&format!("\n```rust\nlet {one} = [[0; 4]; 4];\n```\n")),
            3 => reply.prose(&format!("\n- [ ] {one}\n- [x] [{other}](#{one})\n")),
            4 => reply.prose(&format!("\n> {one} said: [[{other}]]\n\n")),
            _ => paragraph(&mut rng, &mut reply, true),
        }
        if reply.text.len() > next_tag {
            next_tag += 16 * KIB;
            reply.prose("\n\n");
            work_tag(&mut rng, &mut reply, 200);
        }
    }
    reply.filled_up_to(size)
}

/// Shapes that make some parser of this dialect quadratic.
pub const SHAPES: [Shape; 71] = [
    // Prose.
    plain("run of [", |n| "[".repeat(n)),
    plain("run of ]", |n| "]".repeat(n)),
    plain("pairs of [[ and a blank", |n| "[[ ".repeat(n / 3)),
    plain("wiki links", |n| "[[Home Page]] ".repeat(n / 14)),
    plain("bare words", |n| "[[TODO]]".repeat(n / 8)),
    plain("keys without a value", |n| "[[a b ".repeat(n / 6)),
    plain("words that are too long", |n| format!("[[{} ", "A".repeat(65)).repeat(n / 68)),
    plain("one word without an end", |n| format!("[[{}", "A".repeat(n - 2))),
    // Tokens.
    plain("double quotes that stay open", |n| "[[foo x=\"".repeat(n / 9)),
    plain("single quotes that stay open", |n| "[[foo x='".repeat(n / 9)),
    plain("quotes of both kinds that stay open", |n| "[[foo x=\"[[bar y='".repeat(n / 18)),
    plain("quotes of a known tag that stay open", |n| "[[RUN cmd=\"".repeat(n / 11)),
    plain("quotes of both kinds in known tags", |n| "[[RUN cmd=\"[[RUN cmd='".repeat(n / 22)),
    plain("quotes that open in quotes", |n| format!("[[RUN {}]]", "a='b\" ".repeat(n / 6))),
    plain("one value without an end", |n| format!("[[RUN cmd=\"{}", "x".repeat(n - 11))),
    plain("backslashes", |n| format!("[[RUN cmd=\"{}", "\\".repeat(n - 11))),
    plain("backslashes before quotes", |n| format!("[[RUN cmd=\"{}", "\\\\\\\"".repeat(n / 4))),
    plain("values of backslashes", |n| "[[RUN cmd=\"\\\\\\\\\\\\\\\\\"/]]".repeat(n / 23)),
    plain("attributes without an end", |n| format!("[[RUN{}", " k=\"v\"".repeat(n / 6))),
    names("attributes, each of its own key", |n| format!("[[NOTE{}]]", numbered(n, |i| format!(" k{i}=\"v\"")))),
    plain("tags with 64 attributes of one key", |n| {
        format!("[[RUN cmd=\"x\"{}]]", " k=\"v\"".repeat(63)).repeat(n / 393)
    }),
    plain("tags with 64 attributes", |n| {
        let attributes: String = (0..63).map(|i| format!(" k{i:02}=\"v\"")).collect();
        format!("[[RUN cmd=\"x\"{attributes}]]").repeat(n / 519)
    }),
    plain("white space in a token", |n| format!("[[RUN{}", " ".repeat(n - 5))),
    plain("white space around =", |n| format!("[[RUN cmd{}", " ".repeat(n - 9))),
    plain("line breaks in tokens", |n| "[[RUN \r\n\r\n\r\n".repeat(n / 13)),
    plain("known tags with a fault", |n| "[[RUN ,".repeat(n / 7)),
    plain("known tags with a fault, and an end", |n| "[[RUN ,]]".repeat(n / 9)),
    plain("invisible characters after a word", |n| "[[RUN\u{200b}".repeat(n / 8)),
    plain("arguments without an end", |n| format!("[[FOO: {}", "x ".repeat(n / 2))),
    plain("arguments", |n| "[[FOO: x]]".repeat(n / 10)),
    // Unknown tags.
    plain("unknown tags never closed", |n| "[[FOO x=\"y\"]]".repeat(n / 13)),
    plain("one unknown tag never closed", |n| format!("[[FOO x=\"y\"]]{}", "text ".repeat(n / 5))),
    names("unknown tags, each of its own name", |n| numbered(n, |i| format!("[[N{i} x=\"y\"]]"))),
    names("unknown tags, then the closes of others", |n| {
        numbered(n / 2, |i| format!("[[N{i} x=\"\"]]")) + &numbered(n / 2, |i| format!("[[/M{i}]]"))
    }),
    names("closes, then their unknown tags", |n| {
        numbered(n / 2, |i| format!("[[/N{i}]]")) + &numbered(n / 2, |i| format!("[[N{i} x=\"\"]]"))
    }),
    names("unknown tags that each close after the next", |n| {
        numbered(n, |i| format!("[[N{i} x=\"\"]][[/N{}]]", i.saturating_sub(1)))
    }),
    names("unknown tags, each with its own mark", |n| numbered(n, |i| format!("[[FOO until=\"m{i}\"]]"))),
    plain("unknown tags that close themselves", |n| "[[FOO/]]".repeat(n / 8)),
    // Bodies and their closes.
    plain("one body", |n| format!("[[WRITE_FILE path=\"a\"]]{}", "x".repeat(n - 23))),
    plain("tags in a body", |n| format!("[[WRITE_FILE path=\"a\"]]{}", "[[RUN cmd=\"x\"/]]".repeat(n / 16))),
    plain("near closes in a body", |n| format!("[[WRITE_FILE path=\"a\"]]{}", "[[/WRITE_FIL]]".repeat(n / 14))),
    plain("closes cut short in a body", |n| format!("[[WRITE_FILE path=\"a\"]]{}", "[[/WRITE_FILE".repeat(n / 13))),
    plain("closes with blanks in a body", |n| {
        format!("[[WRITE_FILE path=\"a\"]]{}", "[[ \t / \t WRITE_FILE \t ]".repeat(n / 24))
    }),
    plain("one close of blanks in a body", |n| format!("[[WRITE_FILE path=\"a\"]][[/{}", " ".repeat(n - 26))),
    plain("closes before quotes in a body", |n| {
        format!("[[WRITE_FILE path=\"a\"]]{}", "[[/WRITE_FILE]]\"".repeat(n / 16))
    }),
    plain("closes without the mark in a body", |n| {
        format!("[[WRITE_FILE path=\"a\" until=\"Q\"]]{}", "[[/WRITE_FILE]]".repeat(n / 15))
    }),
    plain("closes with another mark in a body", |n| {
        format!("[[WRITE_FILE path=\"a\" until=\"QQQQ\"]]{}", "[[/WRITE_FILE QQQ]]".repeat(n / 19))
    }),
    plain("a refused body", |n| format!("[[WRITE_FILE ,]]{}", "[[/WRITE_FIL]]".repeat(n / 14))),
    plain("tags with bodies", |n| "[[WRITE_FILE path=\"a\"]]x[[/WRITE_FILE]]".repeat(n / 39)),
    plain("tags over their budget", |n| "[[ASK_USER]]q[[/ASK_USER]]".repeat(n / 26)),
    plain("lines of edits", |n| {
        format!("[[EDIT_FILE path=\"a\"]]\n{}[[/EDIT_FILE]]", "<<<OLD\n\\\\===\n===\nb\nNEW>>>\n".repeat(n / 26))
    }),
    plain("brackets of JSON", |n| format!("[[DATA]]{}[[/DATA]]", "[[1], [2]],".repeat(n / 11))),
    plain("brackets of JSON that are too deep", |n| format!("[[DATA]]{}[[/DATA]]", "[".repeat(n - 17))),
    plain("a string of JSON", |n| format!("[[DATA]]\"{}\"[[/DATA]]", "\\u0041".repeat(n / 6))),
    plain("sections", |n| format!("[[MAIL]]{}[[/MAIL]]", "[[PART]]x[[/PART]]".repeat(n / 18))),
    plain("a section of near closes", |n| format!("[[MAIL]][[PART]]{}[[/MAIL]]", "[[/PAR]]".repeat(n / 8))),
    plain("stray closes", |n| "[[/RUN]]".repeat(n / 8)),
    plain("closes of blanks in prose", |n| "[[  /  RUN  ".repeat(n / 12)),
    // Regions.
    plain("a region", |n| format!("<think>{}", "x".repeat(n - 7))),
    plain("regions", |n| "<think>x</think>".repeat(n / 16)),
    plain("opening markers cut in two", |n| "<thin<thi[PLA".repeat(n / 13)),
    plain("closing markers cut in two", |n| format!("<think>{}", "</thi</thin".repeat(n / 11))),
    // Code.
    plain("fences that almost open", |n| "``` x`\n".repeat(n / 7)),
    plain("backticks that stay alone", |n| "`a ``b ```c\n".repeat(n / 12)),
    plain("a run of backticks", |n| "`".repeat(n)),
    plain("runs of backticks, each longer", |n| (1..).map(|i| "`".repeat(i) + " ").take((2 * n).isqrt()).collect()),
    plain("a fence that almost closes", |n| format!("````\n{}", "```\n````x\n".repeat(n / 10))),
    plain("tags in a fence", |n| format!("```\n{}", "[[RUN cmd=\"x\"/]]\n".repeat(n / 17))),
    plain("bodies that hold a fence", |n| format!("```\n{}", "[[ASK_USER]]\n```\n".repeat(n / 17))),
    plain("quotes of quotes", |n| "> > - 1. > ~~\n".repeat(n / 14)),
    plain("prefixes without an end", |n| "> - ".repeat(n / 4)),
];
