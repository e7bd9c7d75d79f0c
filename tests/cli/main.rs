//! The command line, through its binary.

#[path = "../../examples/support/server.rs"]
mod server;

mod batch;
mod edit;
mod faults;
mod from;
mod live;
mod pages;
mod parse;
mod protocol;
mod stream;
mod strict;
mod support;
#[cfg(unix)]
mod terminal;
