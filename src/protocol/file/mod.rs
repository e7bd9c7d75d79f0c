//! Protocols from files, and by serde.

#[cfg(feature = "protocol-file")]
mod error;
mod fault;
#[cfg(feature = "protocol-file")]
mod json;
mod node;
mod read;
#[cfg(feature = "protocol-file")]
mod toml;

use serde::de::{Deserialize, Deserializer, Error as _};

pub(super) use self::node::Node;
use super::buf::ProtocolBuf;

#[cfg(feature = "protocol-file")]
pub use self::error::{FileFault, ProtocolFileError};

#[cfg(feature = "protocol-file")]
mod load {
    use std::borrow::ToOwned as _;
    use std::format;
    use std::fs::File;
    use std::io::Read as _;
    use std::path::Path;
    use std::string::{String, ToString as _};
    use std::vec::Vec;

    use super::error::ProtocolFileError;
    use super::fault::Fault;
    use super::{json, read, toml};
    use crate::protocol::buf::ProtocolBuf;

    impl ProtocolBuf {
        /// Reads a file, as JSON if its name ends in `.json`, else as TOML, with the schemas that it names.
        ///
        /// # Errors
        ///
        /// Says what is wrong, where, and what would be right: every fault that is found. A file may have 4 MiB at most.
        pub fn read(path: impl AsRef<Path>) -> Result<Self, ProtocolFileError> {
            let path = path.as_ref();
            let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
            let folder = path.parent().unwrap_or(Path::new(""));
            let schemas = |relative: &str| schema(&folder.join(relative));
            let read = || {
                let text = text(path).map_err(ProtocolFileError::of_file)?;
                parse(&text, if is_json { json::parse } else { toml::parse }, Some(&schemas))
            };
            read().map_err(|error: ProtocolFileError| error.in_file(path))
        }

        /// Reads the text of a TOML file. Schemas that are files of their own are left unread.
        ///
        /// # Errors
        ///
        /// Says what is wrong, where, and what would be right: every fault that is found.
        pub fn from_toml(text: &str) -> Result<Self, ProtocolFileError> {
            parse(text, toml::parse, None)
        }

        /// Reads the text of a JSON file. Schemas that are files of their own are left unread.
        ///
        /// # Errors
        ///
        /// Says what is wrong, where, and what would be right: every fault that is found.
        pub fn from_json(text: &str) -> Result<Self, ProtocolFileError> {
            parse(text, json::parse, None)
        }
    }

    fn parse(
        text: &str,
        format: fn(&str) -> Result<super::Node, Vec<Fault>>,
        schemas: Option<read::Schemas<'_>>,
    ) -> Result<ProtocolBuf, ProtocolFileError> {
        // A byte-order mark is no part of either format, and not of the first line's columns.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let node = format(text).map_err(|faults| ProtocolFileError::new(text, faults))?;
        read::protocol(&node, schemas).map_err(|faults| ProtocolFileError::new(text, faults))
    }

    /// The JSON text of a schema.
    fn schema(path: &Path) -> Result<String, String> {
        let text = text(path).map_err(|message| format!("the schema {}: {message}", path.display()))?;
        match serde_json::from_str::<serde::de::IgnoredAny>(&text) {
            Ok(_) => Ok(text),
            Err(error) => Err(format!("the schema {} is not JSON: {error}", path.display())),
        }
    }

    /// The text of a file that is not too long.
    fn text(path: &Path) -> Result<String, String> {
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(|error| format!("cannot be read: {error}"))?;
        let read = file.take(MAX_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|error| format!("cannot be read: {error}"))?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err("larger than 4 MiB".to_owned());
        }
        let not_text = |error: std::string::FromUtf8Error| {
            let at = error.utf8_error().valid_up_to();
            format!("not UTF-8: the byte at offset {at} begins no character").to_string()
        };
        String::from_utf8(bytes).map_err(not_text)
    }

    /// A protocol of 512 tags with long descriptions has less than a tenth of it.
    const MAX_BYTES: u64 = 4 << 20;
}

/// From any format, in the keys of a protocol file. Without places, so for a file rather `ProtocolBuf::read`.
impl<'de> Deserialize<'de> for ProtocolBuf {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        read::protocol(&node, None).map_err(|faults| {
            let lines = faults.iter().map(|fault| match fault.key.as_str() {
                "" => fault.message.clone(),
                key => alloc::format!("{key}: {}", fault.message),
            });
            D::Error::custom(lines.collect::<alloc::vec::Vec<_>>().join("; "))
        })
    }
}
