//! Writes a passage store: [`PassageStoreWriter`].

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use storage::Writer;

use super::id_table::{self, IdTable, MAX_PASSAGES};
use super::{KIND, record};
use crate::types::Passage;
use crate::{Error, error::quoted};

/// Writes a passage store. [`finish`](Self::finish) replaces the target file; a writer that is dropped unfinished
/// leaves the old file unchanged. Passages are written to disk as they arrive. Until `finish`, the ids, their hash
/// table and the offsets are in memory: about 50 bytes per passage if the ids are short.
#[derive(Debug)]
pub struct PassageStoreWriter {
    file: Writer,
    path: PathBuf,
    /// The record that is being written; reused for the next one.
    record: Vec<u8>,
    /// The byte offset of the end of each record, which is also the start of the next one.
    ends: Vec<u64>,
    /// All ids, concatenated.
    ids: Vec<u8>,
    /// The offset of the end of each id in `ids`.
    id_ends: Vec<u64>,
    id_table: IdTable,
}

impl PassageStoreWriter {
    /// Creates a writer whose file will replace `path`. The folder of `path` must exist.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if no file can be created in the folder.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let mut file = Writer::create(path, KIND)?;
        file.begin("records")?;
        Ok(Self {
            file,
            path: path.to_path_buf(),
            record: Vec::new(),
            ends: Vec::new(),
            ids: Vec::new(),
            id_ends: Vec::new(),
            id_table: IdTable::new(),
        })
    }

    /// Appends a passage and returns its ord: the number of passages before it. If the passage is refused, other
    /// passages can still be appended.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for an empty id, or if the store has the maximum of 2³² − 1 passages; [`Error::Duplicate`]
    /// for an id that is already in the store; [`Error::Storage`] if writing fails.
    pub fn push(&mut self, passage: &Passage) -> Result<u32, Error> {
        let ord = self.len();
        let refused = |expected: &str, got: String| Err(Error::argument("passage", expected, got));
        if passage.id.is_empty() {
            return refused(
                "an id",
                format!("none at passage {ord}, which begins {}", quoted(&passage.text)),
            );
        }
        if ord == MAX_PASSAGES {
            return refused("at most 4294967295 passages", "one more".to_owned());
        }
        let hash = id_table::hash(passage.id.as_bytes());
        if self.id_table.find(hash, |other| self.id(other) == passage.id.as_bytes()).is_some() {
            return Err(Error::Duplicate { position: ord, id: passage.id.clone() });
        }
        self.record.clear();
        record::encode(&mut self.record, &passage.id, passage.title.as_deref(), &passage.text);
        self.file.append(&self.record)?;
        self.ends.push(self.ends.last().unwrap_or(&0) + self.record.len() as u64);
        self.ids.extend_from_slice(passage.id.as_bytes());
        self.id_ends.push(self.ids.len() as u64);
        self.id_table.push(hash);
        Ok(ord)
    }

    /// Number of passages that were appended.
    #[must_use]
    pub fn len(&self) -> u32 {
        u32::try_from(self.ends.len()).expect("`push` accepts at most `MAX_PASSAGES`")
    }

    /// Whether there are no passages yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Path of the target file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the offsets, the hash table and the metadata, and replaces the target file.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if writing fails; the old file is then unchanged.
    pub fn finish(mut self, metadata: Value) -> Result<(), Error> {
        self.file.begin("offsets")?;
        self.file.append(&0u64.to_le_bytes())?;
        append(&mut self.file, &self.ends)?;
        self.file.begin("ids")?;
        append(&mut self.file, self.id_table.slots())?;
        let passages = self.ends.len();
        Ok(self.file.finish(json!({"passages": passages, "metadata": metadata}))?)
    }

    /// Returns the id of the passage with this ord.
    fn id(&self, ord: u32) -> &[u8] {
        let ord = ord as usize;
        let start = if ord == 0 { 0 } else { self.id_ends[ord - 1] };
        &self.ids[start as usize..self.id_ends[ord] as usize]
    }
}

/// Appends numbers in little-endian order to the current section of the file.
fn append(file: &mut Writer, numbers: &[u64]) -> Result<(), Error> {
    let mut bytes = Vec::with_capacity(8 << 10);
    for chunk in numbers.chunks(1 << 10) {
        bytes.clear();
        bytes.extend(chunk.iter().flat_map(|number| number.to_le_bytes()));
        file.append(&bytes)?;
    }
    Ok(())
}
