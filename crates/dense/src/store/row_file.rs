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
use super::rows_view::RowsView;
use super::vector_rows::VectorRows;
use crate::phrases::has_phrases;
use crate::{Error, RowSet, Similarity};

impl<T: Element> Rows<T> {
    /// Opens the sections written by [`write`](Self::write). Vectors and ids stay in the file.
    pub fn open(file: &Arc<File>) -> Result<Self, Error> {
        let (dim, similarity, vectors) = open_vectors(file)?;
        let num_rows = vectors.len() / dim;
        let deleted =
            RowSet::from_words(file.section_as("deleted")?.to_vec(), num_rows).ok_or_else(|| {
                let expected = format!("deleted rows below {num_rows}");
                storage::Error::corrupt(file.path(), expected, "a higher one".to_owned())
            })?;
        let metadata = file.metadata()["metadata"].clone();
        let ids = Ids::open(file, num_rows, &deleted, has_phrases(&metadata))?;
        let file = Some(Arc::clone(file));
        Ok(Self { dim, similarity, metadata, ids, vectors, deleted, file })
    }

    /// Reads the parts of the file that opening did not read, compares them with their checksums, and checks that ids
    /// are distinct and vectors [prepared](Similarity::prepare).
    pub fn verify(&self) -> Result<(), Error> {
        let Some(file) = &self.file else { return Ok(()) };
        file.verify()?;
        self.ids.verify(file)?;
        check_vectors(&self.view(), file)
    }

    /// Writes the sections of the rows. Staged rows are written as deleted rows.
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

    /// Returns the metadata for a file of these rows, which [`open`](Self::open) reads.
    pub fn file_metadata(&self) -> Value {
        file_metadata(self.dim, self.len(), self.similarity, &self.metadata)
    }
}

impl VectorRows {
    /// Opens the section written by [`write`](Self::write). The vectors stay in the file, and no row is deleted.
    pub fn open(file: &Arc<File>) -> Result<Self, Error> {
        let (dim, similarity, vectors) = open_vectors(file)?;
        Ok(Self { dim, similarity, vectors, deleted: RowSet::new(), file: Some(Arc::clone(file)) })
    }

    /// Reads the parts of the file that opening did not read, compares them with their checksums, and checks that
    /// vectors are [prepared](Similarity::prepare).
    pub fn verify(&self) -> Result<(), Error> {
        let Some(file) = &self.file else { return Ok(()) };
        file.verify()?;
        check_vectors(&self.view(), file)
    }

    /// Writes the section of the vectors, but not the set of deleted rows.
    pub fn write(&self, writer: &mut Writer) -> Result<(), Error> {
        writer.begin("vectors")?;
        self.vectors.write(writer)
    }

    /// Returns the metadata for a file of these rows, which [`open`](Self::open) reads.
    pub fn file_metadata(&self, metadata: &Value) -> Value {
        file_metadata(self.dim, self.len(), self.similarity, metadata)
    }
}

/// Opens the vectors of a file, and reads their dimension and their similarity from its metadata.
fn open_vectors<T: Element>(file: &Arc<File>) -> Result<(usize, Similarity, Column<T>), Error> {
    let metadata = file.metadata();
    let dim = metadata_number(file, "dim", MAX_DIM)?;
    // The number was at most `MAX_DIM`, so only 0 is left to reject.
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
    Ok((dim, similarity, vectors))
}

/// Checks that all vectors of a file are [prepared](Similarity::prepare).
fn check_vectors<T: Element>(view: &RowsView<T>, file: &File) -> Result<(), Error> {
    let is_valid = |&ord: &u32| view.similarity.is_prepared(&T::decode(view.row(ord)));
    match (0..view.len() as u32).find(|ord| !is_valid(ord)) {
        Some(row) => {
            let expected = "vectors of finite numbers whose norm is within the limit".to_owned();
            Err(storage::Error::corrupt(file.path(), expected, format!("an invalid one at row {row}")).into())
        }
        None => Ok(()),
    }
}

/// Returns the metadata of a file of rows, which includes `metadata`, the caller's own.
pub(crate) fn file_metadata(dim: usize, num_rows: usize, similarity: Similarity, metadata: &Value) -> Value {
    json!({"dim": dim, "rows": num_rows, "similarity": similarity.name(), "metadata": metadata})
}

/// Reads an integer between 0 and `max` from a file's metadata.
pub(crate) fn metadata_number(file: &File, name: &str, max: usize) -> Result<usize, Error> {
    let got = &file.metadata()[name];
    let number = got.as_u64().and_then(|number| usize::try_from(number).ok()).filter(|&number| number <= max);
    let corrupt = || storage::Error::corrupt(file.path(), format!("{name} from 0 to {max}"), got.to_string());
    Ok(number.ok_or_else(corrupt)?)
}
