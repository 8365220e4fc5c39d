#[cfg(target_arch = "aarch64")]
use crate::aarch64::neon;
use crate::batch::Panels;
use crate::scalar;
#[cfg(target_arch = "x86_64")]
use crate::x86_64::{avx2, avx512};

/// `(a, b) -> value`, both of one length.
pub(crate) type Pair = unsafe fn(&[f32], &[f32]) -> f32;
/// `(dim, queries, rows, values)`: `values[q * n + r]` of query `q` and row `r` of the `n` rows.
pub(crate) type Block = unsafe fn(usize, &[f32], &[f32], &mut [f32]);

/// Inner products and squared distances with one instruction set.
///
/// A value of this type is proof that the running CPU has that instruction set: [`Kernels::detect`] and
/// [`Kernels::available`] are the only ways to get one, and they check.
#[derive(Debug)]
pub struct Kernels {
    pub(crate) name: &'static str,
    pub(crate) dot: Pair,
    pub(crate) squared_l2: Pair,
    pub(crate) dot_block: Block,
    pub(crate) squared_l2_block: Block,
    pub(crate) panels: &'static Panels,
}

choose_kernels! {
    /// The instruction set: `avx512f`, `avx2+fma`, `neon` or `scalar`.
    Kernels {
        x86_64 {
            avx512 if "avx512f",
            avx2 if "avx2" && "fma",
        }
        aarch64 {
            neon if "neon",
        }
        scalar
    }
}

impl Kernels {
    /// The inner product Σ aᵢ·bᵢ.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    #[must_use]
    pub fn dot(&self, a: &[f32], b: &[f32]) -> f32 {
        assert_eq!(a.len(), b.len(), "dot: expected vectors of one length");
        // SAFETY: `self` exists, so the CPU has the features `self.dot` needs; the lengths are equal.
        unsafe { (self.dot)(a, b) }
    }

    /// The squared Euclidean distance Σ (aᵢ − bᵢ)².
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    #[must_use]
    pub fn squared_l2(&self, a: &[f32], b: &[f32]) -> f32 {
        assert_eq!(a.len(), b.len(), "squared_l2: expected vectors of one length");
        // SAFETY: `self` exists, so the CPU has the features `self.squared_l2` needs; the lengths are equal.
        unsafe { (self.squared_l2)(a, b) }
    }

    /// Scores one query against many rows: `scores[i] = query · rows[i]`.
    ///
    /// Shapes: `query` is `[dim]`, `rows` is `[n * dim]` row-major, `scores` is `[n]`.
    ///
    /// # Panics
    ///
    /// If the shapes do not agree.
    pub fn score_rows(&self, query: &[f32], rows: &[f32], scores: &mut [f32]) {
        self.score_block(query.len(), query, rows, scores);
    }

    /// Scores many queries against many rows: `scores[q * n + i] = queries[q] · rows[i]`.
    ///
    /// Shapes: `queries` is `[q * dim]`, `rows` is `[n * dim]`, `scores` is `[q * n]`, all row-major. Rows are
    /// read once from first to last, queries once for every few rows: fastest while all queries fit the second
    /// cache level. Where only the best scores are wanted, a [`Batch`](crate::Batch) is faster.
    ///
    /// # Panics
    ///
    /// If the shapes do not agree.
    pub fn score_block(&self, dim: usize, queries: &[f32], rows: &[f32], scores: &mut [f32]) {
        check_shapes("score_block", dim, queries, rows, scores);
        // SAFETY: `self` exists, so the CPU has the features `self.dot_block` needs; the shapes agree.
        unsafe { (self.dot_block)(dim, queries, rows, scores) }
    }

    /// Squared distances of many queries to many rows: `distances[q * n + i] = |queries[q] − rows[i]|²`.
    ///
    /// Shapes as those of [`score_block`](Self::score_block).
    ///
    /// # Panics
    ///
    /// If the shapes do not agree.
    pub fn squared_l2_block(&self, dim: usize, queries: &[f32], rows: &[f32], distances: &mut [f32]) {
        check_shapes("squared_l2_block", dim, queries, rows, distances);
        // SAFETY: `self` exists, so the CPU has the features `self.squared_l2_block` needs; the shapes agree.
        unsafe { (self.squared_l2_block)(dim, queries, rows, distances) }
    }
}

pub(crate) fn check_shapes<T>(operation: &str, dim: usize, queries: &[f32], rows: &[T], values: &[f32]) {
    assert!(dim > 0, "{operation}: expected a dimension of 1 or more, got 0");
    for (what, length) in [("queries", queries.len()), ("rows", rows.len())] {
        assert!(length % dim == 0, "{operation}: expected {what} of dimension {dim}, got {length} values");
    }
    let (queries, rows) = (queries.len() / dim, rows.len() / dim);
    let got = values.len();
    assert!(
        queries.checked_mul(rows) == Some(got),
        "{operation}: expected room for {queries} times {rows} values, got {got}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "score_block: expected rows of dimension 2, got 3 values")]
    fn rows_of_another_dimension_are_refused() {
        Kernels::detect().score_rows(&[1.0, 2.0], &[1.0, 2.0, 3.0], &mut [0.0]);
    }

    #[test]
    #[should_panic(expected = "dot: expected vectors of one length")]
    fn vectors_of_two_lengths_are_refused() {
        let _ = Kernels::detect().dot(&[1.0], &[1.0, 2.0]);
    }
}
