//! What a stream may give before the reply has ended: what all its continuations agree on.

use super::words::is_blank;
use super::{Reading, StrictTwin, Tile, Token};

/// How much of a beginning of a reply is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The text up to here can be given, each byte of it as prose, as dropped, as a region or as part of a tag.
    pub given: usize,
    /// The text up to here must be: all that can, but for the few bytes of an open token of which it takes more than its grammar to
    /// know that they are prose.
    pub due_text: usize,
    /// So many diagnostics can be said.
    pub said: usize,
    /// So many must be: those that speak of text which is given, or ended in it.
    pub due: usize,
}

impl StrictTwin<'_> {
    /// What is decided after these bytes, whatever follows and however it ends.
    pub fn decided(&self, prefix: &str) -> Decided {
        let readings: Vec<Reading> = self
            .continuations(prefix)
            .iter()
            .flat_map(|continuation| [false, true].map(|is_truncated| (continuation, is_truncated)))
            .filter(|(continuation, is_truncated)| !is_truncated || continuation.len() < 2)
            .map(|(continuation, is_truncated)| {
                self.clone().truncated(is_truncated).read(&format!("{prefix}{continuation}"))
            })
            .collect();
        let first = &readings[0];
        let said = readings.iter().map(|reading| common(&first.diagnostics, &reading.diagnostics)).min().unwrap_or(0);
        let agreed = readings.iter().map(|reading| agreed_to(&first.tiles, &reading.tiles)).min().unwrap_or(0);
        // What is refused comes after the line that says why.
        let next_about = readings.iter().filter_map(|reading| {
            let next = reading.diagnostics.get(said)?;
            (next.severity == "error" && next.reason != Some("diagnostics")).then(|| reading.about[said])
        });
        let given = next_about.chain([agreed, prefix.len()]).min().unwrap_or(0);
        let due = (0..said)
            .filter(|&at| first.diagnostics[at].span.end <= given || first.about[at] < given)
            .max()
            .map_or(0, |last| last + 1);
        let (due_text, due) = match self.hesitates_from(prefix) {
            Some(from) => (from.min(given), due.min(first.about.partition_point(|&about| about < from))),
            None => (given, due),
        };
        Decided { given, due_text, said, due }
    }

    /// Where a token or close is open that is prose whatever follows, which its grammar does not say: it holds quotes, or is a word
    /// that only one more bracket can end. If it has nearly no room left, what is open before it may wait for it, too.
    fn hesitates_from(&self, prefix: &str) -> Option<usize> {
        let limits = self.protocol.limits;
        let opening = |at: &usize| prefix.as_bytes()[*at..].starts_with(b"[[");
        (0..prefix.len()).filter(opening).find_map(|at| {
            let room = (limits.token_bytes + at).checked_sub(prefix.len())?;
            let text = &prefix[at..];
            let is_cut = match Token::read(self.protocol, prefix, at, prefix.len()) {
                Some(token) => matches!(token.end, super::End::Cut { .. }),
                None => !text[2..].contains(']'),
            };
            let is_late = text.contains(['"', '\'']) || text.ends_with(']');
            match room {
                0..8 if is_cut => Some(0),
                _ => (is_cut && is_late).then_some(at),
            }
        })
    }

    /// Texts that could follow and decide otherwise: what ends each thing that may be open, whatever it is.
    fn continuations(&self, prefix: &str) -> Vec<String> {
        let mut all: Vec<String> = CONTINUATIONS.iter().map(|&text| text.to_owned()).collect();
        for middle in MIDDLES {
            all.extend(ENDS.iter().map(|end| format!("{middle}{end}")));
        }
        let mut wholes: Vec<String> = Vec::new();
        let mut names: Vec<&str> = self.protocol.tags.iter().map(|entry| &*entry.name).collect();
        names.dedup();
        for name in names {
            wholes.push(format!("[[/{name}]]"));
            wholes.push(format!("[[/{name} E]]"));
        }
        for region in &self.protocol.regions {
            wholes.extend([region.open.clone(), region.close.clone()]);
        }
        // The closes of all tokens that stand in the text, known or not.
        for token in (0..prefix.len()).filter(|&at| prefix.as_bytes()[at..].starts_with(b"[[")) {
            if let Some(token) = Token::read(self.protocol, prefix, token, prefix.len()) {
                let until = token.attrs.iter().find(|written| written.key.eq_ignore_ascii_case("until"));
                let argument = token.argument.as_ref().map(|argument| argument.value.as_str());
                wholes.push(format!("[[/{}]]", token.word));
                wholes.extend(until.map(|until| format!("[[/{} {}]]", token.word, until.value)));
                wholes.extend(argument.map(|argument| format!("[[/{}:{argument}]]", token.word)));
            }
        }
        wholes.sort();
        wholes.dedup();
        // What ends the text may be half of a close with blanks in it.
        let squeezed = prefix.rfind("[[").map_or(String::new(), |at| prefix[at..].replace(is_blank, ""));
        for whole in wholes.iter().filter(|_| !squeezed.is_empty()) {
            if whole.get(..squeezed.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(&squeezed)) {
                all.push(format!("{}.", &whole[squeezed.len()..]));
            }
        }
        for whole in wholes {
            // Whole, and what is missing of it where the text ends within it.
            all.push(whole.clone());
            all.push(format!("\"]]{whole}"));
            let tail = prefix.len().saturating_sub(whole.len());
            for start in (tail..prefix.len()).filter(|&at| prefix.is_char_boundary(at)) {
                let begun = &prefix[start..];
                if whole.get(..begun.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(begun)) {
                    all.push(format!("{}.", &whole[begun.len()..]));
                    all.push(format!("{}\"", &whole[begun.len()..]));
                }
            }
        }
        // A word or a close that is half written.
        let (after, missing) = match prefix.rfind("[[") {
            Some(at) => (&prefix[at + 2..], ""),
            None => ("", "[["),
        };
        let begun = match after.trim_start_matches(is_blank).strip_prefix('/') {
            Some(close) => close.trim_start_matches(is_blank),
            None => after.trim_start_matches(is_blank),
        };
        let missing = if prefix.ends_with('[') && !after.is_empty() { "[" } else { missing };
        let begun = if missing.is_empty() { begun } else { "" };
        for entry in &self.protocol.tags {
            let fits = entry.name.get(..begun.len()).is_some_and(|start| start.eq_ignore_ascii_case(begun));
            for end in ["]].", "/]].", " x=\"y\"]].", ": x]]."].into_iter().filter(|_| fits) {
                all.push(format!("{missing}{}{end}", &entry.name[begun.len()..]));
            }
        }
        let filler = self.protocol.limits.body_bytes.max(self.protocol.limits.token_bytes) + 1;
        if filler < 4096 {
            for end in ["", "]]", "\"]]", "/]]"] {
                all.push(format!("{}{end}", "m".repeat(filler)));
                all.push(format!(" {}{end}", "m".repeat(filler)));
            }
        }
        all
    }
}

/// How many items two lists have in common at their beginning.
fn common<T: PartialEq>(one: &[T], other: &[T]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// To where two readings say the same of the text. Of prose, dropped text and regions, a beginning can be the same.
fn agreed_to(one: &[Tile], other: &[Tile]) -> usize {
    let same = common(one, other);
    let before = same.checked_sub(1).map_or(0, |last| one[last].span().end);
    match (one.get(same), other.get(same)) {
        (Some(Tile::Prose(one)), Some(Tile::Prose(other))) | (Some(Tile::Dropped(one)), Some(Tile::Dropped(other))) => {
            one.end.min(other.end)
        }
        (Some(Tile::Region { name, span }), Some(Tile::Region { name: other_name, span: other }))
            if name == other_name =>
        {
            span.end.min(other.end)
        }
        _ => before,
    }
}

/// What may follow anything.
const CONTINUATIONS: &[&str] = &[
    "x/]]",
    "\"x\"/]]",
    "'x'/]]",
    "x=\"y\"]]",
    "x=\"y\"/]]",
    "\n/]]",
    "",
    "]",
    "]]",
    "/]]",
    "x",
    " ",
    "\n",
    "\r",
    "x]]",
    " x]]",
    "\"",
    "\"]]",
    "'",
    "'/]]",
    "\\",
    "=\"x\"]]",
    "=",
    ":",
    ": x]]",
    " x=\"y\"]]",
    " x=\"y\"/]]",
    "x\"/]]",
    "[",
    "[[",
    "[[/",
    "[/",
    "`",
    "```",
    "`\n",
    "``` \n[[x y=\"z\"/]]",
    "~~~\n",
    "~\n",
    ">",
    "\n> ",
    "\n\n[[DONE]]\n[[GO]]\n[[history]]",
    " [[DONE]] [[GO]] [[ACTION:stop]] [[history]]",
    "\"]] [[DONE]] [[GO]]",
    "\u{a0}",
    "\u{201c}",
    ",",
    "}",
    "]] ",
    "/",
    " /",
    "//",
    "\n```\n[[DONE]][[GO]]",
    "\n~~~\n[[DONE]][[GO]]",
    "-",
    "1",
    "E]]",
    " E]]",
    "\"x\"]]",
    "'x']]",
    " until=\"E\"]]",
    " type=\"read\" path=\"a\"]]",
];

/// What may end a word, an argument, a key or a value that is half written.
const MIDDLES: &[&str] =
    &["", "x", "\"", "'", "\"x\"", "=\"x\"", "\"x\"x", " x", "=", ":", ": x", "\\\"\"", "\\\\''", "\n"];

/// What may end a token after that.
const ENDS: &[&str] = &["]]", "/]]", " x=\"y\"]]", " x=\"y\"/]]", " ,]]"];
