//! Copies the codes and the graph of an opened index to memory while searches of the index continue.

use std::sync::Arc;

use storage::File;

use crate::Error;
use crate::hnsw::graph_index::{GraphIndex, RowShape};

/// A copy reserves space for at least this many additional rows.
const MIN_ADDITIONAL_ROWS: usize = 4096;

/// The codes and the graph of an opened index, in their file.
#[derive(Debug, Clone)]
pub struct MappedGraph {
    file: Arc<File>,
    shape: RowShape,
}

/// A copy of the codes and the graph in memory.
#[derive(Debug)]
pub struct GraphCopy {
    pub(super) graph: GraphIndex,
    file: Arc<File>,
}

impl MappedGraph {
    pub(super) fn new(file: Arc<File>, shape: RowShape) -> Self {
        Self { file, shape }
    }

    /// Returns whether `copy` was made from this graph.
    pub(super) fn is_source_of(&self, copy: &GraphCopy) -> bool {
        Arc::ptr_eq(&self.file, &copy.file)
    }

    /// Copies the codes and the graph to memory, with space for 1/16 more rows, but at least 4096. This takes a few
    /// hundred milliseconds per million rows.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if the file is corrupt.
    pub fn copy_to_memory(&self) -> Result<GraphCopy, Error> {
        let mut graph = GraphIndex::open(&self.file, self.shape)?;
        graph.reserve(MIN_ADDITIONAL_ROWS.max(self.shape.num_rows / 16));
        Ok(GraphCopy { graph, file: Arc::clone(&self.file) })
    }
}
