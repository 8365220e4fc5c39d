use crate::Similarity;
use crate::hnsw::options::InnerProduct;
use crate::similarity::squared_length;
use crate::store::columns::column::Column;

/// |x|² of each row, where the graph is one of augmented vectors, and the greatest of them, φ².
#[derive(Debug)]
pub(crate) struct SquaredLengths {
    pub(super) column: Column<f32>,
    pub(super) greatest: f32,
}

impl SquaredLengths {
    /// Whether a graph needs them.
    pub fn needed(similarity: Similarity, inner_product: InnerProduct) -> bool {
        similarity == Similarity::Dot && inner_product == InnerProduct::AugmentedL2
    }

    pub fn new() -> Self {
        Self { column: Column::new(), greatest: 0.0 }
    }

    /// From a file's section; none unless there are `rows` numbers as lengths can be.
    pub fn from_column(column: Column<f32>, rows: usize) -> Option<Self> {
        let (values, _) = column.parts();
        if values.len() != rows || !values.iter().all(|value| value.is_finite() && *value >= 0.0) {
            return None;
        }
        let greatest = values.iter().copied().fold(0.0, f32::max);
        Some(Self { column, greatest })
    }

    pub fn column(&self) -> &Column<f32> {
        &self.column
    }

    pub fn push(&mut self, vector: &[f32]) {
        let squared = squared_length(vector) as f32;
        self.column.extend(&[squared]);
        self.greatest = self.greatest.max(squared);
    }

    /// Rows with lengths up to the root of this are to come.
    pub fn expect(&mut self, squared: f32) {
        self.greatest = self.greatest.max(squared);
    }

    pub fn truncate(&mut self, rows: usize) {
        self.column.truncate(rows);
        let (base, tail) = self.column.parts();
        self.greatest = base.iter().chain(tail).copied().fold(0.0, f32::max);
    }
}
