//! The squared lengths |x|² of the rows x, for graphs of augmented vectors (see `scorer.rs`, which also defines φ).

use crate::Similarity;
use crate::hnsw::options::InnerProduct;
use crate::similarity::squared_length;
use crate::store::columns::column::Column;

/// |x|² of each row x, and φ²: the maximum of these, or a larger number that [`reserve_max`](Self::reserve_max) set.
#[derive(Debug)]
pub(crate) struct SquaredLengths {
    column: Column<f32>,
    max: f32,
}

impl SquaredLengths {
    /// Returns whether an index with these options has a graph of augmented vectors.
    pub fn are_needed(similarity: Similarity, inner_product: InnerProduct) -> bool {
        similarity == Similarity::Dot && inner_product == InnerProduct::AugmentedL2
    }

    pub fn new() -> Self {
        Self { column: Column::new(), max: 0.0 }
    }

    /// Takes the squared lengths that are stored in a file. Returns `None` unless the column consists of `num_rows`
    /// finite, non-negative numbers.
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

    /// Returns φ²: the maximum squared length, or a larger one that was [reserved](Self::reserve_max).
    pub fn max(&self) -> f32 {
        self.max
    }

    /// Appends the squared length of a row's vector.
    pub fn push(&mut self, vector: &[f32]) {
        let squared = squared_length(vector) as f32;
        self.column.extend(&[squared]);
        self.max = self.max.max(squared);
    }

    /// Raises φ² to `squared_length`, if that is larger. The caller does this before it adds rows with squared lengths
    /// of up to `squared_length`.
    pub fn reserve_max(&mut self, squared_length: f32) {
        self.max = self.max.max(squared_length);
    }

    /// Keeps the squared lengths of the first `num_rows` rows, and recomputes φ² as their maximum.
    pub fn truncate(&mut self, num_rows: usize) {
        self.column.truncate(num_rows);
        let (mapped, appended) = self.column.parts();
        self.max = mapped.iter().chain(appended).copied().fold(0.0, f32::max);
    }
}
