//! Closes: what ends a body, and what looks like one in prose.

use std::ops::Range;

use super::words::{after_blanks, mark, word};

/// Which closes end a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CloseRule {
    /// `[[/NAME]]`, and `[[/NAME:argument]]` where the argument is a mark.
    Plain { argument: Option<String> },
    /// `[[/NAME mark]]`.
    Until(String),
    /// None does.
    Never,
}

/// A close that was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub close: Option<Range<usize>>,
    /// Whether one was passed because it stood before a quote.
    pub was_quoted: bool,
}

/// The first close of a name at or after a position.
pub fn find(text: &str, from: usize, name: &str, rule: &CloseRule, most: usize) -> Found {
    let mut was_quoted = false;
    for start in from..text.len() {
        let Some(end) = end_of(text, start, name, rule).filter(|end| end - start <= most) else { continue };
        let is_quoted = matches!(rule, CloseRule::Plain { .. }) && text[end..].starts_with(['"', '\'', '`']);
        if !is_quoted {
            return Found { close: Some(start..end), was_quoted };
        }
        was_quoted = true;
    }
    Found { close: None, was_quoted }
}

/// Where a close that starts here ends.
fn end_of(text: &str, start: usize, name: &str, rule: &CloseRule) -> Option<usize> {
    let at = after_slash(text, start)?;
    let named = text.get(at..at + name.len()).is_some_and(|written| written.eq_ignore_ascii_case(name));
    let at = if named { at + name.len() } else { return None };
    let rest = after_blanks(text, at);
    match rule {
        CloseRule::Never => None,
        CloseRule::Plain { .. } if text[rest..].starts_with("]]") => Some(rest + 2),
        CloseRule::Plain { argument: None } => None,
        CloseRule::Plain { argument: Some(argument) } => {
            let at = after_blanks(text, rest + text[rest..].strip_prefix(':').map(|_| 1)?);
            let written = text.get(at..at + argument.len())?;
            let end = after_blanks(text, at + argument.len());
            (written.eq_ignore_ascii_case(argument) && text[end..].starts_with("]]")).then_some(end + 2)
        }
        CloseRule::Until(mark) => {
            let after = text[rest..].strip_prefix(&**mark)?;
            let end = after_blanks(text, text.len() - after.len());
            (rest > at && text[end..].starts_with("]]")).then_some(end + 2)
        }
    }
}

/// A close of any word, with or without a mark: its word and its end.
pub fn of_any_word(text: &str, start: usize, most: usize) -> Option<(&str, usize)> {
    let at = after_slash(text, start)?;
    let word = word(&text[at..]);
    let mut at = at + word.len();
    let rest = after_blanks(text, at);
    if let Some(after) = text[rest..].strip_prefix(':') {
        at = after_blanks(text, text.len() - after.len());
        at += Some(mark(&text[at..])).filter(|mark| !mark.is_empty())?.len();
    } else if rest > at {
        at = rest + mark(&text[rest..]).len();
    }
    let end = after_blanks(text, at);
    let fits = !word.is_empty() && text[end..].starts_with("]]") && end + 2 - start <= most;
    fits.then_some((word, end + 2))
}

/// The position after `[[` and `/`, with blanks around the slash passed.
pub fn after_slash(text: &str, start: usize) -> Option<usize> {
    text.get(start..)?.strip_prefix("[[")?;
    let slash = after_blanks(text, start + 2);
    text[slash..].strip_prefix('/')?;
    Some(after_blanks(text, slash + 1))
}
