//! Arbitrary protocols, valid or not, and replies in them, compared with the twin.

use arbitrary::{Arbitrary, Unstructured};
use tagwire::{Budget, Grant, ProtocolBuf, ProtocolSpec, TagSpec};

use super::bounds;
use super::input::{CUT, floor, scripts};
use super::seeds::{self, Seed};
use crate::library::{policy_of, protocol_buf};
use crate::support::generator::Rng;
use crate::support::twin::{TwinGrant, TwinProtocol, TwinTag};

const LONGEST: usize = 2000;

pub fn run(data: &[u8]) {
    let mut data = Unstructured::new(data);
    let Ok(Draft { protocol, speaker, limit, choices }) = Draft::arbitrary(&mut data) else {
        return;
    };
    assert_checked(&protocol, choices);
    if !is_valid(&protocol) {
        return;
    }
    let buf = protocol_buf(&protocol);
    let twin = match protocol.grants.as_slice() {
        [] => protocol.twin("any", "any"),
        grants => {
            let one = |number: usize| &grants[number % grants.len()];
            protocol.twin(&one(speaker).role, &one(speaker / 4).mode)
        }
    };
    let twin = twin.with_max_tag_bytes(limit);
    let policy = policy_of(&buf, &twin);
    assert_eq!(ProtocolBuf::from(policy.protocol()), buf);
    let granted: Vec<&str> = policy.granted().map(|tag| tag.name()).collect();
    let names = protocol.tags.iter().map(|tag| &*tag.name).filter(|name| twin.granted.iter().any(|it| it == name));
    assert_eq!(granted, names.collect::<Vec<_>>());

    let length = protocol.tags.len() as u64;
    for script in scripts(data.take_rest()).iter().take(2) {
        let text = spell(&script.bytes, &protocol);
        let text = &text[..floor(&text, LONGEST)];
        let expected = twin.events(text);
        super::twin::assert_whole(&policy, text, &expected);
        bounds::assert_whole(&policy, text, length);
        let mut cuts: Vec<usize> = Vec::new();
        for &(at, _) in &script.cuts {
            // The spelled text is longer, so chunk ends are moved to the ends of their spelling.
            cuts.push(floor(text, spell(&script.bytes[..at], &protocol).len()));
        }
        super::twin::assert_prefixes(&twin, &policy, text, &cuts, &expected);
        bounds::assert_stream(&policy, text, &cuts, length);
    }
}

/// A protocol with a few tags, and a reply in it.
pub fn seeds() -> Vec<Seed> {
    seeds::of_vectors(4, |vector, rng| {
        let mut data = vec![rng.below(256) as u8, 0, rng.below(256) as u8];
        let tags = rng.between(1, 6);
        data.push(tags as u8);
        data.push(rng.below(4) as u8);
        for _ in 0..tags {
            let length = rng.below(8);
            data.push((rng.below(8) << 5 | length) as u8);
            data.extend((0..=length).map(|_| rng.below(ALPHABET.len()) as u8));
            data.push(rng.below(16) as u8);
        }
        data.extend((0..3).map(|_| rng.below(6) as u8));
        // Names in the vector become names of the protocol.
        let mut text = vector.text.as_bytes().to_vec();
        text.retain(u8::is_ascii);
        for name in ["WRITE_FILE", "RUN", "ASK_USER", "EDIT_FILE", "KNOWLEDGE", "NOTE", "READ_FILE"] {
            text = replace(&text, name.as_bytes(), 0xC0 + rng.below(tags) as u8);
        }
        if rng.percent(50) {
            // The letters of every other name fold.
            let names = text.iter_mut().filter(|byte| !byte.is_ascii());
            names.skip(1).step_by(2).for_each(|byte| *byte += 0x28);
        }
        data.extend(super::cuts::with_marks(&text, rng, &[CUT]));
        data
    })
}

fn replace(text: &[u8], name: &[u8], by: u8) -> Vec<u8> {
    let mut replaced = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with(name) {
            replaced.push(by);
            at += name.len();
        } else {
            replaced.push(text[at]);
            at += 1;
        }
    }
    replaced
}

/// The part of an input before its text.
struct Draft {
    protocol: TwinProtocol,
    speaker: usize,
    limit: Option<usize>,
    /// Bits: the faults of the protocol.
    choices: u8,
}

impl<'a> Arbitrary<'a> for Draft {
    fn arbitrary(data: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let choices: u8 = data.arbitrary()?;
        let limit: u8 = data.arbitrary()?;
        let speaker: u8 = data.arbitrary()?;
        let count: u8 = data.arbitrary()?;
        let budget_count: u8 = data.arbitrary()?;
        // Sometimes the maximum, or one more.
        let count = match count {
            0xF0..=0xFE => 128,
            0xFF => tagwire::MAX_TAGS + 1,
            count => usize::from(count % 32),
        };
        let budgets: Vec<String> = (0..budget_count % 4).map(|number| format!("budget {number}")).collect();
        let mut tags: Vec<TwinTag> = Vec::new();
        let mut grants: [Vec<String>; 3] = Default::default();
        for number in 0..count {
            let head: u8 = data.arbitrary()?;
            let mut name = String::new();
            match tags.last() {
                // A name that starts with the previous one.
                Some(last) if head >> 5 == 7 && last.name.len() < 20 => name.push_str(&last.name),
                _ => {}
            }
            for _ in 0..=head % 32 % 10 {
                let letter: u8 = data.arbitrary()?;
                name.push(ALPHABET[usize::from(letter) % ALPHABET.len()]);
            }
            if count > 32 {
                name = format!("{}{}", ["A", "K_", "I"][number % 3], number);
            } else if name.starts_with(|c: char| c.is_ascii_digit()) && head >> 5 != 6 {
                name.insert(0, 'S');
            }
            let choices: u8 = data.arbitrary()?;
            let budget = budgets.get(usize::from(choices >> 1) % 6).cloned();
            for (number, grant) in grants.iter_mut().enumerate() {
                if choices >> (4 + number) & 1 == 0 {
                    grant.push(name.clone());
                }
            }
            tags.push(TwinTag { name, has_body: choices & 1 == 0, budget });
        }
        let mut protocol = TwinProtocol { tags, budgets: Vec::new(), grants: Vec::new() };
        for name in budgets {
            let max: u8 = data.arbitrary()?;
            protocol.budgets.push((name, u32::from(1 + max % 6)));
        }
        if choices & 1 == 0 {
            // Mostly valid: no repeated name.
            let mut known = std::collections::HashSet::new();
            protocol.tags.retain(|tag| known.insert(tag.name.clone()));
        }
        if choices & 2 == 0 {
            let pairs = [("role 0", "mode 0"), ("role 1", "mode 1"), ("role 2", "mode 0")];
            for (names, (role, mode)) in grants.into_iter().zip(pairs).filter(|(names, _)| !names.is_empty()) {
                protocol.grants.push(TwinGrant { role: role.to_owned(), mode: mode.to_owned(), names });
            }
        }
        let limit = usize::from(limit).checked_sub(super::input::NO_LIMIT);
        Ok(Draft { protocol, speaker: usize::from(speaker), limit, choices: choices >> 2 })
    }
}

/// The letters of names: few, so that names collide, and all those that fold.
const ALPHABET: [char; 10] = ['A', 'I', 'K', 'S', '_', 'B', '0', '1', 'X', 'Z'];

/// Whether the twin's data is a valid protocol, by the written rules.
fn is_valid(protocol: &TwinProtocol) -> bool {
    let TwinProtocol { tags, budgets, grants } = protocol;
    let is_name = |name: &str| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    };
    !tags.is_empty()
        && tags.len() <= tagwire::MAX_TAGS
        && tags.iter().all(|tag| is_name(&tag.name))
        && tags.iter().enumerate().all(|(i, tag)| tags[..i].iter().all(|other| other.name != tag.name))
        && tags.iter().all(|tag| tag.budget.iter().all(|name| budgets.iter().any(|(budget, _)| budget == name)))
        && grants.iter().all(|grant| !grant.names.is_empty())
}

/// Valid protocols are accepted, invalid ones refused, and a valid one with a fault added is refused.
#[track_caller]
fn assert_checked(protocol: &TwinProtocol, choices: u8) {
    assert_eq!(build(protocol).is_ok(), is_valid(protocol), "{protocol:?}");
    let mut broken = protocol.clone();
    match choices % 8 {
        0 => broken.tags.extend(protocol.tags.first().cloned()),
        1 => broken.budgets.push(("of nothing".to_owned(), 0)),
        2 => broken.grants.push(TwinGrant { role: "r".into(), mode: "m".into(), names: vec!["UNHEARD_OF".into()] }),
        3 => broken.grants.push(TwinGrant { role: "r".into(), mode: "m".into(), names: Vec::new() }),
        4 => broken.grants.push(TwinGrant { role: String::new(), mode: "m".into(), names: Vec::new() }),
        5 => broken.tags.push(TwinTag { name: "lower".into(), has_body: false, budget: None }),
        6 => broken.tags.push(TwinTag { name: "UNPAID".into(), has_body: true, budget: Some("nowhere".into()) }),
        _ => broken.budgets.extend(protocol.budgets.first().cloned()),
    }
    let same = broken.tags.len() == protocol.tags.len()
        && broken.grants.len() == protocol.grants.len()
        && broken.budgets.len() == protocol.budgets.len();
    if !same {
        let error = build(&broken).expect_err("a mistake in it");
        assert!(!error.is_empty() && error.len() < 4000, "{error}");
    }
}

fn build(protocol: &TwinProtocol) -> Result<ProtocolBuf, String> {
    let spec =
        |tag: &'_ TwinTag| -> (String, bool, Option<String>) { (tag.name.clone(), tag.has_body, tag.budget.clone()) };
    let parts: Vec<_> = protocol.tags.iter().map(spec).collect();
    let tags: Vec<TagSpec<'_>> = parts
        .iter()
        .map(|(name, has_body, budget)| {
            let spec = if *has_body { TagSpec::with_body(name) } else { TagSpec::new(name) };
            budget.as_ref().map_or(spec, |budget| spec.budget(budget))
        })
        .collect();
    let budgets: Vec<Budget<'_>> = protocol.budgets.iter().map(|(name, max)| Budget::new(name, *max)).collect();
    let names: Vec<Vec<&str>> =
        protocol.grants.iter().map(|grant| grant.names.iter().map(String::as_str).collect()).collect();
    let grants: Vec<Grant<'_>> =
        protocol.grants.iter().zip(&names).map(|(grant, names)| Grant::new(&grant.role, &grant.mode, names)).collect();
    let spec = ProtocolSpec::seed("drawn", &tags).budgets(&budgets).grants(&grants);
    let spec = if grants.is_empty() { spec.open() } else { spec };
    ProtocolBuf::new(&spec).map_err(|error| error.to_string())
}

/// The text of these bytes: ASCII stands for itself, another byte for a piece of a reply or a name of the protocol (as it is, in
/// lower case, or with letters that only a close folds).
fn spell(bytes: &[u8], protocol: &TwinProtocol) -> String {
    let mut text = String::new();
    for &byte in bytes {
        match byte {
            0..=0x7F => text.push(char::from(byte)),
            0x80..=0xBF => text.push_str(PIECES[usize::from(byte) % PIECES.len()]),
            _ => {
                let names = &protocol.tags;
                let Some(tag) = names.get(usize::from(byte % 0x20) % names.len().max(1)) else {
                    continue;
                };
                match byte {
                    0xC0..=0xDF => text.push_str(&tag.name),
                    0xE0..=0xE7 => text.push_str(&tag.name.to_ascii_lowercase()),
                    _ => text.extend(tag.name.chars().map(|c| match c {
                        'S' => 'ſ',
                        'K' => '\u{212a}',
                        'I' => ['İ', 'ı'][usize::from(byte / 2 % 2)],
                        c => c,
                    })),
                }
            }
        }
    }
    text
}

const PIECES: [&str; 21] = [
    "[[", "]]", "[[/", "/]]", " a=\"b\"", "ſ", "\u{212a}", "İ", "ı", "\u{3000}", "é", "\u{1c}", "[", "]", "/", "k",
    "s", "i", " x='y'", "\u{200b}", "🙂",
];

/// Decodes the draft of a seed, for a test.
pub fn is_read(data: &[u8]) -> bool {
    Draft::arbitrary(&mut Unstructured::new(data)).is_ok_and(|draft| is_valid(&draft.protocol))
}

/// A random draft with a random text.
pub fn random(rng: &mut Rng, text: &[u8]) -> Vec<u8> {
    let mut data: Vec<u8> = (0..rng.between(10, 60)).map(|_| rng.below(256) as u8).collect();
    data[3] %= 8;
    data.extend_from_slice(text);
    data
}
