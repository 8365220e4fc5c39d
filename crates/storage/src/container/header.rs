//! The header and the table of a container file.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Error;

/// Size of the header in bytes. Sections start at multiples of it.
pub(crate) const ALIGNMENT: u64 = 64;

/// The kind of a container file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileKind {
    /// The first eight bytes.
    pub magic: [u8; 8],
    /// Version of the format. Files of other versions are rejected.
    pub version: u32,
    /// Name for error messages, such as `flat index`.
    pub name: &'static str,
}

/// The header, without the fields of [`FileKind`].
///
/// ```text
/// bytes   0..8   magic
///         8..12  version, u32
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
    pub metadata: serde_json::Value,
    pub sections: Vec<Section>,
}

/// The table entry of a section.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Section {
    pub name: String,
    pub offset: u64,
    pub length: u64,
    pub crc: u32,
}

impl Header {
    /// Encodes the header.
    pub fn to_bytes(self, kind: FileKind) -> [u8; ALIGNMENT as usize] {
        let mut bytes = [0; ALIGNMENT as usize];
        bytes[..8].copy_from_slice(&kind.magic);
        bytes[8..12].copy_from_slice(&kind.version.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.table_crc.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.table_offset.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.table_length.to_le_bytes());
        let crc = crc32fast::hash(&bytes[..32]);
        bytes[32..36].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// Reads and checks the header of `file`, the whole content of `path`.
    pub fn read(file: &[u8], kind: FileKind, path: &Path) -> Result<Self, Error> {
        let header = || format!("a {} file, with a {ALIGNMENT}-byte header", kind.name);
        let Some((bytes, _)) = file.split_at_checked(ALIGNMENT as usize) else {
            return Err(Error::corrupt(path, header(), format!("{} bytes", file.len())));
        };
        if bytes[..8] != kind.magic {
            let got = bytes[..8].escape_ascii().to_string();
            return Err(Error::corrupt(path, header(), format!("a file that begins with \"{got}\"")));
        }
        let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let u64_at = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        if u32_at(32) != crc32fast::hash(&bytes[..32]) || bytes[36..].iter().any(|&byte| byte != 0) {
            return Err(Error::corrupt(path, "a header that matches its checksum", "another checksum"));
        }
        if u32_at(8) != kind.version {
            let (name, expected, got) = (kind.name, kind.version, u32_at(8));
            return Err(Error::Version { path: path.to_path_buf(), name, expected, got });
        }
        let header = Self { table_crc: u32_at(12), table_offset: u64_at(16), table_length: u64_at(24) };
        let end = header.table_offset.checked_add(header.table_length);
        if end != Some(file.len() as u64) {
            let expected = end.map_or_else(|| "a possible length".to_owned(), |end| format!("{end} bytes"));
            return Err(Error::corrupt(path, expected, format!("{} bytes", file.len())));
        }
        Ok(header)
    }
}
