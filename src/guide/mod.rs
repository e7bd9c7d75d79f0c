//! Guides, which only the documentation holds:
//!
#![cfg_attr(
    feature = "protocol-file",
    doc = "- [`from_regex`]: from a hand-written regular expression to a protocol of your own, with one worked case."
)]
#![cfg_attr(
    not(feature = "protocol-file"),
    doc = "- `from_regex` (with the feature `protocol-file`): from a hand-written regular expression to a protocol of your own."
)]
//! - [`from_python`]: what differs between the rules of the Python module and the strict dialect, case by case.

#[cfg(feature = "protocol-file")]
#[doc = include_str!("from_regex.md")]
pub mod from_regex {}

#[doc = include_str!("from_python.md")]
pub mod from_python {}
