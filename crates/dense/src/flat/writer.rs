//! Writes the file of a flat index without holding its vectors in memory: [`FlatWriter`].

use std::path::Path;

use serde_json::Value;
use storage::Writer;

use super::{KIND, Storage};
use crate::quantized::QuantizedRows;
use crate::store::checks::{check_batch, check_dim};
use crate::store::element::Element;
use crate::store::ids::Ids;
use crate::store::row_file::file_metadata;
use crate::{Error, Similarity};

/// Writes the file of a flat index batch by batch. Only the ids are held in memory, and with [`Storage::Int8Rescored`]
/// also the int8 copy, which takes `dim + 12` bytes per row.
///
/// ```
/// use dense::{FlatIndex, FlatWriter, Similarity};
///
/// let path = std::env::temp_dir().join(format!("flat-writer-doc-{}", std::process::id()));
/// let mut writer = FlatWriter::create(&path, 2, Similarity::Dot)?;
/// writer.push(&["a", "b"], &[1.0, 0.0, 0.0, 1.0])?;
/// writer.push(&["c"], &[1.0, 1.0])?;
/// writer.finish(&serde_json::json!({"model": "demo"}))?;
///
/// let index = FlatIndex::open(&path)?;
/// assert_eq!((index.len(), &*index.vector(2)), (3, &[1.0, 1.0][..]));
/// # std::fs::remove_file(path).ok();
/// # Ok::<(), dense::Error>(())
/// ```
#[derive(Debug)]
pub struct FlatWriter {
    dim: usize,
    similarity: Similarity,
    storage: Storage,
    quantized: Option<QuantizedRows>,
    ids: Ids,
    /// Number of rows whose vectors were written; it is less than the number of ids only if a write failed.
    num_written: usize,
    writer: Writer,
}

impl FlatWriter {
    /// Starts a file that replaces the file at `path` when it is [finished](Self::finish). If the writer is dropped
    /// before that, the file at `path` does not change.
    ///
    /// # Errors
    ///
    /// [`Error::Option`] for a dimension of 0 or above 2²⁰; [`Error::Storage`] if the file cannot be created.
    pub fn create(path: &Path, dim: usize, similarity: Similarity) -> Result<Self, Error> {
        Self::with_storage(path, dim, similarity, Storage::F32)
    }

    /// Like [`create`](Self::create), with a choice of storage.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create); [`Error::Option`] also for a dimension above 65,536 with
    /// [`Storage::Int8Rescored`].
    pub fn with_storage(
        path: &Path,
        dim: usize,
        similarity: Similarity,
        storage: Storage,
    ) -> Result<Self, Error> {
        check_dim(dim)?;
        let quantized = if storage == Storage::Int8Rescored { Some(QuantizedRows::new(dim)?) } else { None };
        let mut writer = Writer::create(path, KIND)?;
        writer.begin("vectors")?;
        let ids = Ids::new(false);
        Ok(Self { dim, similarity, storage, quantized, ids, num_written: 0, writer })
    }

    /// Appends the vectors `[n * dim]`, row-major, under `n` ids. If one of them is invalid, appends none.
    ///
    /// # Errors
    ///
    /// As [`FlatIndex::add`](crate::FlatIndex::add); [`Error::Storage`] if writing fails, after which the file cannot
    /// be finished.
    pub fn push<S: AsRef<str>>(&mut self, ids: &[S], vectors: &[f32]) -> Result<(), Error> {
        let vectors = check_batch(self.dim, self.similarity, self.ids.len(), ids, vectors)?;
        if self.storage == Storage::F16 {
            let encoded = u16::encode(self.dim, vectors)?;
            self.ids.extend(ids)?;
            self.writer.append(bytemuck::cast_slice(&encoded))?;
        } else {
            self.ids.extend(ids)?;
            self.writer.append(bytemuck::cast_slice(&vectors))?;
            if let Some(quantized) = &mut self.quantized {
                quantized.extend(&vectors);
            }
        }
        self.num_written += ids.len();
        Ok(())
    }

    /// Returns the number of rows pushed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.num_written
    }

    /// Returns whether no rows were pushed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.num_written == 0
    }

    /// Completes the file, which [`FlatIndex::open`](crate::FlatIndex::open) can then open. `metadata` is any JSON
    /// value of the caller.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if writing fails; [`Error::Count`] if writing failed in an earlier [`push`](Self::push).
    pub fn finish(mut self, metadata: &Value) -> Result<(), Error> {
        let (expected, got) = (self.num_written, self.ids.len());
        if expected != got {
            return Err(Error::Count { operation: "finish", expected, got });
        }
        self.ids.write(&mut self.writer)?;
        self.writer.section("deleted", &[])?;
        if let Some(quantized) = &self.quantized {
            quantized.write(&mut self.writer)?;
        }
        let metadata = file_metadata(self.dim, self.num_written, self.similarity, metadata);
        Ok(self.writer.finish(self.storage.add_to_metadata(metadata))?)
    }
}
