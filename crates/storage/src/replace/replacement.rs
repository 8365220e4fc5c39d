//! Files that are replaced atomically.

use std::fs::{self, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::permissions;
use super::temporary::{self, TemporaryFile};
use crate::Error;
use crate::path::{Target, file_type_name, unsuitable};

/// A temporary file next to its target, which [`finish`](Self::finish) renames to the target. If it is dropped before
/// that, it is removed, and the old file stays.
///
/// Symbolic links are followed: the link stays, and the file that it leads to is replaced or created. The new file has
/// the mode of the old one and, if the system permits, its owner and group. Access control lists and extended
/// attributes are not kept. Other hard links to the old file keep the old content.
#[derive(Debug)]
pub struct Replacement {
    /// The path as the caller gave it, for error messages.
    target: PathBuf,
    /// The path after following symbolic links.
    resolved: PathBuf,
    /// Metadata of the old file, if there is one.
    replaced: Option<Metadata>,
    temporary: TemporaryFile,
    file: BufWriter<fs::File>,
}

impl Replacement {
    /// Starts writing the new file. The folder of `target` must exist. Removes temporary files that killed writers of
    /// the same target left behind.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], also if `target` exists and is not a regular file: a folder, a FIFO, a device, a loop of links.
    pub fn create(target: &Path) -> Result<Self, Error> {
        let found = Target::resolve(target).and_then(|found| match found {
            Target::File { path, replaced } => Ok((path, replaced)),
            Target::Stream(path) => {
                let kind = fs::metadata(&path)?.file_type();
                Err(unsuitable("a regular file or a new one", file_type_name(kind)))
            }
            Target::Descriptor(..) => Err(unsuitable("a regular file or a new one", "an open descriptor")),
        });
        let (resolved, replaced) = found.map_err(Error::io("write", target))?;
        Self::create_at(target, resolved, replaced)
    }

    /// Does the same as [`create`](Self::create), for a target whose symbolic links lead to the path `resolved`. `replaced` is the
    /// metadata of the old file, if there is one.
    pub(crate) fn create_at(
        target: &Path,
        resolved: PathBuf,
        replaced: Option<Metadata>,
    ) -> Result<Self, Error> {
        temporary::remove_abandoned(&resolved);
        let created = TemporaryFile::create(&resolved, replaced.is_some());
        let (temporary, file) = created.map_err(Error::io("write", target))?;
        let file = BufWriter::with_capacity(1 << 20, file);
        Ok(Self { target: target.to_path_buf(), resolved, replaced, temporary, file })
    }

    /// Syncs the file and renames it to its target.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], which leaves the old file unchanged.
    pub fn finish(self) -> Result<(), Error> {
        self.complete()?.rename()
    }

    /// Syncs the temporary file and leaves it next to the target.
    pub(crate) fn complete(self) -> Result<CompleteFile, Error> {
        let Self { target, resolved, replaced, temporary, file } = self;
        let sync = |file: BufWriter<fs::File>| -> io::Result<fs::File> {
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            if let Some(replaced) = &replaced {
                permissions::copy(&file, replaced)?;
            }
            file.sync_all()?;
            Ok(file)
        };
        let locked = sync(file).map_err(Error::io("write", &target))?;
        Ok(CompleteFile { target, resolved, temporary, locked })
    }

    /// Returns the underlying writer, which can also seek.
    pub(crate) fn writer(&mut self) -> &mut BufWriter<fs::File> {
        &mut self.file
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A synced file that only has to be renamed to its target.
#[derive(Debug)]
pub(crate) struct CompleteFile {
    /// The path as the caller gave it, for error messages.
    pub target: PathBuf,
    /// The path after following symbolic links.
    pub resolved: PathBuf,
    pub temporary: TemporaryFile,
    /// The open temporary file. Its lock keeps `remove_abandoned` from removing the file.
    locked: fs::File,
}

impl CompleteFile {
    /// Renames the file to its target.
    pub fn rename(self) -> Result<(), Error> {
        let Self { target, resolved, temporary, locked } = self;
        // Windows cannot rename a locked file.
        let locked = cfg!(unix).then_some(locked);
        let renamed = temporary.rename(&resolved).map_err(Error::io("write", &target));
        drop(locked);
        renamed
    }
}

/// Replaces the content of `target` atomically.
///
/// # Errors
///
/// [`Error::Io`], which leaves the old file unchanged.
pub fn replace(target: &Path, content: &[u8]) -> Result<(), Error> {
    let mut replacement = Replacement::create(target)?;
    replacement.write_all(content).map_err(Error::io("write", target))?;
    replacement.finish()
}
