//! The command line, through its binary.

mod batch;
mod edit;
mod faults;
mod pages;
mod parse;
mod stream;
mod support;
