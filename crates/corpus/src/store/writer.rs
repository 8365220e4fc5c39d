//! Writes passage stores.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use storage::Writer;

use super::table::{self, MAX_PASSAGES, Table};
use super::{KIND, record};
use crate::record::Passage;
use crate::{Error, error::shown};

/// Writes a passage store. [`finish`](Self::finish) renames the file to its target; if it is dropped before, the old file
/// stays. Passages are written immediately; ids, their hash table and the offsets are kept in memory, about 50 bytes per
/// passage.
#[derive(Debug)]
pub struct PassageStoreWriter {
    file: Writer,
    path: PathBuf,
    record: Vec<u8>,
    /// End of each record. It is also the start of the next one.
    ends: Vec<u64>,
    /// All ids, concatenated.
    ids: Vec<u8>,
    /// End of each id in `ids`.
    id_ends: Vec<u64>,
    table: Table,
}

impl PassageStoreWriter {
    /// Starts a store that replaces `path`. Its folder must exist.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`].
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
            table: Table::new(),
        })
    }

    /// Appends a passage and returns its ord: the number of passages before it. After an error the passage is not in the
    /// store, and others can be appended.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for an empty id, or if the store is full (2³² − 1 passages); [`Error::Duplicate`]
    /// for an id that is already in the store; [`Error::Storage`].
    pub fn push(&mut self, passage: &Passage) -> Result<u32, Error> {
        let ord = self.len();
        let refused = |expected: &str, got: String| Err(Error::argument("passage", expected, got));
        if passage.id.is_empty() {
            return refused("an id", format!("none at passage {ord}, which begins {}", shown(&passage.text)));
        }
        if ord == MAX_PASSAGES {
            return refused("at most 4294967295 of them", "one more".to_owned());
        }
        let hash = table::hash(passage.id.as_bytes());
        if self.table.find(hash, |other| self.id(other) == passage.id.as_bytes()).is_some() {
            return Err(Error::Duplicate { position: ord, id: passage.id.clone() });
        }
        self.record.clear();
        record::encode(&mut self.record, &passage.id, passage.title.as_deref(), &passage.text);
        self.file.append(&self.record)?;
        self.ends.push(self.ends.last().unwrap_or(&0) + self.record.len() as u64);
        self.ids.extend_from_slice(passage.id.as_bytes());
        self.id_ends.push(self.ids.len() as u64);
        self.table.push(hash);
        Ok(ord)
    }

    /// Number of passages so far.
    #[must_use]
    pub fn len(&self) -> u32 {
        u32::try_from(self.ends.len()).expect("`push` counts them as u32")
    }

    /// Whether there are no passages yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Path of the target.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the offsets, the hash table and the metadata, and replaces the target.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`], which leaves the old file unchanged.
    pub fn finish(mut self, metadata: Value) -> Result<(), Error> {
        self.file.begin("offsets")?;
        self.file.append(&0u64.to_le_bytes())?;
        append(&mut self.file, &self.ends)?;
        self.file.begin("ids")?;
        append(&mut self.file, self.table.slots())?;
        let passages = self.ends.len();
        Ok(self.file.finish(json!({"passages": passages, "metadata": metadata}))?)
    }

    fn id(&self, ord: u32) -> &[u8] {
        let ord = ord as usize;
        let start = if ord == 0 { 0 } else { self.id_ends[ord - 1] };
        &self.ids[start as usize..self.id_ends[ord] as usize]
    }
}

fn append(file: &mut Writer, numbers: &[u64]) -> Result<(), Error> {
    let mut bytes = Vec::with_capacity(8 << 10);
    for chunk in numbers.chunks(1 << 10) {
        bytes.clear();
        bytes.extend(chunk.iter().flat_map(|number| number.to_le_bytes()));
        file.append(&bytes)?;
    }
    Ok(())
}
