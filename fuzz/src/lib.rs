//! The bodies of the fuzz targets, which a test of the crate runs on stable Rust as well.

#[path = "../../tests/support/library.rs"]
pub mod library;
#[path = "../../tests/support/strict_library.rs"]
pub mod strict_library;
#[path = "../../tests/support/mod.rs"]
pub mod support;
pub mod targets;
