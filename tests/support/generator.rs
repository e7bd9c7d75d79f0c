//! Generates replies and protocols from a number, the same ones on every machine.
//!
//! A reply is built from text that models write (tags, bodies, prose with brackets) and text that breaks parsers (near-closes,
//! open quotes, runs of brackets, non-ASCII white space), and then sometimes cut or damaged.

pub use super::rng::Rng;
use super::twin::{Twin, TwinGrant, TwinProtocol, TwinTag};

/// A twin and a text for it.
pub struct Case {
    pub twin: Twin,
    pub text: String,
}

/// A reply under the workforce protocol, for any role and mode; most have something granted.
pub fn workforce_case(protocol: &TwinProtocol, seed: u64) -> Case {
    let mut rng = Rng::new(seed);
    let twin = if rng.percent(90) {
        let grant = rng.pick(&protocol.grants);
        protocol.twin(&grant.role, &grant.mode)
    } else {
        let role = *rng.pick(&["manager", "planner", "developer", "reviewer", "tester"]);
        let mode = *rng.pick(&["triage", "final", "error", "chat", "work"]);
        protocol.twin(role, mode)
    };
    let text = reply(&mut rng, &twin);
    Case { twin, text }
}

/// A reply under a generated protocol.
pub fn arbitrary_case(seed: u64) -> Case {
    let mut rng = Rng::new(seed);
    let protocol = protocol(&mut rng);
    let twin = match protocol.grants.as_slice() {
        [] => protocol.twin("any", "any"),
        grants => {
            let (role, mode) = (rng.pick(grants).role.clone(), rng.pick(grants).mode.clone());
            protocol.twin(&role, &mode)
        }
    };
    let text = reply(&mut rng, &twin);
    Case { twin, text }
}

/// A limit on the bytes of a tag, small enough to be reached.
pub fn small_limit(rng: &mut Rng) -> usize {
    if rng.percent(10) { rng.below(8) } else { rng.between(8, 80) }
}

/// A protocol of up to 128 tags: names with common prefixes, of one letter, and with letters that a close folds.
pub fn protocol(rng: &mut Rng) -> TwinProtocol {
    let budgets: Vec<(String, u32)> =
        (0..rng.below(4)).map(|number| (format!("budget {number}"), 1 + rng.below(5) as u32)).collect();
    let size = match rng.below(10) {
        0 => 128,
        1 | 2 => rng.between(20, 128),
        _ => rng.between(1, 8),
    };
    let mut tags: Vec<TwinTag> = Vec::new();
    while tags.len() < size {
        let name = match tags.last() {
            Some(last) if rng.percent(40) => format!("{}{}", last.name, rng.pick(&NAME_ENDS)),
            _ if rng.percent(50) => (*rng.pick(&NAMES)).to_owned(),
            _ => (0..rng.between(1, 6)).map(|_| *rng.pick(&NAME_ENDS)).collect(),
        };
        let fits = name.len() <= 24 && !name.starts_with(|c: char| c.is_ascii_digit());
        if !fits || tags.iter().any(|tag| tag.name == name) {
            continue;
        }
        let budget = (!budgets.is_empty() && rng.percent(40)).then(|| rng.pick(&budgets).0.clone());
        tags.push(TwinTag { name, has_body: rng.percent(50), budget });
    }
    let mut grants = Vec::new();
    if rng.percent(70) {
        for number in 0..rng.between(1, 3) {
            // A grant names at least one tag.
            let granted = tags.iter().enumerate().filter(|(i, _)| *i == 0 || rng.percent(70));
            grants.push(TwinGrant {
                names: granted.map(|(_, tag)| tag.name.clone()).collect(),
                role: format!("role {number}"),
                mode: format!("mode {}", number % 2),
            });
        }
    }
    TwinProtocol { tags, budgets, grants }
}

/// A reply as a model of this role might write it on a bad day.
pub fn reply(rng: &mut Rng, twin: &Twin) -> String {
    let pieces = match rng.below(20) {
        0 => rng.between(15, 40),
        1..=4 => rng.between(6, 14),
        _ => rng.between(1, 5),
    };
    let calm = rng.percent(50);
    let mut writer = Writer { rng, twin, calm, out: String::new() };
    for _ in 0..pieces {
        writer.piece(0);
    }
    let mut text = writer.out;
    if rng.percent(15) {
        text.truncate(rng.place(&text));
    }
    if rng.percent(if calm { 5 } else { 25 }) {
        scratch(rng, &mut text);
    }
    text
}

/// Removes, doubles or inserts a character or two.
fn scratch(rng: &mut Rng, text: &mut String) {
    for _ in 0..rng.between(1, 3) {
        let at = rng.place(text);
        let Some(here) = text[at..].chars().next() else {
            continue;
        };
        match rng.below(3) {
            0 => drop(text.remove(at)),
            1 => text.insert(at, here),
            _ => {
                let piece: &&str = rng.pick(&SCRATCHES);
                text.insert_str(at, piece);
            }
        }
    }
}

struct Writer<'a> {
    rng: &'a mut Rng,
    twin: &'a Twin,
    /// Nearly everything is well-formed, so that tags reach their budgets.
    calm: bool,
    out: String,
}

impl Writer<'_> {
    /// The first one while the writer is calm, otherwise any.
    fn put_first(&mut self, from: &[&str]) {
        if self.calm && self.rng.percent(95) {
            self.out.push_str(from[0]);
        } else {
            self.put(from);
        }
    }

    fn put(&mut self, from: &[&str]) {
        let piece: &&str = self.rng.pick(from);
        self.out.push_str(piece);
    }

    /// A piece of a reply. `depth` bounds the nesting.
    fn piece(&mut self, depth: usize) {
        match self.rng.below(20) {
            0..=3 => self.put(&PROSE),
            4 => self.put(&BRACKETS_IN_PROSE),
            5 => self.brackets(),
            6 => self.space(1, 4),
            7 if self.rng.percent(20) => self.space(30, 300),
            7 | 8 => self.stray_close(),
            9 => self.piece_of_tag(depth),
            10 => self.same_tag_again_and_again(depth),
            _ => self.tag(depth),
        }
    }

    fn tag(&mut self, depth: usize) {
        let name = self.name();
        self.tag_named(&name, depth);
    }

    /// More tags than a budget allows.
    fn same_tag_again_and_again(&mut self, depth: usize) {
        let budgeted = |tag: &&TwinTag| tag.budget.is_some() && self.twin.granted.contains(&tag.name);
        let tags = &self.twin.protocol.tags;
        let names: Vec<&str> = tags.iter().filter(budgeted).map(|tag| tag.name.as_str()).collect();
        let name = match names.as_slice() {
            [] => self.name(),
            names => (*self.rng.pick(names)).to_owned(),
        };
        for _ in 0..self.rng.between(2, 6) {
            self.tag_named(&name, depth + 2);
        }
    }

    fn tag_named(&mut self, name: &str, depth: usize) {
        let self_closing = self.rng.percent(30);
        self.token(name, self_closing);
        let spec = self.twin.protocol.tags.iter().find(|tag| name.eq_ignore_ascii_case(&tag.name));
        let has_body = spec.is_none_or(|tag| tag.has_body);
        // Sometimes a close that is not needed, or none where one is.
        let chance = match (self_closing, has_body) {
            (true, _) => 5,
            (false, true) => 80,
            (false, false) => 15,
        };
        if self.rng.percent(chance) {
            self.body(name, depth);
            self.close(name);
        }
    }

    fn token(&mut self, name: &str, self_closing: bool) {
        self.put_first(&["[[", "[[", "[[", "[[", "[[", "[[", "[[", "[[[", "[[ ", "[ ["]);
        self.some_space(15);
        self.name_in_some_case(name);
        self.attributes();
        self.some_space(15);
        if self_closing {
            self.out.push('/');
            self.some_space(15);
        }
        self.put_first(&["]]", "]]", "]]", "]]", "]]", "]]", "]]", "]]]", "]", "] ]"]);
    }

    fn close(&mut self, name: &str) {
        self.put_first(&["[[/", "[[/", "[[/", "[[/", "[[/", "[[/", "[[[/", "[[/ ", "[[ /"]);
        self.some_space(15);
        self.name_in_a_close(name);
        self.some_space(15);
        self.put_first(&["]]", "]]", "]]", "]]", "]]", "]]", "]]]", "]", " x]]"]);
    }

    /// Mostly granted names, and some refused, unknown or invalid ones.
    fn name(&mut self) -> String {
        let known = &self.twin.protocol.tags;
        match self.rng.below(20) {
            0 => (*self.rng.pick(&NO_NAMES)).to_owned(),
            1 => (*self.rng.pick(&UNKNOWN)).to_owned(),
            // A known name with one letter more or less.
            2 => format!("{}{}", self.rng.pick(known).name, self.rng.pick(&NAME_ENDS)),
            3 => {
                let mut name = self.rng.pick(known).name.clone();
                name.pop();
                name
            }
            4 | 5 => self.rng.pick(known).name.clone(),
            _ if self.twin.granted.is_empty() => self.rng.pick(known).name.clone(),
            _ => self.rng.pick(&self.twin.granted).clone(),
        }
    }

    fn name_in_some_case(&mut self, name: &str) {
        match self.rng.below(10) {
            0 => self.out.push_str(&name.to_ascii_lowercase()),
            1 | 2 => {
                for c in name.chars() {
                    let upper = self.rng.percent(50);
                    self.out.push(if upper { c } else { c.to_ascii_lowercase() });
                }
            }
            _ => self.out.push_str(name),
        }
    }

    /// Closes also accept four non-ASCII letters, but not two that look like them.
    fn name_in_a_close(&mut self, name: &str) {
        if self.rng.percent(80) {
            return self.name_in_some_case(name);
        }
        for c in name.chars() {
            let folded: &[&str] = match c.to_ascii_uppercase() {
                'S' => &["S", "s", "ſ"],
                'K' => &["K", "k", "\u{212a}"],
                'I' => &["I", "i", "İ", "ı"],
                'A' if self.rng.percent(5) => &["\u{212b}", "Å"],
                _ => &[],
            };
            match folded {
                [] => self.out.push(c),
                folded => self.put(folded),
            }
        }
    }

    fn attributes(&mut self) {
        let number = match self.rng.below(30) {
            0 => self.rng.between(5, 30),
            1..=8 => 0,
            _ => self.rng.between(1, 4),
        };
        for _ in 0..number {
            if self.rng.percent(85) {
                self.space(1, 2);
            }
            if self.rng.percent(if self.calm { 3 } else { 12 }) {
                self.put(&JUNK);
            } else {
                self.attribute();
            }
        }
        if self.rng.percent(8) {
            self.put(&JUNK);
        }
    }

    fn attribute(&mut self) {
        let keys = if self.calm { 11 } else { KEYS.len() };
        self.put(&KEYS[..keys]);
        self.some_space(15);
        self.put_first(&["=", "=", "=", "=", "=", "=", "=", "=", "==", ":", ""]);
        self.some_space(15);
        let quotes = if self.calm { 4 } else { 6 };
        let quote = *self.rng.pick(&["\"", "\"", "\"", "'", "", "“"][..quotes]);
        self.out.push_str(quote);
        for _ in 0..self.rng.below(3) {
            self.put(&VALUES);
        }
        // Sometimes a quote stays open.
        if self.rng.percent(92) {
            self.out.push_str(quote);
        }
    }

    fn body(&mut self, name: &str, depth: usize) {
        for _ in 0..self.rng.below(5) {
            match self.rng.below(10) {
                0..=2 if !self.calm => self.near_close(name),
                0 => self.near_close(name),
                3 => self.put(&BODIES),
                4 => self.brackets(),
                _ if depth < 2 => self.piece(depth + 1),
                _ => self.put(&PROSE),
            }
        }
    }

    /// The beginning of a close of this tag, mostly incomplete.
    fn near_close(&mut self, name: &str) {
        let start = self.out.len();
        self.close(name);
        let end = start + self.rng.place(&self.out[start..]);
        match self.rng.below(8) {
            0..=3 => self.out.truncate(end),
            4 => self.out.insert(end, '['),
            5 => self.out.insert(end, ']'),
            6 => self.out.insert(end, 'x'),
            _ => self.out.insert(end, '/'),
        }
    }

    fn stray_close(&mut self) {
        let name = self.name();
        self.close(&name);
    }

    fn piece_of_tag(&mut self, depth: usize) {
        let start = self.out.len();
        self.tag(depth + 2);
        let end = start + self.rng.place(&self.out[start..]);
        self.out.truncate(end);
    }

    fn brackets(&mut self) {
        for _ in 0..self.rng.between(1, 4) {
            let bracket = *self.rng.pick(&["[", "[", "]", "[[", "]]", "[]", "[/", "/]"]);
            let times = if self.rng.percent(20) { self.rng.between(3, 30) } else { 1 };
            self.out.push_str(&bracket.repeat(times));
        }
    }

    fn some_space(&mut self, chance: usize) {
        if self.rng.percent(chance) {
            self.space(1, 3);
        }
    }

    fn space(&mut self, low: usize, high: usize) {
        for _ in 0..self.rng.between(low, high) {
            if self.rng.percent(60) {
                self.out.push(' ');
            } else {
                self.put(&SPACES);
            }
        }
    }
}

const PROSE: [&str; 18] = [
    "I will look at it.",
    " ok ",
    "\n",
    "\r\n",
    "سلام دنیا",
    "你好，世界",
    "naïve café",
    "🙂👩‍🚀",
    "e\u{301}",
    "\u{0}",
    "a = b / c",
    "\"quoted\" and 'single'",
    "```python\nx = 1\n```",
    "path=\"a.py\"",
    "K ſ İ ı Å",
    "\u{feff}\u{200b}\u{180e}",
    "ERROR: unknown tag",
    "x",
];

const BRACKETS_IN_PROSE: [&str; 15] = [
    "see [[Page|the page]] and [[Other page]]",
    "[[bin]]\nname = \"x\"\n",
    "if [[ -f x ]]; then echo; fi",
    "if [[ $a == [ ]]; then",
    "[[nodiscard]] int f();",
    "m = [[1, 2], [3, 4]]",
    "[link](https://example.org)",
    "[x] done [ ] open",
    "a[b[c[0]]]",
    "[[[[deep]]]]",
    "[[]]",
    "[[ \t]]",
    "[[/]]",
    "[[//]]",
    "\u{1b}[31mred\u{1b}[0m",
];

const BODIES: [&str; 8] = [
    "\n<<<OLD\na = [[1]]\n===\na = [[2]]\nNEW>>>\n",
    "x = 1\n",
    "{\"a\": [[1], [2]]}",
    "سارا [[x]] é",
    "[[RUN cmd=\"rm\"/]]",
    "[[/EDIT_FILE]]",
    "[[/]]",
    "   ",
];

const SPACES: [&str; 29] = [
    "\t", "\n", "\u{b}", "\u{c}", "\r", "\u{1c}", "\u{1d}", "\u{1e}", "\u{1f}", " ", "\u{85}", "\u{a0}", "\u{1680}",
    "\u{2000}", "\u{2001}", "\u{2002}", "\u{2003}", "\u{2004}", "\u{2005}", "\u{2006}", "\u{2007}", "\u{2008}",
    "\u{2009}", "\u{200a}", "\u{2028}", "\u{2029}", "\u{202f}", "\u{205f}", "\u{3000}",
];

const KEYS: [&str; 16] =
    ["path", "cmd", "a", "a", "b", "A", "_", "a1", "title", "name", "employee_id", "é", "1a", "a-b", "a.b", "x y"];

const VALUES: [&str; 20] = [
    "src/main.rs",
    "T-1, T-2 ,,",
    " ",
    "a",
    "'",
    "\"",
    "\\\"",
    "/",
    "=",
    "a=\"b\"",
    "a='b'",
    "سارا",
    "🙂",
    "\n",
    "\u{3000}x\u{1f}",
    "a [b] c",
    "]",
    "&amp;",
    "pytest -q",
    "\u{200b}",
];

const JUNK: [&str; 16] =
    ["???", "please", "=", "\"", "'", "/", "//", "a=", "a=b", "=\"x\"", "\"x\"", "“b”", ",", "سارا", "-v", "1=\"2\""];

const NO_NAMES: [&str; 10] = ["", " ", "1", "1, 2", "é", "سارا", "-", "ſ", "\u{200b}RUN", "|"];

const UNKNOWN: [&str; 8] = ["NOTE", "note", "THINK", "x", "_", "i", "SKI", "Page|alias"];

const NAMES: [&str; 14] =
    ["RUN", "RUNS", "READ_FILE", "WRITE_FILE", "A", "B", "K", "S", "I", "_", "__", "KISS", "SKI", "ACTION"];

const NAME_ENDS: [&str; 12] = ["A", "B", "I", "K", "S", "_", "1", "0", "X", "SK", "II", "_FILE"];

const SCRATCHES: [&str; 9] = ["[", "]", "/", "\"", "'", "=", " ", "é", "[["];
