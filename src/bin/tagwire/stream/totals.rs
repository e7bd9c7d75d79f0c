//! The totals of a reply, for its `end`, in bounded memory.

use std::fmt::{self, Write as _};

use tagwire::{Diagnostic, DiagnosticCode, Event, Severity, is_space};

/// The bytes of errors, and those of prose, that are kept to be repeated at the end.
pub(super) const MAX_REPEATED_BYTES: usize = 1 << 20;

/// Adds up the events of a reply. The errors and the prose are kept the way `parse` prints them, up to
/// [`MAX_REPEATED_BYTES`] each: once there is more, they are dropped.
#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) tags: usize,
    /// The diagnostics that are errors.
    pub(super) error_count: usize,
    pub(super) warning_count: usize,
    errors: Errors,
    prose: Prose,
}

impl Totals {
    pub(super) fn add(&mut self, event: &Event<'_>) {
        match event {
            Event::Prose { text, .. } => self.prose.push(text),
            Event::Tag(_) => self.tags += 1,
            Event::Diagnostic(diagnostic) => {
                match diagnostic.severity() {
                    Severity::Warning => self.warning_count += 1,
                    _ => self.error_count += 1,
                }
                self.errors.push(diagnostic);
            }
            _ => {}
        }
    }

    /// The lines of the errors, those about budgets last, unless they were too long to keep.
    pub(super) fn errors(&self) -> Option<Vec<&str>> {
        let Errors { lines, budget_lines, is_dropped, .. } = &self.errors;
        (!is_dropped).then(|| lines.iter().chain(budget_lines).map(String::as_str).collect())
    }

    /// The prose without white space at its ends, unless it was too long to keep.
    pub(super) fn prose(&self) -> Option<&str> {
        let Prose { kept, is_dropped, .. } = &self.prose;
        (!is_dropped).then(|| kept.trim_end_matches(is_space))
    }
}

#[derive(Debug, Default)]
struct Errors {
    lines: Vec<String>,
    budget_lines: Vec<String>,
    /// The bytes of all lines.
    bytes: usize,
    is_dropped: bool,
}

impl Errors {
    fn push(&mut self, diagnostic: &Diagnostic<'_>) {
        if self.is_dropped {
            return;
        }
        let Some(line) = line(diagnostic, MAX_REPEATED_BYTES - self.bytes) else {
            *self = Errors { is_dropped: true, ..Errors::default() };
            return;
        };
        self.bytes += line.len();
        let is_budget = diagnostic.code() == DiagnosticCode::OverBudget;
        let lines = if is_budget { &mut self.budget_lines } else { &mut self.lines };
        lines.push(line);
    }
}

/// The line of a diagnostic, if it has at most `max` bytes. A longer one, which may quote megabytes, is not made.
fn line(diagnostic: &Diagnostic<'_>, max: usize) -> Option<String> {
    struct Bounded {
        line: String,
        max: usize,
    }

    impl fmt::Write for Bounded {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            if text.len() > self.max - self.line.len() {
                return Err(fmt::Error);
            }
            self.line.push_str(text);
            Ok(())
        }
    }

    let mut bounded = Bounded { line: String::new(), max };
    write!(bounded, "{diagnostic}").ok().map(|()| bounded.line)
}

#[derive(Debug, Default)]
struct Prose {
    /// The prose from its first visible character, without white space beyond the bound.
    kept: String,
    /// The length of the prose from there, with that white space.
    len: usize,
    is_dropped: bool,
}

impl Prose {
    fn push(&mut self, text: &str) {
        if self.is_dropped {
            return;
        }
        let text = if self.len == 0 { text.trim_start_matches(is_space) } else { text };
        let visible = text.trim_end_matches(is_space);
        let fits = |text: &str| self.len + text.len() <= MAX_REPEATED_BYTES;
        if fits(text) {
            self.kept.push_str(text);
        } else if visible.is_empty() {
            // It may be the end, which is stripped: what matters is that nothing visible can follow.
        } else if fits(visible) {
            self.kept.push_str(visible);
        } else {
            *self = Prose { is_dropped: true, ..Prose::default() };
            return;
        }
        self.len += text.len();
    }
}

#[cfg(test)]
mod tests {
    use tagwire::workforce::{self, Mode, Role};
    use tagwire::{Parser, Policy};

    use super::*;

    /// Adds up a reply that comes in pieces, and checks that little is kept at any time.
    fn totals<'t>(policy: Policy<'static>, pieces: impl IntoIterator<Item = &'t str>) -> Totals {
        let mut parser = Parser::new(policy);
        let mut totals = Totals::default();
        let mut add = |event: Event<'_>| {
            totals.add(&event);
            let Totals { errors, prose, .. } = &totals;
            let lines = || errors.lines.iter().chain(&errors.budget_lines);
            assert!(lines().map(String::capacity).sum::<usize>() <= 2 * MAX_REPEATED_BYTES);
            assert!(prose.kept.len() <= MAX_REPEATED_BYTES && prose.kept.capacity() <= 2 * MAX_REPEATED_BYTES);
            assert!(!errors.is_dropped || errors.lines.capacity() + errors.budget_lines.capacity() == 0);
            assert!(!prose.is_dropped || prose.kept.capacity() == 0);
        };
        for piece in pieces {
            parser.feed(piece).for_each(&mut add);
        }
        parser.finish().for_each(&mut add);
        totals
    }

    fn developer() -> Policy<'static> {
        workforce::policy(Role::Developer, Mode::Work)
    }

    #[test]
    fn prose_is_kept_up_to_the_bound_exactly() {
        for (len, is_kept) in [(0, true), (MAX_REPEATED_BYTES, true), (MAX_REPEATED_BYTES + 1, false)] {
            let visible = "x".repeat(len);
            for piece_len in [1_000, 65_536, 4_000_000] {
                // White space at the ends does not count, of any length.
                for (before, after) in
                    [("", ""), (" \n\u{1f}", "\u{3000}\t "), (&*" ".repeat(3_000_000), &*"\n".repeat(3_000_000))]
                {
                    let text = format!("{before}{visible}{after}");
                    let mut starts = (0..text.len()).step_by(piece_len).collect::<Vec<_>>();
                    starts.retain(|&at| text.is_char_boundary(at));
                    let ends = starts.iter().skip(1).copied().chain([text.len()]);
                    let pieces = starts.iter().zip(ends).map(|(&start, end)| &text[start..end]);
                    let totals = totals(developer(), pieces);
                    assert_eq!(totals.prose(), is_kept.then_some(&*visible));
                    assert_eq!(totals.errors(), Some(vec![]));
                }
            }
        }
    }

    #[test]
    fn white_space_within_the_prose_counts() {
        let space = " ".repeat(MAX_REPEATED_BYTES - 2);
        assert_eq!(totals(developer(), ["a", &space, "b"]).prose(), Some(&*format!("a{space}b")));
        assert_eq!(totals(developer(), ["a", &space, "bc"]).prose(), None);
        assert_eq!(totals(developer(), ["a", &space, " ", "b"]).prose(), None);
        assert_eq!(totals(developer(), ["a", &space, "   ", " b"]).prose(), None);
        assert_eq!(totals(developer(), ["a", &space, "\u{3000}", "\u{3000}"]).prose(), Some("a"));
    }

    #[test]
    fn errors_are_kept_up_to_the_bound_exactly() {
        let frame = "ERROR: stray closing tag [[/]] ignored".len();
        let stray = |len| format!("[[/{}]]", "x".repeat(len - frame));
        for (last, is_kept) in [(MAX_REPEATED_BYTES - 100, true), (MAX_REPEATED_BYTES - 99, false)] {
            let totals = totals(developer(), [&*stray(100), &stray(last), "prose"]);
            assert_eq!((totals.errors().map(|lines| lines.len()), totals.error_count), (is_kept.then_some(2), 2));
            assert_eq!(totals.prose(), Some("prose"));
        }
    }

    #[test]
    fn many_small_errors_are_dropped_and_counted() {
        let totals = totals(developer(), std::iter::repeat_n("[[NOTE/]]", 100_000));
        assert_eq!((totals.errors(), totals.error_count, totals.tags), (None, 100_000, 0));
    }

    #[test]
    fn budget_errors_come_last() {
        let pieces = ["[[HIRE/]]", "[[HIRE/]]", "[[FIRE/]]", "[[HIRE/]]", "[[NOTE]]"];
        let totals = totals(workforce::policy(Role::Manager, Mode::Chat), pieces);
        let errors = totals.errors().expect("they are short");
        assert!(errors[0].contains("unknown tag") && errors[1].contains("too many"), "{errors:?}");
    }
}
