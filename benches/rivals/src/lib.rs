//! The competitors of tagwire: the limits of the machine, a plain port of the seed to the `regex` crate, and parsers of other
//! syntaxes with the same information. `cargo run --release` prints the table and draws the plot.

#[path = "../../corpus/mod.rs"]
pub mod corpus;
pub mod limits;
pub mod others;
pub mod port;
pub mod syntax;
