//! One line after the other: JSON in, JSON out.

use bumpalo::Bump;
use memchr::memchr_iter;
use serde::Serialize;
use serde_json::value::RawValue;
use tagwire::workforce::PROTOCOL;
use tagwire::{Limits, Policy};

use super::chunks::{Chunk, KEPT};
use super::record::{self, Buffers, Field, Keys};
use crate::json::{self, ReplyLine};

/// What all workers go by.
#[derive(Debug)]
pub(super) struct Setup {
    keys: Keys,
    /// For lines that have none.
    role: Option<String>,
    mode: Option<String>,
    /// One for each role and mode.
    policies: Vec<Policy<'static>>,
}

impl Setup {
    pub(super) fn new(keys: Keys, role: Option<String>, mode: Option<String>, limits: Limits) -> Self {
        let pairs = PROTOCOL.roles().flat_map(|role| PROTOCOL.modes().map(move |mode| (role, mode)));
        let policies = pairs.filter_map(|(role, mode)| PROTOCOL.policy(role, mode).ok());
        Setup { keys, role, mode, policies: policies.map(|policy| policy.with_limits(limits)).collect() }
    }

    fn policy(&self, role: &str, mode: &str) -> Result<&Policy<'static>, String> {
        let is_it = |policy: &&Policy<'_>| policy.role() == Some(role) && policy.mode() == Some(mode);
        self.policies.iter().find(is_it).ok_or_else(|| match PROTOCOL.policy(role, mode) {
            Err(unknown) => unknown.to_string(),
            Ok(_) => unreachable!("all known pairs have their policy"),
        })
    }
}

/// What became of some lines.
#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) lines: u64,
    pub(super) faults: u64,
    /// The first fault and its place: the chunk, the line and the file.
    pub(super) first: Option<First>,
}

/// A fault for the summary.
#[derive(Debug)]
pub(super) struct First {
    chunk: u64,
    pub(super) place: String,
    pub(super) fault: String,
}

impl Totals {
    pub(super) fn add(&mut self, other: Totals) {
        self.lines += other.lines;
        self.faults += other.faults;
        let firsts = [self.first.take(), other.first];
        self.first = firsts.into_iter().flatten().min_by_key(|first| first.chunk);
    }
}

/// Reads lines, and keeps the memory for it from line to line.
#[derive(Debug, Default)]
pub(super) struct Worker {
    buffers: Buffers,
    arena: Bump,
    pub(super) totals: Totals,
}

#[derive(Serialize)]
struct FaultLine<'f> {
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'f str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'f RawValue>,
    fault: &'f str,
}

impl Worker {
    /// Appends one line to `out` for each line of `chunk`.
    pub(super) fn read(&mut self, setup: &Setup, chunk: &Chunk, out: &mut Vec<u8>) {
        let text = chunk.text();
        let mut start = 0;
        // The last line of a file may lack its end; behind a final one is no line.
        let last = (!text.is_empty() && !text.ends_with(b"\n")).then_some(text.len());
        for (number, end) in (chunk.first_line..).zip(memchr_iter(b'\n', text).chain(last)) {
            let line = &text[start..end];
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if let Err(fault) = self.line(setup, line, out) {
                let file = chunk.file.as_deref();
                let fault_line = FaultLine { line: number, file, id: record::id(line), fault: &fault };
                json::push_line(out, &fault_line);
                self.totals.faults += 1;
                self.totals.first.get_or_insert_with(|| {
                    let file = file.map_or(String::new(), |file| format!("{file}, "));
                    First { chunk: chunk.sequence, place: format!("{file}line {number}"), fault }
                });
            }
            self.totals.lines += 1;
            start = end + 1;
        }
        self.shrink();
    }

    fn line(&mut self, setup: &Setup, line: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        let Setup { keys, role, mode, .. } = setup;
        let record = record::read(line, keys, &mut self.buffers)?;
        let text = string(record.text, &self.buffers.text, &keys.text, None)?;
        let role = string(record.role, &self.buffers.role, &keys.role, Some(("--role", role)))?;
        let mode = string(record.mode, &self.buffers.mode, &keys.mode, Some(("--mode", mode)))?;
        let policy = setup.policy(role, mode)?;
        let reply = policy.parse_in(text, &self.arena);
        json::push_line(out, &ReplyLine { id: record.id, reply: &reply });
        self.arena.reset();
        Ok(())
    }

    /// Gives back what only a very long line needs.
    fn shrink(&mut self) {
        if self.buffers.text.capacity() > KEPT {
            self.buffers.text = String::new();
        }
        if self.arena.allocated_bytes() > KEPT {
            self.arena = Bump::new();
        }
    }
}

/// The string of a field, or what an option has for lines without it.
fn string<'s>(
    field: Field<'s>,
    buffer: &'s str,
    key: &str,
    option: Option<(&str, &'s Option<String>)>,
) -> Result<&'s str, String> {
    match (field, option) {
        (Field::Plain(text), _) => Ok(text),
        (Field::Buffered, _) => Ok(buffer),
        (Field::Other(what), _) => Err(format!("{key:?} is {what}, not a string")),
        (Field::Absent, Some((_, Some(default)))) => Ok(default),
        (Field::Absent, Some((name, None))) => Err(format!("no {key:?}, and no {name} for lines without it")),
        (Field::Absent, None) => Err(format!("no {key:?}")),
    }
}
