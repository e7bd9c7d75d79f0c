//! Sections 2 and 3: a token by the grammar, and whether it has the shape of a tag.

use std::ops::Range;

use super::protocol::{Entry, StrictProtocol};
use super::words::{
    after_blanks, after_space, is_blank, is_invisible, is_space, is_typographic_quote, is_word_upper, key, plain, word,
};

/// What the grammar found after `[[` and a word.
#[derive(Clone, Debug)]
pub struct Token<'t> {
    pub start: usize,
    pub word: &'t str,
    pub word_end: usize,
    pub argument: Option<Argument>,
    /// All that were read, also beyond the limit.
    pub attrs: Vec<Written>,
    pub end: End,
    /// The first character that the limit of bytes does not admit, if it stands no later than the fault or the end.
    pub overflow: Option<usize>,
    /// The 65th key, likewise.
    pub surplus_key: Option<usize>,
}

#[derive(Clone, Debug)]
pub struct Argument {
    pub value: String,
    pub span: Range<usize>,
}

/// An attribute as it was written. The span is of its key and value.
#[derive(Clone, Debug)]
pub struct Written {
    pub key: String,
    pub value: String,
    pub is_quoted: bool,
    pub span: Range<usize>,
}

/// How the grammar ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Complete {
        end: usize,
        closes_itself: bool,
    },
    Fault {
        at: usize,
        due: Due,
    },
    /// The text ended, in a quoted value that opened here.
    Cut {
        quote: Option<usize>,
    },
}

/// What should have stood where the fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    Argument,
    /// Anything but the colon: the tag takes no argument.
    Colon,
    Equals,
    Value,
    /// White space or the end, directly after a closing quote.
    AfterQuote,
    Other,
}

impl<'t> Token<'t> {
    /// Reads what stands at `[[`, up to `to`. None where the word, or what follows it, makes it prose (section 3, rule 2).
    pub fn read(protocol: &StrictProtocol, text: &'t str, start: usize, to: usize) -> Option<Self> {
        let text = &text[..to];
        let word_start = after_blanks(text, start + 2);
        let word = word(&text[word_start..]);
        let word_end = word_start + word.len();
        let entries = protocol.entries(word);
        let is_declared = entries.iter().any(|entry| entry.name == word);
        let follows = text[word_end..].chars().next()?;
        let goes_on = is_space(follows) || matches!(follows, ':' | '/' | ']') || (is_declared && is_invisible(follows));
        if word.is_empty() || !goes_on {
            return None;
        }
        let mut grammar = Grammar { text, at: word_end, argument: None, attrs: Vec::new(), keys: 0, surplus_key: None };
        let end = match grammar.token(&ArgumentRule::of(&entries)) {
            Ok((end, closes_itself)) => End::Complete { end, closes_itself },
            Err(end) => end,
        };
        let last = match end {
            End::Complete { end, .. } => end - 1,
            End::Fault { at, .. } => at,
            End::Cut { .. } => text.len(),
        };
        let admitted = |at: usize| at <= last && at < text.len();
        let overflow = text[start..]
            .char_indices()
            .find(|(at, c)| at + c.len_utf8() > protocol.limits.token_bytes)
            .map(|(at, _)| start + at)
            .filter(|&at| admitted(at));
        let surplus_key = grammar.surplus_key.filter(|&at| admitted(at));
        let Grammar { argument, attrs, .. } = grammar;
        Some(Self { start, word, word_end, argument, attrs, end, overflow, surplus_key })
    }

    /// Where the token became too long.
    pub fn too_long(&self) -> Option<usize> {
        [self.overflow, self.surplus_key].into_iter().flatten().min()
    }

    /// The end of a token that is well-formed and not too long, and whether it closes itself.
    pub fn complete(&self) -> Option<(usize, bool)> {
        match self.end {
            End::Complete { end, closes_itself } if self.too_long().is_none() => Some((end, closes_itself)),
            _ => None,
        }
    }

    /// Where the grammar stopped: at its end or its fault, whatever its length.
    pub fn stop(&self, text: &str) -> usize {
        match self.end {
            End::Complete { end, .. } => end,
            End::Fault { at, .. } => at,
            End::Cut { .. } => text.len(),
        }
    }

    /// The fault, where the token is malformed: the character, or the end of the text.
    pub fn fault(&self, text: &str) -> Option<usize> {
        match self.end {
            _ if self.too_long().is_some() => self.too_long(),
            End::Complete { .. } => None,
            End::Fault { at, .. } => Some(at),
            End::Cut { .. } => Some(text.len()),
        }
    }

    /// The attributes that were read before the fault.
    pub fn sound_attrs(&self, text: &str) -> impl Iterator<Item = &Written> {
        let before = self.fault(text).unwrap_or(usize::MAX);
        self.attrs.iter().filter(move |written| written.span.end <= before)
    }

    /// The argument, if it was read before the fault.
    pub fn sound_argument(&self, text: &str) -> Option<&Argument> {
        let before = self.fault(text).unwrap_or(usize::MAX);
        self.argument.as_ref().filter(|argument| argument.span.end <= before)
    }

    /// Section 3, rule 3.
    pub fn has_shape(&self, protocol: &StrictProtocol, text: &str) -> bool {
        let entries = protocol.entries(self.word);
        let is_declared = entries.iter().any(|entry| entry.name == self.word);
        let (seen_to, complete) = match (self.overflow, self.end) {
            (Some(overflow), _) => (overflow, None),
            (None, End::Complete { end, closes_itself }) => (end, Some(closes_itself)),
            (None, End::Fault { at, .. }) => (at + text[at..].chars().next().map_or(0, char::len_utf8), None),
            (None, End::Cut { .. }) => (text.len(), None),
        };
        if self.word_end > seen_to {
            return false;
        }
        let lacks_nothing = |entry: &&Entry| entry.select.is_none() && !entry.attributes.iter().any(|a| a.required);
        let a = is_declared
            && (is_word_upper(self.word)
                || text[self.word_end..seen_to].contains(['=', ':', '"'])
                || (complete.is_some() && entries.iter().any(lacks_nothing)));
        let b = self.attrs.iter().any(|written| written.is_quoted && written.span.end <= seen_to);
        let is_other_case = !entries.is_empty() && !is_declared;
        let c = complete == Some(true) && (is_other_case || protocol.is_in_letter_case(self.word));
        let may_take_one = (is_other_case && entries.iter().any(|entry| entry.takes_argument()))
            || (protocol.is_in_letter_case(self.word) && protocol.takes_arguments());
        let d = complete.is_some() && self.argument.is_some() && may_take_one;
        a || b || c || d
    }
}

/// How the argument of a word is read.
enum ArgumentRule {
    /// A colon is a fault.
    None,
    /// Up to a bracket, a line break or a `"`.
    Long,
    /// Up to white space, a bracket or a quote.
    Short,
}

impl ArgumentRule {
    fn of(entries: &[&Entry]) -> Self {
        match entries {
            [] => Self::Short,
            [entry] if entry.select.is_none() => match &entry.argument {
                None => Self::None,
                Some(name) if entry.attributes.iter().all(|attribute| attribute.name == *name) => Self::Long,
                Some(_) => Self::Short,
            },
            _ if entries.iter().any(|entry| entry.takes_argument()) => Self::Short,
            _ => Self::None,
        }
    }
}

/// Reads on from a position. What ends it early is an error.
struct Grammar<'t> {
    text: &'t str,
    at: usize,
    argument: Option<Argument>,
    attrs: Vec<Written>,
    keys: usize,
    surplus_key: Option<usize>,
}

impl Grammar<'_> {
    /// From after the word to the end of the token.
    fn token(&mut self, rule: &ArgumentRule) -> Result<(usize, bool), End> {
        let colon = after_blanks(self.text, self.at);
        if self.char_at(colon)? == ':' {
            if matches!(rule, ArgumentRule::None) {
                return Err(End::Fault { at: colon, due: Due::Colon });
            }
            self.at = after_blanks(self.text, colon + 1);
            self.argument(rule)?;
        }
        while let Some(key_start) = self.next_key()? {
            self.attribute(key_start)?;
        }
        let slash = after_space(self.text, self.at);
        let closes_itself = self.char_at(slash)? == '/';
        let bracket = if closes_itself { after_space(self.text, slash + 1) } else { slash };
        if self.char_at(bracket)? != ']' {
            let is_after_quote = bracket == self.at && bracket > 0 && self.ends_with_quoted();
            return Err(End::Fault { at: bracket, due: if is_after_quote { Due::AfterQuote } else { Due::Other } });
        }
        if self.char_at(bracket + 1)? != ']' {
            return Err(End::Fault { at: bracket + 1, due: Due::Other });
        }
        Ok((bracket + 2, closes_itself))
    }

    /// Whether the character before the position closed a quoted value or argument.
    fn ends_with_quoted(&self) -> bool {
        let is_last = |span: &Range<usize>| span.end == self.at && self.text[..self.at].ends_with(['"', '\'']);
        self.attrs.last().is_some_and(|written| written.is_quoted && is_last(&written.span))
            || self.argument.as_ref().is_some_and(|argument| {
                is_last(&argument.span) && self.text[argument.span.start..].starts_with(['"', '\''])
            })
    }

    fn char_at(&self, at: usize) -> Result<char, End> {
        self.text[at..].chars().next().ok_or(End::Cut { quote: None })
    }

    fn argument(&mut self, rule: &ArgumentRule) -> Result<(), End> {
        let start = self.at;
        let first = self.char_at(start)?;
        if matches!(first, '"' | '\'') {
            let value = self.quoted()?;
            self.argument = Some(Argument { value, span: start..self.at });
            return Ok(());
        }
        let rest = &self.text[start..];
        let is_long = matches!(rule, ArgumentRule::Long);
        let length = if is_long {
            // A lone CR ends it too, as the vector r1480 has it.
            rest.find(['[', ']', '"', '\n', '\r'])
        } else {
            rest.find(|c| is_space(c) || matches!(c, '[' | ']' | '"' | '\''))
        };
        let bad_start = first == ':' || rest.starts_with("//") || is_typographic_quote(first);
        if bad_start || length == Some(0) {
            return Err(End::Fault { at: start, due: Due::Argument });
        }
        let is_cut = length.is_none();
        let length = length.unwrap_or(rest.len());
        let mut value = rest[..length].trim_end_matches(is_blank);
        // A slash at the end may be the token's.
        if let Some(before) = value.strip_suffix('/').filter(|before| !before.is_empty()) {
            if is_long && before.ends_with(is_blank) {
                value = before.trim_end_matches(is_blank);
            } else if !is_long && rest[length..].starts_with("]]") {
                value = before;
            }
        }
        self.at = start + value.len();
        self.argument = Some(Argument { value: value.to_owned(), span: start..self.at });
        if is_cut { Err(End::Cut { quote: None }) } else { Ok(()) }
    }

    /// Where the next attribute starts, if one does.
    fn next_key(&mut self) -> Result<Option<usize>, End> {
        let start = after_space(self.text, self.at);
        self.char_at(start)?;
        Ok((start > self.at && !key(&self.text[start..]).is_empty()).then_some(start))
    }

    fn attribute(&mut self, start: usize) -> Result<(), End> {
        self.keys += 1;
        if self.keys == 65 {
            self.surplus_key = Some(start);
        }
        let key = key(&self.text[start..]).to_owned();
        let equals = after_space(self.text, start + key.len());
        if self.char_at(equals)? != '=' {
            return Err(End::Fault { at: equals, due: Due::Equals });
        }
        self.at = after_space(self.text, equals + 1);
        let is_quoted = matches!(self.char_at(self.at)?, '"' | '\'');
        let value = if is_quoted {
            self.quoted()?
        } else {
            let value = plain(&self.text[self.at..]);
            if value.is_empty() {
                return Err(End::Fault { at: self.at, due: Due::Value });
            }
            self.at += value.len();
            value.to_owned()
        };
        self.attrs.push(Written { key, value, is_quoted, span: start..self.at });
        Ok(())
    }

    /// Reads from an opening quote to its closing one. A quote closes with an even number of backslashes before it.
    fn quoted(&mut self) -> Result<String, End> {
        let open = self.at;
        let quote = self.char_at(open)?;
        let (mut value, mut backslashes) = (String::new(), 0);
        for (at, c) in self.text[open + 1..].char_indices() {
            if c == '\\' {
                backslashes += 1;
                continue;
            }
            let is_own = c == quote;
            value.extend(std::iter::repeat_n('\\', if is_own { backslashes / 2 } else { backslashes }));
            if is_own && backslashes % 2 == 0 {
                self.at = open + 1 + at + 1;
                return Ok(value);
            }
            value.push(c);
            backslashes = 0;
        }
        Err(End::Cut { quote: Some(open) })
    }
}
