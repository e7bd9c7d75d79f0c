//! A file under edit, locked so that edits at the same time wait for each other.
//!
//! The lock is on the file itself. An edit that waits for it may get it for a file that has been replaced meanwhile: so it is
//! taken again until the path still leads to the locked file.

use std::env;
#[cfg(unix)]
use std::fs::Permissions;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::atomic_file::{self, Replacement};

/// A plain file that no other edit reads or writes until this is dropped.
pub(super) struct LockedFile {
    /// Without symbolic links.
    path: PathBuf,
    file: File,
}

/// Why a file could not be written.
pub(super) enum WriteError {
    /// It is as it was.
    Unchanged(io::Error),
    /// It was written in place, this failed halfway, and its former content is in another file.
    Damaged { error: io::Error, copy: PathBuf },
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        WriteError::Unchanged(error)
    }
}

impl LockedFile {
    /// Opens the file and waits for the lock. Fails if the file is read-only. Where the file system has no locks, there is none.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        loop {
            let path = fs::canonicalize(path)?;
            atomic_file::check_writable(&fs::metadata(&path)?)?;
            let file = File::options().read(true).write(true).open(&path)?;
            match file.lock() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() != io::ErrorKind::Unsupported => return Err(error),
                _ => {}
            }
            let locked = LockedFile { path, file };
            if locked.is_in_place()? {
                return Ok(locked);
            }
        }
    }

    /// Whether the path still leads to this file.
    #[cfg(unix)]
    fn is_in_place(&self) -> io::Result<bool> {
        use std::os::unix::fs::MetadataExt as _;

        let locked = self.file.metadata()?;
        let found = atomic_file::existing(&self.path)?;
        Ok(found.is_some_and(|found| (found.dev(), found.ino()) == (locked.dev(), locked.ino())))
    }

    /// Files are only written in place here.
    #[cfg(not(unix))]
    fn is_in_place(&self) -> io::Result<bool> {
        Ok(true)
    }

    pub(super) fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut file = &self.file;
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes `after` over `before`, which was read. The file is replaced; it is written in place if `in_place` says so, if it has
    /// other hard links, or if a new file could not have its attributes.
    pub(super) fn write(&self, before: &[u8], after: &[u8], in_place: bool) -> Result<(), WriteError> {
        match if in_place { None } else { self.replacement(after)? } {
            Some(new) => {
                self.check_unchanged(before)?;
                Ok(new.keep()?)
            }
            None => self.overwrite(before, after),
        }
    }

    /// A new file with all that this one has; `None` if that cannot be.
    #[cfg(unix)]
    fn replacement(&self, after: &[u8]) -> io::Result<Option<Replacement>> {
        use std::os::unix::fs::MetadataExt as _;

        if self.file.metadata()?.nlink() > 1 {
            return Ok(None);
        }
        let new = Replacement::of(&self.path)?;
        new.file().write_all(after)?;
        Ok(new.copy_attributes(&self.file).is_ok().then_some(new))
    }

    /// An open file cannot be replaced.
    #[cfg(not(unix))]
    fn replacement(&self, _: &[u8]) -> io::Result<Option<Replacement>> {
        Ok(None)
    }

    /// Fails if another program, which does not care for the lock, has written the file.
    fn check_unchanged(&self, before: &[u8]) -> io::Result<()> {
        let changed = || Err(io::Error::other("it was changed meanwhile; try again"));
        if !self.is_in_place()? {
            return changed();
        }
        let mut file = &self.file;
        file.rewind()?;
        let mut reader = BufReader::with_capacity(COMPARED, file);
        let mut rest = before;
        loop {
            let piece = reader.fill_buf()?;
            match rest.strip_prefix(piece) {
                Some([]) if piece.is_empty() => return Ok(()),
                Some(_) if piece.is_empty() => return changed(),
                Some(further) => rest = further,
                None => return changed(),
            }
            let len = piece.len();
            reader.consume(len);
        }
    }

    fn overwrite(&self, before: &[u8], after: &[u8]) -> Result<(), WriteError> {
        let privileges = Privileges::of(&self.file)?;
        // Writing takes them away. If they cannot be set again, that has to be known before.
        privileges.set(&self.file)?;
        let copy = self.copy(before)?;
        self.check_unchanged(before)?;
        let put = |bytes| self.put(bytes).and_then(|()| privileges.set(&self.file));
        put(after).map_err(|error| match put(before) {
            Ok(()) => WriteError::Unchanged(error),
            Err(_) => match copy.keep() {
                Ok((_, copy)) => WriteError::Damaged { error, copy },
                Err(unkept) => WriteError::Damaged { error, copy: unkept.file.path().to_owned() },
            },
        })
    }

    /// A copy of the content, in case that writing ends halfway. It is removed when it is dropped.
    fn copy(&self, before: &[u8]) -> io::Result<NamedTempFile> {
        let builder = atomic_file::new_file();
        let beside = builder.tempfile_in(atomic_file::folder(&self.path));
        let copy = beside.or_else(|_| builder.tempfile_in(env::temp_dir()))?;
        copy.as_file().write_all(before)?;
        copy.as_file().sync_all()?;
        Ok(copy)
    }

    fn put(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = &self.file;
        file.rewind()?;
        file.write_all(bytes)?;
        file.set_len(bytes.len() as u64)?;
        file.sync_all()
    }
}

/// What the system takes away from a file that is written: the right to run as its owner, and capabilities.
struct Privileges {
    #[cfg(unix)]
    permissions: Option<Permissions>,
    #[cfg(unix)]
    capabilities: Option<Vec<u8>>,
}

impl Privileges {
    #[cfg(unix)]
    fn of(file: &File) -> io::Result<Self> {
        use std::os::unix::fs::PermissionsExt as _;
        use xattr::FileExt as _;

        let permissions = file.metadata()?.permissions();
        Ok(Privileges {
            permissions: (permissions.mode() & SET_ID != 0).then_some(permissions),
            capabilities: file.get_xattr(CAPABILITIES).unwrap_or_default(),
        })
    }

    #[cfg(unix)]
    fn set(&self, file: &File) -> io::Result<()> {
        use xattr::FileExt as _;

        let set_permissions = |permissions: &Permissions| file.set_permissions(permissions.clone());
        self.permissions.as_ref().map_or(Ok(()), set_permissions)?;
        self.capabilities.as_ref().map_or(Ok(()), |value| file.set_xattr(CAPABILITIES, value))
    }

    #[cfg(not(unix))]
    fn of(_: &File) -> io::Result<Self> {
        Ok(Privileges {})
    }

    #[cfg(not(unix))]
    fn set(&self, _: &File) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(unix)]
const CAPABILITIES: &str = "security.capability";
/// The bits set-user-ID and set-group-ID of a mode.
#[cfg(unix)]
const SET_ID: u32 = 0o6000;
/// The bytes that are compared at a time.
const COMPARED: usize = 1 << 16;
