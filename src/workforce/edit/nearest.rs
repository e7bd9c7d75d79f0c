//! The lines of a text that come closest to an OLD which is not in it.
//!
//! Every line of the text votes for the line at which OLD would start if this line were a certain line of OLD: lines that
//! are visibly equal vote for all such lines (up to a cap), and the longest lines of OLD get votes from the lines that are like
//! them. The start with the most votes is aligned with OLD line by line, in a small window. All steps are linear in the
//! text, and caps keep their factors small; a cap that is met only makes the hint worse.

use alloc::{vec, vec::Vec};
use core::cmp::Reverse;

use super::{
    bigrams::{ALIKE, Bigrams, Line, hash, longest_ends, visible_len},
    error::{DIFFERENCES, Difference, Nearest, What},
    line_diff::{LinePosition, is_blank, line_diff},
    quote,
};

/// The lines of `text` that come closest to `old`, which does not occur in it.
pub(super) fn nearest(old: &str, text: &str) -> Nearest {
    if text.is_empty() {
        return Nearest::Empty;
    }
    count_work!(old.len() + text.len());
    let old: Vec<&str> = old.split('\n').take(LINES).collect();
    let file: Vec<&str> = text.split('\n').take(LINES).collect();
    let Some((start, votes)) = vote(&old, &file) else {
        return Nearest::Nothing;
    };
    let (steps, cut) = if old.len() == 1 {
        (vec![Step::Pair { old: 0, file: start.max(0) as usize }], 0)
    } else {
        align(&old, &file, start)
    };
    if old.len() > 1 && votes < WEAK && !half_matches(&old, &file, &steps) {
        return Nearest::Nothing;
    }
    report(&old, &file, &steps, cut)
}

/// The index of the line at which OLD most likely starts, and its votes. The index is less than 0 where the first lines of OLD
/// are missing.
fn vote(old: &[&str], file: &[&str]) -> Option<(isize, u64)> {
    let lengths: Vec<usize> = old.iter().map(|line| visible_len(line)).collect();
    let weights: Vec<u64> = old.iter().zip(&lengths).map(|(line, &length)| weight(line, length)).collect();

    let mut known: Vec<(u64, usize)> = old.iter().enumerate().map(|(index, line)| (hash(line), index)).collect();
    known.retain(|&(_, index)| weights[index] > 0);
    known.sort_unstable();
    let mut longest: Vec<usize> = (0..old.len()).filter(|&index| weights[index] > 0).collect();
    longest.sort_by_key(|&index| Reverse(lengths[index]));
    longest.truncate(ANCHORS);
    let anchors: Vec<(usize, Line<'_>)> = longest.into_iter().map(|index| (index, Line::new(old[index]))).collect();
    // A line of a third of the length cannot be like another.
    let needed = anchors.iter().map(|(index, _)| lengths[*index].min(400)).min().unwrap_or(0) / 4;

    let mut votes = vec![0u64; old.len() + file.len()];
    for (at, line) in file.iter().enumerate() {
        let hash = hash(line);
        let equal = &known[known.partition_point(|&(other, _)| other < hash)..];
        for &(_, index) in equal.iter().take_while(|&&(other, _)| other == hash).take(EQUAL) {
            votes[at + old.len() - index] += weights[index] * if old[index] == *line { 5 } else { 4 };
        }
        if line.len() < needed {
            continue;
        }
        let bigrams = Bigrams::new(line);
        for (index, anchor) in anchors.iter().filter(|(_, anchor)| anchor.hash != hash) {
            let likeness = if old.len() == 1 && line.len() > 3 * anchor.text.len() {
                likeness_to_part(anchor, line, &bigrams)
            } else {
                anchor.bigrams.likeness(&bigrams)
            };
            votes[at + old.len() - index] += weights[*index] * 3 * likeness.unwrap_or(0) / 1000;
        }
    }
    let best = votes.iter().enumerate().max_by_key(|&(start, &votes)| (votes, Reverse(start)))?;
    let (start, &votes) = best;
    (votes > 0).then_some((start as isize - old.len() as isize, votes))
}

/// The weight of a line of OLD. Braces alone say little about their position.
fn weight(line: &str, length: usize) -> u64 {
    let length = length.min(40) as u64;
    if line.contains(char::is_alphanumeric) { length * TEXT } else { length }
}

/// Whether half of the lines of OLD match their aligned lines.
fn half_matches(old: &[&str], file: &[&str], steps: &[Step]) -> bool {
    let is_match = |step: &&Step| match **step {
        Step::Pair { old: index, file: at } => LinePosition::new(index, old.len()).matches(old[index], file[at]),
        _ => false,
    };
    2 * steps.iter().filter(is_match).count() >= old.len().min(steps.len())
}

/// The similarity of the only line of OLD to a part of a much longer line: the share found from either end.
fn likeness_to_part(anchor: &Line<'_>, line: &str, bigrams: &Bigrams) -> Option<u64> {
    if anchor.bigrams.common(bigrams) * 2 < anchor.bigrams.total() {
        return None;
    }
    let [(start, _), (end, _)] = longest_ends(anchor.text, line);
    let most = anchor.text.len().min(400);
    let likeness = 900 * (start + end).min(most) as u64 / most as u64;
    (likeness >= ALIKE).then_some(likeness)
}

/// A step of an alignment: indices of lines.
#[derive(Copy, Clone)]
enum Step {
    Pair { old: usize, file: usize },
    NotInOld { file: usize },
    NotInFile { old: usize, file: usize },
}

/// The cheapest way from the lines of OLD to the lines of the file about `start`, and how many lines of OLD after the window
/// were not looked at.
fn align(old: &[&str], file: &[&str], start: isize) -> (Vec<Step>, usize) {
    let about = (start - SLACK as isize).max(0) as usize;
    let run = |start: usize| {
        let pairs = old.iter().zip(&file[start..]).enumerate();
        pairs
            .take_while(|(index, (old_line, line))| LinePosition::new(*index, old.len()).matches(old_line, line))
            .count()
    };
    // If many lines of a long OLD match, the window moves to the first that does not.
    let starts = (about..file.len().min(about + WINDOW + SLACK)).map(|start| (run(start), Reverse(start)));
    let (skipped, from) = match starts.max() {
        Some((run, Reverse(start))) if run > WINDOW / 2 => (run, start + run),
        _ => (0, about),
    };
    let rows: Vec<Line<'_>> = old[skipped..].iter().take(WINDOW).map(|line| Line::new(line)).collect();
    let columns: Vec<Line<'_>> =
        file[from.min(file.len())..].iter().take(rows.len() + 2 * SLACK).map(|line| Line::new(line)).collect();

    let pair =
        |row: usize, column: usize| cost(&rows[row], &columns[column], LinePosition::new(skipped + row, old.len()));
    // To skip a line of the file costs less than to skip one of OLD, which should be found.
    let pass_file = |column: usize| {
        if is_blank(columns[column].text) { 100 } else { 250 }
    };
    let pass_old = |row: usize| if is_blank(rows[row].text) { 250 } else { 600 };
    let width = columns.len() + 1;
    // costs[row * width + column]: up to there. Lines of the file before the first and after the last row cost nothing.
    let mut costs = vec![0u64; (rows.len() + 1) * width];
    for row in 0..=rows.len() {
        for column in 0..width {
            let at = row * width + column;
            let left = |costs: &[u64]| costs[at - 1] + pass_file(column - 1);
            let above = |costs: &[u64]| costs[at - width] + pass_old(row - 1);
            costs[at] = match (row, column) {
                (0, 0) => 0,
                (0, _) if skipped == 0 => 0,
                (0, _) => left(&costs),
                (_, 0) => above(&costs),
                _ => (costs[at - width - 1] + pair(row - 1, column - 1)).min(left(&costs)).min(above(&costs)),
            };
        }
    }
    let last_row = &costs[rows.len() * width..];
    let mut column = (0..width).min_by_key(|&column| last_row[column]).unwrap_or(0);
    let mut row = rows.len();
    let mut steps = Vec::new();
    while row > 0 || (column > 0 && skipped > 0) {
        let at = row * width + column;
        if row > 0 && column > 0 && costs[at] == costs[at - width - 1] + pair(row - 1, column - 1) {
            (row, column) = (row - 1, column - 1);
            steps.push(Step::Pair { old: skipped + row, file: from + column });
        } else if row > 0 && costs[at] == costs[at - width] + pass_old(row - 1) {
            row -= 1;
            steps.push(Step::NotInFile { old: skipped + row, file: from + column });
        } else {
            column -= 1;
            steps.push(Step::NotInOld { file: from + column });
        }
    }
    steps.extend((0..skipped).rev().map(|index| Step::Pair { old: index, file: from - skipped + index }));
    steps.reverse();
    (steps, old.len() - skipped - rows.len())
}

/// The cost of pairing two lines. For lines that are not alike it is a little less than that of skipping the one of OLD; a
/// blank line is not paired with another.
fn cost(old: &Line<'_>, file: &Line<'_>, position: LinePosition) -> u64 {
    if position.matches(old.text, file.text) {
        0
    } else if old.hash == file.hash || position.matches_trimmed(old.text, file.text) {
        100
    } else {
        match old.bigrams.likeness(&file.bigrams) {
            Some(likeness) => 200 + (1000 - likeness) / 2,
            None if is_blank(old.text) || is_blank(file.text) => 900,
            None => 580,
        }
    }
}

fn report(old: &[&str], file: &[&str], steps: &[Step], cut: usize) -> Nearest {
    let mut differences = Vec::new();
    let mut more = 0;
    for step in steps {
        let what = match *step {
            Step::Pair { old: index, file: at } => {
                line_diff(old[index], file[at], LinePosition::new(index, old.len())).map(|what| (at, what))
            }
            Step::NotInOld { file: at } => Some((at, What::NotInOld { quote: quote::line(file[at], 0) })),
            Step::NotInFile { old: index, file: at } => {
                Some((at, What::NotInFile { old_line: index + 1, quote: quote::line(old[index], 0) }))
            }
        };
        match what {
            Some((at, what)) if differences.len() < DIFFERENCES => differences.push(Difference { line: at + 1, what }),
            Some(_) => more += 1,
            None => {}
        }
    }
    // After a newline that ends OLD, there is no further line of it.
    let newline = (old.len() > 1 && old.last() == Some(&"")).then(|| old.len() - 1);
    let mut lines = steps.iter().filter_map(|step| match *step {
        Step::Pair { old, .. } if Some(old) == newline => None,
        Step::Pair { file, .. } | Step::NotInOld { file } => Some(file + 1),
        Step::NotInFile { .. } => None,
    });
    let first = lines.clone().next().unwrap_or(1);
    let unseen = cut.saturating_sub(usize::from(newline.is_some()));
    let last = (lines.next_back().unwrap_or(1) + unseen).min(file.len());
    Nearest::Lines { first, last, differences, more }
}

/// Lines of OLD and of the text that are looked at.
const LINES: usize = 1 << 20;
/// Equal lines of OLD that a line of the text votes for.
const EQUAL: usize = 16;
/// Lines of OLD that get votes from lines like them.
const ANCHORS: usize = 3;
/// The extra weight of a line with letters or digits.
const TEXT: u64 = 64;
/// Fewer votes than those of an equal line of three characters need a look at the other lines.
const WEAK: u64 = 3 * TEXT * 5;
/// Lines of OLD that are aligned, and how far from the voted start they may be.
const WINDOW: usize = 40;
const SLACK: usize = 16;
