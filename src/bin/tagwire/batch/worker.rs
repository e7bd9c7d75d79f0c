//! One thread's work: for each line of the input, JSON in and JSON out.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::{io, iter};

use bumpalo::Bump;
use memchr::memchr_iter;
use serde::Serialize;
use serde_json::value::RawValue;
use tagwire::serialize::{LazyReply, Tiles};
use tagwire::sse::finish_for_reason;
use tagwire::{Finish, Limits, ParseOptions, Policy, Protocol};

use super::chunks::{Chunk, KEPT_BYTES, location};
use super::input_line::{self, Buffers, Field, Keys};
use super::ordered_writer::Piece;
use crate::args;
use crate::json::{self, Escapes, ReplyLine};
use crate::report;

/// What all workers need to know.
#[derive(Debug)]
pub(super) struct Setup {
    pub(super) keys: Keys,
    /// Whether the finish may be the reason that a provider states, too.
    pub(super) is_finish_a_reason: bool,
    /// For lines without a role.
    pub(super) role: Option<String>,
    /// For lines without a mode.
    pub(super) mode: Option<String>,
    /// For lines that do not tell how the reply ended.
    pub(super) finish: Finish,
    /// Whether the tiles are written.
    pub(super) has_tiles: bool,
    /// Whether the tags have views.
    pub(super) has_views: bool,
    pub(super) max_line_bytes: usize,
    pub(super) escapes: Escapes,
    pub(super) policies: Policies,
}

/// The policies of a protocol for each role and mode, made when a line needs them.
#[derive(Debug)]
pub(super) struct Policies {
    protocol: Protocol<'static>,
    limits: Limits,
    /// Those that the grants name; empty if any role will do.
    roles: Vec<&'static str>,
    modes: Vec<&'static str>,
    /// For each role, those of its modes.
    list: Vec<OnceLock<Policy<'static>>>,
}

impl Policies {
    pub(super) fn new(protocol: Protocol<'static>, limits: Limits) -> Self {
        let (roles, modes): (Vec<_>, Vec<_>) = (protocol.roles().collect(), protocol.modes().collect());
        let pairs = roles.len().max(1) * modes.len().max(1);
        let list = iter::repeat_with(OnceLock::new).take(pairs).collect();
        Policies { protocol, limits, roles, modes, list }
    }

    /// Refuses a role or a mode that no line can have.
    pub(super) fn check(&self, role: Option<&str>, mode: Option<&str>) -> Result<(), String> {
        self.protocol.policy_for(role, mode).map(drop).map_err(|unknown| unknown.to_string())
    }

    /// The policy for a role and a mode, which are given if the grants name any.
    fn get(&self, role: Option<&str>, mode: Option<&str>) -> Result<&Policy<'static>, String> {
        let position = |names: &[&str], name: Option<&str>| match name {
            Some(name) if !names.is_empty() => names.iter().position(|known| *known == name),
            _ => Some(0),
        };
        let pair = position(&self.roles, role).zip(position(&self.modes, mode));
        let Some((role_at, mode_at)) = pair else {
            let (role, mode) = (role.map(start), mode.map(start));
            return match self.protocol.policy_for(role.as_deref(), mode.as_deref()) {
                Err(unknown) => Err(unknown.to_string()),
                Ok(_) => Err("unknown role or mode".to_owned()),
            };
        };
        Ok(self.list[role_at * self.modes.len().max(1) + mode_at].get_or_init(|| {
            let policy = self.protocol.policy_for(role, mode).expect("a known role and mode");
            policy.with_limits(self.limits)
        }))
    }
}

/// An unknown name as its message quotes it, which may be as long as its line.
fn start(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(MAX_NAME_CHARS) {
        Some((end, _)) => Cow::Owned(format!("{}…", &name[..end])),
        None => Cow::Borrowed(name),
    }
}

/// How many lines were read, and how many of them are at fault.
#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) lines: u64,
    pub(super) faults: u64,
    pub(super) first: Option<FirstFault>,
}

/// The first fault, for the summary.
#[derive(Debug)]
pub(super) struct FirstFault {
    chunk: u64,
    /// The line, and the file where files are named.
    pub(super) location: String,
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

/// Why a worker stops.
#[derive(Debug)]
pub(super) enum Stop {
    Unwritable(io::Error),
    /// Out of memory, and where.
    OutOfMemory(String),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::Unwritable(error)
    }
}

/// Reads lines, and keeps its memory from line to line.
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

/// What a line holds, ready to be parsed.
struct StoredReply<'l> {
    id: Option<&'l RawValue>,
    policy: &'l Policy<'static>,
    text: &'l str,
    options: ParseOptions<'l>,
}

impl Worker {
    /// Writes one line to `out` for each line of `chunk`.
    pub(super) fn read(&mut self, setup: &Setup, chunk: &Chunk, out: &mut Piece<'_>) -> Result<(), Stop> {
        if chunk.is_too_long {
            self.fault(setup, chunk, chunk.first_line, None, too_long(setup.max_line_bytes), out)?;
        }
        let text = chunk.text();
        let mut start = 0;
        // The last line of a file may lack its end; nothing follows the end of the last line.
        let last = (!text.is_empty() && !text.ends_with(b"\n")).then_some(text.len());
        for (number, end) in (chunk.first_line..).zip(memchr_iter(b'\n', text).chain(last)) {
            let line = &text[start..end];
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            start = end + 1;
            if line.len() > setup.max_line_bytes {
                self.fault(setup, chunk, number, None, too_long(setup.max_line_bytes), out)?;
                continue;
            }
            if line.len() > LAZY_BYTES && !has_memory_for(line, &mut self.buffers) {
                return Err(Stop::OutOfMemory(location(chunk.file.as_deref(), number)));
            }
            match reply(setup, line, &mut self.buffers) {
                Ok(reply) => {
                    write(&reply, setup, &self.arena, out)?;
                    self.arena.reset();
                    self.totals.lines += 1;
                }
                Err(fault) => self.fault(setup, chunk, number, input_line::id(line), fault, out)?,
            }
        }
        self.shrink();
        Ok(())
    }

    /// Writes a line for one that can't be read.
    fn fault(
        &mut self,
        setup: &Setup,
        chunk: &Chunk,
        line: u64,
        id: Option<&RawValue>,
        fault: String,
        out: &mut Piece<'_>,
    ) -> io::Result<()> {
        let fault_line = FaultLine { line, file: chunk.file.as_deref(), id, fault: &fault };
        json::write_line(out, setup.escapes, &fault_line)?;
        self.totals.lines += 1;
        self.totals.faults += 1;
        let first = || FirstFault { chunk: chunk.sequence, location: location(chunk.file.as_deref(), line), fault };
        self.totals.first.get_or_insert_with(first);
        Ok(())
    }

    /// Frees what only a very long line needs.
    fn shrink(&mut self) {
        let Buffers { text, role, mode, finish, begins_inside } = &mut self.buffers;
        for buffer in [text, role, mode, finish, begins_inside] {
            if buffer.capacity() > KEPT_BYTES {
                *buffer = String::new();
            }
        }
        if self.arena.allocated_bytes() > KEPT_BYTES {
            self.arena = Bump::new();
        }
    }
}

fn too_long(max_bytes: usize) -> String {
    format!("line is longer than {max_bytes} bytes; --max-line-bytes sets the limit")
}

/// Makes room for the text of a long line, and tries whether there is memory to decode it.
fn has_memory_for(line: &[u8], buffers: &mut Buffers) -> bool {
    buffers.text.clear();
    // serde_json decodes into a buffer of its own, which doubles, before it copies the text.
    let mut decoded = Vec::<u8>::new();
    buffers.text.try_reserve(line.len()).is_ok() && decoded.try_reserve_exact(2 * line.len()).is_ok()
}

/// The reply of a line, or why there is none.
fn reply<'l>(setup: &'l Setup, line: &'l [u8], buffers: &'l mut Buffers) -> Result<StoredReply<'l>, String> {
    let Setup { keys, role, mode, .. } = setup;
    let input_line = input_line::read(line, keys, buffers)?;
    let text = string(input_line.text, &buffers.text, &keys.text, None)?;
    let Policies { roles, modes, .. } = &setup.policies;
    let role = || string(input_line.role, &buffers.role, &keys.role, Some(("--role", role)));
    let mode = || string(input_line.mode, &buffers.mode, &keys.mode, Some(("--mode", mode)));
    let role = if roles.is_empty() { None } else { Some(role()?) };
    let mode = if modes.is_empty() { None } else { Some(mode()?) };
    let finish = match input_line.finish {
        // Not known, as in a line without the key.
        Field::Absent | Field::Null => setup.finish,
        field => finish(string(field, &buffers.finish, &keys.finish, None)?, &keys.finish, setup.is_finish_a_reason)?,
    };
    let begins_inside = match input_line.begins_inside {
        Field::Absent | Field::Null => None,
        field => Some(string(field, &buffers.begins_inside, "begins_inside", None)?),
    };
    if let Some(region) = begins_inside {
        args::check_region(setup.policies.protocol, region)?;
    }
    let options = ParseOptions::from(finish).with_begins_inside(begins_inside);
    Ok(StoredReply { id: input_line.id, policy: setup.policies.get(role, mode)?, text, options })
}

fn write(reply: &StoredReply<'_>, setup: &Setup, arena: &Bump, out: &mut Piece<'_>) -> io::Result<()> {
    let Setup { escapes, has_views, has_tiles, .. } = *setup;
    let StoredReply { id, policy, text, options } = *reply;
    let tiles = has_tiles.then(|| Tiles::new(policy, text, options));
    if text.len() > LAZY_BYTES {
        let reply = &LazyReply::new(policy, text, options);
        return json::write_line(out, escapes, &ReplyLine { id, reply, tiles, has_views });
    }
    let reply = &policy.parse_in_with(text, arena, options);
    out.append(|out| json::write_line(out, escapes, &ReplyLine { id, reply, tiles, has_views }))
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
        (Field::Null, _) => Err(format!("{key:?} is null, not a string")),
        (Field::Other(what), _) => Err(format!("{key:?} is {what}, not a string")),
        (Field::Absent, Some((_, Some(default)))) => Ok(default),
        (Field::Absent, Some((name, None))) => Err(format!("no {key:?}, and no {name} for lines without it")),
        (Field::Absent, None) => Err(format!("no {key:?}")),
    }
}

/// How a reply ended, as a line tells it.
fn finish(value: &str, key: &str, is_reason: bool) -> Result<Finish, String> {
    match value {
        "complete" => Ok(Finish::Complete),
        "truncated" => Ok(Finish::Truncated),
        reason if is_reason => finish_for_reason(reason).ok_or_else(|| {
            let value = report::short(reason);
            format!(
                "{key:?} is \"{value}\", which is neither \"complete\", \"truncated\" nor a provider's known reason"
            )
        }),
        other => {
            let value = report::short(other);
            Err(format!(
                "{key:?} is \"{value}\", neither \"complete\" nor \"truncated\"; --finish-key names a key with a provider's reasons"
            ))
        }
    }
}

/// The lists of a longer reply are not collected: they may be many times as large as its text.
const LAZY_BYTES: usize = 256 << 10;

/// More than any role or mode has.
const MAX_NAME_CHARS: usize = 60;
