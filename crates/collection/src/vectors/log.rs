//! The log: the file to which a writer appends the vectors of new passages.
//!
//! The file has a header of 64 bytes and then one row per vector, with `dim` little-endian `f32` values. A commit
//! records the number of committed rows and their checksum. Any rows after them in the file were never committed; the
//! next writer removes them.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::state::LogState;

/// The first bytes of every log.
const MAGIC: [u8; 8] = *b"PKVLOG\0\x01";
const HEADER_BYTES: u64 = 64;
/// Buffered rows are written to the file as soon as they have at least this many bytes. Also the approximate size of a
/// read when the checksum is verified.
const BUFFER_BYTES: usize = 1 << 20;

/// A log that is open for appending.
#[derive(Debug)]
pub(crate) struct LogWriter {
    path: PathBuf,
    file: File,
    dim: usize,
    /// What the last commit recorded.
    committed: LogState,
    /// The number of rows in the log, including those in the buffer.
    rows: u64,
    /// The checksum of all rows, including those in the buffer.
    checksum: crc32fast::Hasher,
    /// Rows that are not written to the file yet.
    buffer: Vec<u8>,
    /// Whether rows were appended since the last [`sync`](Self::sync).
    is_dirty: bool,
}

impl LogWriter {
    /// Creates the log with the name `file` in the folder of the collection with this id, and flushes it to the disk.
    pub fn create(folder: &Path, id: &str, file: String, first_ord: u32, dim: usize) -> Result<Self, Error> {
        let path = folder.join(&file);
        let failed = |error| Error::io("write", &path)(error);
        let mut created = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)
            .map_err(failed)?;
        created.write_all(&header(id, dim)).map_err(failed)?;
        created.sync_all().map_err(failed)?;
        crate::folder::sync_folder(folder)?;
        let committed = LogState { file, first_ord, rows: 0, checksum: 0 };
        Ok(Self::new(path, created, dim, committed))
    }

    /// Opens the log of a commit. Removes rows that were never committed.
    pub fn open(folder: &Path, id: &str, committed: LogState, dim: usize) -> Result<Self, Error> {
        let path = folder.join(&committed.file);
        let mut file =
            OpenOptions::new().read(true).write(true).open(&path).map_err(Error::io("open", &path))?;
        check(&path, &mut file, id, dim, committed.rows)?;
        let mut log = Self::new(path, file, dim, committed);
        log.truncate()?;
        Ok(log)
    }

    fn new(path: PathBuf, file: File, dim: usize, committed: LogState) -> Self {
        let checksum = crc32fast::Hasher::new_with_initial(committed.checksum);
        let rows = committed.rows;
        Self { path, file, dim, committed, rows, checksum, buffer: Vec::new(), is_dirty: false }
    }

    /// Returns the ord of the passage whose vector is appended next.
    pub fn next_ord(&self) -> u64 {
        u64::from(self.committed.first_ord) + self.rows
    }

    /// Appends the vector of the next passage.
    pub fn append(&mut self, vector: &[f32]) -> Result<(), Error> {
        debug_assert_eq!(vector.len(), self.dim);
        let bytes = bytemuck::cast_slice(vector);
        self.checksum.update(bytes);
        self.buffer.extend_from_slice(bytes);
        self.rows += 1;
        self.is_dirty = true;
        if self.buffer.len() >= BUFFER_BYTES { self.flush() } else { Ok(()) }
    }

    /// Flushes all rows to the disk, and returns what a commit must record about them.
    pub fn sync(&mut self) -> Result<LogState, Error> {
        if self.is_dirty {
            self.flush()?;
            self.file.sync_data().map_err(Error::io("write", &self.path))?;
            self.is_dirty = false;
        }
        Ok(LogState { rows: self.rows, checksum: self.checksum.clone().finalize(), ..self.committed.clone() })
    }

    /// Tells the log what a commit has recorded about the rows.
    pub fn commit(&mut self, state: LogState) {
        self.committed = state;
    }

    /// Removes the rows that were appended since the last commit.
    pub fn truncate(&mut self) -> Result<(), Error> {
        self.buffer.clear();
        self.rows = self.committed.rows;
        self.checksum = crc32fast::Hasher::new_with_initial(self.committed.checksum);
        let end = HEADER_BYTES + self.rows * row_bytes(self.dim);
        let truncated = self.file.set_len(end).and_then(|()| self.file.seek(SeekFrom::Start(end)));
        truncated.map_err(Error::io("write", &self.path))?;
        self.is_dirty = false;
        Ok(())
    }

    /// Writes the buffer to the file.
    fn flush(&mut self) -> Result<(), Error> {
        let written = self.file.write_all(&self.buffer);
        self.buffer.clear();
        written.map_err(Error::io("write", &self.path))
    }
}

/// A log that is open for reading.
#[derive(Debug)]
pub(crate) struct LogReader {
    path: PathBuf,
    file: File,
    dim: usize,
}

impl LogReader {
    /// Opens the log of a commit. With `verify`, compares the committed rows with their checksum.
    pub fn open(folder: &Path, id: &str, state: &LogState, dim: usize, verify: bool) -> Result<Self, Error> {
        let path = folder.join(&state.file);
        let mut file = File::open(&path).map_err(Error::io("open", &path))?;
        check(&path, &mut file, id, dim, state.rows)?;
        let mut log = Self { path, file, dim };
        if verify {
            log.verify(state)?;
        }
        Ok(log)
    }

    /// Reads a range of rows, which must have been committed. Returns `[n * dim]` values.
    pub fn read(&mut self, rows: Range<u64>) -> Result<Vec<f32>, Error> {
        let mut vectors = vec![0.0f32; (rows.end - rows.start) as usize * self.dim];
        let start = HEADER_BYTES + rows.start * row_bytes(self.dim);
        let read = self.file.seek(SeekFrom::Start(start));
        let read = read.and_then(|_| self.file.read_exact(bytemuck::cast_slice_mut(&mut vectors)));
        read.map_err(Error::io("read", &self.path))?;
        Ok(vectors)
    }

    fn verify(&mut self, state: &LogState) -> Result<(), Error> {
        let mut checksum = crc32fast::Hasher::new();
        let rows_per_read = (BUFFER_BYTES as u64 / row_bytes(self.dim)).max(1);
        for start in (0..state.rows).step_by(rows_per_read as usize) {
            let rows = self.read(start..(start + rows_per_read).min(state.rows))?;
            checksum.update(bytemuck::cast_slice(&rows));
        }
        if checksum.finalize() != state.checksum {
            return Err(Error::corrupt(&self.path, "vectors that match their checksum", "others"));
        }
        Ok(())
    }
}

fn row_bytes(dim: usize) -> u64 {
    4 * dim as u64
}

/// Returns the header: a magic number of 8 bytes, the dimension as a little-endian u32, 4 zero bytes, and the id of the
/// collection, padded with zeros to 48 bytes.
fn header(id: &str, dim: usize) -> [u8; HEADER_BYTES as usize] {
    let mut header = [0; HEADER_BYTES as usize];
    header[..8].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&(dim as u32).to_le_bytes());
    header[16..16 + id.len()].copy_from_slice(id.as_bytes());
    header
}

/// Fails unless the log belongs to the collection with this id, has vectors of `dim` dimensions, and has at least
/// `rows` rows.
fn check(path: &Path, file: &mut File, id: &str, dim: usize, rows: u64) -> Result<(), Error> {
    let mut found = [0; HEADER_BYTES as usize];
    let length = file.metadata().map_err(Error::io("open", path))?.len();
    let expected = HEADER_BYTES + rows * row_bytes(dim);
    if length < expected {
        let got = format!("{length} bytes");
        return Err(Error::corrupt(path, format!("{rows} vectors, in {expected} bytes"), got));
    }
    file.read_exact(&mut found).map_err(Error::io("open", path))?;
    if found != header(id, dim) {
        return Err(Error::corrupt(path, "the vectors of this collection", "a different header"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "7f2f6a50-0000-4000-8000-000000000000";

    #[test]
    fn rows_are_read_as_they_were_appended_and_uncommitted_rows_are_removed() -> Result<(), Error> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path();
        let mut log = LogWriter::create(path, ID, "vectors-1.log".to_owned(), 5, 2)?;
        log.append(&[1.0, 2.0])?;
        log.append(&[3.0, 4.0])?;
        assert_eq!(log.next_ord(), 7);
        let state = log.sync()?;
        log.commit(state.clone());
        log.append(&[5.0, 6.0])?;
        log.sync()?;
        let mut reader = LogReader::open(path, ID, &state, 2, true)?;
        assert_eq!(reader.read(0..2)?, [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(reader.read(1..2)?, [3.0, 4.0]);
        drop(log);
        let mut log = LogWriter::open(path, ID, state.clone(), 2)?;
        assert_eq!(log.next_ord(), 7);
        log.append(&[7.0, 8.0])?;
        let next = log.sync()?;
        assert_eq!(next.rows, 3);
        let mut reader = LogReader::open(path, ID, &next, 2, true)?;
        assert_eq!(reader.read(0..3)?, [1.0, 2.0, 3.0, 4.0, 7.0, 8.0]);
        Ok(())
    }

    #[test]
    fn a_log_that_is_damaged_too_short_or_of_another_collection_is_refused() -> Result<(), Error> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path();
        let mut log = LogWriter::create(path, ID, "vectors-1.log".to_owned(), 0, 2)?;
        log.append(&[1.0, 2.0])?;
        let state = log.sync()?;
        let refused = |id: &str, dim, state: &LogState| {
            matches!(LogReader::open(path, id, state, dim, true), Err(Error::Corrupt { .. }))
        };
        assert!(!refused(ID, 2, &state));
        assert!(refused("another", 2, &state) && refused(ID, 1, &state));
        assert!(refused(ID, 2, &LogState { rows: 2, ..state.clone() }));
        assert!(refused(ID, 2, &LogState { checksum: 1, ..state }));
        Ok(())
    }
}
