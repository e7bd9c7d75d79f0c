//! Input from a file, or from standard input.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::PathBuf;

use crate::failure::Failure;

/// A file, or standard input.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    Stdin,
    File(PathBuf),
}

impl Input {
    /// The file at `path`; standard input where there is none, or it is `-`.
    pub(crate) fn new(path: Option<PathBuf>) -> Self {
        path.filter(|path| path.as_os_str() != "-").map_or(Input::Stdin, Input::File)
    }

    /// A reader that returns bytes as they come. It holds no lock, so that another thread may use it.
    pub(crate) fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        match self {
            // Its buffer is bypassed if the caller's is larger.
            Input::Stdin => Ok(Box::new(io::stdin())),
            Input::File(path) => match self.check() {
                Ok(_) => File::open(path).map(|file| Box::new(file) as _).map_err(|error| self.unreadable(&error)),
                Err(failure) => Err(failure),
            },
        }
    }

    /// All of it.
    pub(crate) fn read(&self) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        self.open()?.read_to_end(&mut bytes).map_err(|error| self.unreadable(&error))?;
        Ok(bytes)
    }

    /// All of it, as text.
    pub(crate) fn read_text(&self) -> Result<String, Failure> {
        self.text(self.read()?)
    }

    /// The bytes read from it, as text.
    pub(crate) fn text(&self, bytes: Vec<u8>) -> Result<String, Failure> {
        String::from_utf8(bytes).map_err(|error| self.not_utf8(error.utf8_error().valid_up_to()))
    }

    /// The length, where that is known. Fails if the file does not exist or is a directory.
    pub(crate) fn check(&self) -> Result<Option<u64>, Failure> {
        let Input::File(path) = self else { return Ok(None) };
        let metadata = fs::metadata(path).map_err(|error| self.unreadable(&error))?;
        if metadata.is_dir() {
            return Err(Failure::Unusable(format!("cannot read {self}: it is a directory; name a file in it")));
        }
        Ok(metadata.is_file().then_some(metadata.len()))
    }

    /// The failure to read it.
    pub(crate) fn unreadable(&self, error: &io::Error) -> Failure {
        let what_to_do = match error.kind() {
            io::ErrorKind::NotFound => "; check the path, or pass `-` to read standard input",
            io::ErrorKind::PermissionDenied => "; check its permissions",
            _ => "",
        };
        Failure::Unusable(format!("cannot read {self}: {error}{what_to_do}"))
    }

    /// The failure of bytes that are not UTF-8.
    pub(crate) fn not_utf8(&self, offset: usize) -> Failure {
        Failure::Unusable(format!(
            "{self}: invalid UTF-8 at byte {offset}; convert it to UTF-8 first, with `iconv -t UTF-8` or the like"
        ))
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::Stdin => f.write_str("standard input"),
            Input::File(path) => path.display().fmt(f),
        }
    }
}
