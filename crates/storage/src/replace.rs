use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Error;

/// A file being written beside the one it will replace. Dropped unfinished, it is removed and the old one stays.
#[derive(Debug)]
pub struct Replacement {
    target: PathBuf,
    temporary: PathBuf,
    file: Option<BufWriter<fs::File>>,
}

impl Replacement {
    /// Starts writing what will become `target`. Its folder must exist.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], also when `target` is a folder.
    pub fn create(target: &Path) -> Result<Self, Error> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        if target.is_dir() {
            return Err(Error::io("write", target)(std::io::ErrorKind::IsADirectory.into()));
        }
        let mut name = target.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".{}-{}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
        let temporary = target.with_file_name(name);
        let file = fs::File::create(&temporary).map_err(Error::io("write", target))?;
        let file = Some(BufWriter::with_capacity(1 << 20, file));
        Ok(Self { target: target.to_path_buf(), temporary, file })
    }

    /// Syncs what was written and puts it in the place of the target.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; the old file is then untouched.
    pub fn finish(mut self) -> Result<(), Error> {
        let error = || Error::io("write", &self.target);
        let writer = self.file.take().expect("only `finish` and `drop` take it");
        let file = writer.into_inner().map_err(|failed| error()(failed.into_error()))?;
        file.sync_all().map_err(error())?;
        drop(file);
        fs::rename(&self.temporary, &self.target).map_err(error())?;
        // The rename itself lasts only once its folder is synced; not every file system can.
        if let Some(folder) = self.target.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            let _ = fs::File::open(folder).and_then(|folder| folder.sync_all());
        }
        Ok(())
    }

    /// The writer, for what is not said through [`Write`].
    pub(crate) fn buffer(&mut self) -> &mut BufWriter<fs::File> {
        self.file.as_mut().expect("only `finish` and `drop` take it")
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.buffer().write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.buffer().flush()
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        self.file = None;
        // Gone already once `finish` has renamed it.
        let _ = fs::remove_file(&self.temporary);
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
