//! Writes and opens the sections of a [`GraphIndex`] in the files of HNSW and growing indexes. Opening makes only the
//! checks that take milliseconds. After these checks, searches are memory-safe even if the neighbors in the graph are
//! corrupt.
//!
//! The sections are as follows. All rows have codes. The first rows, `graph rows` in number, are in the graph; in an
//! HNSW index, these are all rows.
//!
//! | section | contents |
//! |---|---|
//! | `offsets` | `graph rows + 1` u32: row `r` has the lists `offsets[r]` to `offsets[r + 1] - 1` of `upper` |
//! | `ground` | the adjacency list of each row in layer 0: up to `2 * m` u32, padded with `u32::MAX` to a multiple of 16 |
//! | `upper` | the adjacency lists in the layers above: up to `m` u32 each, padded in the same way |
//! | `codes` | the codes of each row in whole cache lines of 64 bytes, as drawn in `codes/mod.rs` |
//! | `scales` | f32 per row: the quantization scale of its codes |
//! | `biases` | for L2 only: f32 per row, minus half its squared length |
//! | `signs` | above dimension 128, unless `layout` is `compact`: a sketch of 64 bytes per row (`codes/sign_sketch.rs`) |
//! | `squared_lengths` | for `augmentedL2` only: f32 per row |
//!
//! The file's metadata has the keys `m`, `efConstruction`, `seed`, `keepPruned`, `innerProduct`, `layout` and `entry`,
//! which is the row where searches start. Codes and sketches are those of rotated rows (`codes/rotation.rs`); the
//! dimension determines the rotation.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use storage::{File, Writer};

use super::GraphIndex;
use crate::hnsw::codes::Codes;
use crate::hnsw::graph::Graph;
use crate::hnsw::options::{HnswOptions, InnerProduct, Layout};
use crate::hnsw::squared_lengths::SquaredLengths;
use crate::store::columns::column::Column;
use crate::store::row_file::metadata_number;
use crate::{Error, Similarity};

/// The shape of the rows in a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowShape {
    pub dim: usize,
    pub similarity: Similarity,
    /// The number of rows that have codes.
    pub num_rows: usize,
    /// The number of rows in the graph, which are the first of these rows.
    pub num_graph_rows: usize,
}

impl GraphIndex {
    /// Writes the sections.
    pub fn write(&self, writer: &mut Writer) -> Result<(), Error> {
        self.graph.write(writer)?;
        self.codes.write(writer)?;
        if let Some(squared_lengths) = &self.squared_lengths {
            writer.begin("squared_lengths")?;
            squared_lengths.column().write(writer)?;
        }
        Ok(())
    }

    /// Adds the keys of the graph to the metadata of a file.
    pub fn add_to_metadata(&self, mut metadata: Value) -> Value {
        let options = &self.options;
        metadata["m"] = json!(options.m);
        metadata["efConstruction"] = json!(options.ef_construction);
        metadata["seed"] = json!(options.seed);
        metadata["keepPruned"] = json!(options.keep_pruned);
        metadata["innerProduct"] = json!(options.inner_product.name());
        metadata["layout"] = json!(options.layout.name());
        metadata["entry"] = json!(self.graph.entry_point);
        metadata
    }

    /// Opens the sections written by [`write`](Self::write), without copying them to memory.
    pub fn open(file: &Arc<File>, shape: RowShape) -> Result<Self, Error> {
        let RowShape { dim, similarity, num_rows, num_graph_rows } = shape;
        let options = read_options(file)?;
        let metadata = file.metadata();
        let corrupt = |expected: &str, name: &str| {
            storage::Error::corrupt(file.path(), expected, metadata[name].to_string())
        };
        let entry_point = match &metadata["entry"] {
            Value::Null => None,
            entry => {
                let ord = entry.as_u64().and_then(|ord| u32::try_from(ord).ok());
                Some(ord.ok_or_else(|| corrupt("an entry row", "entry"))?)
            }
        };
        let graph = Graph::open(file, options.m, num_graph_rows, entry_point)?;
        let codes = Codes::open(file, dim, num_rows, similarity, options.layout)?;
        let squared_lengths = if SquaredLengths::are_needed(similarity, options.inner_product) {
            let column = Column::open(file, "squared_lengths")?;
            let squared_lengths = SquaredLengths::from_column(column, num_rows);
            let expected = format!("{num_rows} squared lengths, finite and not negative");
            let corrupt = || storage::Error::corrupt(file.path(), expected, "other values".to_owned());
            Some(squared_lengths.ok_or_else(corrupt)?)
        } else {
            None
        };
        Ok(Self { graph, codes, squared_lengths, options, scratches: Mutex::default() })
    }

    /// Checks all neighbors in the graph. [`open`](Self::open) does so only for small graphs.
    pub fn verify(&self, file: &File) -> Result<(), Error> {
        let checked = self.graph.check_neighbors();
        Ok(checked
            .map_err(|mismatch| storage::Error::corrupt(file.path(), mismatch.expected, mismatch.got))?)
    }
}

fn read_options(file: &File) -> Result<HnswOptions, Error> {
    let metadata = file.metadata();
    let corrupt = |expected: &str, got: String| storage::Error::corrupt(file.path(), expected, got);
    let inner_product = metadata["innerProduct"].as_str().and_then(InnerProduct::from_name);
    let layout = metadata["layout"].as_str().and_then(Layout::from_name);
    let options = HnswOptions {
        m: metadata_number(file, "m", usize::MAX)?,
        ef_construction: metadata_number(file, "efConstruction", usize::MAX)?,
        seed: metadata["seed"].as_u64().ok_or_else(|| corrupt("a seed", metadata["seed"].to_string()))?,
        keep_pruned: (metadata["keepPruned"].as_bool())
            .ok_or_else(|| corrupt("keepPruned true or false", metadata["keepPruned"].to_string()))?,
        inner_product: inner_product.ok_or_else(|| {
            corrupt("innerProduct graph or augmentedL2", metadata["innerProduct"].to_string())
        })?,
        layout: layout.ok_or_else(|| corrupt("layout fast or compact", metadata["layout"].to_string()))?,
    };
    options.check().map_err(|error| corrupt("options of an HNSW index", error.to_string()))?;
    Ok(options)
}
