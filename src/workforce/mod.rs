//! The seed's protocol, the first preset.

pub mod edit;
