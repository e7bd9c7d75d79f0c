//! A change, as it is shown.

use std::ops::Range;

use anstyle::{AnsiColor, Style};
use memchr::{memchr_iter, memrchr_iter};
use similar::udiff::UnifiedHunkHeader;
use similar::{DiffOp, group_diff_ops};

use super::common_lines::{self, Run};
use crate::terminal;

/// Lines shown around a change.
const CONTEXT: usize = 3;
/// Bytes that are compared at a time.
const COMPARED: usize = 4096;

const HEADER: Style = Style::new().bold();
const HUNK: Style = AnsiColor::Cyan.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();

/// A unified diff, with styles. Characters that a terminal would act on are shown as escapes.
pub(super) fn diff(before: &str, after: &str, name: &str) -> String {
    let name = terminal::visible(name);
    let mut shown = format!("{HEADER}--- {name}{HEADER:#}\n{HEADER}+++ {name}{HEADER:#}\n");
    // Only the lines about the change are split and compared: the file may be large.
    let (head, tail) = common_ends(before, after);
    let head_lines = memchr_iter(b'\n', &before.as_bytes()[..head]).count();
    let [before, after] = [before, after].map(|text| {
        let changed = &text[head..text.len() - tail];
        changed.split_inclusive('\n').collect::<Vec<_>>()
    });
    for hunk in group_diff_ops(operations(&before, &after, head_lines), CONTEXT) {
        shown.push_str(&format!("{HUNK}{}{HUNK:#}\n", UnifiedHunkHeader::new(&hunk)));
        for operation in hunk {
            let range = |range: Range<usize>| range.start - head_lines..range.end - head_lines;
            let (removed, added) = (&before[range(operation.old_range())], &after[range(operation.new_range())]);
            if let DiffOp::Equal { .. } = operation {
                push(&mut shown, ' ', Style::new(), removed);
            } else {
                push(&mut shown, '-', REMOVED, removed);
                push(&mut shown, '+', ADDED, added);
            }
        }
    }
    shown
}

/// The bytes of the whole lines that both texts start and end with, but for those that are shown as context.
fn common_ends(before: &str, after: &str) -> (usize, usize) {
    let (before, after) = (before.as_bytes(), after.as_bytes());
    let pieces = before.chunks(COMPARED).zip(after.chunks(COMPARED));
    let start = pieces.take_while(|(a, b)| a == b).map(|(piece, _)| piece.len()).sum::<usize>();
    let same = start + before[start..].iter().zip(&after[start..]).take_while(|(a, b)| a == b).count();
    let head = memrchr_iter(b'\n', &before[..same]).nth(CONTEXT).map_or(0, |newline| newline + 1);

    let (before, after) = (&before[head..], &after[head..]);
    let pieces = before.rchunks(COMPARED).zip(after.rchunks(COMPARED));
    let end = pieces.take_while(|(a, b)| a == b).map(|(piece, _)| piece.len()).sum::<usize>();
    let [before_rest, after_rest] = [before, after].map(|text| text[..text.len() - end].iter().rev());
    let same = end + before_rest.zip(after_rest).take_while(|(a, b)| a == b).count();
    // The first newline may end a line that is only in part the same.
    let tail = &before[before.len() - same..];
    (head, memchr_iter(b'\n', tail).nth(CONTEXT).map_or(0, |newline| tail.len() - newline - 1))
}

fn push(shown: &mut String, sign: char, style: Style, lines: &[&str]) {
    for line in lines {
        let text = line.strip_suffix('\n');
        shown.push_str(&format!("{style}{sign}"));
        terminal::push_visible_line(shown, text.unwrap_or(line));
        shown.push_str(&format!("{style:#}\n"));
        if text.is_none() {
            shown.push_str("\\ No newline at end of file\n");
        }
    }
}

/// The lines that stay, and those that are replaced, counted from `first` on.
fn operations(before: &[&str], after: &[&str], first: usize) -> Vec<DiffOp> {
    let mut operations = Vec::new();
    let (mut old, mut new) = (0, 0);
    let end = Run { before: before.len(), after: after.len(), len: 0 };
    for run in common_lines::common(before, after).into_iter().chain([end]) {
        operations.extend(replaced(first + old..first + run.before, first + new..first + run.after));
        if run.len > 0 {
            let (old_index, new_index) = (first + run.before, first + run.after);
            operations.push(DiffOp::Equal { old_index, new_index, len: run.len });
        }
        (old, new) = (run.before + run.len, run.after + run.len);
    }
    operations
}

fn replaced(old: Range<usize>, new: Range<usize>) -> Option<DiffOp> {
    let (old_index, new_index, old_len, new_len) = (old.start, new.start, old.len(), new.len());
    match (old_len, new_len) {
        (0, 0) => None,
        (_, 0) => Some(DiffOp::Delete { old_index, old_len, new_index }),
        (0, _) => Some(DiffOp::Insert { old_index, new_index, new_len }),
        _ => Some(DiffOp::Replace { old_index, old_len, new_index, new_len }),
    }
}
