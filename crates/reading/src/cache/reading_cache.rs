//! Opening, reading and appending to a cache file.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::header;
use super::key::ReadingKey;
use super::record::{self, HEADER_BYTES, RecordHeader};
use super::resync::next_record;
use crate::{Error, StoredReading};

/// How many bytes of a file are compared with the header at least, so that the identity in another reader's header can
/// be reported. Identities are a few hundred bytes long.
const MIN_HEADER_READ: usize = 1 << 16;
/// Size of the buffer with which records are scanned.
const SCAN_BUFFER: usize = 1 << 16;
/// Estimated bytes per record, with which a buffer is allocated.
const TYPICAL_RECORD: usize = 256;

/// A file of readings by one reader with one configuration, to which new readings are appended. It is locked while it is
/// open.
///
/// A record that a crash truncated, and any other bytes after the last valid record, are removed when the file is
/// opened. Damaged bytes before it are skipped; see [`damaged_bytes`](Self::damaged_bytes).
#[derive(Debug)]
pub struct ReadingCache {
    path: PathBuf,
    file: File,
    records: HashMap<ReadingKey, RecordPosition>,
    /// Offset of the next record.
    end: u64,
    damaged_bytes: u64,
}

#[derive(Debug, Clone, Copy)]
struct RecordPosition {
    offset: u64,
    /// Length of the reading, without the record's header.
    length: u32,
}

impl ReadingCache {
    /// Opens the file, or creates it. `identity` describes everything on which readings depend: the model and its
    /// configuration.
    ///
    /// # Errors
    ///
    /// [`Error::OtherReader`] if the file has another identity; [`Error::Locked`] while it is open elsewhere, in this
    /// process or another; [`Error::Storage`].
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

    /// Number of bytes that were skipped when the file was opened, because they belong to no valid record: damaged bytes,
    /// and those of a record that a crash truncated.
    #[must_use]
    pub fn damaged_bytes(&self) -> u64 {
        self.damaged_bytes
    }

    /// Returns the reading with this key, if the file has one.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if it cannot be read, or has changed since the file was opened.
    pub fn get(&mut self, key: ReadingKey) -> Result<Option<StoredReading>, Error> {
        let Some(&RecordPosition { offset, length }) = self.records.get(&key) else { return Ok(None) };
        let mut bytes = vec![0; HEADER_BYTES + length as usize];
        self.file.seek(SeekFrom::Start(offset)).map_err(storage::Error::io("read", &self.path))?;
        self.file.read_exact(&mut bytes).map_err(storage::Error::io("read", &self.path))?;
        let (header, reading) = bytes.split_at(HEADER_BYTES);
        let header =
            RecordHeader::decode(header).filter(|header| header.key == key && header.matches(reading));
        let reading = header.and_then(|_| record::read(reading)).ok_or_else(|| {
            let got = format!("another at byte {offset}");
            storage::Error::corrupt(&self.path, "the reading that was there before", got)
        })?;
        Ok(Some(reading))
    }

    /// Appends readings, all of them or none.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if they cannot be written.
    pub fn append(&mut self, readings: &[(ReadingKey, StoredReading)]) -> Result<(), Error> {
        let mut bytes = Vec::with_capacity(TYPICAL_RECORD * readings.len());
        let mut records = Vec::with_capacity(readings.len());
        for (key, reading) in readings {
            let offset = self.end + bytes.len() as u64;
            let length = record::write(*key, reading, &mut bytes);
            records.push((*key, RecordPosition { offset, length }));
        }
        let written = self.file.seek(SeekFrom::Start(self.end)).and_then(|_| self.file.write_all(&bytes));
        if let Err(error) = written {
            // If this fails too, the incomplete record is removed when the file is opened the next time.
            let _ = self.file.set_len(self.end);
            return Err(storage::Error::io("write", &self.path)(error).into());
        }
        self.end += bytes.len() as u64;
        self.records.extend(records);
        Ok(())
    }

    /// Checks the header, or writes it if the file is new or its creation was interrupted.
    fn check_or_write_header(&mut self, identity: &str) -> Result<(), Error> {
        let path = &self.path;
        let header = header::encode(identity);
        let mut found = Vec::with_capacity(header.len());
        let limit = header.len().max(MIN_HEADER_READ) as u64;
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

    /// Finds the valid records, skips damaged bytes between them, and truncates the file after the last one.
    fn scan(&mut self) -> Result<(), Error> {
        let io = |operation| storage::Error::io(operation, &self.path);
        let file_length = self.file.metadata().map_err(io("read"))?.len();
        let mut file = BufReader::with_capacity(SCAN_BUFFER, &self.file);
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

/// The header of the record at the current position of `file`, which has `remaining` more bytes. None if the record is
/// invalid. `reading` is a buffer.
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
