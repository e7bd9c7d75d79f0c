//! The bodies of the fuzz targets.
//!
//! A body is a function of bytes that panics on a fault. It depends on nothing else, so one file reproduces a fault. The bytes
//! come from libFuzzer in `fuzz_targets/`, and from the seeds, the faults found so far and a generator in `tests/fuzz.rs`.

// Neither of the two crates that use this file uses all of it.
#![allow(dead_code, unreachable_pub)]

pub mod attrs;
pub mod batch_line;
pub mod bounds;
pub mod cuts;
pub mod decoder;
pub mod edits;
pub mod input;
pub mod protocols;
pub mod replies;
pub mod seeds;
pub mod sse;
pub mod strict;
pub mod strict_cuts;
pub mod strict_protocols;
pub mod strict_twin;
pub mod twin;

/// A target: its name and its body.
pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
    /// Makes its seeds from the vectors.
    pub seeds: fn() -> Vec<seeds::Seed>,
}

/// All targets.
pub const ALL: &[Target] = &[
    Target { name: "cuts", run: cuts::run, seeds: cuts::seeds },
    Target { name: "twin", run: twin::run, seeds: twin::seeds },
    Target { name: "replies", run: replies::run, seeds: replies::seeds },
    Target { name: "protocols", run: protocols::run, seeds: protocols::seeds },
    Target { name: "attrs", run: attrs::run, seeds: attrs::seeds },
    Target { name: "edits", run: edits::run, seeds: edits::seeds },
    Target { name: "decoder", run: decoder::run, seeds: decoder::seeds },
    Target { name: "batch_line", run: batch_line::run, seeds: batch_line::seeds },
    Target { name: "sse", run: sse::run, seeds: sse::seeds },
    Target { name: "strict_cuts", run: strict_cuts::run, seeds: strict_cuts::seeds },
    Target { name: "strict_twin", run: strict_twin::run, seeds: strict_twin::seeds },
    Target { name: "strict_protocols", run: strict_protocols::run, seeds: strict_protocols::seeds },
];

/// Returns the target with this name.
#[track_caller]
pub fn target(name: &str) -> &'static Target {
    ALL.iter().find(|target| target.name == name).expect("the name of a target")
}
