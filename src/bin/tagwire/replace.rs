//! A file that takes the place of another, which stays as it is until the new one is whole.

use std::fs::{self, File, Metadata, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// How many links are followed one after another, as Linux has it.
const MOST_LINKS: usize = 40;

/// A new file, written beside the one it will replace: at each moment one of them is there whole. Dropped, it leaves nothing.
pub(crate) struct Replacement {
    target: PathBuf,
    file: NamedTempFile,
    /// Those of the file that was there.
    permissions: Option<Permissions>,
}

impl Replacement {
    /// Whether there may be one for a file that is there: it may not for a read-only one.
    pub(crate) fn check(existing: &Metadata) -> io::Result<()> {
        match existing.permissions().readonly() {
            true => Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only")),
            false => Ok(()),
        }
    }

    /// One for the plain file at `path`, or for none yet. It has the owner of the file that is there.
    ///
    /// A link stays one: what it leads to is replaced, or created.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let target = target(path)?;
        let existing = existing(&target)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".tagwire-");
        #[cfg(unix)]
        if existing.is_none() {
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        }
        if let Some(existing) = &existing {
            Self::check(existing)?;
        }
        let file = builder.tempfile_in(folder(&target))?;
        if let Some(existing) = &existing {
            keep_owner(file.as_file(), existing)?;
        }
        // Set when all is written: until then nobody else needs to read it.
        let permissions = existing.map(|existing| existing.permissions());
        Ok(Replacement { target, file, permissions })
    }

    /// To be written to.
    pub(crate) fn file(&self) -> &File {
        self.file.as_file()
    }

    /// Puts it in its place.
    pub(crate) fn keep(self) -> io::Result<()> {
        self.keep_if(|_| Ok(()))
    }

    /// Puts it in its place, if `check` has nothing against it, which is asked at the last moment.
    pub(crate) fn keep_if(self, check: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
        let Replacement { target, file, permissions } = self;
        if let Some(permissions) = permissions {
            file.as_file().set_permissions(permissions)?;
        }
        file.as_file().sync_all()?;
        check(&target)?;
        file.persist(&target).map_err(|error| error.error)?;
        // The file is in its place whether or not the folder can be told to keep it.
        let _ = File::open(folder(&target)).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

/// What is at `path`, behind all links; nothing where there is none.
pub(crate) fn existing(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Where `path` leads to, even if nothing is there.
fn target(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        resolved => return resolved,
    }
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(to) => path = folder(&path).join(to),
            // No link any more, or nothing.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("it is a link to a link, and so on, without an end"))
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
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
