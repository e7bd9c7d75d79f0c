//! Section 1: words and characters.

pub fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

pub fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

pub fn is_blank_text(text: &str) -> bool {
    text.chars().all(is_space)
}

pub fn trimmed(text: &str) -> &str {
    text.trim_matches(is_space)
}

pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{a0}' | '\u{ad}' | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{2064}'
        | '\u{3000}' | '\u{feff}')
}

pub fn is_typographic_quote(c: char) -> bool {
    matches!(c, '\u{ab}' | '\u{bb}' | '\u{2018}'..='\u{201f}' | '\u{2039}' | '\u{203a}' | '\u{ff02}' | '\u{ff07}')
}

fn is_mark_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

/// A word or nothing: as long as possible, at most 64 characters.
pub fn word(text: &str) -> &str {
    if text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') { mark(text) } else { "" }
}

/// A mark or nothing, likewise.
pub fn mark(text: &str) -> &str {
    let length = text.chars().take(64).take_while(|&c| is_mark_char(c)).count();
    &text[..length]
}

pub fn is_mark(text: &str) -> bool {
    !text.is_empty() && mark(text) == text
}

/// A key or nothing.
pub fn key(text: &str) -> &str {
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return "";
    }
    let length = text.chars().take_while(|&c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).count();
    &text[..length]
}

/// A plain value or nothing.
pub fn plain(text: &str) -> &str {
    let fits = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '+' | '-');
    &text[..text.chars().take_while(fits).count()]
}

pub fn is_word_upper(word: &str) -> bool {
    !word.bytes().any(|byte| byte.is_ascii_lowercase())
}

pub fn is_word_lower(word: &str) -> bool {
    !word.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// The position after blanks.
pub fn after_blanks(text: &str, at: usize) -> usize {
    at + text[at..].chars().take_while(|&c| is_blank(c)).count()
}

/// The position after white space.
pub fn after_space(text: &str, at: usize) -> usize {
    at + text[at..].chars().take_while(|&c| is_space(c)).count()
}

/// Where the line of a position starts.
pub fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Where the line of a position ends, without its line break.
pub fn line_end(text: &str, at: usize) -> usize {
    match text[at..].find('\n') {
        Some(length) if text[at..at + length].ends_with('\r') => at + length - 1,
        Some(length) => at + length,
        None => text.len(),
    }
}

/// The start of the next line, or the end of the text.
pub fn next_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |length| at + length + 1)
}

/// One line break at the start of a text taken off.
pub fn without_line_break(text: &str) -> &str {
    text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text)
}

/// The characters at a position, as a span of one of them, or an empty one at the end.
pub fn character(text: &str, at: usize) -> std::ops::Range<usize> {
    at..at + text[at..].chars().next().map_or(0, char::len_utf8)
}

/// How many letters must be put in, taken out or exchanged, in any case.
pub fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.to_ascii_lowercase(), b.to_ascii_lowercase());
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let exchanged = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                exchanged.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1)
            };
        }
    }
    table[a.len()][b.len()]
}
