//! Reads the wire format of Protocol Buffers from a file, field by field. A model file may have gigabytes of data, and
//! a head is a small part of it. A message is therefore represented by its range of bytes in the file, and only the
//! fields that are needed are loaded.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::Error;

/// Maximum length in bytes of a string that is read.
const MAX_TEXT_BYTES: u64 = 1 << 16;

/// An open Protocol Buffers file.
#[derive(Debug)]
pub(super) struct ProtobufFile {
    path: PathBuf,
    file: BufReader<File>,
    /// Offset in the file of the next byte to read.
    offset: u64,
    /// Size of the file in bytes.
    length: u64,
}

/// A field of a message.
#[derive(Debug)]
pub(super) struct Field {
    pub number: u64,
    /// The value, if the field is a varint.
    pub value: Option<u64>,
    /// The range of bytes of the value in the file.
    pub range: Range<u64>,
}

impl ProtobufFile {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; [`Error::Format`] if the path is not a regular file.
    pub fn open(path: &Path) -> Result<Self, Error> {
        // Opening a FIFO would wait for a writer.
        if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(Error::format(path, "a regular file", "something else"));
        }
        let file = File::open(path).map_err(Error::io("open", path))?;
        let metadata = file.metadata().map_err(Error::io("open", path))?;
        Ok(Self { path: path.to_path_buf(), file: BufReader::new(file), offset: 0, length: metadata.len() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the range of the whole file.
    pub fn whole(&self) -> Range<u64> {
        0..self.length
    }

    /// Removes the next field from the front of a message and returns it, or `None` at the end of the message.
    pub fn field(&mut self, message: &mut Range<u64>) -> Result<Option<Field>, Error> {
        if message.is_empty() {
            return Ok(None);
        }
        // The lowest three bits of a tag are the wire type of the value: 0 is a varint, 1 has 8 bytes, 2 starts with
        // its length, and 5 has 4 bytes. The other bits are the field number.
        let tag = self.varint(message)?;
        let from = message.start;
        let (value, to) = match tag & 7 {
            0 => (Some(self.varint(message)?), Some(message.start)),
            1 => (None, from.checked_add(8)),
            2 => {
                let length = self.varint(message)?;
                (None, message.start.checked_add(length))
            }
            5 => (None, from.checked_add(4)),
            other => return Err(self.damaged(format!("a field of wire type {other} at byte {from}"))),
        };
        let from = if tag & 7 == 2 { message.start } else { from };
        let Some(to) = to.filter(|&to| to <= message.end) else {
            let got = format!("a field at byte {from} that ends after byte {}", message.end);
            return Err(self.damaged(got));
        };
        message.start = to;
        Ok(Some(Field { number: tag >> 3, value, range: from..to }))
    }

    /// Removes a varint from the front of `bytes` and returns it. Each byte of a varint has seven bits of the number;
    /// the highest bit says whether more bytes follow.
    pub fn varint(&mut self, bytes: &mut Range<u64>) -> Result<u64, Error> {
        self.seek(bytes.start)?;
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            if bytes.is_empty() {
                break;
            }
            let mut byte = [0];
            self.fill(&mut byte)?;
            bytes.start += 1;
            number |= u64::from(byte[0] & 0x7f) << shift;
            if byte[0] & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(self.damaged(format!("a varint without an end at byte {}", bytes.start)))
    }

    /// Returns the integers in one occurrence of a repeated field: one if it is a varint, several if it is packed.
    pub fn integers(&mut self, field: Field) -> Result<Vec<i64>, Error> {
        if let Some(value) = field.value {
            return Ok(vec![value as i64]);
        }
        let mut bytes = field.range;
        let mut numbers = Vec::new();
        while !bytes.is_empty() {
            numbers.push(self.varint(&mut bytes)? as i64);
        }
        Ok(numbers)
    }

    /// Reads bytes, starting at offset `from`.
    pub fn read(&mut self, from: u64, bytes: &mut [u8]) -> Result<(), Error> {
        self.seek(from)?;
        self.fill(bytes)
    }

    /// Reads the string in a range of the file.
    pub fn text(&mut self, range: &Range<u64>) -> Result<String, Error> {
        let length = range.end - range.start;
        if length > MAX_TEXT_BYTES {
            return Err(self.damaged(format!("a text of {length} bytes at byte {}", range.start)));
        }
        let mut bytes = vec![0; length as usize];
        self.read(range.start, &mut bytes)?;
        String::from_utf8(bytes)
            .map_err(|_| self.damaged(format!("a text at byte {} that is not UTF-8", range.start)))
    }

    /// Returns the error that the file is damaged.
    pub fn damaged(&self, got: String) -> Error {
        Error::format(&self.path, "a valid ONNX file", got)
    }

    /// Moves to an offset of the file.
    fn seek(&mut self, to: u64) -> Result<(), Error> {
        // A relative seek keeps the buffer if the target is within it; an absolute seek always discards the buffer.
        let seek = match i64::try_from(i128::from(to) - i128::from(self.offset)) {
            Ok(distance) => self.file.seek_relative(distance),
            Err(_) => self.file.seek(SeekFrom::Start(to)).map(drop),
        };
        seek.map_err(Error::io("read", &self.path))?;
        self.offset = to;
        Ok(())
    }

    /// Fills `bytes`, starting at the current offset.
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
        self.file.read_exact(bytes).map_err(Error::io("read", &self.path))?;
        self.offset += bytes.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a temporary file with these bytes and opens it.
    fn file_with(bytes: &[u8]) -> ProtobufFile {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        std::fs::write(&path, bytes).expect("written");
        ProtobufFile::open(&path).expect("a file")
    }

    /// Field 1 with the varint 150 and field 2 with the string "testing" are examples in the documentation of Protocol
    /// Buffers. Field 3 has four bytes.
    #[test]
    fn fields_are_read_one_after_another() {
        let mut file = file_with(b"\x08\x96\x01\x12\x07testing\x1d\x01\x02\x03\x04");
        let mut message = file.whole();
        let mut next = || file.field(&mut message).expect("valid");
        let field = next().expect("a field");
        assert_eq!((field.number, field.value, field.range), (1, Some(150), 1..3));
        let text = next().expect("a field");
        assert_eq!((text.number, text.value, text.range.clone()), (2, None, 5..12));
        let fixed = next().expect("a field");
        assert_eq!((fixed.number, fixed.value, fixed.range), (3, None, 13..17));
        assert!(next().is_none());
        assert_eq!(file.text(&text.range).expect("a text"), "testing");
    }

    #[test]
    fn truncated_and_invalid_fields_are_refused() {
        let damaged: [&[u8]; 6] = [
            b"\x08",
            b"\x08\x96",
            b"\x12\x07testin",
            b"\x1d\x01\x02",
            b"\x0b",
            &[0x12, 0xff, 0xff, 0xff, 0xff],
        ];
        for bytes in damaged {
            let mut file = file_with(bytes);
            let mut message = file.whole();
            let error = file.field(&mut message).expect_err("damaged");
            assert!(error.to_string().contains("expected a valid ONNX file, got a "), "{error}");
        }
    }
}
