//! [`HalfKernels`]: the choice of the instruction set, and the public functions, which check their arguments.

#[cfg(target_arch = "aarch64")]
use super::aarch64::neon;
#[cfg(target_arch = "x86_64")]
use super::x86_64::{avx2, avx512};
use super::{HalfFormat, scalar};
use crate::float::shapes::check_shapes;

/// `(dim, queries, rows, values)` writes the inner product or the squared distance of query `q` and row `r` of the `n`
/// rows to `values[q * n + r]`.
type BlockFn = unsafe fn(usize, &[f32], &[u16], &mut [f32]);

/// `(halves, values)` widens all `halves`; both have the same length.
type WidenFn = unsafe fn(&[u16], &mut [f32]);
/// `(values, halves)` narrows all `values`; both have the same length.
type NarrowFn = unsafe fn(&[f32], &mut [u16]);

/// Inner products, squared distances and conversions of 16-bit floats with one instruction set.
///
/// A value of this type is proof that the running CPU supports that instruction set: [`HalfKernels::detect`],
/// [`HalfKernels::available`] and [`HalfKernels::up_to`] are the only ways to get one, and they check.
#[derive(Debug)]
pub struct HalfKernels {
    pub(super) name: &'static str,
    // In each array, the first function is for f16 and the second for bf16, in the order of `HalfFormat`'s variants.
    pub(super) dot: [BlockFn; 2],
    pub(super) squared_l2: [BlockFn; 2],
    pub(super) widen: [WidenFn; 2],
    pub(super) narrow: [NarrowFn; 2],
}

detect_kernels! {
    /// The name of the instruction set: `avx512f`, `avx2+fma+f16c`, `neon` or `scalar`.
    HalfKernels {
        x86_64 {
            Avx512: avx512 if "avx512f" && "avx2",
            Avx2: avx2 if "avx2" && "fma" && "f16c",
        }
        aarch64 {
            Neon: neon if "neon",
        }
        scalar
    }
}

impl HalfKernels {
    /// Scores one query against many rows: `scores[i] = query · rows[i]`.
    ///
    /// Shapes: `query` is `[dim]`, `rows` is `[n * dim]` row-major, `scores` is `[n]`.
    ///
    /// # Panics
    ///
    /// If the shapes do not agree.
    pub fn score_rows(&self, format: HalfFormat, query: &[f32], rows: &[u16], scores: &mut [f32]) {
        self.score_block(format, query.len(), query, rows, scores);
    }

    /// Scores many queries against many rows: `scores[q * n + i] = queries[q] · rows[i]`. The bits of a score depend
    /// only on its query and row.
    ///
    /// Shapes: `queries` is `[q * dim]`, `rows` is `[n * dim]`, `scores` is `[q * n]`, all row-major.
    ///
    /// # Panics
    ///
    /// If the shapes do not agree.
    pub fn score_block(
        &self,
        format: HalfFormat,
        dim: usize,
        queries: &[f32],
        rows: &[u16],
        scores: &mut [f32],
    ) {
        check_shapes("score_block", dim, queries, rows, scores);
        // SAFETY: `self` exists, so the CPU has the features that `self.dot` needs; the shapes agree.
        unsafe { (self.dot[format as usize])(dim, queries, rows, scores) }
    }

    /// Computes the squared distances of many queries to many rows: `distances[q * n + i] = |queries[q] − rows[i]|²`.
    ///
    /// The shapes are those of [`score_block`](Self::score_block).
    ///
    /// # Panics
    ///
    /// If the shapes do not agree.
    pub fn squared_l2_block(
        &self,
        format: HalfFormat,
        dim: usize,
        queries: &[f32],
        rows: &[u16],
        distances: &mut [f32],
    ) {
        check_shapes("squared_l2_block", dim, queries, rows, distances);
        // SAFETY: `self` exists, so the CPU has the features that `self.squared_l2` needs; the shapes agree.
        unsafe { (self.squared_l2[format as usize])(dim, queries, rows, distances) }
    }

    /// Converts 16-bit floats to `f32`. The conversion is exact; NaN becomes NaN.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    pub fn widen(&self, format: HalfFormat, halves: &[u16], values: &mut [f32]) {
        assert_eq!(halves.len(), values.len(), "widen: expected as many values as 16-bit floats");
        // SAFETY: `self` exists, so the CPU has the features that `self.widen` needs.
        unsafe { (self.widen[format as usize])(halves, values) }
    }

    /// Converts `f32` to the nearest 16-bit floats, rounding ties to even. Values that round beyond the largest finite
    /// number become infinite, and NaN becomes NaN.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    pub fn narrow(&self, format: HalfFormat, values: &[f32], halves: &mut [u16]) {
        assert_eq!(halves.len(), values.len(), "narrow: expected as many 16-bit floats as values");
        // SAFETY: `self` exists, so the CPU has the features that `self.narrow` needs.
        unsafe { (self.narrow[format as usize])(values, halves) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "score_block: expected rows of dimension 2, got 3 values")]
    fn rows_of_a_different_dimension_are_refused() {
        HalfKernels::detect().score_rows(HalfFormat::F16, &[1.0, 2.0], &[1, 2, 3], &mut [0.0]);
    }
}
