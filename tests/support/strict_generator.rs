//! Hostile replies in the strict dialect out of a number: the same number gives the same reply on every machine.
//!
//! A reply is put together from what the protocol at hand has (its tags in every spelling, their closes and marks, their
//! bodies), from what hides tags (fences, inline code, quotes, regions) and from what breaks parsers, and is then sometimes
//! cut or scratched.

use serde_json::{Value, json};

use super::generator::Rng;
use super::strict_twin::StrictTwin;
use super::strict_twin::protocol::{Attribute, BodyKind, Entry, Kind, Region, Selector, StrictProtocol};
use super::strict_vectors::{PROTOCOLS, strict_protocol};

/// A reply, and how it is to be read.
#[derive(Clone, Debug)]
pub struct StrictCase<'p> {
    pub protocol: &'p StrictProtocol,
    pub role: Option<String>,
    pub mode: Option<String>,
    pub is_truncated: bool,
    pub begins_inside: Option<String>,
    pub text: String,
}

impl<'p> StrictCase<'p> {
    pub fn twin(&self) -> StrictTwin<'p> {
        self.protocol
            .twin(self.role.as_deref(), self.mode.as_deref())
            .truncated(self.is_truncated)
            .beginning_inside(self.begins_inside.as_deref())
    }
}

/// The protocols that replies are made in: those of the vectors, and some of them with small limits or other settings.
pub fn strict_protocols() -> Vec<StrictProtocol> {
    let mut all: Vec<StrictProtocol> = PROTOCOLS.iter().map(|name| strict_protocol(name)).collect();
    let limits = |tags: u32, token_bytes: u32, body_bytes: u32, diagnostics: u32| json!({ "tags": tags, "token_bytes": token_bytes, "body_bytes": body_bytes, "diagnostics": diagnostics });
    let regions = json!([
        { "name": "c", "open": "<!--", "close": "-->" },
        { "name": "s", "open": "%%", "close": "%%" },
        { "name": "b", "open": "[{", "close": "]" },
    ]);
    type Changes<'c> = &'c [(&'c str, Value)];
    let derived: [(&str, &str, Changes<'_>); 8] = [
        ("desk", "desk-small", &[("limits", limits(5, 64, 90, 8))]),
        ("desk", "desk-least", &[("limits", limits(2, 24, 12, 3))]),
        ("desk", "desk-prose", &[("unknown", "prose".into())]),
        ("desk", "desk-tags", &[("code", "tags".into())]),
        ("actions", "actions-small", &[("limits", limits(256, 40, 48, 256))]),
        ("wiki", "wiki-report", &[("unknown", "report".into()), ("code", "prose".into()), ("regions", regions)]),
        ("wiki", "wiki-small", &[("limits", limits(3, 32, 20, 256)), ("code", "prose".into())]),
        ("tiny", "tiny-long", &[("limits", limits(256, 48, 4096, 256))]),
    ];
    for (from, name, changes) in derived {
        let mut source = strict_protocol(from).source;
        source["name"] = name.into();
        changes.iter().for_each(|(key, value)| source[*key] = value.clone());
        all.push(StrictProtocol::from_value(without_examples(source)));
    }
    all
}

/// Examples are for the limits that they were written for.
fn without_examples(mut source: Value) -> Value {
    let object = source.as_object_mut().expect("a protocol");
    object.remove("examples");
    for tag in object["tags"].as_array_mut().expect("tags") {
        tag.as_object_mut().expect("a tag").remove("example");
    }
    source
}

/// A reply in one of these protocols.
pub fn strict_case(protocols: &[StrictProtocol], seed: u64) -> StrictCase<'_> {
    let mut rng = Rng::new(seed);
    let protocol = rng.pick(protocols);
    strict_case_in(protocol, &mut rng)
}

/// A reply in this protocol.
pub fn strict_case_in<'p>(protocol: &'p StrictProtocol, rng: &mut Rng) -> StrictCase<'p> {
    let (mut role, mut mode) = (None, None);
    for (asked, from) in [(&mut role, 0), (&mut mode, 1)] {
        let known: Vec<&String> =
            protocol.grants.iter().filter_map(|grant| [&grant.role, &grant.mode][from].as_ref()).collect();
        if !known.is_empty() {
            *asked = Some((*rng.pick(&known)).clone());
        }
    }
    let is_truncated = rng.percent(30);
    let begins_inside =
        (!protocol.regions.is_empty() && rng.percent(5)).then(|| rng.pick(&protocol.regions).name.clone());
    let granted = protocol.granted(role.as_deref(), mode.as_deref());
    let text = strict_reply(protocol, &granted, rng);
    StrictCase { protocol, role, mode, is_truncated, begins_inside, text }
}

/// The text alone.
pub fn strict_reply(protocol: &StrictProtocol, granted: &[String], rng: &mut Rng) -> String {
    let pieces = match rng.below(20) {
        0 => rng.between(15, 30),
        1..=5 => rng.between(6, 14),
        _ => rng.between(1, 5),
    };
    let care = *rng.pick(&[95, 80, 50, 20]);
    let mut writer = Writer { protocol, granted, rng, care, text: String::new() };
    for _ in 0..pieces {
        writer.piece(2);
    }
    let mut text = writer.text;
    if rng.percent(15) {
        text.truncate(rng.place(&text));
    }
    if rng.percent(25) {
        scratch(rng, &mut text);
    }
    text
}

/// A body for P3: tags, closes, fences and markers, and nothing that ends it.
pub fn hostile_text(protocol: &StrictProtocol, granted: &[String], rng: &mut Rng) -> String {
    let mut writer = Writer { protocol, granted, rng, care: 90, text: String::new() };
    for _ in 0..writer.rng.between(1, 6) {
        writer.piece(1);
    }
    writer.text
}

/// A whole tag that is given where it stands in prose, with nothing around it.
pub fn sound_tag(protocol: &StrictProtocol, granted: &[String], rng: &mut Rng) -> String {
    let mut writer = Writer { protocol, granted, rng, care: 100, text: String::new() };
    writer.tag(0);
    writer.text
}

/// Takes out, doubles or puts in a character or two.
fn scratch(rng: &mut Rng, text: &mut String) {
    for _ in 0..rng.between(1, 4) {
        let at = rng.place(text);
        let Some(here) = text[at..].chars().next() else {
            continue;
        };
        match rng.below(4) {
            0 => drop(text.remove(at)),
            1 => text.insert(at, here),
            2 => {
                let (from, to) = (rng.place(text), rng.place(text));
                let copy = text[from.min(to)..from.max(to)].chars().take(40).collect::<String>();
                text.insert_str(at, &copy);
            }
            _ => {
                let atom: &&str = rng.pick(ATOMS);
                text.insert_str(at, atom);
            }
        }
    }
}

struct Writer<'w> {
    protocol: &'w StrictProtocol,
    granted: &'w [String],
    rng: &'w mut Rng,
    /// How often, of a hundred times, something is written as it should be.
    care: usize,
    text: String,
}

impl Writer<'_> {
    fn is_careful(&mut self) -> bool {
        self.rng.percent(self.care)
    }

    fn put(&mut self, from: &[&str]) {
        let piece: &&str = self.rng.pick(from);
        self.text.push_str(piece);
    }

    /// The first while careful, else any.
    fn put_first(&mut self, from: &[&str]) {
        if self.is_careful() { self.text.push_str(from[0]) } else { self.put(from) }
    }

    /// One thing that a reply is made of. `depth` keeps things in things finite.
    fn piece(&mut self, depth: usize) {
        match self.rng.below(if depth == 0 { 12 } else { 17 }) {
            0 => self.put(PROSE),
            1 => self.put(BRACKETS),
            2 => self.put(BREAKS),
            3 => (0..self.rng.between(1, 6)).for_each(|_| self.put(ATOMS)),
            4 => self.close(),
            5 => self.unknown(depth),
            6..=10 => self.tag(depth),
            11 => self.long(),
            12 => self.fence(depth),
            13 => self.inline(depth),
            14 => self.quote(depth),
            15 => self.region(depth),
            _ => {
                self.put(&["- ", "* ", "1. ", "12) ", "+\t", ">", "  ", "> > ", "    "]);
                self.piece(depth - 1);
            }
        }
        if self.rng.percent(40) {
            self.put(BREAKS);
        }
    }

    fn entry(&mut self) -> Entry {
        let granted: Vec<&Entry> =
            self.protocol.tags.iter().filter(|entry| self.granted.contains(&entry.own_name())).collect();
        let entry: &Entry = if granted.is_empty() || !self.rng.percent(85) {
            self.rng.pick(&self.protocol.tags)
        } else {
            granted[self.rng.below(granted.len())]
        };
        entry.clone()
    }

    /// A tag of the protocol, its token perhaps broken, its close perhaps missing.
    fn tag(&mut self, depth: usize) {
        let entry = self.entry();
        let start = self.text.len();
        self.put_first(&["[[", "[[ ", "[[\t ", "[[[", "[[\n", "[ ["]);
        self.word(&entry.name);
        let mut written: Vec<String> = Vec::new();
        let mut argument = None;
        match &entry.select {
            Some(Selector::Argument { argument: selector }) => argument = Some(selector.clone()),
            Some(Selector::Attribute { attribute, value }) => {
                let value = if self.is_careful() { value.clone() } else { format!("{value}s") };
                written.push(self.attribute(attribute, &value));
            }
            None => {}
        }
        let mut attributes: Vec<&Attribute> = entry.attributes.iter().collect();
        if let Some(name) = entry.argument.as_ref().filter(|_| self.rng.percent(60)) {
            let attribute = entry.attribute(name).expect("the argument's attribute");
            argument = Some(self.value(attribute));
            if self.is_careful() {
                attributes.retain(|other| other.name != attribute.name);
            }
        }
        if let Some(argument) = &argument {
            self.put_first(&[":", ": ", " :\t", "::", " "]);
            self.argument(argument);
        }
        for attribute in attributes {
            if self.rng.percent(if attribute.required { self.care + 2 } else { 25 }) {
                let value = self.value(attribute);
                let key = if self.is_careful() || attribute.aliases.is_empty() {
                    attribute.name.clone()
                } else {
                    self.rng.pick(&attribute.aliases).clone()
                };
                written.push(self.attribute(&key, &value));
            }
        }
        let mut until = None;
        if entry.has_body() && self.rng.percent(20) {
            let mark = *self.rng.pick(&["EOF-1", "E", "x_", "v1.2"]);
            until = Some(mark);
            let value = if self.is_careful() { mark } else { self.rng.pick(&["", "a b", "é", "=,"]) };
            let attribute = self.attribute("until", value);
            written.insert(self.rng.below(written.len() + 1), attribute);
        }
        if !self.is_careful() {
            let extra =
                self.rng.pick(&["x=\"1\"", "oops", "x", "y=", ",", "cwd='/'", "un til = 'E'", "until=E"]).to_string();
            written.insert(self.rng.below(written.len() + 1), extra);
        }
        if !self.is_careful() && !written.is_empty() {
            let again = self.rng.pick(&written).clone();
            written.push(again);
        }
        for attribute in written {
            self.put_first(&[" ", "  ", "\n", "\r\n\t", "", ", ", "\u{a0}"]);
            self.text.push_str(&attribute);
        }
        let closes_itself = self.rng.percent(if entry.has_body() { 8 } else { 50 });
        if closes_itself {
            self.put_first(&["/", " /", "/ ", "\n/\n", "//"]);
        }
        self.put_first(&["]]", " ]]", "]]]", "\n]]", "]", "", "] ]", "]]/"]);
        if self.text.len() - start > 2 && !self.is_careful() && self.rng.percent(20) {
            self.text.truncate(start + self.rng.place(&self.text[start..]));
        }
        if !entry.has_body() || closes_itself {
            return;
        }
        self.body(&entry, depth);
        if !self.is_careful() && self.rng.percent(40) {
            return;
        }
        let name = entry.name.clone();
        match until {
            Some(mark) if self.is_careful() => {
                self.close_start(&name);
                self.put_first(&[" ", "  ", "\t", ":", ""]);
                self.text.push_str(mark);
                self.put_first(&["]]", " ]]", "]", "x]]"]);
            }
            _ => {
                self.close_start(&name);
                if let Some(argument) = argument.filter(|_| self.rng.percent(20)) {
                    self.put_first(&[":", " : ", " "]);
                    self.word(&argument);
                }
                self.put_first(&["]]", " ]]", "\t]]", "]", "]]\"", "]]`", "\n]]"]);
            }
        }
    }

    /// A word, mostly as it is declared.
    fn word(&mut self, word: &str) {
        let word = match self.rng.below(100) {
            _ if self.is_careful() => word.to_owned(),
            0..=39 => word.chars().map(|c| self.any_case(c)).collect(),
            40..=54 => word.to_ascii_lowercase(),
            55..=69 => word.to_ascii_uppercase(),
            70..=79 => format!("{word}s"),
            80..=89 => word.chars().skip(1).collect(),
            _ => format!("{word}{}", self.rng.pick(&["\u{200b}", "\u{a0}", ".x", "-", "é", "["])),
        };
        self.text.push_str(&word);
    }

    fn any_case(&mut self, c: char) -> char {
        if self.rng.percent(50) { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }
    }

    fn argument(&mut self, value: &str) {
        match self.rng.below(10) {
            0..=1 => {
                let quoted = self.quoted(value);
                self.text.push_str(&quoted);
            }
            2 if !self.is_careful() => self.put(BAD_ARGUMENTS),
            _ => self.text.push_str(value),
        }
    }

    fn attribute(&mut self, key: &str, value: &str) -> String {
        let key = if self.is_careful() { key.to_owned() } else { key.chars().map(|c| self.any_case(c)).collect() };
        let equals = if self.is_careful() { "=" } else { self.rng.pick(&[" = ", "\n=\r\n", "==", "", ":", "= "]) };
        let value = if self.is_careful() { self.quoted(value) } else { self.badly_quoted(value) };
        format!("{key}{equals}{value}")
    }

    /// The value in quotes, escaped as it must be.
    fn quoted(&mut self, value: &str) -> String {
        let quote = if self.rng.percent(70) { '"' } else { '\'' };
        let (mut out, mut backslashes) = (String::from(quote), 0);
        for c in value.chars() {
            if c == quote {
                out.extend(std::iter::repeat_n('\\', backslashes + 1));
            }
            backslashes = if c == '\\' { backslashes + 1 } else { 0 };
            out.push(c);
        }
        out.extend(std::iter::repeat_n('\\', backslashes));
        out.push(quote);
        out
    }

    fn badly_quoted(&mut self, value: &str) -> String {
        let plain: String = value.chars().filter(|c| c.is_ascii_alphanumeric() || "_.+-".contains(*c)).collect();
        match self.rng.below(9) {
            0..=3 => plain,
            4 => format!("\u{201c}{value}\u{201d}"),
            5 => format!("\"{value}"),
            6 => format!("'{value}\\\\\\'"),
            7 => format!("\"{value}\"\""),
            _ => value.to_owned(),
        }
    }

    fn value(&mut self, attribute: &Attribute) -> String {
        if !self.is_careful() {
            return self.rng.pick(VALUES).to_string();
        }
        match attribute.kind {
            Kind::String => self.rng.pick(VALUES).to_string(),
            Kind::Path => {
                self.rng.pick(&["a.py", "src/a b.py", "./x/", "app/[id]/p.tsx", "é/日.txt", " a "]).to_string()
            }
            Kind::Integer => self.rng.pick(&["1", "5", "+30", " 9 ", "-1", "0", "99999999999999999999"]).to_string(),
            Kind::Number => self.rng.pick(&["1", "0.5", ".5", "1.", "1e-3", "+1.5", "1e999", "1.6"]).to_string(),
            Kind::Boolean => self.rng.pick(&["true", "False", " TRUE ", "1", "no"]).to_string(),
            Kind::Enum => self.rng.pick(&attribute.values).clone(),
        }
    }

    fn body(&mut self, entry: &Entry, depth: usize) {
        if !self.is_careful() {
            self.inner(depth);
        }
        match entry.body {
            BodyKind::None => {}
            BodyKind::Text => self.inner(depth),
            BodyKind::Json => self.put_first(&[
                "{\"title\": \"x\"}", "{}", " [1, 2.5e3, {\"a\": null}]\n", "\"\\u00e9\\ud800 é\"", "{\"a\": 1,}", "01", "-", "tru", "",
                "[[1], [2]]", "\"[[/TICKET]]\"", "{\"a\" 1}", "\n// x\n{}", "\"\t\"", "\"\\q\"", "1 2", "{\"a\":[}", "-0.0E+1", "1.", "\u{feff}{}",
                "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
            ]),
            BodyKind::Edits => {
                self.put_first(BREAKS);
                for _ in 0..self.rng.between(1, 3) {
                    self.put_first(&["<<<OLD\n", "<<<OLD \t\r\n", " <<<OLD\n", "<<<OLDER\n", "x\n", "\\<<<OLD\n", "NEW>>>\n"]);
                    self.put_first(&["a\n", "", " \n", "\\===\nx\r\n", "\\\\NEW>>>\n", "<<<OLD\n", "[[DONE]]\n", "===\n", "=== x\n"]);
                    self.put_first(&["===\n", "===\r\n", "====\n", "=== \n", "", "==="]);
                    self.put_first(&["b\n", "", "===\n", "\\<<<OLD\n", "[[/EDIT_FILE]]\n", "NEW>>> \nx\n", "\\NEW>>>\n\\x\n"]);
                    self.put_first(&["NEW>>>\n", "NEW>>>", "NEW>>>\r\n", "", "NEW>>>\r", "NEW>>>x\n"]);
                }
            }
            BodyKind::Sections => {
                for section in &entry.sections {
                    if !self.is_careful() {
                        self.put(BREAKS);
                    }
                    for _ in 0..if self.is_careful() { 1 } else { self.rng.below(3) } {
                        self.put_first(&["[[", "[[ ", "[["]);
                        self.word(&section.name);
                        self.put_first(&["]]", " ]]", "]]\n", "]]\r\n", "]", "/]]"]);
                        self.inner(depth);
                        if self.rng.percent(40) {
                            self.close_start(&section.name);
                            self.put_first(&["]]", "]]\n", " ]]", "]]\"", "]"]);
                        }
                    }
                }
            }
        }
    }

    fn inner(&mut self, depth: usize) {
        self.put(BREAKS);
        for _ in 0..self.rng.below(3) {
            if depth > 0 { self.piece(depth - 1) } else { self.put(PROSE) }
        }
        self.put(BREAKS);
    }

    fn close_start(&mut self, name: &str) {
        self.put_first(&["[[/", "[[ /", "[[/ ", "[[\t/\t", "[/"]);
        self.word(name);
    }

    /// A close by itself.
    fn close(&mut self) {
        let name = self.entry().name;
        self.close_start(&name);
        self.put_first(&["", " E", ":append", " : x", "  EOF-1", " a b", "\u{a0}"]);
        self.put_first(&["]]", " ]]", "]", "]]]", "]]'"]);
    }

    fn unknown(&mut self, depth: usize) {
        let word = *self.rng.pick(&["FOO", "foo", "Foo", "READ", "RUNS", "ACTIO", "Page", "edits", "x.y", "_"]);
        self.text.push_str("[[");
        self.word(word);
        self.put(&["", "", ": x", ":\"append\"", ":E"]);
        self.put(&["", " x=\"y\"", " until=\"E\"", " until='a b'", " x=1", " x=\"]]\" y", " x='1' [[/", "\n"]);
        self.put(&["]]", "]]", "/]]", "]", "", " / ]]"]);
        if self.rng.percent(50) {
            self.inner(depth);
            self.close_start(word);
            self.put(&["]]", "]]", " E]]", ":E]]", "]]\""]);
        }
    }

    fn fence(&mut self, depth: usize) {
        self.put_first(&["\n", "\n  ", "\n> ", "\n- ", "x ", "\n1. ", ""]);
        let fence = *self.rng.pick(&["```", "~~~", "````", "`````", "~~~~"]);
        self.text.push_str(fence);
        self.put_first(&["\n", "sh\n", " a`b\n", "```\n", "\r\n", " ~~~ \n"]);
        for _ in 0..self.rng.below(3) {
            if depth > 0 {
                self.piece(depth - 1);
            }
        }
        self.put_first(&["\n", "\n  ", "\n> ", "\n    ", "\n> > ", "", "\n- "]);
        self.text.push_str(fence);
        self.put_first(&["\n", "", " \t\n", "`\n", "~\r\n", " x\n", "\r\n"]);
    }

    fn inline(&mut self, depth: usize) {
        let run = *self.rng.pick(&["`", "``", "```", "`"]);
        self.text.push_str(run);
        self.put(&["", " ", "`` "]);
        if depth > 0 {
            self.piece(depth - 1);
        }
        self.put_first(&[run, "", "`", "``", "\n"]);
    }

    fn quote(&mut self, depth: usize) {
        self.put(&["\n> ", "\n>", "\n  > ", "\r\n>> ", "\n\t>\t"]);
        self.put_first(&["", "- ", "``", "```", "```sh", "~~~", "<think>"]);
        if depth > 0 {
            self.piece(depth - 1);
        }
    }

    fn region(&mut self, depth: usize) {
        let region = match self.protocol.regions.as_slice() {
            [] => Region { name: String::new(), open: "<think>".into(), close: "</think>".into() },
            regions => self.rng.pick(regions).clone(),
        };
        let cut = |rng: &mut Rng, marker: &str| {
            if rng.percent(10) { marker[..rng.place(marker)].to_owned() } else { marker.to_owned() }
        };
        let (open, close) = (cut(self.rng, &region.open), cut(self.rng, &region.close));
        self.text.push_str(&open);
        if depth > 0 {
            self.piece(depth - 1);
        }
        self.text.push_str(&close);
    }

    /// Something as long as a small limit, or a little more or less.
    fn long(&mut self) {
        let near = *self.rng.pick(&[self.protocol.limits.token_bytes, self.protocol.limits.body_bytes, 64, 40]);
        let length = (near.min(200) + self.rng.below(8)).saturating_sub(self.rng.below(12));
        match self.rng.below(6) {
            0 => self.text.push_str(&"m".repeat(length)),
            1 => self.text.push_str(&format!("[[{}", "A".repeat(length))),
            2 => (0..length / 7).for_each(|i| self.text.push_str(&format!(" k{i}=\"{}\"", i % 7))),
            3 => self.text.push_str(&"\\".repeat(self.rng.between(1, 9))),
            4 => {
                let entry = self.entry();
                self.text.push_str(&format!("[[{}", entry.name));
                for i in 0..self.rng.between(60, 67) {
                    self.text.push_str(&format!(" k{i}=1"));
                }
                self.put_first(&["/]]", "]]", " x]]", ""]);
            }
            _ => {
                let name = self.entry().name;
                self.text.push_str(&format!("[[{}/{name}{}]]", " ".repeat(length / 2), "\t".repeat(length / 2)));
            }
        }
    }
}

const PROSE: &[&str] = &[
    "I'll look at it. ",
    "don't",
    "text",
    "日本 ",
    "🙂",
    "café ",
    "«si» ",
    "\u{201c}so\u{201d} ",
    "x=1 ",
    "a/b ",
    ", ",
    " : ",
    "\u{feff}",
    "\u{202e}",
    "\u{200b}",
    "\u{a0}",
    "> ",
    "| a | b |",
    "| ",
    "# ",
    "ok",
];

const BREAKS: &[&str] = &["\n", "\n", "", " ", "\n\n", "\r\n", "\r", "\t", "\n  ", "\n> "];

const BRACKETS: &[&str] = &[
    "[[Home Page]]",
    "[[Page|text]]",
    "if [[ -f \"$x\" ]]; then",
    "x = [[1, 2], [3]]",
    "[[nodiscard]]",
    "![[img.png]]",
    "[[../up]]",
    "m[i[[0]]]",
    "[[tool.poetry.source]]",
    "[[std::vec]]",
    "[[http://x.y]]",
    "[[bin]]\nname = \"x\"\n",
    "[[TODO]]",
    "[[TODO: x]]",
    "[a](b)",
    "\\[[x]]",
    "[[1]]",
    "[[[",
    "]]",
    "]",
    "[",
    "[[",
    "[[/",
    "[[/x]]",
    "[[deprecated(\"use x\")]]",
    "local s = [[RUN it]]",
    "[[ACTION items]]",
    "[[do it]]",
    "[[edit]]",
    "[[edit history]]",
    "[[:alpha:]]",
    "[[/\n",
];

const ATOMS: &[&str] = &[
    "[[",
    "]]",
    "[",
    "]",
    "/",
    "\"",
    "'",
    "\\",
    "\\\"",
    "=",
    ":",
    ",",
    "`",
    "``",
    "```",
    "~~~",
    ">",
    "<think>",
    "</think>",
    "<thi",
    "[PLAN]",
    "[/PLAN]",
    "<!--",
    "-->",
    "*",
    " ",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\u{a0}",
    "\u{200b}",
    "\u{201c}",
    "\u{ff02}",
    "é",
    "🙂",
    "[[RUN",
    "[[NOTE]]",
    "[[/NOTE]]",
    "[[edit page=\"x\"]]",
    "[[/edit]]",
    "[[SAY: x]]",
    "[[PUT]]",
    "[[/PUT]]",
    "until",
    "until=\"E\"",
    " E]]",
    "<<<OLD\n",
    "===\n",
    "NEW>>>\n",
    "{",
    "}",
    "cmd=\"x\"",
    "path",
    "- ",
    "1. ",
    "[[FIND]]",
    "[[/FIND]]",
    "[[ACTION:append]]",
    "[[/ACTION:append]]",
    "[[do type=\"read\" path=\"a\"/]]",
    "[[DONE]]",
    "[[GO/]]",
    "type=write",
    ".",
    "-",
    "_",
];

const VALUES: &[&str] = &[
    "x",
    "ls -la",
    "",
    " ",
    "say \"hi\"",
    "it's",
    "C:\\new\\t.txt",
    "e\\",
    "\\\\",
    "\\\\\"",
    "a]]b",
    "[[DONE]]",
    "[[/NOTE]]",
    "a\nb",
    "a\r\nb",
    "```\n",
    "🙂",
    "é",
    "http://x",
    "src/",
    "a /",
    "/",
    "EOF-1",
    "append",
    "text",
    "x y z",
    "<think>",
    "\u{201c}q\u{201d}",
    "\u{a0}",
    "1",
    "../up",
    "true",
];

const BAD_ARGUMENTS: &[&str] = &[
    "",
    "/",
    "//",
    "//x",
    ":x",
    "\u{201c}x\u{201d}",
    "a\"b",
    "a'b",
    "a [b",
    "a ]b",
    "a\nb",
    "a\rb",
    "x /",
    "x/",
    "x//",
    "x / ",
    "\u{a0}x",
    "-",
    "@",
];
