//! The measured texts, made by a deterministic generator from the small files in `data`: the same ones on every machine. Shared by
//! the benchmarks, the instruction counts and the rivals.
//!
//! - `prose`: a long chat with wiki links, TOML tables and bash tests, about 900 `[[` a MiB, and few tags;
//! - `plain`: the same chat without foreign brackets;
//! - `code`: WRITE_FILE and EDIT_FILE with real source;
//! - `dense`: READ_FILE, RUN, SEARCH and LIST_DIR with two attributes each, a tag every 58 bytes;
//! - `mixed`: replies of 0.5 to 8 KiB over all roles and modes, with the mistakes that models make;
//! - the adversarial shapes, in `adversarial.rs`;
//! - the same replies in the strict dialect, and its own adversarial shapes, in `strict.rs`.
//!
//! A reply is first a list of [`Item`]s, so that a rival gets the same information in its own syntax, and the counts are known.

// No user of this module uses all of it.
#![allow(dead_code, unused_imports, unreachable_pub)]

pub mod adversarial;
pub mod count;
#[path = "../../tests/support/rng.rs"]
mod rng;
pub mod strict;

use std::fmt::Write as _;

use tagwire::workforce::{self, Mode, Role, TagName};

pub use count::{Count, Cuts};
pub use rng::Rng;

pub const KIB: usize = 1 << 10;
pub const MIB: usize = 1 << 20;

/// The number of replies of `mixed` in benchmarks.
pub const MIXED: usize = 20_000;

/// A reply with its expected counts.
pub struct Reply {
    pub role: Role,
    pub mode: Mode,
    pub items: Vec<Item>,
    /// The text as the model writes it.
    pub text: String,
    /// The expected counts.
    pub count: Count,
}

impl Reply {
    pub fn policy(&self) -> tagwire::Policy<'static> {
        workforce::policy(self.role, self.mode)
    }
}

/// A piece of a reply.
#[derive(Clone, Debug)]
pub enum Item {
    Prose(String),
    /// A tag of the protocol.
    Tag {
        name: &'static str,
        attrs: Vec<(&'static str, String)>,
        body: Option<String>,
        /// Text after the last attribute that is not an attribute.
        leftover: &'static str,
        /// Whether the tag is granted.
        is_kept: bool,
    },
    /// Text that this protocol takes for a token: reported and dropped. To other syntaxes it is prose.
    Foreign(String),
}

/// Returns `prose`, `plain`, `code` or `dense`, of exactly this many bytes.
pub fn corpus(name: &str, size: usize) -> Reply {
    match name {
        "prose" => chat(size, true),
        "plain" => chat(size, false),
        "code" => code(size),
        "dense" => dense(size),
        _ => panic!("no corpus is called {name}"),
    }
}

fn chat(size: usize, has_foreign: bool) -> Reply {
    let mut rng = Rng::new(1);
    let mut reply = Builder::new(Role::Developer, Mode::Work);
    let mut next_tag = 8 * KIB;
    reply.prose("Here is what I found.\n\n");
    while reply.text.len() + 2 * KIB < size {
        paragraph(&mut rng, &mut reply, has_foreign);
        if reply.text.len() > next_tag {
            next_tag += 16 * KIB;
            work_tag(&mut rng, &mut reply, 200);
        }
    }
    reply.filled_up_to(size)
}

fn code(size: usize) -> Reply {
    let mut rng = Rng::new(2);
    let mut reply = Builder::new(Role::Developer, Mode::Work);
    while reply.text.len() + KIB < size {
        reply.prose(sentence(&mut rng));
        reply.prose("\n");
        let room = rng.between(KIB, 12 * KIB).min((size - reply.text.len()) * 3 / 4);
        let (name, body) = if rng.percent(70) {
            ("WRITE_FILE", source(&mut rng, room))
        } else {
            ("EDIT_FILE", edits(&mut rng, room / 4))
        };
        reply.tag(name, vec![("path", path(&mut rng))], Some(body));
        reply.prose("\n");
    }
    reply.filled_up_to(size)
}

fn dense(size: usize) -> Reply {
    let mut rng = Rng::new(3);
    let mut reply = Builder::new(Role::Developer, Mode::Work);
    reply.prose("Reading.\n");
    while reply.text.len() + 200 < size {
        // On average, 58 bytes with its newline.
        let (name, attrs) = match rng.below(4) {
            0 => ("READ_FILE", vec![("path", path(&mut rng)), ("lines", format!("1-{}", rng.between(20, 400)))]),
            1 => (
                "RUN",
                vec![
                    ("cmd", format!("{} {}", command(&mut rng), word(&mut rng))),
                    ("timeout", rng.between(10, 900).to_string()),
                ],
            ),
            2 => ("SEARCH", vec![("query", format!("def {}", word(&mut rng))), ("path", path(&mut rng))]),
            _ => (
                "LIST_DIR",
                vec![
                    ("path", format!("{}/{}", folder(&mut rng), word(&mut rng))),
                    ("depth", rng.between(1, 9).to_string()),
                ],
            ),
        };
        reply.tag(name, attrs, None);
        reply.prose("\n");
    }
    reply.filled_up_to(size)
}

/// The first `count` replies of `mixed`.
pub fn mixed(count: usize) -> Vec<Reply> {
    (0..count as u64).map(mixed_reply).collect()
}

fn mixed_reply(seed: u64) -> Reply {
    const GRANTED: [(Role, Mode); 8] = [
        (Role::Manager, Mode::Triage),
        (Role::Manager, Mode::Final),
        (Role::Manager, Mode::Error),
        (Role::Manager, Mode::Chat),
        (Role::Planner, Mode::Work),
        (Role::Developer, Mode::Work),
        (Role::Reviewer, Mode::Work),
        (Role::Tester, Mode::Work),
    ];
    let mut rng = Rng::new(1000 + seed);
    // One reply in ten has an arbitrary pair, most of which have no grants.
    let (role, mode) = if rng.percent(90) { *rng.pick(&GRANTED) } else { (*rng.pick(Role::ALL), *rng.pick(Mode::ALL)) };
    let granted: Vec<TagName> = workforce::allowed_tags(role, mode).collect();
    // Each doubling of the length is equally likely: most replies are short.
    let octave = 512 << rng.below(4);
    let size = rng.between(octave, 2 * octave).clamp(640, 8 * KIB - 512);
    let mut reply = Builder::new(role, mode);
    reply.prose(sentence(&mut rng));
    reply.prose("\n");
    while reply.text.len() + 128 < size {
        let room = (size - reply.text.len()) / 2;
        match rng.below(10) {
            0..4 => {
                let has_foreign = rng.percent(25);
                paragraph(&mut rng, &mut reply, has_foreign);
            }
            4..9 => {
                let name =
                    if granted.is_empty() || rng.percent(4) { *rng.pick(TagName::ALL) } else { *rng.pick(&granted) };
                any_tag(&mut rng, &mut reply, name, room);
                reply.prose("\n");
            }
            _ => mistake(&mut rng, &mut reply),
        }
    }
    if granted.contains(&TagName::AskUser) && rng.percent(3) {
        // Never closed: no close follows.
        reply.foreign("[[ASK_USER]]");
    }
    reply.prose("Done.");
    reply.finish()
}

/// A few sentences, a list, or a block of something, followed by a blank line.
fn paragraph(rng: &mut Rng, reply: &mut Builder, has_foreign: bool) {
    for _ in 0..rng.between(3, 7) {
        reply.prose(sentence(rng));
        reply.prose(" ");
    }
    // Weighted so that there are about 900 `[[` in a MiB of chat.
    match rng.below(27) {
        0..4 => {
            let title = *rng.pick(&TITLES);
            reply.prose("See ");
            reply.foreign_if(has_foreign, &format!("[[{title}]]"), title);
            reply.prose(" for the rest.");
        }
        4 => {
            let ticket = rng.between(1, 4000);
            reply.foreign_if(has_foreign, &format!("[[Ticket {ticket}|this ticket]]"), "This ticket");
            reply.prose(" has the numbers.");
        }
        5 => {
            reply.prose("\n```toml\n");
            for _ in 0..rng.between(1, 3) {
                let table = *rng.pick(&["package", "bin", "bench", "dependency", "mypy.overrides"]);
                reply.foreign_if(has_foreign, &format!("[[{table}]]"), &format!("[{table}]"));
                writeln!(reply.pending, "\nname = \"{}\"\nversion = \"1.{}\"", word(rng), rng.below(40))
                    .expect("a string");
            }
            reply.prose("```");
        }
        6 | 7 => {
            let test = *rng.pick(&TESTS);
            reply.prose("\n```bash\nif ");
            reply.foreign_if(has_foreign, &format!("[[ {test} ]]"), &format!("[ {test} ]"));
            reply.prose("; then\n  ");
            reply.prose(&command(rng));
            reply.prose("\nfi\n```");
        }
        8 if has_foreign => reply.prose("\n```bash\n[[ $name == [a-z]* ]] || exit 1\n```"),
        _ => {}
    }
    reply.prose("\n\n");
}

/// A tag that a developer may use.
fn work_tag(rng: &mut Rng, reply: &mut Builder, room: usize) {
    let name = *rng.pick(&[TagName::ReadFile, TagName::Run, TagName::Search, TagName::WriteFile]);
    any_tag(rng, reply, name, room);
    reply.prose("\n\n");
}

fn any_tag(rng: &mut Rng, reply: &mut Builder, name: TagName, room: usize) {
    let some_id = |rng: &mut Rng| format!("T-{}", rng.below(1000));
    let (attrs, body) = match name {
        TagName::Assign => (vec![("employee", word(rng).to_owned()), ("pipeline", "plan_code_test".to_owned())], None),
        TagName::Reject | TagName::Revise | TagName::Cancel => (vec![("reason", quotable(rng))], None),
        TagName::Complete => (vec![("summary", quotable(rng))], None),
        TagName::ResolveError => (vec![("action", "retry".to_owned()), ("task_id", some_id(rng))], None),
        TagName::PauseTask | TagName::ResumeTask | TagName::CancelTask | TagName::Fire => {
            (vec![("task_id", some_id(rng))], None)
        }
        TagName::Hire | TagName::UpdateEmployee => (
            vec![("name", word(rng).to_owned()), ("role", "developer".to_owned()), ("tier", "senior".to_owned())],
            None,
        ),
        TagName::ReadFile => (vec![("path", path(rng))], None),
        TagName::ListDir => (vec![("path", folder(rng).to_owned())], None),
        TagName::Search => (vec![("query", word(rng).to_owned()), ("path", folder(rng).to_owned())], None),
        TagName::Run => (vec![("cmd", command(rng))], None),
        TagName::WriteFile => (vec![("path", path(rng))], Some(source(rng, room))),
        TagName::EditFile => (vec![("path", path(rng))], Some(edits(rng, room / 2))),
        TagName::CreateTask => {
            let attrs = vec![("title", quotable(rng)), ("kind", "bug".to_owned()), ("priority", "high".to_owned())];
            (attrs, Some(talk(rng, room)))
        }
        TagName::Knowledge => {
            (vec![("kind", "fact".to_owned()), ("key", word(rng).to_owned())], Some(talk(rng, room / 4)))
        }
        _ => (Vec::new(), Some(talk(rng, room))),
    };
    reply.tag(name.as_str(), attrs, body);
}

/// A mistake.
fn mistake(rng: &mut Rng, reply: &mut Builder) {
    match rng.below(4) {
        0 => {
            let note = format!("[[NOTE]]{}[[/NOTE]]", sentence(rng));
            reply.foreign(&note);
        }
        1 => {
            // A stray close: no tag of this name has a body.
            reply.foreign("[[/RUN]]");
        }
        2 => reply.foreign("[[THINK/]]"),
        _ => {
            let attrs = vec![("cmd", command(rng))];
            reply.tag_with_leftover("RUN", attrs, None, " timeout=30");
        }
    }
    reply.prose("\n");
}

/// Builds a reply and its counts.
struct Builder {
    policy: tagwire::Policy<'static>,
    role: Role,
    mode: Mode,
    items: Vec<Item>,
    text: String,
    /// Prose that is not among the items yet.
    pending: String,
    count: Count,
    tasks: usize,
    changes: usize,
    knowledge: usize,
}

impl Builder {
    fn new(role: Role, mode: Mode) -> Self {
        Self {
            policy: workforce::policy(role, mode),
            role,
            mode,
            items: Vec::new(),
            text: String::new(),
            pending: String::new(),
            count: Count::default(),
            tasks: 0,
            changes: 0,
            knowledge: 0,
        }
    }

    fn prose(&mut self, text: &str) {
        self.pending.push_str(text);
        // Keeps `text.len()` current.
        self.flush();
    }

    fn flush(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        self.text.push_str(&pending);
        self.count.prose_bytes += pending.len();
        match self.items.last_mut() {
            Some(Item::Prose(prose)) => prose.push_str(&pending),
            _ if pending.is_empty() => {}
            _ => self.items.push(Item::Prose(pending)),
        }
    }

    fn foreign_if(&mut self, is_foreign: bool, foreign: &str, plain: &str) {
        if is_foreign {
            self.foreign(foreign);
        } else {
            self.prose(plain);
        }
    }

    fn foreign(&mut self, token: &str) {
        self.flush();
        self.text.push_str(token);
        self.count.diagnostics += 1;
        self.items.push(Item::Foreign(token.to_owned()));
    }

    fn tag(&mut self, name: &'static str, attrs: Vec<(&'static str, String)>, body: Option<String>) {
        self.tag_with_leftover(name, attrs, body, "");
    }

    fn tag_with_leftover(
        &mut self,
        name: &'static str,
        attrs: Vec<(&'static str, String)>,
        body: Option<String>,
        leftover: &'static str,
    ) {
        self.flush();
        let is_granted = self.policy.allows(name);
        let is_in_budget = match name {
            _ if !is_granted => true,
            "CREATE_TASK" => used(&mut self.tasks),
            "HIRE" | "UPDATE_EMPLOYEE" | "FIRE" => used(&mut self.changes),
            "KNOWLEDGE" => used(&mut self.knowledge),
            _ => true,
        };
        let is_kept = is_granted && is_in_budget;
        self.count.diagnostics += usize::from(!is_kept) + usize::from(is_granted && !leftover.is_empty());
        if is_kept {
            self.count.tags += 1;
            self.count.attr_bytes += attrs.iter().map(|(key, value)| key.len() + value.len()).sum::<usize>();
            self.count.body_bytes += body.as_deref().map_or(0, str::len);
        }
        self.text.push_str("[[");
        self.text.push_str(name);
        for (key, value) in &attrs {
            write!(self.text, " {key}=\"{value}\"").expect("a string");
        }
        self.text.push_str(leftover);
        match &body {
            None => self.text.push_str("/]]"),
            Some(body) => write!(self.text, "]]{body}[[/{name}]]").expect("a string"),
        }
        self.items.push(Item::Tag { name, attrs, body, leftover, is_kept });
    }

    /// Fills the rest of the reply with prose.
    fn filled_up_to(mut self, size: usize) -> Reply {
        const FILLER: &str = "That is all for now, and there is more of it below. ";
        while self.text.len() + FILLER.len() < size {
            self.prose(FILLER);
        }
        let missing = size - self.text.len();
        // No white space at the end, so that stripping does not change the length.
        self.prose(&".".repeat(missing));
        self.finish()
    }

    fn finish(mut self) -> Reply {
        self.flush();
        let Builder { role, mode, items, text, count, .. } = self;
        Reply { role, mode, items, text, count }
    }
}

/// Whether one more fits into a budget of three.
fn used(count: &mut usize) -> bool {
    *count += 1;
    *count <= 3
}

fn sentence(rng: &mut Rng) -> &'static str {
    line(rng, include_str!("data/chat.txt"))
}

/// A sentence without quotes, for the value of an attribute.
fn quotable(rng: &mut Rng) -> String {
    sentence(rng).replace(['"', '[', ']'], "")
}

/// Sentences, up to about `room` bytes.
fn talk(rng: &mut Rng, room: usize) -> String {
    let mut text = String::from("\n");
    while text.len() < room.clamp(40, 1200) {
        text.push_str(sentence(rng));
        text.push('\n');
    }
    text
}

/// Consecutive lines of a real source, about `room` bytes of them.
fn source(rng: &mut Rng, room: usize) -> String {
    let file = SOURCES[*rng.pick(&SOURCES_DRAWN)];
    let lines: Vec<&str> = file.split_inclusive('\n').collect();
    let mut text = String::from("\n");
    let mut at = if room < file.len() { rng.below(lines.len() / 2) } else { 0 };
    while at < lines.len() && text.len() + lines[at].len() <= room.max(120) {
        text.push_str(lines[at]);
        at += 1;
    }
    text
}

/// Edit blocks, each with about `room` bytes of source as OLD.
pub fn edits(rng: &mut Rng, room: usize) -> String {
    let mut text = String::from("\n");
    for _ in 0..rng.between(1, 3) {
        let old = source(rng, room.max(60) / 2);
        let old = old.trim_matches('\n');
        let old = if old.trim().is_empty() { "pass" } else { old };
        let new = old.replace("self", "this").replace("name", "label");
        write!(text, "<<<OLD\n{old}\n===\n{new}\nNEW>>>\n").expect("a string");
    }
    text
}

/// A body of well-formed edit blocks, of about `size` bytes.
pub fn edit_body(size: usize) -> String {
    let mut rng = Rng::new(4);
    let mut text = String::new();
    while text.len() < size {
        text.push_str(&edits(&mut rng, 1500));
    }
    text
}

fn path(rng: &mut Rng) -> String {
    let ending = *rng.pick(&["py", "rs", "sh", "toml"]);
    format!("{}/{}.{ending}", folder(rng), word(rng))
}

fn folder(rng: &mut Rng) -> &'static str {
    rng.pick::<&str>(&[
        "app/models",
        "app/services",
        "src/server",
        "src/parser",
        "tests/end",
        "tests/unit",
        "tools/release",
        "docs/guide",
    ])
}

fn command(rng: &mut Rng) -> String {
    let program = *rng.pick(&["pytest -q -x", "cargo test --quiet", "ruff check --fix", "git diff --stat", "make -j4"]);
    format!("{program} {}", word(rng))
}

fn word(rng: &mut Rng) -> &'static str {
    rng.pick::<&str>(&WORDS)
}

const WORDS: [&str; 16] = [
    "billing",
    "importer",
    "session",
    "cache",
    "worker",
    "queue",
    "report",
    "storage",
    "invoice",
    "routes",
    "limits",
    "encoder",
    "scheduler",
    "tokens",
    "users",
    "metrics",
];

const TITLES: [&str; 12] = [
    "Home",
    "Deployment guide",
    "Caching#Invalidation|how entries are dropped",
    "Release checklist",
    "Glossary",
    "Data model",
    "On call",
    "Style guide|the style guide",
    "Meeting notes 2024",
    "Postmortems",
    "Onboarding",
    "Coding conventions",
];

const TESTS: [&str; 5] =
    ["-f \"$file\"", "-z \"$name\"", "$count -gt 3", "\"$target\" == *windows*", "-d build && -x build/run"];

const SOURCES: [&str; 4] = [
    include_str!("data/rust.txt"),
    include_str!("data/python.txt"),
    include_str!("data/shell.txt"),
    include_str!("data/toml.txt"),
];

/// One source in four is full of `[[`.
const SOURCES_DRAWN: [usize; 8] = [0, 1, 0, 1, 0, 1, 2, 3];

/// One of the lines of a text.
fn line<'t>(rng: &mut Rng, text: &'t str) -> &'t str {
    let count = text.lines().count();
    text.lines().nth(rng.below(count)).expect("a line")
}
