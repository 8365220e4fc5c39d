//! The header and the table of a container file.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Error;

/// Sections start at multiples of this number of bytes, the size of a cache line, so that they can be read in place as
/// numbers of any type.
pub(crate) const ALIGNMENT: u64 = 64;
/// Size of the header in bytes. It equals [`ALIGNMENT`], so that the first section follows without padding.
pub(crate) const HEADER_BYTES: usize = ALIGNMENT as usize;

/// The kind of a container file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileKind {
    /// The first eight bytes of the file.
    pub magic: [u8; 8],
    /// Version of the format. Files of other versions are rejected.
    pub version: u32,
    /// Name for error messages, such as `flat index`.
    pub name: &'static str,
}

/// The fields of a file's header that do not follow from its [`FileKind`]. All numbers in the header are little-endian:
///
/// ```text
/// bytes   0..8   magic of the kind
///         8..12  version of the kind, u32
///        12..16  CRC-32 of the table, u32
///        16..24  offset of the table, u64
///        24..32  length of the table, u64
///        32..36  CRC-32 of bytes 0..32, u32
///        36..64  zeros
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub table_offset: u64,
    pub table_length: u64,
    pub table_crc: u32,
}

/// The table at the end of the file, in JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Table {
    /// The caller's metadata.
    pub metadata: serde_json::Value,
    pub sections: Vec<Section>,
}

/// The table entry of a section.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Section {
    pub name: String,
    /// The offset in the file, in bytes.
    pub offset: u64,
    /// The length in bytes.
    pub length: u64,
    /// The CRC-32 of the section's bytes.
    pub crc: u32,
}

impl Header {
    /// Encodes the header.
    pub fn to_bytes(self, kind: FileKind) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(&kind.magic);
        bytes[8..12].copy_from_slice(&kind.version.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.table_crc.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.table_offset.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.table_length.to_le_bytes());
        let crc = crc32fast::hash(&bytes[..32]);
        bytes[32..36].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// Reads and checks the header. `file` is the content of the whole file at `path`.
    pub fn read(file: &[u8], kind: FileKind, path: &Path) -> Result<Self, Error> {
        let Some((bytes, _)) = file.split_at_checked(HEADER_BYTES) else {
            let expected = format!("a {} file of at least {HEADER_BYTES} bytes", kind.name);
            return Err(Error::corrupt(path, expected, format!("{} bytes", file.len())));
        };
        if bytes[..8] != kind.magic {
            let (expected, got) = (format!("a {} file", kind.name), bytes[..8].escape_ascii());
            return Err(Error::corrupt(path, expected, format!("a file that begins with \"{got}\"")));
        }
        let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let u64_at = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        if u32_at(32) != crc32fast::hash(&bytes[..32]) || bytes[36..].iter().any(|&byte| byte != 0) {
            let expected = "a header that matches its checksum and ends with zeros";
            return Err(Error::corrupt(path, expected, "another header"));
        }
        if u32_at(8) != kind.version {
            let (name, expected, got) = (kind.name, kind.version, u32_at(8));
            return Err(Error::Version { path: path.to_path_buf(), name, expected, got });
        }
        let header = Self { table_crc: u32_at(12), table_offset: u64_at(16), table_length: u64_at(24) };
        let end = header.table_offset.checked_add(header.table_length);
        if end != Some(file.len() as u64) {
            let Self { table_offset, table_length, .. } = header;
            let expected = format!("{table_offset} + {table_length} bytes, as the header says");
            return Err(Error::corrupt(path, expected, format!("{} bytes", file.len())));
        }
        Ok(header)
    }
}
