//! A cache file: opens it, reads from it, and appends to it. The format is in `mod.rs`.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::header;
use super::key::ReadingKey;
use super::record::{self, HEADER_BYTES, RecordHeader};
use super::resync::next_record;
use crate::{Error, StoredReading};

/// Minimum number of bytes that are read to check the header. An identity is a few hundred bytes long, so these bytes
/// contain the whole header even if the file has a different identity, which the error then reports.
const MIN_HEADER_READ_BYTES: usize = 1 << 16;
/// Size of the buffer through which records are scanned.
const SCAN_BUFFER_BYTES: usize = 1 << 16;
/// Typical size of a record. A buffer for records reserves this much memory for each.
const TYPICAL_RECORD_BYTES: usize = 256;

/// A file of readings by one reader with one configuration. New readings are appended. The file is locked while it is
/// open.
///
/// Opening the file removes all bytes after the last valid record, such as a record that a crash truncated. Damaged
/// bytes before the last valid record stay in the file and are skipped; see [`damaged_bytes`](Self::damaged_bytes).
#[derive(Debug)]
pub struct ReadingCache {
    path: PathBuf,
    file: File,
    records: HashMap<ReadingKey, RecordPosition>,
    /// Offset at which the next record will be written.
    end: u64,
    damaged_bytes: u64,
}

#[derive(Debug, Clone, Copy)]
struct RecordPosition {
    /// Offset of the record in the file.
    offset: u64,
    /// Length of the reading, without the record's header, in bytes.
    length: u32,
}

impl ReadingCache {
    /// Opens the file, or creates it. `identity` describes everything that readings depend on: the model and its
    /// configuration.
    ///
    /// # Errors
    ///
    /// [`Error::OtherReader`] if the file has a different identity; [`Error::Locked`] if it is open elsewhere, in this
    /// process or another; [`Error::Storage`] if it is not a cache, or cannot be read or written.
    pub fn open(path: &Path, identity: &str) -> Result<Self, Error> {
        let io = |operation| storage::Error::io(operation, path);
        match storage::check_regular(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(io("open")(error).into());
            }
            _ => {}
        }
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(path);
        let file = file.map_err(io("open"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::Locked { path: path.to_path_buf() }),
            Err(TryLockError::Error(error)) => return Err(io("lock")(error).into()),
        }
        let mut cache =
            Self { path: path.to_path_buf(), file, records: HashMap::new(), end: 0, damaged_bytes: 0 };
        cache.check_or_write_header(identity)?;
        cache.scan()?;
        Ok(cache)
    }

    /// Number of readings in the file.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether the file has no readings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Number of bytes after the header that belonged to no valid record when the file was opened: damaged bytes, and
    /// the bytes of a record that a crash truncated.
    #[must_use]
    pub fn damaged_bytes(&self) -> u64 {
        self.damaged_bytes
    }

    /// Returns the reading with this key, if the file has one.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if the reading cannot be read, or has changed since the file was opened.
    pub fn get(&mut self, key: ReadingKey) -> Result<Option<StoredReading>, Error> {
        let Some(&RecordPosition { offset, length }) = self.records.get(&key) else { return Ok(None) };
        let mut bytes = vec![0; HEADER_BYTES + length as usize];
        self.file.seek(SeekFrom::Start(offset)).map_err(storage::Error::io("read", &self.path))?;
        self.file.read_exact(&mut bytes).map_err(storage::Error::io("read", &self.path))?;
        let (header, reading) = bytes.split_at(HEADER_BYTES);
        let header =
            RecordHeader::decode(header).filter(|header| header.key == key && header.matches(reading));
        let reading = header.and_then(|_| record::read(reading)).ok_or_else(|| {
            let got = format!("different bytes at offset {offset}");
            storage::Error::corrupt(&self.path, "the reading that was found when the cache was opened", got)
        })?;
        Ok(Some(reading))
    }

    /// Appends readings. If this fails, none of them is in this open cache; if the file cannot be truncated either, some
    /// may be found when it is opened again.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if the readings cannot be written.
    pub fn append(&mut self, readings: &[(ReadingKey, StoredReading)]) -> Result<(), Error> {
        let mut bytes = Vec::with_capacity(TYPICAL_RECORD_BYTES * readings.len());
        let mut records = Vec::with_capacity(readings.len());
        for (key, reading) in readings {
            let offset = self.end + bytes.len() as u64;
            let length = record::write(*key, reading, &mut bytes);
            records.push((*key, RecordPosition { offset, length }));
        }
        let written = self.file.seek(SeekFrom::Start(self.end)).and_then(|_| self.file.write_all(&bytes));
        if let Err(error) = written {
            // If this fails too, some of the new bytes stay in the file. The next append overwrites them. If the file
            // is opened again before that, complete records among them are kept, and an incomplete one is removed.
            let _ = self.file.set_len(self.end);
            return Err(storage::Error::io("write", &self.path)(error).into());
        }
        self.end += bytes.len() as u64;
        self.records.extend(records);
        Ok(())
    }

    /// Checks the header. Writes it if the file is new, or if a crash interrupted the writing of the header.
    fn check_or_write_header(&mut self, identity: &str) -> Result<(), Error> {
        let path = &self.path;
        let header = header::encode(identity);
        let mut found = Vec::with_capacity(header.len());
        let limit = header.len().max(MIN_HEADER_READ_BYTES) as u64;
        (&self.file).take(limit).read_to_end(&mut found).map_err(storage::Error::io("read", path))?;
        self.end = header.len() as u64;
        if found.starts_with(&header) {
            return Ok(());
        }
        if header.starts_with(&found) {
            let written = self.file.set_len(0).and_then(|()| self.file.rewind());
            return written
                .and_then(|()| self.file.write_all(&header))
                .map_err(|error| storage::Error::io("write", path)(error).into());
        }
        Err(header::mismatch(path, identity, &found))
    }

    /// Finds all valid records, skips damaged bytes between them, and truncates the file after the last valid record.
    fn scan(&mut self) -> Result<(), Error> {
        let io = |operation| storage::Error::io(operation, &self.path);
        let file_length = self.file.metadata().map_err(io("read"))?.len();
        let mut file = BufReader::with_capacity(SCAN_BUFFER_BYTES, &self.file);
        file.seek(SeekFrom::Start(self.end)).map_err(io("read"))?;
        let (mut offset, mut reading) = (self.end, Vec::new());
        while offset < file_length {
            let header = valid_record(&mut file, file_length - offset, &mut reading).map_err(io("read"))?;
            if let Some(RecordHeader { key, length, .. }) = header {
                self.records.insert(key, RecordPosition { offset, length });
                offset += HEADER_BYTES as u64 + u64::from(length);
                self.end = offset;
                continue;
            }
            let from = offset + 1;
            file.seek(SeekFrom::Start(from)).map_err(io("read"))?;
            let next = next_record(&mut file, from, file_length).map_err(io("read"))?;
            self.damaged_bytes += next.unwrap_or(file_length) - offset;
            let Some(next) = next else { break };
            offset = next;
            file.seek(SeekFrom::Start(offset)).map_err(io("read"))?;
        }
        if self.end < file_length {
            self.file.set_len(self.end).map_err(io("write"))?;
        }
        Ok(())
    }
}

/// Reads the record at the current position of `file`, which has `remaining` bytes from there on. Returns the header of
/// the record, or `None` if the record is invalid. `reading` is a buffer that callers reuse, which saves an allocation
/// per record.
fn valid_record(
    file: &mut impl Read,
    remaining: u64,
    reading: &mut Vec<u8>,
) -> std::io::Result<Option<RecordHeader>> {
    let mut header = [0; HEADER_BYTES];
    if remaining < HEADER_BYTES as u64 {
        return Ok(None);
    }
    file.read_exact(&mut header)?;
    let fits = |header: &RecordHeader| HEADER_BYTES as u64 + u64::from(header.length) <= remaining;
    let Some(header) = RecordHeader::decode(&header).filter(fits) else {
        return Ok(None);
    };
    reading.resize(header.length as usize, 0);
    file.read_exact(reading)?;
    Ok((header.matches(reading) && record::read(reading).is_some()).then_some(header))
}
