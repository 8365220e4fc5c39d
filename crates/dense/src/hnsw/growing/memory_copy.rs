//! Copies the codes and the graph of an opened index to memory while searches of the index go on.

use std::sync::Arc;

use storage::File;

use super::index::GrowingIndex;
use crate::Error;
use crate::hnsw::graph_index::{GraphIndex, RowShape};

/// Number of rows for which a copy has space to grow, at least.
const MIN_ADDITIONAL_ROWS: usize = 4096;

/// The codes and the graph of an opened index, in their file.
#[derive(Debug, Clone)]
pub struct MappedGraph {
    file: Arc<File>,
    shape: RowShape,
}

/// A copy of codes and a graph, in memory.
#[derive(Debug)]
pub struct GraphCopy {
    graph: GraphIndex,
    file: Arc<File>,
}

impl MappedGraph {
    pub(super) fn new(file: Arc<File>, shape: RowShape) -> Self {
        Self { file, shape }
    }

    /// Copies the codes and the graph to memory, with space for a sixteenth more rows. This takes a few hundred
    /// milliseconds per million rows.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`]
    pub fn copy_to_memory(&self) -> Result<GraphCopy, Error> {
        let mut graph = GraphIndex::open(&self.file, self.shape)?;
        graph.reserve(MIN_ADDITIONAL_ROWS.max(self.shape.num_rows / 16));
        Ok(GraphCopy { graph, file: Arc::clone(&self.file) })
    }
}

impl GrowingIndex {
    /// Returns the codes and the graph of an opened index that were not copied to memory yet.
    ///
    /// A program that searches the index in other threads calls this, then
    /// [`MappedGraph::copy_to_memory`] while searches go on, and then [`use_copy`](Self::use_copy) before the first
    /// change, which would otherwise make the copy itself.
    #[must_use]
    pub fn mapped_graph(&self) -> Option<MappedGraph> {
        self.mapped.clone()
    }

    /// Replaces the mapped codes and graph by their copy, which takes microseconds. Does nothing if the index was changed
    /// since, or if the copy is one of another index. Returns what is no longer needed, to be dropped later.
    pub fn use_copy(&mut self, copy: GraphCopy) -> GraphCopy {
        match &self.mapped {
            Some(mapped) if Arc::ptr_eq(&mapped.file, &copy.file) => {
                self.mapped = None;
                let graph = std::mem::replace(&mut self.graph, copy.graph);
                GraphCopy { graph, file: copy.file }
            }
            _ => copy,
        }
    }
}
