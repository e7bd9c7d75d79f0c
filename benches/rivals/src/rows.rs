//! The measurements, row by row.

use std::collections::HashMap;
use std::hint::black_box;
use std::iter;
use std::process::Command;

use bumpalo::Bump;
use memchr::memmem::Finder;
use simd_json::Buffers;
use tagwire::workforce::edit::edit_blocks;
use tagwire::workforce::{Mode, Role};
use tagwire::{Parser, Policy};
use tagwire_rivals::corpus::{self, Count, Cuts, KIB, MIB, Reply, adversarial, count};
use tagwire_rivals::port::{EditPort, Port};
use tagwire_rivals::{limits, others, syntax};

use crate::end_to_end;
use crate::measure::{Runner, Times, fastest, race};
use crate::plot::Group;
use crate::table::{RIVALS, Row, bytes_a_second, number, times};

/// The result of the measurements.
pub enum Measured {
    Row(Row),
    Bars(Group),
}

/// `only` is one part of it: `batch`, `stream`, `growth` and so on.
pub fn measure(rounds: usize, only: Option<&str>, put: &mut dyn FnMut(Measured)) {
    let has = |part| only.is_none_or(|only| only == part);
    if has("batch") {
        whole_replies(rounds, put);
    }
    let mut row = |row| put(Measured::Row(row));
    type Part<'p> = (&'p str, &'p dyn Fn(&mut dyn FnMut(Row)));
    let parts: [Part<'_>; 7] = [
        ("stream", &|row| streams(rounds, row)),
        ("growth", &growth),
        ("adversarial", &adversarial_times),
        ("edits", &|row| edits(rounds, row)),
        ("memory", &memory),
        ("bodies", &bodies),
        ("end-to-end", &end_to_end::rows),
    ];
    for (name, part) in parts {
        if has(name) {
            part(&mut row);
        }
    }
}

fn whole_replies(rounds: usize, put: &mut dyn FnMut(Measured)) {
    let corpora = [
        ("plain", 64 * KIB, Some((1.8, 1.3))),
        ("plain", MIB, None),
        ("prose", 64 * KIB, Some((3.2, 2.0))),
        ("prose", MIB, Some((3.2, 2.0))),
        ("code", 64 * KIB, Some((2.5, 1.6))),
        ("code", MIB, Some((2.5, 1.6))),
        ("mixed", 0, Some((2.9, 1.9))),
        ("dense", 64 * KIB, None),
    ];
    for (name, size, bounds) in corpora {
        let label = match (name, size) {
            ("mixed", _) => format!("mixed, {} replies", corpus::MIXED),
            (_, size) => format!("{name} {}", size_name(size)),
        };
        let replies = if name == "mixed" { corpus::mixed(corpus::MIXED) } else { vec![corpus::corpus(name, size)] };
        let set = Set::new(replies);
        let times = set.race(if name == "mixed" { rounds.div_ceil(2) } else { rounds });
        let (ours, limit) = (times.of("tagwire"), times.of("memmem"));
        let row = Row::new(format!("batch, {label}: over memmem"), bytes_a_second(set.bytes, ours), ours / limit);
        let row = row.rivals(|rival| Some(self::times(times.of(rival) / ours)));
        let row = match bounds {
            Some((must, aim)) => row.reach(must, aim),
            None => row,
        };
        put(Measured::Row(row));
        if name == "plain" {
            let memcpy = times.of("memcpy");
            let work = format!("batch, {label}: over memcpy");
            put(Measured::Row(Row::new(work, bytes_a_second(set.bytes, memcpy) + " (memcpy)", ours / memcpy)));
        }
        if name == "dense" {
            let a_tag = |time: f64| time * 1e9 / set.expected.tags as f64;
            let row = Row::new("batch, dense 64 KiB: ns a tag", bytes_a_second(set.bytes, ours), a_tag(ours));
            put(Measured::Row(
                row.reach(75.0, 40.0).rivals(|rival| Some(format!("{} ns", number(a_tag(times.of(rival)))))),
            ));
        }
        if size != MIB {
            let names = ["memmem", "tagwire"].into_iter().chain(RIVALS);
            let bars = names.map(|name| (name, set.bytes as f64 / times.of(name))).collect();
            put(Measured::Bars(Group { corpus: label, bars }));
        }
    }
}

/// Replies in every syntax, with their expected counts.
struct Set {
    replies: Vec<Reply>,
    xml: Vec<String>,
    html: Vec<String>,
    json: Vec<String>,
    bytes: usize,
    expected: Count,
    /// The counts of parsers without grants.
    by_others: Count,
    by_html: Count,
}

impl Set {
    fn new(replies: Vec<Reply>) -> Self {
        let all = |syntax: fn(&Reply) -> String| replies.iter().map(syntax).collect();
        let sum = |count: fn(&Reply) -> Count| summed(replies.iter().map(count));
        Set {
            xml: all(syntax::xml),
            html: all(syntax::html),
            json: all(syntax::json),
            bytes: replies.iter().map(|reply| reply.text.len()).sum(),
            expected: sum(|reply| reply.count),
            by_others: sum(syntax::count),
            by_html: sum(syntax::html_count),
            replies,
        }
    }

    fn race(&self, rounds: usize) -> Times {
        let Set { replies, xml, html, json, bytes, expected, by_others, by_html } = self;
        let policies: Vec<Policy<'_>> = replies.iter().map(Reply::policy).collect();
        let (mut arena, mut copy, mut json_copy) = (Bump::new(), Vec::new(), Vec::new());
        let mut buffers = Buffers::default();
        let mut ports: HashMap<(Role, Mode), Port> = HashMap::new();
        let finder = Finder::new("[[");
        let brackets: usize = replies.iter().map(|reply| limits::memmem(&finder, &reply.text)).sum();
        race(
            rounds,
            vec![
                Runner::new("tagwire", || {
                    let counts = replies.iter().zip(&policies).map(|(reply, policy)| {
                        arena.reset();
                        count::batch(policy, black_box(&reply.text), &arena)
                    });
                    assert_eq!(summed(counts), *expected);
                }),
                Runner::new("memmem", || {
                    let found = replies.iter().map(|reply| limits::memmem(&finder, black_box(&reply.text)));
                    assert_eq!(found.sum::<usize>(), brackets);
                }),
                Runner::new("memcpy", || {
                    let copied = replies.iter().map(|reply| {
                        let length = limits::memcpy(black_box(&reply.text), &mut copy);
                        black_box(&copy);
                        length
                    });
                    assert_eq!(copied.sum::<usize>(), *bytes);
                }),
                Runner::new("quick-xml", || {
                    assert_eq!(summed(xml.iter().map(|xml| others::quick_xml(black_box(xml)))), *by_others);
                }),
                Runner::new("lol_html", || {
                    let counts = html.iter().map(|html| others::lol_html(iter::once(black_box(html.as_str()))));
                    assert_eq!(summed(counts), *by_html);
                }),
                Runner::new("serde_json", || {
                    assert_eq!(summed(json.iter().map(|json| others::serde_json(black_box(json)))), *by_others);
                }),
                Runner::new("simd-json", || {
                    let counts =
                        json.iter().map(|json| others::simd_json(black_box(json), &mut json_copy, &mut buffers));
                    assert_eq!(summed(counts), *by_others);
                }),
                Runner::new("regex port", || {
                    let counts = replies.iter().map(|reply| {
                        let Reply { role, mode, text, .. } = reply;
                        port_count(
                            ports.entry((*role, *mode)).or_insert_with(|| Port::new(*role, *mode)),
                            black_box(text),
                        )
                    });
                    assert_eq!(summed(counts), *expected);
                }),
            ],
        )
    }
}

fn port_count(port: &mut Port, text: &str) -> Count {
    let parsed = port.parse(text);
    let attr_bytes = |attrs: &[(&str, &str)]| attrs.iter().map(|(key, value)| key.len() + value.len()).sum::<usize>();
    Count {
        tags: parsed.tags.len(),
        attr_bytes: parsed.tags.iter().map(|tag| attr_bytes(&tag.attrs)).sum(),
        body_bytes: parsed.tags.iter().map(|tag| tag.body.len()).sum(),
        prose_bytes: parsed.prose.len(),
        diagnostics: parsed.errors.len(),
    }
}

fn summed(counts: impl Iterator<Item = Count>) -> Count {
    counts.fold(Count::default(), |mut sum, count| {
        sum.add(count);
        sum
    })
}

/// A way to cut a text.
type Cut = fn(&str) -> Cuts;

/// `must` and `aim`, if any.
type Bounds = Option<(f64, f64)>;

fn streams(rounds: usize, put: &mut dyn FnMut(Row)) {
    let four = |text: &str| Cuts::every(4, text);
    let cases: [(&str, &str, Cut, Bounds); 7] = [
        ("code", "4-byte chunks", four, Some((0.9, 0.75))),
        ("prose", "4-byte chunks", four, Some((0.9, 0.75))),
        ("dense", "4-byte chunks", four, Some((1.8, 1.3))),
        ("code", "chunks of 1 to 16 bytes", Cuts::random, Some((1.05, 0.9))),
        ("code", "1-byte chunks", |text| Cuts::every(1, text), Some((0.9, 0.75))),
        ("code", "16-byte chunks", |text| Cuts::every(16, text), None),
        ("code", "4096-byte chunks", |text| Cuts::every(4096, text), None),
    ];
    for (name, cuts_name, cut, bounds) in cases {
        let reply = corpus::corpus(name, 64 * KIB);
        let (times, chunks) = stream_race(rounds, &reply, cut);
        let (ours, limit) = (times.of("tagwire"), times.of("append and memchr"));
        let speed = format!("{} ns a chunk", number(ours * 1e9 / chunks as f64));
        let row = Row::new(format!("stream, {name}, {cuts_name}: over append and memchr"), speed.clone(), ours / limit);
        let row = row.rivals(|rival| Some(self::times(times.find(rival)? / ours)));
        put(match bounds {
            Some((must, aim)) => row.reach(must, aim),
            None => row,
        });
        if cuts_name == "4-byte chunks" {
            let work = format!("stream, {name}, {cuts_name}: over append alone");
            put(Row::new(work, speed, ours / times.of("append")));
        }
    }
    for name in ["code", "prose", "dense"] {
        let [small, large] = [64 * KIB, MIB].map(|size| corpus::corpus(name, size));
        let [small_cuts, large_cuts] = [&small, &large].map(|reply| four(&reply.text));
        let [mut small_parser, mut large_parser] = [&small, &large].map(|reply| Parser::new(reply.policy()));
        let times = race(
            rounds,
            vec![
                Runner::new("64 KiB", || {
                    assert_eq!(count::stream(&mut small_parser, small_cuts.of(black_box(&small.text))), small.count);
                }),
                Runner::new("1 MiB", || {
                    assert_eq!(count::stream(&mut large_parser, large_cuts.of(black_box(&large.text))), large.count);
                }),
            ],
        );
        let [small, large] = [("64 KiB", small_cuts), ("1 MiB", large_cuts)]
            .map(|(name, cuts)| times.of(name) * 1e9 / cuts.count() as f64);
        let speed = format!("{} ns a chunk", number(large));
        put(Row::new(format!("stream, {name}, 4-byte chunks: 1 MiB over 64 KiB"), speed, large / small)
            .reach(1.15, 1.05));
    }
}

/// The times, and the number of chunks.
fn stream_race(rounds: usize, reply: &Reply, cut: Cut) -> (Times, usize) {
    let (xml, html) = (syntax::xml(reply), syntax::html(reply));
    let (by_others, by_html) = (syntax::count(reply), syntax::html_count(reply));
    let [cuts, xml_cuts, html_cuts] = [&reply.text, &xml, &html].map(|text| cut(text));
    let mut parser = Parser::new(reply.policy());
    let (mut carry, mut other_carry, mut buffer) = (String::new(), String::new(), Vec::new());
    let with_bracket = cuts.of(&reply.text).filter(|chunk| chunk.contains('[')).count();
    let times = race(
        rounds,
        vec![
            Runner::new("tagwire", || {
                assert_eq!(count::stream(&mut parser, cuts.of(black_box(&reply.text))), reply.count);
            }),
            Runner::new("append and memchr", || {
                assert_eq!(limits::append_and_memchr(cuts.of(black_box(&reply.text)), &mut carry), with_bracket);
            }),
            Runner::new("append", || {
                assert_eq!(limits::append(cuts.of(black_box(&reply.text)), &mut other_carry), reply.text.len());
            }),
            Runner::new("quick-xml", || {
                assert_eq!(others::quick_xml_stream(xml_cuts.of(black_box(&xml)), &mut buffer), by_others);
            }),
            Runner::new("lol_html", || assert_eq!(others::lol_html(html_cuts.of(black_box(&html))), by_html)),
        ],
    );
    (times, cuts.count())
}

/// Instructions(4n) / instructions(n), as the count under valgrind prints them.
fn growth(put: &mut dyn FnMut(Row)) {
    let output = Command::new("cargo")
        .args(["bench", "--quiet", "--bench", "instructions", "--", "--growth"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let shape = |name: &str| adversarial::SHAPES.iter().find(|shape| shape.name == name);
    for (has_many_names, what, must) in [(false, "all shapes but those", 4.1), (true, "where many names meet", 4.6)] {
        let lines = text.lines().filter_map(|line| {
            let mut words = line.strip_prefix("growth: ")?.split_whitespace();
            let [batch, stream] = [words.next()?.parse::<f64>().ok()?, words.next()?.parse().ok()?];
            words.next();
            let name = words.filter(|&word| word != "OVER").collect::<Vec<_>>().join(" ");
            (shape(&name)?.has_many_names == has_many_names).then_some((batch.max(stream), name))
        });
        match lines.max_by(|left, right| left.0.total_cmp(&right.0)) {
            Some((worst, name)) => {
                let work = format!("adversarial, {what}: instructions(4n) over (n), batch and 1-byte chunks");
                put(Row::new(work, format!("worst: {name}"), worst).reach(must, 4.02));
            }
            None => eprintln!("the growth on adversarial shapes was not counted: is there a valgrind?"),
        }
    }
}

fn adversarial_times(put: &mut dyn FnMut(Row)) {
    let mut worst = [(0.0, ""), (0.0, "")];
    for shape in adversarial::SHAPES {
        let text = shape.text(MIB);
        let (policy, mut arena) = (adversarial::policy(), Bump::new());
        let (cuts, mut parser) = (Cuts::every(4, &text), Parser::new(adversarial::policy()));
        let batch = fastest(|| {
            arena.reset();
            black_box(count::batch(&policy, black_box(&text), &arena));
        });
        let stream = fastest(|| {
            black_box(count::stream(&mut parser, cuts.of(black_box(&text))));
        });
        for (worst, time) in worst.iter_mut().zip([batch, stream]) {
            if time > worst.0 {
                *worst = (time, shape.name);
            }
        }
    }
    for ((time, name), (how, must, aim)) in worst.into_iter().zip([("batch", 10.0, 4.0), ("4-byte chunks", 12.0, 6.0)])
    {
        let row =
            Row::new(format!("adversarial, worst shape at 1 MiB, {how}: ms"), format!("worst: {name}"), time * 1e3);
        put(row.reach(must, aim));
    }
}

fn edits(rounds: usize, put: &mut dyn FnMut(Row)) {
    let body = corpus::edit_body(64 * KIB);
    let port = EditPort::new();
    let expected = port.blocks(&body).len();
    let times = race(
        rounds,
        vec![
            Runner::new("tagwire", || {
                assert_eq!(edit_blocks(black_box(&body)).map(|blocks| blocks.len()), Ok(expected))
            }),
            Runner::new("regex port", || assert_eq!(port.blocks(black_box(&body)).len(), expected)),
        ],
    );
    let ours = times.of("tagwire");
    let row = Row::new("edit blocks, well-formed: GiB a second", bytes_a_second(body.len(), ours), {
        body.len() as f64 / ours / (1u64 << 30) as f64
    });
    put(row.more_is_better().reach(0.5, 2.0).rivals(|rival| Some(self::times(times.find(rival)? / ours))));
}

fn memory(put: &mut dyn FnMut(Row)) {
    const REPLIES: usize = 2000;
    let set = Set::new(corpus::mixed(REPLIES));
    let policies: Vec<Policy<'_>> = set.replies.iter().map(Reply::policy).collect();
    let mut arena = Bump::new();
    let batch = a_reply(&set, |i| {
        arena.reset();
        count::batch(&policies[i], &set.replies[i].text, &arena)
    });
    let mut parsers: HashMap<(Role, Mode), Parser<'_>> = HashMap::new();
    let cuts: Vec<Cuts> = set.replies.iter().map(|reply| Cuts::every(4, &reply.text)).collect();
    let stream = a_reply(&set, |i| {
        let Reply { role, mode, text, .. } = &set.replies[i];
        let parser = parsers.entry((*role, *mode)).or_insert_with(|| Parser::new(set.replies[i].policy()));
        count::stream(parser, cuts[i].of(text))
    });
    let mut ports: HashMap<(Role, Mode), Port> = HashMap::new();
    let (mut copy, mut buffers) = (Vec::new(), Buffers::default());
    let rivals = [
        a_reply(&set, |i| {
            let Reply { role, mode, text, .. } = &set.replies[i];
            port_count(ports.entry((*role, *mode)).or_insert_with(|| Port::new(*role, *mode)), text)
        }),
        a_reply(&set, |i| others::quick_xml(&set.xml[i])),
        a_reply(&set, |i| others::lol_html(iter::once(&*set.html[i]))),
        a_reply(&set, |i| others::serde_json(&set.json[i])),
        a_reply(&set, |i| others::simd_json(&set.json[i], &mut copy, &mut buffers)),
    ];
    let cell = |rival: &str| Some(number(rivals[RIVALS.iter().position(|name| *name == rival)?]));
    put(Row::new("heap allocations a reply, warm, mixed: arena", String::new(), batch).reach(0.0, 0.0).rivals(cell));
    put(Row::new("heap allocations a reply, warm, mixed: stream", String::new(), stream).reach(0.0, 0.0));
    for name in ["dense", "prose"] {
        let reply = corpus::corpus(name, MIB);
        let policy = reply.policy();
        let mut parsed = None;
        let memory = allocation_counter::measure(|| parsed = Some(policy.parse(&reply.text)));
        let kept = usize::try_from(memory.bytes_current).expect("a reply is kept");
        let parsed = parsed.expect("it was read");
        let items = (parsed.tags().len() + parsed.diagnostics().len()) as f64;
        let speed = format!("{} KiB kept", kept / KIB);
        let row =
            Row::new(format!("bytes kept a tag or diagnostic in a Reply, {name} 1 MiB"), speed, kept as f64 / items);
        put(row.reach(250.0, 128.0));
    }
}

/// Allocations per reply, in the third pass over the set.
fn a_reply(set: &Set, mut read: impl FnMut(usize) -> Count) -> f64 {
    let mut pass = || (0..set.replies.len()).for_each(|i| assert_ne!(black_box(read(i)), Count::default()));
    pass();
    pass();
    allocation_counter::measure(pass).count_total as f64 / set.replies.len() as f64
}

/// Long bodies in small pieces, as others publish them.
fn bodies(put: &mut dyn FnMut(Row)) {
    for (work, length, size, others) in [
        ("body of 173 KB in 30-byte pieces: ms", 173_000, 30, "others publish 66 ms"),
        ("body of 600 KB in 40-byte pieces: ms", 600_000, 40, "others publish 212 ms"),
        ("body of 40,000 single bytes: ms", 40_000, 1, "others publish 13.7 s"),
    ] {
        let code = corpus::corpus("code", MIB).text.replace("[[", "[ [");
        let text = format!("[[WRITE_FILE path=\"a.py\"]]{}[[/WRITE_FILE]]", &code[..code.floor_char_boundary(length)]);
        let (cuts, mut parser) = (Cuts::every(size, &text), Parser::new(adversarial::policy()));
        let time = fastest(|| assert_eq!(count::stream(&mut parser, cuts.of(black_box(&text))).tags, 1));
        put(Row::new(work, others.into(), time * 1e3));
    }
}

fn size_name(size: usize) -> String {
    if size < MIB { format!("{} KiB", size / KIB) } else { format!("{} MiB", size / MIB) }
}
