//! The bodies of the fuzz targets, on stable Rust: over their seeds, over the inputs found so far, and over generated inputs.
//!
//! A target is in `fuzz/fuzz_targets`, its body in `fuzz/src/targets`, its seeds in `fuzz/seeds`. An input that a fuzzer finds
//! becomes a file in `tests/data/found`: see `fuzz/README.md`.
#![cfg(all(feature = "protocol-file", feature = "sse", feature = "steps"))]

mod support;

#[path = "support/library.rs"]
mod library;

#[path = "support/strict_library.rs"]
mod strict_library;

#[path = "../fuzz/src/targets/mod.rs"]
mod targets;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};

use support::generator::{self, Rng};
use support::strict_generator;
use support::twin::TwinProtocol;
use targets::input::{CUT, CUT_TAKE_NONE, CUT_TAKE_ONE, RESET};
use targets::seeds::Seed;
use targets::{batch_line, cuts, protocols, replies, sse, strict_protocols};

#[test]
fn cuts_of_any_text() {
    run("cuts", 20_000, |rng| {
        let mut data = choices(rng);
        let marks = [CUT, CUT, CUT, CUT, CUT_TAKE_NONE, CUT_TAKE_ONE, RESET];
        data.extend(cuts::with_marks(&reply(rng), rng, &marks));
        data
    });
}

#[test]
fn twin_on_any_text() {
    run("twin", 8_000, |rng| {
        let mut data = choices(rng);
        data.extend(cuts::with_marks(&reply(rng), rng, &[CUT]));
        data
    });
}

#[test]
fn replies_of_pieces() {
    run("replies", 20_000, replies::random);
}

#[test]
fn protocols_and_replies_in_them() {
    run("protocols", 6_000, |rng| {
        let mut text = reply(rng);
        for byte in &mut text {
            // Each byte becomes a piece of a reply or a name.
            if !byte.is_ascii() || rng.percent(20) {
                *byte = rng.between(0x80, 0xFF) as u8;
            }
        }
        protocols::random(rng, &text)
    });
}

#[test]
fn attributes_of_any_text() {
    run("attrs", 20_000, |rng| {
        let mut data = vec![rng.below(16) as u8];
        if rng.percent(5) {
            data = vec![rng.between(0x70, 0x7F) as u8, rng.below(40) as u8];
        }
        for _ in 0..rng.below(40) {
            let piece: &&str = rng.pick(&[
                "a", "b", "key", "=", "=\"", "='", "\"", "'", " ", "\n", "\u{3000}", "a=\"b\"", "b='c' ", "/", "é",
                "1", "_", "x=\"", "A='a' ", "k1=\"\"", "k2=\"\"", "k3=''",
            ]);
            data.extend_from_slice(piece.as_bytes());
        }
        data
    });
}

#[test]
fn edits_of_any_text() {
    run("edits", 6_000, |rng| {
        let mut data = vec![rng.below(4) as u8];
        let lines =
            ["<<<OLD", "\n===", "\nNEW>>>", "\n", "\n", "a", "b", " ", "a\nb", "\r\n", "\t", "é", "\u{1c}", "x = 1"];
        for _ in 0..2 {
            for _ in 0..rng.below(24) {
                let piece: &&str = rng.pick(&lines);
                data.extend_from_slice(piece.as_bytes());
            }
            data.push(CUT);
        }
        if data[0] >= 2 {
            data.splice(1..1, (0..40).map(|_| rng.below(256) as u8));
        }
        data
    });
}

#[test]
fn decoder_on_any_bytes() {
    run("decoder", 20_000, |rng| {
        let count = rng.below(12);
        let mut data = vec![count as u8];
        data.extend((0..2 * count).map(|_| rng.below(256) as u8));
        for _ in 0..rng.below(20) {
            match rng.below(4) {
                0 => data.push(rng.below(256) as u8),
                1 => data.extend_from_slice("日本🙂é".as_bytes()),
                2 => data.extend_from_slice(&"🙂".as_bytes()[..rng.between(1, 4)]),
                _ => data.extend_from_slice(b"text"),
            }
        }
        data
    });
}

#[test]
fn batch_lines_of_any_bytes() {
    run("batch_line", 30_000, batch_line::random);
}

#[test]
fn event_streams_of_any_bytes() {
    run("sse", 20_000, sse::random);
}

#[test]
fn strict_cuts_of_any_text() {
    run("strict_cuts", 8_000, |rng| {
        let marks = [CUT, CUT, CUT, CUT, CUT_TAKE_NONE, CUT_TAKE_ONE, RESET];
        strict_input(rng, &marks)
    });
}

#[test]
fn strict_twin_on_any_text() {
    run("strict_twin", 1_500, |rng| strict_input(rng, &[CUT]));
}

#[test]
fn strict_protocols_and_replies_in_them() {
    run("strict_protocols", 1_500, strict_protocols::random);
}

/// The committed seeds are up to date with the vectors. `TAGWIRE_WRITE_SEEDS=1` writes them.
#[test]
fn seeds_are_made_from_the_vectors() {
    for target in targets::ALL {
        let folder = seeds_of(target.name);
        let made = (target.seeds)();
        assert!((20..=100).contains(&made.len()), "{} seeds of {}", made.len(), target.name);
        if std::env::var_os("TAGWIRE_WRITE_SEEDS").is_some() {
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(&folder).expect("a folder for seeds");
            for Seed { name, data } in &made {
                fs::write(folder.join(name), data).expect("a seed is written");
            }
        }
        let mut expected: Vec<(String, Vec<u8>)> = made.into_iter().map(|Seed { name, data }| (name, data)).collect();
        expected.sort();
        assert!(expected.windows(2).all(|pair| pair[0].0 != pair[1].0), "two seeds of one name for {}", target.name);
        assert_eq!(files(&folder), expected, "the seeds of {}; TAGWIRE_WRITE_SEEDS=1 makes them anew", target.name);
    }
    let drafts = files(&seeds_of("protocols"));
    let read = drafts.iter().filter(|(_, data)| protocols::is_read(data)).count();
    assert!(read * 2 > drafts.len(), "{read} of {} seeds are protocols", drafts.len());
}

/// Runs a body over its seeds, the inputs found so far, and a number of generated and mutated inputs.
#[track_caller]
fn run(name: &str, inputs: u64, make: impl Fn(&mut Rng) -> Vec<u8>) {
    let target = targets::target(name);
    let found = files(&root().join("tests/data/found").join(name));
    let seeds = files(&seeds_of(name));
    for (file, data) in seeds.iter().chain(&found) {
        check(target, data, file);
    }
    for number in 0..inputs {
        let mut rng = Rng::new(number);
        let mut data = match rng.below(4) {
            0 => rng.pick(&seeds).1.clone(),
            _ => make(&mut rng),
        };
        if rng.percent(50) {
            mutate(&mut rng, &mut data, &seeds);
        }
        check(target, &data, &format!("input {number}"));
    }
}

/// Reports a failed input as a literal.
#[track_caller]
fn check(target: &targets::Target, data: &[u8], what: &str) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (target.run)(data))) {
        eprintln!("{}, {what}: b\"{}\"", target.name, data.escape_ascii());
        resume_unwind(panic);
    }
}

/// Mutates like a fuzzer.
fn mutate(rng: &mut Rng, data: &mut Vec<u8>, seeds: &[(String, Vec<u8>)]) {
    for _ in 0..rng.between(1, 4) {
        let at = rng.below(data.len() + 1);
        let end = rng.between(at, (at + 20).min(data.len()));
        match rng.below(6) {
            0 => drop(data.drain(at..end)),
            1 => data.extend_from_within(at..end),
            2 => data.insert(at, rng.below(256) as u8),
            3 => data.insert(at, *rng.pick(b"[]/\"'= \n\xFF\xFE")),
            4 if at < data.len() => data[at] ^= 1 << rng.below(8),
            _ => {
                let other = &rng.pick(seeds).1;
                let from = rng.below(other.len() + 1);
                let to = rng.between(from, other.len());
                data.splice(at..end, other[from..to].iter().copied());
            }
        }
    }
}

/// A role and mode, and perhaps a limit.
fn choices(rng: &mut Rng) -> Vec<u8> {
    vec![rng.below(12) as u8, if rng.percent(25) { rng.between(128, 220) as u8 } else { 0 }]
}

/// A protocol, somebody in it, and a reply.
fn strict_input(rng: &mut Rng, marks: &[u8]) -> Vec<u8> {
    let protocols = strict_generator::strict_protocols();
    let number = rng.below(protocols.len());
    let mut data = vec![number as u8, rng.below(256) as u8, rng.below(4) as u8];
    let case = strict_generator::strict_case_in(&protocols[number], rng);
    data.extend(cuts::with_marks(case.text.as_bytes(), rng, marks));
    data
}

fn reply(rng: &mut Rng) -> Vec<u8> {
    let protocol = TwinProtocol::workforce();
    let grant = rng.pick(&protocol.grants).clone();
    generator::reply(rng, &protocol.twin(&grant.role, &grant.mode)).into_bytes()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn seeds_of(name: &str) -> PathBuf {
    root().join("fuzz/seeds").join(name)
}

/// The files of a folder by name; none without a folder.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("an entry of a folder"))
        .map(|entry| (entry.file_name().into_string().expect("a name"), fs::read(entry.path()).expect("a file")))
        .collect();
    files.sort();
    files
}
