//! The machine by itself, held against the vectors: whole, cut in two at every offset, and character by character.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::collections::BTreeMap;
use std::{eprintln, format};

use serde_json::{Map, Value, json};

use super::*;
use crate::diagnostic::Diagnostic;
use crate::event::Event;
use crate::protocol::{
    AttrSpec, Budget, Grant, ProtocolBuf, ProtocolSpec, RegionSpec, SectionSpec, TagSpec, UnknownAttributes,
};
use crate::storage::HeapStorage;
use crate::tag::Tag;

fn leak<T>(items: Vec<T>) -> &'static [T] {
    Box::leak(items.into_boxed_slice())
}

fn text(value: &Value) -> &'static str {
    Box::leak(value.as_str().expect("a string").to_string().into_boxed_str())
}

fn list<T>(value: &Value, item: impl Fn(&Value) -> T) -> &'static [T] {
    leak(value.as_array().into_iter().flatten().map(item).collect())
}

/// A protocol as its file has it.
pub(super) fn protocol(json: &Value) -> ProtocolBuf {
    let tags = list(&json["tags"], |tag| {
        let select = &tag["select"];
        let name = text(&tag["name"]);
        let mut spec = if let Some(value) = select["argument"].as_str() {
            TagSpec::new(text(&format!("{name}:{value}").into())).selected_by_argument()
        } else if let Some(value) = select["value"].as_str() {
            TagSpec::new(text(&format!("{name}:{value}").into())).selected_by(text(&select["attribute"]))
        } else {
            TagSpec::new(name)
        };
        spec = match tag["body"].as_str() {
            Some("text") => spec.body(Body::Text),
            Some("json") => spec.body(Body::Json),
            Some("edits") => spec.body(Body::Edits),
            Some("sections") => spec.sections(list(&tag["sections"], |section| {
                let mut spec = SectionSpec::new(text(&section["name"]));
                if section["required"] == true {
                    spec = spec.required();
                }
                if section["repeat"] == true {
                    spec = spec.repeat();
                }
                spec
            })),
            _ => spec,
        };
        if !tag["budget"].is_null() {
            spec = spec.budget(text(&tag["budget"]));
        }
        if !tag["argument"].is_null() {
            spec = spec.argument(text(&tag["argument"]));
        }
        spec = match tag["unknown_attributes"].as_str() {
            Some("warn") => spec.unknown_attributes(UnknownAttributes::Warn),
            Some("keep") => spec.unknown_attributes(UnknownAttributes::Keep),
            _ => spec,
        };
        spec.attributes(list(&tag["attributes"], |attribute| {
            let mut spec = AttrSpec::new(text(&attribute["name"])).aliases(list(&attribute["aliases"], text));
            let (min, max) = (&attribute["min"], &attribute["max"]);
            spec = match attribute["type"].as_str() {
                Some("integer") => spec.integer(min.as_i64().unwrap_or(i64::MIN), max.as_i64().unwrap_or(i64::MAX)),
                Some("number") => {
                    spec.number(min.as_f64().unwrap_or(f64::NEG_INFINITY), max.as_f64().unwrap_or(f64::INFINITY))
                }
                Some("boolean") => spec.boolean(),
                Some("enum") => spec.one_of(list(&attribute["values"], text)),
                Some("path") => spec.path(),
                _ => spec,
            };
            if attribute["required"] == true { spec.required() } else { spec }
        }))
    });
    let mut spec = ProtocolSpec::strict(text(&json["name"]), tags)
        .budgets(list(&json["budgets"], |budget| {
            Budget::new(text(&budget["name"]), budget["max"].as_u64().unwrap() as u32)
        }))
        .grants(list(&json["grants"], |grant| {
            let tags = list(&grant["tags"], text);
            match (&grant["role"], &grant["mode"]) {
                (Value::Null, Value::Null) => Grant::everybody(tags),
                (role, Value::Null) => Grant::everybody(tags).to_role(text(role)),
                (Value::Null, mode) => Grant::everybody(tags).in_mode(text(mode)),
                (role, mode) => Grant::new(text(role), text(mode), tags),
            }
        }))
        .regions(list(&json["regions"], |region| {
            RegionSpec::new(text(&region["name"]), text(&region["open"]), text(&region["close"]))
        }));
    if json["open"] == true {
        spec = spec.open();
    }
    if json["unknown"] == "prose" {
        spec = spec.unknown(UnknownTags::Prose);
    }
    if json["code"] == "tags" {
        spec = spec.code(TagsInCode::Tags);
    }
    let mut limits = StrictLimits::DEFAULT;
    for (key, value) in json["limits"].as_object().into_iter().flatten() {
        let value = value.as_u64().unwrap();
        match key.as_str() {
            "tags" => limits.tags = value as u32,
            "token_bytes" => limits.token_bytes = value as usize,
            "body_bytes" => limits.body_bytes = value as usize,
            _ => limits.diagnostics = value as u32,
        }
    }
    ProtocolBuf::new(&spec.limits(limits)).expect("a protocol of the vectors is well-formed")
}

fn protocols() -> BTreeMap<&'static str, ProtocolBuf> {
    let files = [
        include_str!("../../../tests/data/protocols/actions.json"),
        include_str!("../../../tests/data/protocols/desk.json"),
        include_str!("../../../tests/data/protocols/tiny.json"),
        include_str!("../../../tests/data/protocols/wiki.json"),
        include_str!("../../../tests/data/protocols/workforce-strict.json"),
    ];
    let names = ["actions", "desk", "tiny", "wiki", "workforce-strict"];
    names.into_iter().zip(files.map(|file| protocol(&serde_json::from_str(file).unwrap()))).collect()
}

/// What the machine emitted, with its text, in the form of the vectors.
pub(super) struct Answer<'s, 'p> {
    policy: &'s Policy<'p>,
    tiles: Vec<Value>,
    diagnostics: Vec<Value>,
    /// The line of each diagnostic.
    lines: Vec<String>,
    region_is_open: bool,
}

impl Answer<'_, '_> {
    fn add(&mut self, event: &RawEvent, window: &Window<'_>) {
        match event {
            RawEvent::Prose(span) => self.add_tile("prose", *span, Map::new()),
            RawEvent::Dropped(span) => self.add_tile("dropped", *span, Map::new()),
            RawEvent::Region { region, span, ends } => {
                let spec = self.policy.protocol().regions().nth(*region).unwrap();
                let was_open = core::mem::replace(&mut self.region_is_open, !ends);
                if let (true, Some(last)) = (was_open, self.tiles.last_mut()) {
                    assert_eq!((&last["kind"], &last["name"]), (&json!("region"), &json!(spec.name())));
                    assert_eq!(last["span"][1], json!(span.start));
                    last["span"][1] = json!(span.end);
                    return;
                }
                let more = Map::from_iter([("name".into(), json!(spec.name()))]);
                self.tiles.push(tile("region", *span, more));
            }
            _ => match event.resolve(self.policy, self.policy.protocol(), window) {
                Event::Tag(tag) => {
                    let more = self.tag(&tag);
                    self.tiles.push(tile("tag", tag.span(), more));
                }
                Event::Diagnostic(diagnostic) => {
                    self.diagnostics.push(facts(&diagnostic));
                    self.lines.push(diagnostic.to_string());
                }
                other => panic!("{other:?} of the seed's dialect"),
            },
        }
    }

    fn add_tile(&mut self, kind: &str, span: Span, more: Map<String, Value>) {
        assert!(!span.is_empty(), "an empty tile");
        if let Some(last) = self.tiles.last_mut()
            && last["kind"] == kind
        {
            assert_eq!(last["span"][1], json!(span.start), "tiles leave no gap");
            last["span"][1] = json!(span.end);
            return;
        }
        self.tiles.push(tile(kind, span, more));
    }

    fn tag(&self, tag: &Tag<'_>) -> Map<String, Value> {
        let attrs: Map<String, Value> =
            tag.attrs().iter().map(|(key, value)| (key.into(), json!(value.text()))).collect();
        let mut more = Map::new();
        more.insert("name".into(), json!(tag.name()));
        more.insert("attrs".into(), attrs.into());
        if let Some(argument) = tag.argument() {
            more.insert("argument".into(), json!(argument.text()));
        }
        more.insert("body".into(), json!(tag.body()));
        more.insert("content".into(), json!(tag.content()));
        if let Some(edits) = tag.edits() {
            more.insert("edits".into(), edits.map(|(old, new)| json!([old, new])).collect());
        }
        if let Some(sections) = tag.sections() {
            more.insert("sections".into(), sections.map(|(name, text)| json!([name, text])).collect());
        }
        more
    }
}

/// What a diagnostic states, as the vectors have it.
fn facts(diagnostic: &Diagnostic<'_>) -> Value {
    let span = diagnostic.span();
    let tag = diagnostic.tag_name().map(|name| name.to_string());
    let mut value = json!({
        "code": diagnostic.code().as_str(),
        "severity": diagnostic.severity().as_str(),
        "tag": tag,
        "span": [span.start, span.end],
    });
    if let Some(reason) = diagnostic.reason() {
        value["reason"] = json!(reason);
    }
    if let Some(attribute) = diagnostic.attribute() {
        value["attribute"] = json!(attribute);
    }
    if diagnostic.code() == DiagnosticCode::UnknownTag {
        value["nearest"] = diagnostic.nearest().collect();
    }
    value
}

fn tile(kind: &str, span: Span, more: Map<String, Value>) -> Value {
    let mut tile = json!({ "kind": kind, "span": [span.start, span.end] });
    tile.as_object_mut().unwrap().extend(more);
    tile
}

struct Events(Vec<RawEvent>);

impl Sink for Events {
    fn emit(&mut self, event: RawEvent) {
        self.0.push(event);
    }

    fn is_full(&self) -> bool {
        false
    }
}

/// Feeds a text in pieces, and keeps no more of it than the machine says that it needs.
struct Feeder<'s, 'p> {
    machine: Machine<HeapStorage>,
    answer: Answer<'s, 'p>,
    carry: String,
    base: usize,
}

impl<'s, 'p> Feeder<'s, 'p> {
    fn new(policy: &'s Policy<'p>, begins_inside: Option<&str>) -> Self {
        let mut machine = Machine::new(HeapStorage, policy);
        if let Some(name) = begins_inside {
            let region = policy.protocol().regions().position(|region| region.name() == name);
            machine.begin_inside(region.expect("a region of the protocol"));
        }
        let answer =
            Answer { policy, tiles: Vec::new(), diagnostics: Vec::new(), lines: Vec::new(), region_is_open: false };
        Feeder { machine, answer, carry: String::new(), base: 0 }
    }

    fn feed(&mut self, piece: &str, end: Option<Finish>) {
        self.carry.push_str(piece);
        let window = Window::new(&self.carry, self.base);
        let input = Input { policy: self.answer.policy, window, end };
        let mut events = Events(Vec::new());
        while self.machine.step(&input, &mut events) {
            for event in events.0.drain(..) {
                self.answer.add(&event, &window);
            }
        }
        for event in events.0.drain(..) {
            self.answer.add(&event, &window);
        }
        let needed = self.machine.needed_from();
        assert!(needed >= self.base, "text is needed again: {needed} < {}", self.base);
        self.carry.drain(..needed - self.base);
        self.base = needed;
    }

    fn answer(&self) -> Value {
        json!({ "tiles": self.answer.tiles, "diagnostics": self.answer.diagnostics })
    }
}

struct Case {
    id: String,
    text: String,
    finish: Finish,
    begins_inside: Option<String>,
    expected: Value,
}

fn cases(file: &str, mut each: impl FnMut(&Case, &Policy<'_>)) {
    let protocols = protocols();
    for line in file.split('\n').filter(|line| !line.is_empty()) {
        let value: Value = serde_json::from_str(line).unwrap();
        let protocol = protocols[value["protocol"].as_str().unwrap()].as_protocol();
        let policy = protocol.policy_for(value["role"].as_str(), value["mode"].as_str()).unwrap();
        let case = Case {
            id: value["id"].as_str().unwrap().into(),
            text: value["text"].as_str().unwrap().into(),
            finish: if value["finish"] == "complete" { Finish::Complete } else { Finish::Truncated },
            begins_inside: value["begins_inside"].as_str().map(Into::into),
            expected: value["expected"].clone(),
        };
        each(&case, &policy);
    }
}

fn read_in(case: &Case, policy: &Policy<'_>, pieces: &[&str]) -> Value {
    let mut feeder = Feeder::new(policy, case.begins_inside.as_deref());
    for piece in pieces {
        feeder.feed(piece, None);
    }
    feeder.feed("", Some(case.finish));
    feeder.answer()
}

fn read_whole(case: &Case, policy: &Policy<'_>) -> Value {
    let mut feeder = Feeder::new(policy, case.begins_inside.as_deref());
    feeder.feed(&case.text, Some(case.finish));
    feeder.answer()
}

/// Runs each case in a thread's catch, counts differences and shows a few.
fn hold(file: &str, read: impl Fn(&Case, &Policy<'_>) -> Vec<(String, Value)>) {
    let (mut wrong, mut count) = (0, 0);
    cases(file, |case, policy| {
        count += 1;
        let answers = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| read(case, policy)));
        match answers {
            Err(_) => {
                wrong += 1;
                eprintln!("{}: panics on {:?}", case.id, case.text);
            }
            Ok(answers) => {
                for (how, answer) in answers {
                    if answer != case.expected {
                        wrong += 1;
                        if wrong < 25 {
                            eprintln!(
                                "{} {how}: {:?}\n  got    {answer}\n  wanted {}",
                                case.id, case.text, case.expected
                            );
                        }
                        break;
                    }
                }
            }
        }
    });
    assert!(count > 0);
    assert_eq!(wrong, 0, "{wrong} of {count} differ");
}

const NAMED: &str = include_str!("../../../tests/data/strict-named.jsonl");
const RANDOM: &str = include_str!("../../../tests/data/strict-random.jsonl");

fn whole(case: &Case, policy: &Policy<'_>) -> Vec<(String, Value)> {
    Vec::from([("whole".into(), read_whole(case, policy))])
}

fn cut(case: &Case, policy: &Policy<'_>) -> Vec<(String, Value)> {
    let text = case.text.as_str();
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (piece, after) = rest.split_at(c.len_utf8());
        pieces.push(piece);
        rest = after;
    }
    let mut answers = Vec::from([("by character".into(), read_in(case, policy, &pieces))]);
    let cuts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    if text.len() < 2000 {
        answers.extend(cuts.map(|at| {
            let (one, two) = text.split_at(at);
            (format!("cut at {at}"), read_in(case, policy, &[one, two]))
        }));
    }
    answers
}

#[test]
fn named_vectors_whole() {
    hold(NAMED, whole);
}

#[test]
fn random_vectors_whole() {
    hold(RANDOM, whole);
}

#[test]
fn named_vectors_cut() {
    hold(NAMED, cut);
}

#[test]
fn random_vectors_cut() {
    hold(RANDOM, cut);
}

#[path = "../../../tests/support/mod.rs"]
pub(super) mod support;

/// Replies that make a machine look at text again, or wait: each is made for a length in bytes.
fn shapes() -> Vec<(&'static str, Box<dyn Fn(usize) -> String>)> {
    let repeat =
        |part: &'static str| -> Box<dyn Fn(usize) -> String> { Box::new(move |n| part.repeat(n / part.len())) };
    let numbered = |part: &'static str| -> Box<dyn Fn(usize) -> String> {
        Box::new(move |n| (0..n / (part.len() + 4)).map(|i| part.replace('#', &format!("{i:05}"))).collect())
    };
    let after = |head: &'static str, part: &'static str| -> Box<dyn Fn(usize) -> String> {
        Box::new(move |n| head.to_string() + &part.repeat(n / part.len()))
    };
    Vec::from([
        ("prose", repeat("plain text, a line of it\n")),
        ("one line", repeat("plain text ")),
        ("wiki links", repeat("a [[Page name|x]] and [[Other]] ")),
        ("brackets", repeat("[")),
        ("pairs", repeat("[[ ")),
        ("tags on a line", repeat("[[RUN cmd=\"a\"/]]")),
        ("bodies", repeat("[[NOTE]]\nx\n[[/NOTE]]\n")),
        ("unclosed double quotes", repeat("[[Foo a=\"")),
        ("unclosed single quotes", repeat("[[foo: 'x [[foo: \"y ")),
        ("a quote that does not close", after("[[RUN cmd=\"", "x ")),
        ("backslashes", after("[[RUN cmd=\"", "\\")),
        ("backslashes and quotes", after("[[RUN cmd=\"", "\\\"")),
        ("endless attributes", after("[[NOTE ", "key=\"value\" ")),
        ("endless keys", after("[[NOTE ", "k ")),
        ("endless blanks", after("[[NOTE", " ")),
        ("endless close", after("[[NOTE]][[/", " ")),
        ("faults without an end", repeat("[[RUN , ")),
        ("unknown faults without an end", repeat("[[FOO x=\"1\" , ")),
        ("faults far from their end", Box::new(|n| "[[RUN , ".repeat(n / 16) + &"x".repeat(n / 2) + "]]")),
        ("closes in prose", repeat("[[/RUN ")),
        ("stray closes", repeat("[[/RUN]]")),
        ("an unclosed body", after("[[NOTE]]", "[[/NOTE [[/NOTE] ")),
        ("quoted closes", after("[[NOTE]]", "\"[[/NOTE]]\" ")),
        ("marked closes", after("[[NOTE until=\"E\"]]", "[[/NOTE]] [[/NOTE F]]")),
        ("one unknown tag", after("[[FOO x=\"1\"]]", "[[RUN cmd=\"a\"/]] [[/BAR]] ")),
        ("unknown tags", repeat("[[FOO x=\"1\"]] ")),
        ("unknown tags of many names", numbered("[[FOO# x=\"1\"]] ")),
        ("unknown tags of many names, closed", numbered("[[FOO# x=\"1\"]] [[BAR#: y]] [[/FOO#]] ")),
        ("unknown tags of many marks", numbered("[[FOO until=\"#\"]] [[/FOO X#]] ")),
        ("refused without a close", after("[[WRITE_FILE path=\"/\"]]", "[[/WRITE [[x]] ")),
        ("fences", repeat("```\n[[RUN cmd=\"a\"/]]\n```\n")),
        ("fences that do not open", repeat("```a`b\n``\n")),
        ("one fence", after("```\n", "``\n[[RUN cmd=\"a\" [[NOTE]]\n")),
        ("a held fence", after("```\n[[NOTE]]\n", "```\n[[/NOTE [[RUN cmd=\"\n")),
        ("code with quotes", repeat("`[[Foo a='[[Foo a=\"` ")),
        ("runs of backticks", repeat("` `` ``` ")),
        ("one line of backticks", repeat("`")),
        ("one line of code", after("`", "[[Foo a='``")),
        ("quotes", repeat("> [[RUN cmd=\"a\"/]] `\n")),
        ("a quote or a fence", after("> ```", "[[DONE]] [[Foo a=\"x ")),
        ("prefixes", repeat("1. - > * ")),
        ("prefixed lines", repeat("- 1. > ~~\n")),
        ("regions", repeat("<think>a</think>")),
        ("markers cut short", repeat("<thin<think")),
        ("an open region", after("<think>", "</thin</think")),
        (
            "edits",
            Box::new(|n| {
                "[[EDIT_FILE path=\"a\"]]\n".to_string()
                    + &"<<<OLD\na\n===\nb\nNEW>>>\n".repeat(n / 24)
                    + "[[/EDIT_FILE]]"
            }),
        ),
        ("json", Box::new(|n| "[[TICKET]]".to_string() + &"[".repeat(n / 2) + &"]".repeat(n / 2) + "[[/TICKET]]")),
    ])
}

fn work_of(policy: &Policy<'_>, text: &str, piece: usize) -> u64 {
    let mut machine = Machine::new(HeapStorage, policy);
    let (mut carry, mut base, mut events) = (String::new(), 0, Events(Vec::new()));
    let mut run = |piece: &str, end: Option<Finish>| {
        carry.push_str(piece);
        let input = Input { policy, window: Window::new(&carry, base), end };
        while machine.step(&input, &mut events) {
            events.0.clear();
        }
        let needed = machine.needed_from();
        carry.drain(..needed - base);
        base = needed;
    };
    crate::work::take();
    let mut rest = text;
    while !rest.is_empty() {
        let (one, two) = rest.split_at(piece.min(rest.len()));
        run(one, None);
        rest = two;
    }
    run("", Some(Finish::Complete));
    crate::work::take()
}

/// A constant number of looks at each byte, whatever the text, however it is cut.
#[test]
fn the_work_is_linear() {
    let protocols = protocols();
    let policy = protocols["desk"].as_protocol().policy("developer", "work").unwrap();
    let (mut wrong, mut most) = (Vec::new(), 0.0_f64);
    for (name, shape) in shapes() {
        for piece in [usize::MAX, 1] {
            // Beyond `token_bytes` in any case.
            let size = if name.contains("far") { 400_000 } else { 70_000 };
            let (small, large) = (shape(size), shape(4 * size));
            let (few, many) = (work_of(&policy, &small, piece), work_of(&policy, &large, piece));
            let ratio = many as f64 / few as f64 / (large.len() as f64 / small.len() as f64);
            let per_byte = many as f64 / large.len() as f64;
            most = most.max(per_byte);
            // Closes of many names are sorted.
            let limit = if name.contains("many") { 1.1 } else { 1.005 };
            if ratio > limit || per_byte > 10.0 {
                wrong.push(format!(
                    "{name}, by {piece}: {per_byte:.2} a byte, {ratio:.3} times as much with the length"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(most > 1.0);
}

/// The lines of all diagnostics of the named vectors, as they are in `strict-lines.txt`: made to be read aloud.
#[test]
fn lines_for_the_model() {
    let mut lines = String::new();
    cases(NAMED, |case, policy| {
        let mut feeder = Feeder::new(policy, case.begins_inside.as_deref());
        feeder.feed(&case.text, Some(case.finish));
        for line in &feeder.answer.lines {
            lines.push_str(&format!("{}: {}\n", case.id, line.replace('\n', "\\n").replace('\r', "\\r")));
        }
        // Cutting the text does not change the lines.
        let mut pieces = Feeder::new(policy, case.begins_inside.as_deref());
        case.text.split_inclusive(|_: char| true).for_each(|piece| pieces.feed(piece, None));
        pieces.feed("", Some(case.finish));
        assert_eq!(pieces.answer.lines, feeder.answer.lines, "{}", case.id);
    });
    let wanted = include_str!("../../../tests/data/strict-lines.txt");
    if let Some(path) = std::env::var_os("TAGWIRE_WRITE_LINES") {
        std::fs::write(path, &lines).unwrap();
    }
    for (line, wanted) in lines.lines().zip(wanted.lines()) {
        assert_eq!(line, wanted);
    }
    assert_eq!(lines.len(), wanted.len());
}

/// Counts events.
struct Counter(usize);

impl Sink for Counter {
    fn emit(&mut self, _: RawEvent) {
        self.0 += 1;
    }

    fn is_full(&self) -> bool {
        false
    }
}

#[test]
fn a_warm_machine_allocates_nothing() {
    let protocols = protocols();
    let policy = protocols["desk"].as_protocol().policy("developer", "work").unwrap();
    let texts: Vec<String> = shapes().iter().map(|(_, shape)| shape(5_000)).collect();
    let mut machine = Machine::new(HeapStorage, &policy);
    let mut read = || {
        let mut counter = Counter(0);
        for text in &texts {
            machine.reset();
            let input = Input { policy: &policy, window: Window::new(text, 0), end: Some(Finish::Complete) };
            assert!(machine.run(&input, &mut counter));
        }
        counter.0
    };
    let events = read();
    let measured = allocation_counter::measure(|| assert_eq!(read(), events));
    assert_eq!(measured.count_total, 0);
    assert!(events > texts.len());
}
