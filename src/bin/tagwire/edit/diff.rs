//! A change, as it is shown.

use std::ops::Range;

use anstyle::{AnsiColor, Style};
use similar::udiff::UnifiedHunkHeader;
use similar::{DiffOp, group_diff_ops};

use super::lines::{self, Run};
use crate::terminal;

/// So many lines around a change are shown.
const CONTEXT: usize = 3;

const HEADER: Style = Style::new().bold();
const HUNK: Style = AnsiColor::Cyan.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();

/// A unified diff, with styles. What a terminal would act on is shown as an escape.
pub(super) fn diff(before: &str, after: &str, name: &str) -> String {
    let name = terminal::visible(name);
    let mut shown = format!("{HEADER}--- {name}{HEADER:#}\n{HEADER}+++ {name}{HEADER:#}\n");
    let [before, after] = [before, after].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    for hunk in group_diff_ops(operations(&before, &after), CONTEXT) {
        shown.push_str(&format!("{HUNK}{}{HUNK:#}\n", UnifiedHunkHeader::new(&hunk)));
        for operation in hunk {
            let (removed, added) = (&before[operation.old_range()], &after[operation.new_range()]);
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

/// What stays, and what is replaced in between.
fn operations(before: &[&str], after: &[&str]) -> Vec<DiffOp> {
    let mut operations = Vec::new();
    let (mut old, mut new) = (0, 0);
    let end = Run { before: before.len(), after: after.len(), len: 0 };
    for run in lines::common(before, after).into_iter().chain([end]) {
        operations.extend(replaced(old..run.before, new..run.after));
        if run.len > 0 {
            operations.push(DiffOp::Equal { old_index: run.before, new_index: run.after, len: run.len });
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
