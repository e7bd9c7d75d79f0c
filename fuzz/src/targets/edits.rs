//! Edit blocks: any body compared with the seed's pattern, applied to any text, compared with a naive application, and undone.

use std::sync::OnceLock;

use regex::Regex;
use tagwire::workforce::edit::{EditBlocks, EditBlocksError, EditError, edit_blocks};

use super::bounds;
use super::input::{CUT, Input, floor};
use super::seeds::{self, Seed};
use crate::support::twin::is_space;

/// The pattern backtracks.
const LONGEST: usize = 2000;

pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    match input.byte() % 4 {
        0 | 1 => any_body(input),
        2 => a_piece_replaced(input),
        _ => pieces_of_lines(input),
    }
}

/// Bodies of vectors, each with its text.
pub fn seeds() -> Vec<Seed> {
    let has_edit = |body: &str| body.contains("<<<OLD");
    let mut seeds = seeds::of_chosen(
        |vector| vector.tags.iter().any(|tag| has_edit(&tag.body)),
        1,
        |vector, _| {
            let body = &vector.tags.iter().find(|tag| has_edit(&tag.body)).expect("it is chosen").body;
            let file: String = match edit_blocks(body) {
                Ok(blocks) => blocks.iter().map(|block| format!("above\n{}\nbelow\n", block.old)).collect(),
                Err(_) => "a\nb\n".to_owned(),
            };
            [b"\0", body.as_bytes(), &[CUT], file.as_bytes()].concat()
        },
    );
    for (number, vector) in
        (0..).zip(crate::support::named().iter().filter(|vector| vector.text.len() < 300).step_by(12))
    {
        let head = [2 + number % 2, number, 2, 9, 1];
        let data = [&head, vector.prose.as_bytes(), &[CUT], vector.text.as_bytes()].concat();
        seeds.push(Seed { name: format!("piece-{number}"), data });
    }
    seeds
}

/// An arbitrary body and text.
fn any_body(input: Input<'_>) {
    let data = input.rest();
    let cut = data.iter().position(|&byte| byte == CUT).unwrap_or(data.len());
    let body = text(&data[..cut]);
    let file = text(data.get(cut + 1..).unwrap_or_default());
    assert_read(&body);
    if let Ok(blocks) = edit_blocks(&body) {
        assert_applied(&blocks, &body, &file);
    }
}

/// A replacement of a piece, which may occur more than once in the text.
fn a_piece_replaced(mut input: Input<'_>) {
    let (start, length) = (usize::from(input.byte()), input.below(60));
    let changes = input.byte();
    let _ = input.byte();
    let data = input.rest();
    let cut = data.iter().position(|&byte| byte == CUT).unwrap_or(data.len());
    let new = text(&data[..cut]);
    let file = text(data.get(cut + 1..).unwrap_or_default());
    let from = floor(&file, start);
    let to = floor(&file, from + length).max(from);
    let mut old = file[from..to].to_owned();
    if changes & 1 == 1 && !old.is_empty() {
        // A piece that nearly occurs.
        let at = floor(&old, usize::from(changes >> 1) % old.len());
        old.insert(at, [' ', 'x', '\n', '\t'][usize::from(changes >> 3) % 4]);
    }
    let body = format!("<<<OLD\n{old}\n===\n{new}\nNEW>>>");
    assert_read(&body);
    if let Ok(blocks) = edit_blocks(&body) {
        assert_applied(&blocks, &body, &file);
    }
}

/// A text of few distinct lines, and blocks of them: much of it occurs twice, or nearly.
fn pieces_of_lines(mut input: Input<'_>) {
    const LINES: [&str; 8] = ["a", "b", "  a", "a b", "", "{", "let x = 1;", "ab"];
    let end = ["\n", "\r\n"][input.below(2)];
    let block_end = ["\n", "\n", "\n", "\r\n"][input.below(4)];
    let lines = |input: &mut Input<'_>, most: usize, end: &str| {
        let count = input.below(most) + 1;
        let lines: Vec<&str> = (0..count).map(|_| LINES[input.below(LINES.len())]).collect();
        lines.join(end)
    };
    let file = lines(&mut input, 40, end) + if input.byte() & 1 == 0 { end } else { "" };
    let mut body = String::new();
    for _ in 0..input.below(3) + 1 {
        let (old, new) = (lines(&mut input, 4, block_end), lines(&mut input, 4, block_end));
        body.extend(["<<<OLD", block_end, &old, block_end, "===", block_end, &new, block_end, "NEW>>>", block_end]);
    }
    assert_read(&body);
    if let Ok(blocks) = edit_blocks(&body) {
        assert_applied(&blocks, &body, &file);
    }
}

fn text(bytes: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(bytes).into_owned();
    text.truncate(floor(&text, LONGEST));
    text
}

/// The blocks are those of the pattern.
#[track_caller]
fn assert_read(body: &str) {
    static PATTERN: OnceLock<Regex> = OnceLock::new();
    let pattern = PATTERN.get_or_init(|| {
        const SPACE: &str =
            r"[\x09-\x0d\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]*";
        let pattern = format!(r"(?s)<<<OLD{SPACE}\n(?P<old>.*?)\n==={SPACE}\n(?P<new>.*?)\n{SPACE}NEW>>>");
        Regex::new(&pattern).expect("a pattern")
    });
    let found = pattern.captures_iter(body);
    let expected: Vec<(&str, &str)> =
        found.map(|found| (found.name("old").unwrap().as_str(), found.name("new").unwrap().as_str())).collect();
    let read = edit_blocks(body);
    match &read {
        Ok(blocks) => assert_eq!(pairs(blocks), expected, "{body:?}"),
        Err(EditBlocksError::BlankOld) => {
            assert!(expected.iter().any(|(old, _)| old.chars().all(is_space)), "{body:?}");
        }
        Err(error) => {
            assert_eq!(*error, EditBlocksError::NoBlock);
            assert!(expected.is_empty(), "{body:?}");
        }
    }
    let cost = bounds::cost(|| drop(edit_blocks(body)));
    assert!(cost.steps <= 16 + 8 * body.len() as u64, "{cost:?} for {body:?}");
    assert!(cost.peak <= 256 + 16 * body.len() as u64, "{cost:?} for {body:?}");
}

/// Applies the blocks, compares with the naive application, checks the bounds, and undoes them if possible.
#[track_caller]
fn assert_applied(blocks: &EditBlocks<'_>, body: &str, file: &str) {
    let applied = blocks.apply(file);
    if let Err(error) = &applied {
        assert_bounded(error, blocks.len());
    }
    let edited = applied.as_deref().map_or(0, str::len);
    // One pass for all blocks; for each block some chunks, and its OLD in each of them.
    let bytes = (file.len() + body.len().max(edited)) as u64;
    let cost = bounds::cost(|| drop(blocks.apply(file)));
    let most = 4096 + blocks.len() as u64 * BLOCK + NEAREST * bytes;
    assert!(cost.steps <= most, "{cost:?} for {body:?} in {file:?}");
    assert!(cost.peak <= 200_000 + 400 * bytes, "{cost:?} for {body:?} in {file:?}");
    let in_lf: Vec<(String, String)> =
        blocks.iter().map(|block| (side_in_lf(block.old), side_in_lf(block.new))).collect();
    if in_lf.iter().any(|(old, new)| old.contains('\r') || new.contains('\r'))
        || file.replace("\r\n", "").contains('\r')
    {
        return; // A carriage return that ends no line, or that an edit makes a line end.
    }
    if let Ok(edited) = &applied {
        let [ends, edited_ends] = [file, edited].map(|text| (text.matches('\n').count(), text.matches("\r\n").count()));
        assert!(ends.0 == 0 || ends.1 > 0 || edited_ends.1 == 0, "{body:?} in {file:?}");
        assert!(ends.1 < ends.0 || ends.0 == 0 || edited_ends.1 == edited_ends.0, "{body:?} in {file:?}");
    }
    let in_lf: Vec<(&str, &str)> = in_lf.iter().map(|(old, new)| (&**old, &**new)).collect();
    let told =
        applied.as_ref().map(|edited| edited.replace("\r\n", "\n")).map_err(|error| (error.block(), error.found()));
    assert_eq!(told, plainly(&in_lf, &file.replace("\r\n", "\n")), "{body:?} in {file:?}");
    if let (Ok(edited), false) = (&applied, body.contains('\r') || file.contains('\r')) {
        let back = blocks.reversed();
        // If each NEW occurs only where it was inserted, the edit can be undone.
        if let Ok(before) = back.apply(edited) {
            assert_eq!(before, file, "{body:?}");
        }
    }
}

/// A side with LF line ends. A carriage return at its end belongs to the marker's line end.
fn side_in_lf(side: &str) -> String {
    side.strip_suffix('\r').unwrap_or(side).replace("\r\n", "\n")
}

#[track_caller]
fn assert_bounded(error: &EditError, blocks: usize) {
    let message = error.to_string();
    assert!(message.chars().count() <= 1_500 && message.lines().count() <= 11, "{message}");
    assert!(!message.chars().any(|c| c.is_control() && c != '\n'), "{message:?}");
    assert!(error.lines().len() <= 5 && (1..=blocks).contains(&error.block()));
}

fn pairs<'a>(blocks: &EditBlocks<'a>) -> Vec<(&'a str, &'a str)> {
    blocks.iter().map(|block| (block.old, block.new)).collect()
}

/// A naive application: one block after the other.
fn plainly(blocks: &[(&str, &str)], text: &str) -> Result<String, (usize, usize)> {
    let mut text = text.to_owned();
    for (index, (old, new)) in blocks.iter().enumerate() {
        let places: Vec<usize> =
            text.char_indices().map(|(at, _)| at).filter(|&at| text[at..].starts_with(old)).collect();
        match places[..] {
            [at] if old != new && !old.is_empty() => text.replace_range(at..at + old.len(), new),
            _ => return Err((index + 1, if old == new || old.is_empty() { 0 } else { places.len() })),
        }
    }
    Ok(text)
}

/// The most steps per block: it is searched for in the chunks of its start, and the chunks around it are read again.
const BLOCK: u64 = 40_000;
/// Steps per byte to find the closest lines, in a large window of fixed size.
const NEAREST: u64 = 400;
