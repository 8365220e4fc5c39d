//! Takes containers apart and puts them together.

use serde_json::{Value, json};

const ALIGNMENT: usize = 64;

/// The sections and metadata of a container of `crates/storage`. This is an independent implementation of the format, so
/// that the reader is not tested with its own writer.
pub struct Container {
    magic: [u8; 8],
    version: u32,
    pub metadata: Value,
    pub sections: Vec<(String, Vec<u8>)>,
}

impl Container {
    /// Reads a container without checking checksums. `None` if its table cannot be read.
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

    /// Encodes a container with correct checksums. `edit` may change the table before it is written.
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
