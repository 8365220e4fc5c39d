//! Writes and opens the files of growing indexes. Opening makes only the checks that take milliseconds, as for an HNSW
//! index.
//!
//! The file format, version 1, is a container of the crate `storage`. All numbers are little-endian. It has the
//! sections below and those of the graph and the codes, which `graph_index/file.rs` describes.
//!
//! | section | contents |
//! |---|---|
//! | `vectors` | `[rows, dim]` f32, scaled to length 1 for cosine |
//! | `unlinked` | one bit per row, in u64 words: the rows in the graph that have no neighbors because they were deleted before they were inserted |
//!
//! The file's metadata has the keys `dim`, `rows`, `similarity`, `metadata` (the caller's), `graphRows` (the number of
//! rows in the graph; the later ones are pending), and those of the graph.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use storage::{File, FileKind, OpenOptions, Writer};

use super::index::GrowingIndex;
use super::memory_copy::MappedGraph;
use crate::hnsw::graph_index::{GraphIndex, RowShape};
use crate::store::row_file::metadata_number;
use crate::store::vector_rows::VectorRows;
use crate::{Error, RowSet};

/// Identifies files of growing indexes.
const KIND: FileKind = FileKind { magic: *b"PKGROW\0\0", version: 1, name: "growing index" };

impl GrowingIndex {
    /// Saves the vectors, the codes, the graph and the pending rows to a file, with the caller's metadata (any JSON).
    /// An existing file is replaced completely or, on an error, left unchanged. The set of deleted rows is not saved.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if the file cannot be written.
    pub fn save(&self, path: &Path, metadata: &Value) -> Result<(), Error> {
        let mut writer = Writer::create(path, KIND)?;
        self.rows.write(&mut writer)?;
        writer.section("unlinked", bytemuck::cast_slice(self.unlinked.words()))?;
        self.graph.write(&mut writer)?;
        let mut metadata = self.graph.add_to_metadata(self.rows.file_metadata(metadata));
        metadata["graphRows"] = json!(self.graph.num_graph_rows());
        Ok(writer.finish(metadata)?)
    }

    /// Opens a saved index, mapped or read into memory, and returns it with the caller's metadata. Rows that were
    /// pending are pending again. All rows are live until the caller [sets](Self::set_deleted) the set of deleted rows.
    ///
    /// Vectors, codes and the graph stay in the file. Appended rows are in memory, and are lost unless the index is
    /// saved. The codes and the graph are copied to memory when they are changed for the first time (see
    /// [`mapped_graph`](Self::mapped_graph)). With the option `verify`, also runs [`verify`](Self::verify).
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if the file cannot be read, is corrupt, or belongs to another kind of index.
    pub fn open_with(path: &Path, options: OpenOptions) -> Result<(Self, Value), Error> {
        let file = Arc::new(File::open_with(path, KIND, options)?);
        let rows = VectorRows::open(&file)?;
        let (dim, similarity, num_rows) = (rows.dim(), rows.similarity(), rows.len());
        let num_graph_rows = metadata_number(&file, "graphRows", num_rows)?;
        let shape = RowShape { dim, similarity, num_rows, num_graph_rows };
        let graph = GraphIndex::open(&file, shape)?;
        let unlinked = RowSet::from_words(file.section_as("unlinked")?.to_vec(), num_graph_rows);
        let unlinked = unlinked.ok_or_else(|| {
            let expected = format!("unlinked rows below {num_graph_rows}");
            storage::Error::corrupt(path, expected, "a later row".to_owned())
        })?;
        let index = Self::from_parts(rows, graph, Some(MappedGraph::new(Arc::clone(&file), shape)), unlinked);
        if options.verify {
            index.verify()?;
        }
        Ok((index, file.metadata()["metadata"].clone()))
    }

    /// Reads the whole file of an opened index, compares it with its checksums, and checks that its contents are valid.
    /// [`open_with`](Self::open_with) makes only the checks that take milliseconds.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if the file is corrupt.
    pub fn verify(&self) -> Result<(), Error> {
        self.rows.verify()?;
        self.rows.file().map_or(Ok(()), |file| self.graph.verify(file))
    }
}
