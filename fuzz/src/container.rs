//! Reads and writes containers, the file format of `crates/storage`, so that the mutator can change their content. In
//! this layout, sizes in bytes are in parentheses:
//!
//! ```text
//! byte 0 │ magic (8) │ version (4) │ checksum of the table (4) │ offset of the table (8) │ length of the table (8)
//!     32 │ checksum of bytes 0 to 31 (4) │ zeros (28)
//!     64 │ sections, each at a multiple of 64
//!        │ table, in JSON: the metadata, and the name, offset, length and checksum of each section
//! ```

use serde_json::{Value, json};

/// Each section starts at a multiple of this number of bytes.
const ALIGNMENT: usize = 64;

/// The metadata and the sections of a container. This type does not use the code of `crates/storage`, because that code
/// is what the fuzz targets test.
pub struct Container {
    magic: [u8; 8],
    version: u32,
    pub metadata: Value,
    /// Names and contents.
    pub sections: Vec<(String, Vec<u8>)>,
}

impl Container {
    /// Reads a container without verifying checksums. Returns `None` if the table of sections cannot be read.
    pub fn read(file: &[u8]) -> Option<Self> {
        let number = |at: usize| Some(u64::from_le_bytes(file.get(at..at + 8)?.try_into().ok()?) as usize);
        let table = file.get(number(16)?..)?.get(..number(24)?)?;
        let table: Value = serde_json::from_slice(table).ok()?;
        let sections = table["sections"].as_array()?.iter().map(|section| {
            let number = |name: &str| section[name].as_u64().map(|number| number as usize);
            let bytes = file.get(number("offset")?..)?.get(..number("length")?)?;
            Some((section["name"].as_str()?.to_owned(), bytes.to_vec()))
        });
        Some(Self {
            magic: file[..8].try_into().ok()?,
            version: u32::from_le_bytes(file[8..12].try_into().ok()?),
            metadata: table["metadata"].clone(),
            sections: sections.collect::<Option<_>>()?,
        })
    }

    /// Returns the bytes of the container. `edit` may change the table first. All checksums match the changed table:
    /// the checksum of a section covers the range of bytes that the changed table gives for the section.
    pub fn write(&self, edit: impl FnOnce(&mut Value)) -> Vec<u8> {
        let mut file = vec![0; ALIGNMENT];
        let mut sections = Vec::new();
        for (name, bytes) in &self.sections {
            file.resize(file.len().next_multiple_of(ALIGNMENT), 0);
            let (offset, crc) = (file.len(), crc32fast::hash(bytes));
            sections.push(json!({"name": name, "offset": offset, "length": bytes.len(), "crc": crc}));
            file.extend(bytes);
        }
        let mut table = json!({"metadata": self.metadata, "sections": sections});
        edit(&mut table);
        for section in table["sections"].as_array_mut().into_iter().flatten() {
            let range = section["offset"].as_u64().zip(section["length"].as_u64());
            let bytes =
                range.and_then(|(offset, length)| file.get(offset as usize..)?.get(..length as usize));
            if let Some(bytes) = bytes {
                section["crc"] = json!(crc32fast::hash(bytes));
            }
        }
        let text = table.to_string();
        let (offset, length) = (file.len() as u64, text.len() as u64);
        file.extend(text.bytes());
        file[..8].copy_from_slice(&self.magic);
        file[8..12].copy_from_slice(&self.version.to_le_bytes());
        file[12..16].copy_from_slice(&crc32fast::hash(text.as_bytes()).to_le_bytes());
        file[16..24].copy_from_slice(&offset.to_le_bytes());
        file[24..32].copy_from_slice(&length.to_le_bytes());
        let crc = crc32fast::hash(&file[..32]);
        file[32..36].copy_from_slice(&crc.to_le_bytes());
        file
    }
}
