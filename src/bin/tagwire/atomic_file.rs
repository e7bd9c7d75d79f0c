//! Replaces a file by a new one in a single step: at each moment one of the two is there, complete.

use std::fs::{self, File, Metadata, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A new file, written beside the one that it will replace. Dropped, it leaves nothing.
pub(crate) struct Replacement {
    target: PathBuf,
    file: NamedTempFile,
    /// Those of the existing file.
    permissions: Option<Permissions>,
}

impl Replacement {
    /// Creates a replacement of the plain file at `path`, with its owner, or of none yet. Fails if the file is read-only.
    ///
    /// A symbolic link stays one: the file that it leads to is replaced, or created.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let target = target(path)?;
        let existing = existing(&target)?;
        let mut builder = new_file();
        #[cfg(unix)]
        if existing.is_none() {
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        }
        if let Some(existing) = &existing {
            check_writable(existing)?;
        }
        let file = builder.tempfile_in(folder(&target))?;
        if let Some(existing) = &existing {
            keep_owner(file.as_file(), existing)?;
        }
        // Set when all is written: until then nobody else needs to read it.
        let permissions = existing.map(|existing| existing.permissions());
        Ok(Replacement { target, file, permissions })
    }

    /// The new file, to be written to.
    pub(crate) fn file(&self) -> &File {
        self.file.as_file()
    }

    /// Gives the new file the access control lists and extended attributes of the existing one. Called when all is written,
    /// since writing clears some of them. Fails if one cannot be set.
    #[cfg(unix)]
    pub(crate) fn copy_attributes(&self, existing: &File) -> io::Result<()> {
        use xattr::FileExt as _;

        let new = self.file();
        let (wanted, inherited) = (attribute_names(existing)?, attribute_names(new)?);
        for name in inherited.iter().filter(|name| !wanted.contains(name)) {
            new.remove_xattr(name)?;
        }
        for name in &wanted {
            let value = existing.get_xattr(name)?.unwrap_or_default();
            if new.get_xattr(name)?.as_ref() != Some(&value) {
                new.set_xattr(name, &value)?;
            }
        }
        Ok(())
    }

    /// Puts the new file in its place.
    pub(crate) fn keep(self) -> io::Result<()> {
        let Replacement { target, file, permissions } = self;
        if let Some(permissions) = permissions {
            file.as_file().set_permissions(permissions)?;
        }
        file.as_file().sync_all()?;
        file.persist(&target).map_err(|error| error.error)?;
        // The file is in its place whether or not the folder can be synced.
        let _ = File::open(folder(&target)).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

/// Fails if the file is read-only.
pub(crate) fn check_writable(existing: &Metadata) -> io::Result<()> {
    match existing.permissions().readonly() {
        true => Err(io::Error::other("it is read-only")),
        false => Ok(()),
    }
}

/// The metadata of the file at `path`, or that its links lead to; `None` if there is none.
pub(crate) fn existing(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Creates temporary files under the name that all of them have.
pub(crate) fn new_file<'a>() -> tempfile::Builder<'a, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".tagwire-");
    builder
}

/// The folder that a file is in.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The path that `path` leads to, even if there is no file.
fn target(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        resolved => return resolved,
    }
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(to) => path = folder(&path).join(to),
            // Not a link, or nothing.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("it is a link to a link, and so on, without an end"))
}

/// Gives `file` the owner and the group of `existing`.
#[cfg(unix)]
fn keep_owner(file: &File, existing: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};

    let new = file.metadata()?;
    let (owner, group) = (existing.uid(), existing.gid());
    let [to_owner, to_group] = [(new.uid(), owner), (new.gid(), group)].map(|(is, was)| (is != was).then_some(was));
    if to_owner.is_none() && to_group.is_none() {
        return Ok(());
    }
    fchown(file, to_owner, to_group).map_err(|error| {
        let message = format!("its owner and group, {owner}:{group}, cannot be kept: {error}");
        io::Error::new(error.kind(), message)
    })
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// The names of a file's extended attributes, access control lists among them. None where the file system has none.
#[cfg(unix)]
fn attribute_names(file: &File) -> io::Result<Vec<std::ffi::OsString>> {
    use xattr::FileExt as _;

    match file.list_xattr() {
        Ok(names) => Ok(names.collect()),
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// The links that are followed one after another at most, as on Linux.
const MOST_LINKS: usize = 40;
