//! Random access to a file.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::Error;

/// An open regular file that is read at any offset.
#[derive(Debug)]
pub(crate) struct Input {
    path: PathBuf,
    file: File,
    length: u64,
}

impl Input {
    /// Opens a regular file. Fails for a FIFO or a device, among others.
    pub fn open(path: &Path) -> Result<Self, Error> {
        storage::check_regular(path).map_err(Error::io("open", path))?;
        let file = File::open(path).map_err(Error::io("open", path))?;
        let metadata = file.metadata().map_err(Error::io("open", path))?;
        Ok(Self { path: path.to_path_buf(), file, length: metadata.len() })
    }

    /// Opens the file again, with a separate read position.
    pub fn reopen(&self) -> Result<Self, Error> {
        Self::open(&self.path)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the length in bytes that the file had when it was opened.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Moves the read position to a byte offset.
    pub fn seek(&mut self, offset: u64) -> Result<(), Error> {
        self.file.seek(SeekFrom::Start(offset)).map(drop).map_err(Error::io("read", &self.path))
    }

    /// Fills `bytes` with the next bytes of the file, and moves the read position past them.
    pub fn read_exact(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
        self.file.read_exact(bytes).map_err(Error::io("read", &self.path))
    }

    /// Reads `count` bytes at `offset`. The caller must have checked that the file has them, because memory for all of
    /// them is allocated first.
    pub fn bytes_at(&mut self, offset: u64, count: usize) -> Result<Vec<u8>, Error> {
        let mut bytes = vec![0; count];
        self.seek(offset)?;
        self.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns the open file, for callers that read it directly.
    pub fn into_file(self) -> File {
        self.file
    }
}
