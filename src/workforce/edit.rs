//! Edit blocks.
