//! Writes container files.

use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::header::{ALIGNMENT, FileKind, HEADER_BYTES, Header, Section, Table};
use crate::Error;
use crate::replace::Replacement;

/// Writes a container file section by section. [`finish`](Self::finish) replaces the target with the new file. If the
/// writer is dropped before that, the old file stays.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    kind: FileKind,
    file: Replacement,
    /// Number of bytes written so far.
    length: u64,
    /// The finished sections.
    sections: Vec<Section>,
    open: Option<OpenSection>,
}

/// The section that is being written.
#[derive(Debug)]
struct OpenSection {
    name: String,
    offset: u64,
    checksum: crc32fast::Hasher,
}

impl Writer {
    /// Starts a file of this kind that replaces `path`.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]
    pub fn create(path: &Path, kind: FileKind) -> Result<Self, Error> {
        let mut file = Replacement::create(path)?;
        // `finish` writes the header, which contains the position of the table.
        file.write_all(&[0; HEADER_BYTES]).map_err(Error::io("write", path))?;
        let (path, length) = (path.to_path_buf(), HEADER_BYTES as u64);
        Ok(Self { path, kind, file, length, sections: Vec::new(), open: None })
    }

    /// Writes a whole section.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]
    pub fn section(&mut self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        self.begin(name)?;
        self.append(bytes)
    }

    /// Begins a section. Calls of [`append`](Self::append) write its bytes; the next section or `finish` ends it.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]
    pub fn begin(&mut self, name: &str) -> Result<(), Error> {
        self.end();
        let padding = self.length.next_multiple_of(ALIGNMENT) - self.length;
        self.write(&[0; ALIGNMENT as usize][..padding as usize])?;
        self.open = Some(OpenSection {
            name: name.to_owned(),
            offset: self.length,
            checksum: crc32fast::Hasher::new(),
        });
        Ok(())
    }

    /// Appends to the current section.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]
    ///
    /// # Panics
    ///
    /// If no section was begun.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.open.as_mut().expect("a section was begun").checksum.update(bytes);
        self.write(bytes)
    }

    /// Writes the table and the header, and replaces the target.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], which leaves the old file unchanged.
    pub fn finish(mut self, metadata: serde_json::Value) -> Result<(), Error> {
        self.end();
        let table = Table { metadata, sections: std::mem::take(&mut self.sections) };
        let table = serde_json::to_vec(&table).expect("all keys of the table are strings");
        let table_crc = crc32fast::hash(&table);
        let header = Header { table_offset: self.length, table_length: table.len() as u64, table_crc };
        self.write(&table)?;
        let file = self.file.writer();
        file.seek(SeekFrom::Start(0))
            .and_then(|_| file.write_all(&header.to_bytes(self.kind)))
            .map_err(Error::io("write", &self.path))?;
        self.file.finish()
    }

    /// Ends the current section.
    fn end(&mut self) {
        if let Some(OpenSection { name, offset, checksum }) = self.open.take() {
            let (length, crc) = (self.length - offset, checksum.finalize());
            self.sections.push(Section { name, offset, length, crc });
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_all(bytes).map_err(Error::io("write", &self.path))?;
        self.length += bytes.len() as u64;
        Ok(())
    }
}
