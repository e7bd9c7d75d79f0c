//! The lines that two texts have in common, in time linear in them, if not always as many as possible.
//!
//! Where few lines differ, the fewest are found. Where more do, the lines that occur once in each text are paired first, and
//! the lines between two pairs are compared by themselves; if too many differ there, all of them count as different.

use std::collections::HashMap;
use std::ops::Range;

/// The lines removed and added that are looked for one by one at most: each may cost a pass through both texts.
const MOST_CHANGES: usize = 256;

/// Lines that are the same in both texts, and the indices of the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) before: usize,
    pub(super) after: usize,
    pub(super) len: usize,
}

/// The runs of common lines, in order. No two of them touch in both texts.
pub(super) fn common(before: &[&str], after: &[&str]) -> Vec<Run> {
    let mut numbers = HashMap::new();
    // Equal lines have equal numbers.
    let [before, after] = [before, after].map(|lines| {
        let numbers = lines.iter().map(|&line| {
            let next = numbers.len();
            *numbers.entry(line).or_insert(next)
        });
        numbers.collect::<Vec<_>>()
    });
    let mut common = Common { before: &before, after: &after, lines: numbers.len(), runs: Vec::new() };
    common.find(0..before.len(), 0..after.len(), Common::between_anchors);
    common.runs
}

struct Common<'a> {
    before: &'a [usize],
    after: &'a [usize],
    /// The number of different lines.
    lines: usize,
    runs: Vec<Run>,
}

impl Common<'_> {
    fn push(&mut self, run: Run) {
        match self.runs.last_mut() {
            _ if run.len == 0 => {}
            Some(last) if (last.before + last.len, last.after + last.len) == (run.before, run.after) => {
                last.len += run.len;
            }
            _ => self.runs.push(run),
        }
    }

    /// Finds the runs of two parts; where they differ much, `otherwise` finds them.
    fn find(
        &mut self,
        before: Range<usize>,
        after: Range<usize>,
        otherwise: fn(&mut Self, Range<usize>, Range<usize>),
    ) {
        let (old, new) = (&self.before[before.clone()], &self.after[after.clone()]);
        let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
        let tails = old[head..].iter().rev().zip(new[head..].iter().rev());
        let tail = tails.take_while(|(old, new)| old == new).count();
        self.push(Run { before: before.start, after: after.start, len: head });
        let old_middle = before.start + head..before.end - tail;
        let new_middle = after.start + head..after.end - tail;
        match fewest_changes(&self.before[old_middle.clone()], &self.after[new_middle.clone()]) {
            Some(runs) => {
                for Run { before, after, len } in runs {
                    self.push(Run { before: before + old_middle.start, after: after + new_middle.start, len });
                }
            }
            None => otherwise(self, old_middle, new_middle),
        }
        self.push(Run { before: before.end - tail, after: after.end - tail, len: tail });
    }

    fn between_anchors(&mut self, before: Range<usize>, after: Range<usize>) {
        let (mut old, mut new) = (before.start, after.start);
        for (old_anchor, new_anchor) in self.anchors(before.clone(), after.clone()) {
            self.find(old..old_anchor, new..new_anchor, |_, _, _| {});
            self.push(Run { before: old_anchor, after: new_anchor, len: 1 });
            (old, new) = (old_anchor + 1, new_anchor + 1);
        }
        self.find(old..before.end, new..after.end, |_, _, _| {});
    }

    /// The lines that occur once in each part, as many as are in the same order in both.
    fn anchors(&self, before: Range<usize>, after: Range<usize>) -> Vec<(usize, usize)> {
        let [old, new] = [(self.before, &before), (self.after, &after)].map(|(lines, range)| {
            let mut occurrences = vec![Occurrence::Never; self.lines];
            for at in range.clone() {
                let occurrence = &mut occurrences[lines[at]];
                *occurrence = if let Occurrence::Never = occurrence { Occurrence::Once(at) } else { Occurrence::Often };
            }
            occurrences
        });
        let pairs = before.filter_map(|at| match (old[self.before[at]], new[self.before[at]]) {
            (Occurrence::Once(_), Occurrence::Once(new)) => Some((at, new)),
            _ => None,
        });
        longest_rising(&pairs.collect::<Vec<_>>())
    }
}

#[derive(Clone, Copy)]
enum Occurrence {
    Never,
    Once(usize),
    Often,
}

/// The longest subsequence of `pairs` in which the second ones rise.
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length, the last pair of the subsequence of that length that ends lowest.
    let mut lasts: Vec<usize> = Vec::new();
    let mut befores = Vec::with_capacity(pairs.len());
    for (index, &(_, after)) in pairs.iter().enumerate() {
        let length = lasts.partition_point(|&last| pairs[last].1 < after);
        befores.push(length.checked_sub(1).map(|length| lasts[length]));
        if length == lasts.len() {
            lasts.push(index);
        } else {
            lasts[length] = index;
        }
    }
    let mut row = Vec::with_capacity(lasts.len());
    let mut last = lasts.last().copied();
    while let Some(index) = last {
        row.push(pairs[index]);
        last = befores[index];
    }
    row.reverse();
    row
}

/// The runs that leave the fewest lines removed and added; `None` if those are more than [`MOST_CHANGES`].
///
/// By Myers, "An O(ND) difference algorithm and its variations": for each number of changes, the furthest line reached on each
/// diagonal, which is the line in the first text less the line in the second.
fn fewest_changes(before: &[usize], after: &[usize]) -> Option<Vec<Run>> {
    if before.len().abs_diff(after.len()) > MOST_CHANGES {
        return None;
    }
    let mut rounds: Vec<Round> = Vec::new();
    loop {
        let changes = rounds.len();
        if changes > MOST_CHANGES {
            return None;
        }
        let mut round = Round(Vec::with_capacity(changes + 1));
        let changes = changes as isize;
        for diagonal in (-changes..=changes).step_by(2) {
            let mut x = match rounds.last() {
                Some(last) => last.start(diagonal),
                None => 0,
            };
            let mut y = (x as isize - diagonal) as usize;
            while x < before.len() && y < after.len() && before[x] == after[y] {
                (x, y) = (x + 1, y + 1);
            }
            round.0.push(x);
            if (x, y) == (before.len(), after.len()) {
                return Some(walk_back(&rounds, x, y));
            }
        }
        rounds.push(round);
    }
}

/// The runs on the way to `x` and `y`, which takes as many changes as there are rounds.
fn walk_back(rounds: &[Round], mut x: usize, mut y: usize) -> Vec<Run> {
    let mut runs = Vec::new();
    for round in rounds.iter().rev() {
        let diagonal = x as isize - y as isize;
        let start = round.start(diagonal);
        runs.push(Run { before: start, after: (start as isize - diagonal) as usize, len: x - start });
        x = start - usize::from(!round.adds(diagonal));
        y = (start as isize - diagonal) as usize - usize::from(round.adds(diagonal));
    }
    runs.push(Run { before: 0, after: 0, len: x });
    runs.reverse();
    runs
}

/// The furthest line reached on each diagonal after some number of changes, from the lowest diagonal to the highest. Only every
/// second one can be reached.
struct Round(Vec<usize>);

impl Round {
    /// The furthest line on `diagonal` after one more change.
    fn start(&self, diagonal: isize) -> usize {
        let (below, above) = self.beside(diagonal);
        below.map(|x| x + 1).max(above).expect("the diagonal is beside one of this round")
    }

    /// Whether that change adds a line rather than removes one.
    fn adds(&self, diagonal: isize) -> bool {
        let (below, above) = self.beside(diagonal);
        above > below.map(|x| x + 1)
    }

    /// The furthest lines on the diagonals below and above.
    fn beside(&self, diagonal: isize) -> (Option<usize>, Option<usize>) {
        let changes = self.0.len() as isize - 1;
        let at =
            |diagonal: isize| usize::try_from((diagonal + changes) / 2).ok().and_then(|at| self.0.get(at).copied());
        (at(diagonal - 1), at(diagonal + 1))
    }
}
