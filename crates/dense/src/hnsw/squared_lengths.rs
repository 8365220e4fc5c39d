//! The squared lengths of rows, for graphs of augmented vectors (see `scorer.rs`).

use crate::Similarity;
use crate::hnsw::options::InnerProduct;
use crate::similarity::squared_length;
use crate::store::columns::column::Column;

/// |x|² of each row, and their maximum φ².
#[derive(Debug)]
pub(crate) struct SquaredLengths {
    column: Column<f32>,
    max: f32,
}

impl SquaredLengths {
    /// Whether the graph is one of augmented vectors.
    pub fn are_needed(similarity: Similarity, inner_product: InnerProduct) -> bool {
        similarity == Similarity::Dot && inner_product == InnerProduct::AugmentedL2
    }

    pub fn new() -> Self {
        Self { column: Column::new(), max: 0.0 }
    }

    /// From a file's section; `None` unless it has `num_rows` numbers that can be squared lengths.
    pub fn from_column(column: Column<f32>, num_rows: usize) -> Option<Self> {
        let (values, _) = column.parts();
        if values.len() != num_rows || !values.iter().all(|value| value.is_finite() && *value >= 0.0) {
            return None;
        }
        let max = values.iter().copied().fold(0.0, f32::max);
        Some(Self { column, max })
    }

    pub fn column(&self) -> &Column<f32> {
        &self.column
    }

    /// φ²: the maximum, or what was [reserved](Self::reserve_max).
    pub fn max(&self) -> f32 {
        self.max
    }

    pub fn push(&mut self, vector: &[f32]) {
        let squared = squared_length(vector) as f32;
        self.column.extend(&[squared]);
        self.max = self.max.max(squared);
    }

    /// Raises φ² now for rows that will be added later.
    pub fn reserve_max(&mut self, squared_length: f32) {
        self.max = self.max.max(squared_length);
    }

    pub fn truncate(&mut self, num_rows: usize) {
        self.column.truncate(num_rows);
        let (mapped, appended) = self.column.parts();
        self.max = mapped.iter().chain(appended).copied().fold(0.0, f32::max);
    }
}
