use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::Error;

/// A file opened for reading from any place.
#[derive(Debug)]
pub(crate) struct Input {
    path: PathBuf,
    file: File,
    length: u64,
}

impl Input {
    pub fn open(path: &Path) -> Result<Self, Error> {
        storage::check_regular(path).map_err(Error::io("open", path))?;
        let file = File::open(path).map_err(Error::io("open", path))?;
        let metadata = file.metadata().map_err(Error::io("open", path))?;
        Ok(Self { path: path.to_path_buf(), file, length: metadata.len() })
    }

    /// The same file, opened once more, so that both read where they want.
    pub fn again(&self) -> Result<Self, Error> {
        Self::open(&self.path)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// In bytes, when it was opened.
    pub fn length(&self) -> u64 {
        self.length
    }

    pub fn seek(&mut self, at: u64) -> Result<(), Error> {
        self.file.seek(SeekFrom::Start(at)).map(drop).map_err(Error::io("read", &self.path))
    }

    /// Fills `bytes` with what follows.
    pub fn read_exact(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
        self.file.read_exact(bytes).map_err(Error::io("read", &self.path))
    }

    /// `count` bytes from `at` on, which the caller knows to be in the file.
    pub fn bytes_at(&mut self, at: u64, count: usize) -> Result<Vec<u8>, Error> {
        let mut bytes = vec![0; count];
        self.seek(at)?;
        self.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    pub fn into_file(self) -> File {
        self.file
    }
}
