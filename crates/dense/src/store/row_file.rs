//! The sections and metadata of files that hold the rows of an index.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};
use storage::{File, Writer};

use super::checks::{MAX_DIM, MAX_ROWS, check_dim};
use super::columns::column::Column;
use super::element::Element;
use super::ids::Ids;
use super::rows::Rows;
use crate::phrases::has_phrases;
use crate::{Error, RowSet, Similarity};

impl<T: Element> Rows<T> {
    /// Opens the sections written by [`write`](Self::write). Vectors and ids stay in the file.
    pub fn open(file: &Arc<File>) -> Result<Self, Error> {
        let metadata = file.metadata();
        let dim = metadata_number(file, "dim", MAX_DIM)?;
        check_dim(dim).map_err(|_| storage::Error::corrupt(file.path(), "a dimension of 1 or more", "0"))?;
        let num_rows = metadata_number(file, "rows", MAX_ROWS)?;
        let similarity = metadata["similarity"].as_str().and_then(Similarity::from_name);
        let similarity = similarity.ok_or_else(|| {
            let expected = "the similarity dot, cosine or l2";
            storage::Error::corrupt(file.path(), expected, metadata["similarity"].to_string())
        })?;
        let vectors = Column::open(file, "vectors")?;
        if num_rows.checked_mul(dim) != Some(vectors.len()) {
            let expected = format!("{num_rows} vectors of dimension {dim}");
            let got = format!("{} values", vectors.len());
            return Err(storage::Error::corrupt(file.path(), expected, got).into());
        }
        let deleted =
            RowSet::from_words(file.section_as("deleted")?.to_vec(), num_rows).ok_or_else(|| {
                let expected = format!("deleted rows below {num_rows}");
                storage::Error::corrupt(file.path(), expected, "one beyond".to_owned())
            })?;
        let metadata = metadata["metadata"].clone();
        let ids = Ids::open(file, num_rows, &deleted, has_phrases(&metadata))?;
        let file = Some(Arc::clone(file));
        Ok(Self { dim, similarity, metadata, ids, vectors, deleted, file })
    }

    /// Reads what opening left unread, compares it with its checksums, and checks that ids are distinct and vectors
    /// [prepared](Similarity::prepare).
    pub fn verify(&self) -> Result<(), Error> {
        let Some(file) = &self.file else { return Ok(()) };
        file.verify()?;
        self.ids.verify(file)?;
        let is_valid = |&ord: &u32| self.similarity.is_prepared(&self.vector(ord));
        match (0..self.len() as u32).find(|ord| !is_valid(ord)) {
            Some(row) => {
                let expected = "vectors of finite numbers, no longer than they may be".to_owned();
                Err(storage::Error::corrupt(file.path(), expected, format!("another at row {row}")).into())
            }
            None => Ok(()),
        }
    }

    /// Writes all sections; staged rows are written as deleted.
    pub fn write(&self, writer: &mut Writer) -> Result<(), Error> {
        writer.begin("vectors")?;
        self.vectors.write(writer)?;
        self.ids.write(writer)?;
        let mut deleted = Cow::Borrowed(&self.deleted);
        for ord in self.ids.published_len()..self.len() {
            deleted.to_mut().insert(ord as u32);
        }
        Ok(writer.section("deleted", bytemuck::cast_slice(deleted.words()))?)
    }

    /// The file's metadata, which [`open`](Self::open) reads.
    pub fn file_metadata(&self) -> Value {
        file_metadata(self.dim, self.len(), self.similarity, &self.metadata)
    }
}

/// The metadata of a file of rows; `metadata` is the caller's.
pub(crate) fn file_metadata(dim: usize, num_rows: usize, similarity: Similarity, metadata: &Value) -> Value {
    json!({"dim": dim, "rows": num_rows, "similarity": similarity.name(), "metadata": metadata})
}

/// Reads an integer of a file's metadata.
pub(crate) fn metadata_number(file: &File, name: &str, max: usize) -> Result<usize, Error> {
    let got = &file.metadata()[name];
    let number = got.as_u64().and_then(|number| usize::try_from(number).ok()).filter(|&number| number <= max);
    let corrupt = || storage::Error::corrupt(file.path(), format!("{name} of 0 to {max}"), got.to_string());
    Ok(number.ok_or_else(corrupt)?)
}
