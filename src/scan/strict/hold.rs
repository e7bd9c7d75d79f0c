//! The machine by itself, held against the naive twin on generated replies.

use super::raw::{RawEvent, Reason, Sink};
use super::tests::{protocol, support};
use super::*;
use crate::protocol::ProtocolBuf;
use crate::storage::HeapStorage;
use support::generator::Rng;
use support::places;
use support::strict_checks::{
    Subject, assert_all_that_is_refused_is_reported, assert_early, assert_nothing_inside_is_read, assert_pieces,
    assert_stays_prose, assert_waits_within_limits, assert_whole_or_nothing,
};
use support::strict_follow::{Machine as Follows, Seen};
use support::strict_generator::{strict_case, strict_protocols};
use support::strict_twin::protocol::StrictProtocol;
use support::strict_twin::{GivenTag, Said, StrictTwin, Tile};

struct Fed<'s, 'p> {
    policy: &'s Policy<'p>,
    machine: Machine<HeapStorage>,
    carry: String,
    base: usize,
    queue: std::collections::VecDeque<Seen>,
    end: Option<Finish>,
}

impl Sink for Vec<RawEvent> {
    fn emit(&mut self, event: RawEvent) {
        self.push(event);
    }

    fn is_full(&self) -> bool {
        false
    }
}

impl<'s, 'p> Fed<'s, 'p> {
    fn new(policy: &'s Policy<'p>, inside: Option<&str>) -> Self {
        let mut machine = Machine::new(HeapStorage, policy);
        if let Some(name) = inside {
            machine.begin_inside(policy.protocol().regions().position(|r| r.name() == name).unwrap());
        }
        Fed { policy, machine, carry: String::new(), base: 0, queue: Default::default(), end: None }
    }

    fn run(&mut self, chunk: &str) {
        let end = self.base + self.carry.len();
        let is_scanned = self.machine.pos() == end && self.end.is_none();
        let quiet = self.machine.quiet();
        if !chunk.is_empty() && is_scanned && quiet.admits(chunk.as_bytes(), end + chunk.len()) {
            self.carry.push_str(chunk);
            self.machine.skip(chunk.len());
            if quiet.is_prose {
                assert_eq!(self.base, end, "prose is given, and nothing is kept of it");
                self.queue.push_back(Seen::Tile(Tile::Prose(end..end + chunk.len())));
                self.carry.clear();
                self.base += chunk.len();
            }
            return;
        }
        self.carry.push_str(chunk);
        let window = Window::new(&self.carry, self.base);
        let input = Input { policy: self.policy, window, end: self.end };
        loop {
            let mut events = Vec::new();
            let more = self.machine.step(&input, &mut events);
            assert!(events.len() <= 4, "{events:?}");
            for event in &events {
                self.queue.push_back(seen(event, &window, self.policy));
            }
            if !more {
                break;
            }
        }
        let needed = self.machine.needed_from();
        self.carry.drain(..needed - self.base);
        self.base = needed;
    }

    fn take(&mut self, most: usize) -> Vec<Seen> {
        self.queue.drain(..most.min(self.queue.len())).collect()
    }
}

impl Follows for Fed<'_, '_> {
    fn feed(&mut self, chunk: &str, most: usize) -> Vec<Seen> {
        self.run(chunk);
        self.take(most)
    }

    fn finish(&mut self, is_truncated: bool, most: usize) -> Vec<Seen> {
        self.end.get_or_insert(if is_truncated { Finish::Truncated } else { Finish::Complete });
        self.run("");
        self.take(most)
    }
}

fn seen(event: &RawEvent, window: &Window<'_>, policy: &Policy<'_>) -> Seen {
    Seen::Tile(match event {
        RawEvent::Prose(span) => Tile::Prose(span.range()),
        RawEvent::Dropped(span) => Tile::Dropped(span.range()),
        RawEvent::Region { region, span, .. } => {
            Tile::Region { name: policy.protocol().regions().nth(*region).unwrap().name().into(), span: span.range() }
        }
        RawEvent::Tag(tag) => {
            let answer = super::tests::answer(policy);
            let more = answer.tag(tag, window);
            let pairs = |value: &serde_json::Value| -> Option<Vec<(String, String)>> {
                Some(
                    value
                        .as_array()?
                        .iter()
                        .map(|p| (p[0].as_str().unwrap().into(), p[1].as_str().unwrap().into()))
                        .collect(),
                )
            };
            let text = |key: &str| more[key].as_str().unwrap().to_owned();
            Tile::Tag(Box::new(GivenTag {
                span: tag.span.range(),
                name: text("name"),
                attrs: more["attrs"]
                    .as_object()
                    .unwrap()
                    .iter()
                    .map(|(k, v)| (k.clone(), v.as_str().unwrap().into()))
                    .collect(),
                argument: more.get("argument").map(|v| v.as_str().unwrap().into()),
                body: text("body"),
                content: text("content"),
                edits: more.get("edits").and_then(pairs),
                sections: more.get("sections").and_then(pairs),
            }))
        }
        RawEvent::Diagnostic(diagnostic) => {
            let answer = super::tests::answer(policy);
            let value = answer.diagnostic(diagnostic, window);
            return Seen::Said(Said {
                code: diagnostic.code.as_str(),
                severity: diagnostic.severity.as_str(),
                tag: value["tag"].as_str().unwrap().into(),
                span: diagnostic.span.range(),
                reason: diagnostic.reason.map(Reason::as_str),
                attribute: value["attribute"].as_str().map(Into::into),
                nearest: value
                    .get("nearest")
                    .map(|v| v.as_array().unwrap().iter().map(|n| n.as_str().unwrap().into()).collect()),
            });
        }
    })
}

/// Machines for a protocol. Their policies are leaked.
struct Own<'b>(&'b ProtocolBuf);

impl Subject for Own<'_> {
    fn machine(&self, twin: &StrictTwin<'_>) -> Box<dyn Follows + '_> {
        let policy = self.0.as_protocol().policy_for(twin.role.as_deref(), twin.mode.as_deref()).unwrap();
        Box::new(Fed::new(Box::leak(Box::new(policy)), twin.begins_inside.as_deref()))
    }
}

fn with(
    protocols: &[StrictProtocol],
    bufs: &[ProtocolBuf],
    seed: u64,
    each: impl FnOnce(&dyn Subject, &StrictProtocol, &StrictTwin<'_>, &str),
) {
    let case = strict_case(protocols, seed);
    let i = protocols.iter().position(|it| std::ptr::eq(it, case.protocol)).unwrap();
    each(&Own(&bufs[i]), case.protocol, &case.twin(), &case.text);
}

fn over(name: &str, default: u64, check: impl Fn(&dyn Subject, &StrictProtocol, &StrictTwin<'_>, &str, u64)) {
    let number = |key: &str, or: u64| std::env::var(key).ok().map_or(or, |v| v.parse().unwrap());
    let (from, count) = (number("FROM", 0), number("COUNT", default));
    let protocols = strict_protocols();
    let bufs: Vec<ProtocolBuf> = protocols.iter().map(|p| protocol(&p.source)).collect();
    let mut wrong = 0;
    for seed in from..from + count {
        let bad = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
            with(&protocols, &bufs, seed, |subject, protocol, twin, text| check(subject, protocol, twin, text, seed))
        }));
        if bad.is_err() {
            wrong += 1;
            std::eprintln!("SEED {seed}");
            if wrong >= 12 {
                break;
            }
        }
    }
    assert_eq!(wrong, 0, "{name}: {wrong}");
}

#[test]
fn generated_whole_and_pieces() {
    over("pieces", 4000, |subject, _, twin, text, seed| {
        let expected = twin.read(text);
        assert_pieces(subject, twin, text, &[], &expected);
        let all: Vec<usize> = places(text).collect();
        assert_pieces(subject, twin, text, &all, &expected);
        let mut rng = Rng::new(seed);
        for percent in [3, 30] {
            let some: Vec<usize> = places(text).filter(|_| rng.percent(percent)).collect();
            assert_pieces(subject, twin, text, &some, &expected);
        }
    });
}

#[test]
fn generated_early() {
    over("early", 100, |subject, _, twin, text, _| {
        if text.len() > 150 {
            return;
        }
        let prefixes: Vec<usize> = places(text).collect();
        assert_early(subject, twin, text, &prefixes);
    });
}

#[test]
fn principles() {
    over("principles", 150, |subject, protocol, twin, text, seed| {
        assert_whole_or_nothing(subject, protocol, seed);
        assert_stays_prose(subject, protocol, seed);
        assert_nothing_inside_is_read(subject, protocol, seed);
        if text.len() < 100 {
            assert_all_that_is_refused_is_reported(subject, twin, text);
            assert_waits_within_limits(subject, twin, text);
        }
    });
}

struct Count(usize);

impl Sink for Count {
    fn emit(&mut self, _: RawEvent) {
        self.0 += 1;
    }
    fn is_full(&self) -> bool {
        false
    }
}

impl crate::scan::Sink for Count {
    fn emit(&mut self, _: crate::scan::RawEvent) {
        self.0 += 1;
    }
    fn is_full(&self) -> bool {
        false
    }
}

#[test]
#[ignore = "prints times"]
fn times() {
    use std::time::Instant;
    let prose = "Now I look at the tests, since one of them fails; then I mend what is wrong with it.\nThe second line is a bit shorter.\n\n";
    let texts = [
        ("prose", prose.repeat(8000)),
        ("links", "See [[Home]] and [[Other page|x]] for a list of things [1], a[0].\n".repeat(15000)),
        ("short tags", "Then [[READ_FILE path=\"src/a.py\"/]] and [[RUN cmd=\"pytest -q\"/]] to see.\n".repeat(120).repeat(1)),
        ("bodies", ("[[WRITE_FILE path=\"a.py\"]]\n".to_owned() + &"    x = values[0] + 1  # a line of code\n".repeat(200) + "[[/WRITE_FILE]]\n").repeat(100)),
        ("fences", ("```py\n".to_owned() + &"    x = values[0] + 1  # a line of code\n".repeat(30) + "```\n" + prose).repeat(500)),
    ];
    let strict = crate::workforce::STRICT.policy("developer", "work").unwrap();
    let seed = crate::workforce::PROTOCOL.policy("developer", "work").unwrap();
    for (name, text) in &texts {
        let text = text.repeat(4_000_000 / text.len() + 1);
        let (mut best, mut best_seed) = (f64::MAX, f64::MAX);
        let (mut events, mut events_seed) = (0, 0);
        // In replies of about 8 KB.
        let mut replies = Vec::new();
        let mut rest = text.as_str();
        while rest.len() > 8000 {
            let (one, two) = rest.split_at(8000 + rest[8000..].find('\n').unwrap_or(0));
            replies.push(one);
            rest = two;
        }
        for _ in 0..7 {
            let mut count = Count(0);
            let mut machine = Machine::new(HeapStorage, &strict);
            let start = Instant::now();
            for reply in &replies {
                machine.reset();
                machine.run(&Input { policy: &strict, window: Window::new(reply, 0), end: Some(Finish::Complete) }, &mut count);
            }
            best = best.min(start.elapsed().as_secs_f64());
            events = count.0;
            let mut count = Count(0);
            let mut machine = crate::scan::seed::Machine::new(HeapStorage);
            let start = Instant::now();
            for reply in &replies {
                machine.reset();
                machine.run(&Input { policy: &seed, window: Window::new(reply, 0), end: Some(Finish::Complete) }, &mut count);
            }
            best_seed = best_seed.min(start.elapsed().as_secs_f64());
            events_seed = count.0;
        }
        let rate = |time: f64| text.len() as f64 / time / 1e6;
        std::println!("{name}: strict {:.0} MB/s ({events}), seed {:.0} MB/s ({events_seed}): {:.2} times", rate(best), rate(best_seed), best / best_seed);
    }
}
