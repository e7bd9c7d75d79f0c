//! What must hold of every parser of the strict dialect, whichever it is: all cuttings, earliness, and the five principles.

use super::generator::Rng;
use super::places;
use super::strict_follow::{Follower, Machine, Seen};
use super::strict_generator::{hostile_text, sound_tag};
use super::strict_twin::protocol::{Code, StrictProtocol};
use super::strict_twin::{Reading, StrictTwin, Tile};

/// Makes parsers for replies that are to be read as a twin reads them.
pub trait Subject {
    fn machine(&self, twin: &StrictTwin<'_>) -> Box<dyn Machine + '_>;
}

/// Cut in two at each place where it can be.
#[track_caller]
pub fn assert_every_cut_in_two(subject: &dyn Subject, twin: &StrictTwin<'_>, text: &str) {
    let expected = twin.read(text);
    for cut in places(text) {
        assert_pieces(subject, twin, text, &[cut], &expected);
    }
}

/// Character by character, and again with nothing between any two.
#[track_caller]
pub fn assert_character_by_character(subject: &dyn Subject, twin: &StrictTwin<'_>, text: &str) {
    let expected = twin.read(text);
    let cuts: Vec<usize> = places(text).collect();
    assert_pieces(subject, twin, text, &cuts, &expected);
    let cuts: Vec<usize> = places(text).flat_map(|place| [place, place]).collect();
    assert_pieces(subject, twin, text, &cuts, &expected);
}

/// Fed in the pieces between these places. Twice the same place is an empty piece.
#[track_caller]
pub fn assert_pieces(subject: &dyn Subject, twin: &StrictTwin<'_>, text: &str, cuts: &[usize], expected: &Reading) {
    let mut machine = subject.machine(twin);
    let mut follower = Follower::new(text, expected, cuts);
    let mut from = 0;
    for &to in cuts.iter().chain([&text.len()]) {
        machine.feed(&text[from..to], usize::MAX).into_iter().for_each(|seen| follower.take(seen));
        from = to;
    }
    machine.finish(twin.is_truncated, usize::MAX).into_iter().for_each(|seen| follower.take(seen));
    follower.end();
}

/// After each chunk only so many events are taken; the rest come first with the next.
#[track_caller]
pub fn assert_dropped_early(
    subject: &dyn Subject,
    twin: &StrictTwin<'_>,
    text: &str,
    cuts: &[usize],
    most: usize,
    expected: &Reading,
) {
    let mut machine = subject.machine(twin);
    let mut follower = Follower::new(text, expected, cuts);
    let mut from = 0;
    for &to in cuts.iter().chain([&text.len()]) {
        machine.feed(&text[from..to], most).into_iter().for_each(|seen| follower.take(seen));
        from = to;
    }
    // The end, too, may be asked for more than once.
    machine.finish(twin.is_truncated, most).into_iter().for_each(|seen| follower.take(seen));
    machine.finish(twin.is_truncated, usize::MAX).into_iter().for_each(|seen| follower.take(seen));
    follower.end();
}

/// After these prefixes, exactly what no continuation can change is given.
#[track_caller]
pub fn assert_early(subject: &dyn Subject, twin: &StrictTwin<'_>, text: &str, prefixes: &[usize]) {
    let expected = twin.read(text);
    let mut machine = subject.machine(twin);
    let mut follower = Follower::new(text, &expected, prefixes);
    let mut from = 0;
    for &to in prefixes {
        machine.feed(&text[from..to], usize::MAX).into_iter().for_each(|seen| follower.take(seen));
        follower.assert_decided(&text[..to], twin.decided(&text[..to]));
        from = to;
    }
}

/// What a parser makes of a reply, its pieces joined.
pub fn read(subject: &dyn Subject, twin: &StrictTwin<'_>, text: &str, chunk: usize) -> Reading {
    let mut machine = subject.machine(twin);
    let mut reading = Reading::default();
    let mut put = |seen: Seen| match (seen, reading.tiles.last_mut()) {
        (Seen::Said(said), _) => reading.diagnostics.push(said),
        (Seen::Tile(Tile::Prose(span)), Some(Tile::Prose(last))) => last.end = span.end,
        (Seen::Tile(Tile::Dropped(span)), Some(Tile::Dropped(last))) => last.end = span.end,
        (Seen::Tile(tile), _) => reading.tiles.push(tile),
    };
    let mut from = 0;
    while from < text.len() {
        let mut to = (from + chunk).min(text.len());
        while !text.is_char_boundary(to) {
            to += 1;
        }
        machine.feed(&text[from..to], usize::MAX).into_iter().for_each(&mut put);
        from = to;
    }
    machine.finish(twin.is_truncated, usize::MAX).into_iter().for_each(&mut put);
    reading
}

/// P1: nothing is given as a tag unless it was written whole. A tag that is given is given of no beginning of it.
#[track_caller]
pub fn assert_whole_or_nothing(subject: &dyn Subject, protocol: &StrictProtocol, seed: u64) {
    let mut rng = Rng::new(seed);
    let (twin, granted) = somebody(protocol, &mut rng);
    let tag = sound_tag(protocol, &granted, &mut rng);
    let whole = read(subject, &twin, &tag, usize::MAX);
    let [Tile::Tag(given)] = &*whole.tiles else {
        return;
    };
    assert_eq!(given.span, 0..tag.len());
    for cut in places(&tag).filter(|&cut| cut < tag.len()) {
        for is_truncated in [false, true] {
            let twin = twin.clone().truncated(is_truncated);
            let reading = read(subject, &twin, &tag[..cut], 3);
            assert_eq!(reading.tags().count(), 0, "{:?} of {tag:?}: {reading:?}", &tag[..cut]);
        }
    }
}

/// P2: what is no tag of this protocol stays prose, to the byte, and once its brackets are closed it is given.
#[track_caller]
pub fn assert_stays_prose(subject: &dyn Subject, protocol: &StrictProtocol, seed: u64) {
    let mut rng = Rng::new(seed);
    let (twin, _) = somebody(protocol, &mut rng);
    let mut text = String::new();
    for _ in 0..rng.between(1, 8) {
        let piece: &&str = rng.pick(NO_TAGS);
        text.push_str(piece);
        let blank: &&str = rng.pick(&[" ", "\n", ", ", "\r\n", "; "]);
        text.push_str(blank);
    }
    text.push_str("end ");
    let mut machine = subject.machine(&twin);
    let (mut given, mut from) = (0, 0);
    while from < text.len() {
        let mut to = (from + rng.between(1, 9)).min(text.len());
        while !text.is_char_boundary(to) {
            to += 1;
        }
        for seen in machine.feed(&text[from..to], usize::MAX) {
            let Seen::Tile(Tile::Prose(span)) = seen else { panic!("{seen:?} of {text:?}") };
            assert_eq!(span.start, given, "{text:?}");
            given = span.end;
        }
        from = to;
    }
    assert_eq!(given, text.len(), "{text:?} is not given whole before its end");
    assert_eq!(machine.finish(twin.is_truncated, usize::MAX), [], "{text:?}");
}

/// P3: whatever a body, the body of a refused tag, a body that is cut off, a value, a fence or a region holds, no tag of it is given.
#[track_caller]
pub fn assert_nothing_inside_is_read(subject: &dyn Subject, protocol: &StrictProtocol, seed: u64) {
    let mut rng = Rng::new(seed);
    let (twin, granted) = somebody(protocol, &mut rng);
    let inner = hostile_text(protocol, &granted, &mut rng);
    let after = [" ", "\n"][rng.below(2)];
    // Tags with bodies, of which the text holds no close with this mark.
    let bodies: Vec<_> = protocol.tags.iter().filter(|entry| entry.has_body()).collect();
    let entry = bodies[rng.below(bodies.len())];
    let mut head = format!("[[{}", entry.name);
    match &entry.select {
        Some(select @ super::strict_twin::protocol::Selector::Argument { .. }) => {
            head += &format!(":{}", select.value())
        }
        Some(super::strict_twin::protocol::Selector::Attribute { attribute, value }) => {
            head += &format!(" {attribute}=\"{value}\"");
        }
        None => {}
    }
    let open = format!("{head} until=\"Q-9\"");
    let close = format!("[[/{} Q-9]]", entry.name);
    let required: String =
        entry.attributes.iter().filter(|a| a.required).map(|a| format!(" {}=\"a\"", a.name)).collect();
    let mut texts = vec![
        ("a body", format!("{open}{required}]]{inner}{close}"), true),
        ("a refused body", format!("{open}{required} {0}=\"x\" {0}=\"y\"]]{inner}{close}", "q_q"), true),
        ("a body after a fault", format!("{open} ,]]{inner}{close}"), true),
        ("a body that is cut off", format!("{open}{required}]]{inner}"), false),
        ("a refused body that is cut off", format!("{open} ,]]{inner}"), false),
        ("a value", format!("[[{} q_q=\"{}\"/]]", entry.name, escaped(&inner)), true),
    ];
    if protocol.limits.token_bytes > 4096 {
        texts.push(("a value that is cut off", format!("{head} q_q=\"{}", escaped(&inner)), false));
    }
    if protocol.code == Code::Prose {
        texts.push(("a fence", format!("\n````````\n{inner}\n````````\n"), false));
        texts.push(("a fence that is cut off", format!("\n> ~~~~~~~~~\n{inner}"), false));
        let line = inner.replace(['\n', '`', '~'], "");
        texts.push(("a quote", format!("\n> {line}\n"), true));
        texts.push(("inline code", format!("``x{line}x`` "), true));
    }
    if let Some(region) = protocol.regions.first() {
        let inner = inner.replace(&region.close, "");
        texts.push(("a region", format!("{}{inner}{}", region.open, region.close), true));
        texts.push(("a region that is cut off", format!("{}{inner}", region.open), false));
    }
    for (what, text, ends) in texts {
        // It must be read as what it is meant to be: the limits may make something else of it.
        let is_short = text.len() <= protocol.limits.token_bytes.min(protocol.limits.body_bytes);
        if !is_short {
            continue;
        }
        let probe = sound_probe(protocol, &granted);
        let whole = if ends { format!("{text}{after}{probe}") } else { text.clone() };
        let reading = read(subject, &twin, &whole, 1 + rng.below(9));
        for tag in reading.tags() {
            let is_itself = tag.span == (0..text.len());
            let is_probe = tag.span.start >= text.len();
            assert!(is_itself || is_probe, "{what}: {:?} is given of {whole:?}", &whole[tag.span.clone()]);
        }
        if ends && !probe.is_empty() {
            let found = reading.tags().any(|tag| tag.span == (text.len() + after.len()..whole.len()));
            assert!(found, "{what}: nothing is read after {text:?}: {reading:#?}");
        }
    }
}

/// P4: whatever is refused is reported, at its place.
#[track_caller]
pub fn assert_all_that_is_refused_is_reported(subject: &dyn Subject, twin: &StrictTwin<'_>, text: &str) {
    let reading = read(subject, twin, text, 7);
    let is_limited = reading.diagnostics.iter().any(|said| said.code == "over-limit");
    let errors: Vec<usize> =
        reading.diagnostics.iter().filter(|said| said.severity == "error").map(|said| said.span.start).collect();
    for (at, tile) in reading.tiles.iter().enumerate().filter(|(_, tile)| matches!(tile, Tile::Dropped(_))) {
        let next = reading.tiles[at + 1..].iter().find(|tile| matches!(tile, Tile::Dropped(_)));
        let next = next.map_or(usize::MAX, |tile| tile.span().start);
        let is_told = errors.iter().any(|&error| error >= tile.span().start && error < next);
        assert!(is_told || is_limited, "{:?} is dropped of {text:?}, and nothing is said", tile.span());
    }
    for said in &reading.diagnostics {
        let is_spanned = said.span.end <= text.len() && text.get(said.span.clone()).is_some();
        assert!(is_spanned && !said.tag.is_empty(), "{said:?} of {text:?}");
    }
}

/// P5: text only goes forward. What waits is within the limits.
#[track_caller]
pub fn assert_waits_within_limits(subject: &dyn Subject, twin: &StrictTwin<'_>, text: &str) {
    let limits = twin.protocol.limits;
    // A body, the start of its close, and its token.
    let most = limits.body_bytes + 2 * limits.token_bytes + 8;
    let mut machine = subject.machine(twin);
    let (mut given, mut from) = (0, 0);
    for to in places(text).skip(1) {
        for seen in machine.feed(&text[from..to], usize::MAX) {
            if let Seen::Tile(tile) = seen {
                assert_eq!(tile.span().start, given, "{text:?}");
                given = tile.span().end;
            }
        }
        assert!(to - given <= most, "{} bytes wait of {:?}", to - given, &text[..to]);
        from = to;
    }
}

/// Somebody who may do something, in a mode in which he may.
fn somebody<'p>(protocol: &'p StrictProtocol, rng: &mut Rng) -> (StrictTwin<'p>, Vec<String>) {
    let grant = (!protocol.grants.is_empty()).then(|| rng.pick(&protocol.grants));
    let role = grant.and_then(|grant| grant.role.as_deref());
    let mode = grant.and_then(|grant| grant.mode.as_deref());
    let any = |from: fn(&super::strict_twin::protocol::Grant) -> Option<&String>| {
        protocol.grants.iter().find_map(from).map(String::as_str)
    };
    let twin = protocol.twin(role.or(any(|grant| grant.role.as_ref())), mode.or(any(|grant| grant.mode.as_ref())));
    let granted = protocol.granted(twin.role.as_deref(), twin.mode.as_deref());
    (twin.truncated(rng.percent(50)), granted)
}

/// The shortest tag that is given, or nothing where there is none.
fn sound_probe(protocol: &StrictProtocol, granted: &[String]) -> String {
    let is_bare = |entry: &&super::strict_twin::protocol::Entry| {
        entry.select.is_none() && !entry.has_body() && !entry.attributes.iter().any(|a| a.required)
    };
    let mut entries = protocol.tags.iter().filter(is_bare).filter(|entry| granted.contains(&entry.own_name()));
    entries.next().map_or(String::new(), |entry| format!("[[{}/]]", entry.name))
}

/// As it stands between double quotes.
fn escaped(text: &str) -> String {
    let (mut out, mut backslashes) = (String::new(), 0);
    for c in text.chars().chain(['"']) {
        if c == '"' {
            out.extend(std::iter::repeat_n('\\', backslashes + 1));
        }
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
        out.push(c);
    }
    // The last quote was only there for the backslashes before it.
    out.truncate(out.len() - 2);
    out
}

/// Brackets as they stand in prose and code of all kinds; of no protocol's words, and without quoted attributes.
const NO_TAGS: &[&str] = &[
    "[[Home Page]]",
    "[[Page|text]]",
    "if [[ -f x ]]; then",
    "x = [[1, 2], [3]]",
    "[[nodiscard]] int f()",
    "![[img.png]]",
    "[[../up]]",
    "m[i[[0]]]",
    "[[tool.poetry.source]]",
    "[[std::vec]]",
    "[[:alpha:]]",
    "[a](b)",
    "\\[[x]]",
    "[[1]]",
    "plain text",
    "日本語 🙂",
    "a [ b ] c",
    "]]",
    "[]",
    "[[]]",
    "[[ ]]",
    "[[/ ]]",
    "[[/usr/bin]]",
    "[[é]]",
    "\u{200b}",
    "\u{feff}x",
    "\u{201c}so\u{201d}",
    "a / b",
    "# head",
    "| a | b |",
    "[[zz yy]]",
    "[[qq=1]]",
];
