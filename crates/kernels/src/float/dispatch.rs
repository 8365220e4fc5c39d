//! [`Kernels`]: the choice of the instruction set, and the public functions, which check their arguments.

#[cfg(target_arch = "aarch64")]
use super::aarch64::neon;
use super::panel_kernels::PanelKernels;
use super::scalar;
use super::shapes::check_shapes;
#[cfg(target_arch = "x86_64")]
use super::x86_64::{avx2, avx512};

/// `(a, b)` returns the inner product or the squared distance of two vectors of the same length.
type PairFn = unsafe fn(&[f32], &[f32]) -> f32;
/// `(dim, queries, rows, values)` writes the inner product or the squared distance of query `q` and row `r` of the `n`
/// rows to `values[q * n + r]`.
type BlockFn = unsafe fn(usize, &[f32], &[f32], &mut [f32]);

/// Inner products and squared distances of `f32` vectors with one instruction set.
///
/// A value of this type is proof that the running CPU supports that instruction set: [`Kernels::detect`],
/// [`Kernels::available`] and [`Kernels::up_to`] are the only ways to get one, and they check.
#[derive(Debug)]
pub struct Kernels {
    pub(crate) name: &'static str,
    pub(crate) dot: PairFn,
    pub(crate) squared_l2: PairFn,
    pub(crate) dot_block: BlockFn,
    pub(crate) squared_l2_block: BlockFn,
    pub(crate) panels: &'static PanelKernels,
}

detect_kernels! {
    /// The name of the instruction set: `avx512f`, `avx2+fma`, `neon` or `scalar`.
    Kernels {
        x86_64 {
            Avx512: avx512 if "avx512f",
            Avx2: avx2 if "avx2" && "fma",
        }
        aarch64 {
            Neon: neon if "neon",
        }
        scalar
    }
}

impl Kernels {
    /// Returns the inner product Σ aᵢ·bᵢ.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    #[must_use]
    pub fn dot(&self, a: &[f32], b: &[f32]) -> f32 {
        assert_eq!(a.len(), b.len(), "dot: expected vectors of equal length");
        // SAFETY: `self` exists, so the CPU has the features that `self.dot` needs; the lengths are equal.
        unsafe { (self.dot)(a, b) }
    }

    /// Returns the squared Euclidean distance Σ (aᵢ − bᵢ)².
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    #[must_use]
    pub fn squared_l2(&self, a: &[f32], b: &[f32]) -> f32 {
        assert_eq!(a.len(), b.len(), "squared_l2: expected vectors of equal length");
        // SAFETY: `self` exists, so the CPU has the features that `self.squared_l2` needs; the lengths are equal.
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
    /// Shapes: `queries` is `[q * dim]`, `rows` is `[n * dim]`, `scores` is `[q * n]`, all row-major. Rows are read
    /// once, from first to last, and all queries are read again for every few rows, so a call is fastest if the queries
    /// fit in the L2 cache. If only the highest scores are needed, a [`Batch`](crate::Batch) is faster.
    ///
    /// # Panics
    ///
    /// If the shapes do not agree.
    pub fn score_block(&self, dim: usize, queries: &[f32], rows: &[f32], scores: &mut [f32]) {
        check_shapes("score_block", dim, queries, rows, scores);
        // SAFETY: `self` exists, so the CPU has the features that `self.dot_block` needs; the shapes agree.
        unsafe { (self.dot_block)(dim, queries, rows, scores) }
    }

    /// Computes the squared distances of many queries to many rows: `distances[q * n + i] = |queries[q] − rows[i]|²`.
    ///
    /// The shapes are those of [`score_block`](Self::score_block).
    ///
    /// # Panics
    ///
    /// If the shapes do not agree.
    pub fn squared_l2_block(&self, dim: usize, queries: &[f32], rows: &[f32], distances: &mut [f32]) {
        check_shapes("squared_l2_block", dim, queries, rows, distances);
        // SAFETY: `self` exists, so the CPU has the features that `self.squared_l2_block` needs; the shapes agree.
        unsafe { (self.squared_l2_block)(dim, queries, rows, distances) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "score_block: expected rows of dimension 2, got 3 values")]
    fn rows_of_a_different_dimension_are_refused() {
        Kernels::detect().score_rows(&[1.0, 2.0], &[1.0, 2.0, 3.0], &mut [0.0]);
    }

    #[test]
    #[should_panic(expected = "dot: expected vectors of equal length")]
    fn vectors_of_different_lengths_are_refused() {
        let _ = Kernels::detect().dot(&[1.0], &[1.0, 2.0]);
    }
}
