//! Where the output goes: standard output, or a file that is only replaced when all of it is written.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::failure::Failure;

/// Standard output, or a file.
pub(super) enum Output {
    Stdout,
    /// What is no plain file, a device or a pipe, cannot be replaced.
    Direct(PathBuf, File),
    /// Written beside the file that it will replace: so the output may be an input too, and is never half there.
    Replacing(PathBuf, NamedTempFile),
}

impl Output {
    pub(super) fn create(path: Option<PathBuf>) -> Result<Self, Failure> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else { return Ok(Output::Stdout) };
        Self::open(&path).map_err(|error| Failure::of_writing(path.display(), &error))
    }

    fn open(path: &Path) -> io::Result<Self> {
        let existing = fs::metadata(path).ok();
        if existing.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            return Ok(Output::Direct(path.into(), File::options().write(true).open(path)?));
        }
        // A link stays one: what it points to is replaced.
        let path = if existing.is_some() { fs::canonicalize(path)? } else { path.into() };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".tagwire-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder)?;
        if let Some(metadata) = existing {
            if metadata.permissions().readonly() {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            file.as_file().set_permissions(metadata.permissions())?;
        }
        Ok(Output::Replacing(path, file))
    }

    pub(super) fn writer(&self) -> Result<Box<dyn Write + Send>, Failure> {
        match self {
            Output::Stdout => Ok(Box::new(io::stdout())),
            Output::Direct(_, file) => {
                file.try_clone().map(|file| Box::new(file) as _).map_err(|e| self.unwritable(&e))
            }
            Output::Replacing(_, file) => {
                file.as_file().try_clone().map(|file| Box::new(file) as _).map_err(|e| self.unwritable(&e))
            }
        }
    }

    /// Puts the file in its place. Without this, what was there before stays.
    pub(super) fn keep(self) -> Result<(), Failure> {
        match self {
            Output::Replacing(path, file) => {
                let kept = file.persist(&path);
                kept.map(drop).map_err(|error| Failure::of_writing(path.display(), &error.error))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn unwritable(&self, error: &io::Error) -> Failure {
        match self {
            Output::Stdout => Failure::of_stdout(error),
            Output::Direct(path, _) | Output::Replacing(path, _) => Failure::of_writing(path.display(), error),
        }
    }
}
