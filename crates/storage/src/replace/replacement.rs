use std::fs::{self, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::permissions;
use super::temporary::{self, TemporaryFile};
use crate::Error;
use crate::path::{Target, file_type_name, unsuitable};

/// A file being written beside the one it will replace. Dropped unfinished, it is removed and the old one stays.
///
/// Symbolic links are followed: the link stays, and the file it leads to is replaced or created. The new file has the mode
/// of the old one and, where the system permits, its owner and group; access control lists and extended attributes are not
/// kept. Other hard links to the old file keep the old content.
#[derive(Debug)]
pub struct Replacement {
    /// The path as it was given.
    target: PathBuf,
    /// The path after following symbolic links.
    place: PathBuf,
    replaced: Option<Metadata>,
    temporary: TemporaryFile,
    file: BufWriter<fs::File>,
}

impl Replacement {
    /// Starts writing the file that will become `target`, whose folder must exist. Removes temporary files that killed
    /// writers of the same target left behind.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], also if `target` exists and is not a regular file: a folder, a FIFO, a device, a loop of links.
    pub fn create(target: &Path) -> Result<Self, Error> {
        let place = Target::of(target).and_then(|found| match found {
            Target::File { path, replaced } => Ok((path, replaced)),
            Target::Stream(path) => {
                let kind = fs::metadata(&path)?.file_type();
                Err(unsuitable("a regular file or a new one", file_type_name(kind)))
            }
            Target::Descriptor(..) => Err(unsuitable("a regular file or a new one", "an open descriptor")),
        });
        let (place, replaced) = place.map_err(Error::io("write", target))?;
        Self::of(target, place, replaced)
    }

    pub(crate) fn of(target: &Path, place: PathBuf, replaced: Option<Metadata>) -> Result<Self, Error> {
        temporary::remove_abandoned(&place);
        let created = TemporaryFile::create(&place, replaced.is_some());
        let (temporary, file) = created.map_err(Error::io("write", target))?;
        let file = BufWriter::with_capacity(1 << 20, file);
        Ok(Self { target: target.to_path_buf(), place, replaced, temporary, file })
    }

    /// Syncs what was written and puts it in the place of the target.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; the old file is then untouched.
    pub fn finish(self) -> Result<(), Error> {
        self.complete()?.put()
    }

    /// Syncs the temporary file and leaves it next to the target.
    pub(crate) fn complete(self) -> Result<CompleteFile, Error> {
        let Self { target, place, replaced, temporary, file } = self;
        let sync = |file: BufWriter<fs::File>| -> io::Result<fs::File> {
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            if let Some(replaced) = &replaced {
                permissions::keep(&file, replaced)?;
            }
            file.sync_all()?;
            Ok(file)
        };
        let locked = sync(file).map_err(Error::io("write", &target))?;
        Ok(CompleteFile { target, place, temporary, locked })
    }

    /// The writer, for what is not said through [`Write`].
    pub(crate) fn buffer(&mut self) -> &mut BufWriter<fs::File> {
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

/// A complete file that only has to be renamed.
#[derive(Debug)]
pub(crate) struct CompleteFile {
    pub target: PathBuf,
    pub place: PathBuf,
    pub temporary: TemporaryFile,
    /// Its lock keeps `remove_abandoned` from removing the temporary file.
    locked: fs::File,
}

impl CompleteFile {
    /// Renames the file to its target.
    pub fn put(self) -> Result<(), Error> {
        let Self { target, place, temporary, locked } = self;
        // Windows cannot rename a locked file.
        let locked = cfg!(unix).then_some(locked);
        let put = temporary.put(&place).map_err(Error::io("write", &target));
        drop(locked);
        put
    }
}

/// Replaces `target` by `content`, whole or not at all.
///
/// # Errors
///
/// [`Error::Io`]; the old file is then untouched.
pub fn replace(target: &Path, content: &[u8]) -> Result<(), Error> {
    let mut replacement = Replacement::create(target)?;
    replacement.write_all(content).map_err(Error::io("write", target))?;
    replacement.finish()
}
