use std::path::Path;

use serde_json::Value;
use storage::Writer;

use super::{KIND, Storage};
use crate::quantized::Shadow;
use crate::store::checks::{check_batch, check_dim};
use crate::store::element::Element;
use crate::store::ids::Ids;
use crate::store::row_file::table;
use crate::{Error, Similarity};

/// Writes a flat index to its file batch by batch: only the ids are held in memory, and with
/// [`Storage::Int8Filtered`] the codes, which are `dim` and 12 bytes a row.
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
    shadow: Option<Shadow>,
    ids: Ids,
    written: usize,
    writer: Writer,
}

impl FlatWriter {
    /// Starts a file that will replace `path` when it is [finished](Self::finish); dropped before, it leaves
    /// what is there.
    ///
    /// # Errors
    ///
    /// [`Error::Option`] for a dimension of 0 or above 2²⁰; [`Error::Storage`].
    pub fn create(path: &Path, dim: usize, similarity: Similarity) -> Result<Self, Error> {
        Self::with_storage(path, dim, similarity, Storage::F32)
    }

    /// [`create`](Self::create) with another storage.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create); [`Error::Option`] also for a dimension above 65,536 with
    /// [`Storage::Int8Filtered`].
    pub fn with_storage(
        path: &Path,
        dim: usize,
        similarity: Similarity,
        storage: Storage,
    ) -> Result<Self, Error> {
        check_dim(dim)?;
        let shadow = if storage == Storage::Int8Filtered { Some(Shadow::new(dim)?) } else { None };
        let mut writer = Writer::create(path, KIND)?;
        writer.begin("vectors")?;
        Ok(Self { dim, similarity, storage, shadow, ids: Ids::new(false), written: 0, writer })
    }

    /// Appends the vectors `[n * dim]`, row-major, under `n` ids: all or none, unless the disk fails.
    ///
    /// # Errors
    ///
    /// As [`FlatIndex::add`](crate::FlatIndex::add); [`Error::Storage`], after which the file cannot be
    /// finished.
    pub fn push<S: AsRef<str>>(&mut self, ids: &[S], vectors: &[f32]) -> Result<(), Error> {
        let vectors = check_batch(self.dim, self.similarity, self.ids.len(), ids, vectors)?;
        if self.storage == Storage::F16 {
            let halves = u16::encode(self.dim, vectors)?;
            self.ids.extend(ids)?;
            self.writer.append(bytemuck::cast_slice(&halves))?;
        } else {
            self.ids.extend(ids)?;
            self.writer.append(bytemuck::cast_slice(&vectors))?;
            if let Some(shadow) = &mut self.shadow {
                shadow.extend(&vectors);
            }
        }
        self.written += ids.len();
        Ok(())
    }

    /// How many rows were pushed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.written
    }

    /// Whether nothing was pushed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.written == 0
    }

    /// Completes the file, which [`FlatIndex::open`](crate::FlatIndex::open) then opens. `metadata` is the
    /// caller's own.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`]; [`Error::Count`] if a [`push`](Self::push) failed on the disk.
    pub fn finish(mut self, metadata: &Value) -> Result<(), Error> {
        let (expected, got) = (self.written, self.ids.len());
        if expected != got {
            return Err(Error::Count { operation: "finish", expected, got });
        }
        self.ids.write(&mut self.writer)?;
        self.writer.section("deleted", &[])?;
        if let Some(shadow) = &self.shadow {
            shadow.write(&mut self.writer)?;
        }
        let table = table(self.dim, self.written, self.similarity, metadata);
        Ok(self.writer.finish(self.storage.in_table(table))?)
    }
}
