//! Upper or lower bounds on the scores of rows, from the integer products of their codes with a query.
//!
//! Rows and queries are quantized, so a score computed from their codes differs from the exact score, but by no more
//! than an error bound. Let p be the inner product of the codes of a row and a query. The row has a quantization scale
//! s, an addend a and a length l, and the query has the coefficients `scale`, `per_addend`, `per_length`, `per_square`
//! and `constant` ([`Int8Bound`]). The bound is:
//!
//! ```text
//! scale · p · s  +  per_addend · a  +  l · (per_length + per_square · l)  +  constant
//! └ approximate ┘   └────────────────────── error bound ────────────────────────┘
//! ```
//!
//! The crate `dense` uses this formula in two ways:
//!
//! - In exact search with the storage `int8Rescored`, a first pass rules out rows by these bounds, and a is the row's
//!   quantization error. `crates/dense/src/quantized/score_bounds.rs` chooses the coefficients and proves that exact
//!   scores are within the bounds. The proof assumes that each operation here rounds at most once, and that a
//!   multiplication may be fused with the next addition. Products have magnitudes up to 128 · 128 · 65,536 = 2³⁰;
//!   converting them to `f32` is one of the operations that round.
//! - To score rows by the codes of an HNSW graph, a is a bias that belongs to the row's score, and `per_length` and
//!   `per_square` are 0.

/// Maximum number of rows whose bounds are compared in one call: one per bit of the returned mask.
pub const BOUND_ROWS: usize = 64;

/// The weight of the high parts of a query of 14-bit values; see [`Int8Bound::of`]. With a larger one, the low parts
/// would be larger, and would not have [small groups](super::MAX_GROUP_SUM).
pub const HIGH_FACTOR: f32 = 64.0;

/// For each row, the numbers that its bound depends on besides its codes; see [`Int8Bound`].
#[derive(Debug, Clone, Copy)]
pub struct Int8RowBounds<'a> {
    /// Quantization scales: a code c of a row stands for the number c · scale.
    pub scales: &'a [f32],
    /// Numbers that are multiplied by [`Int8Bound::per_addend`] and added: quantization errors (the distances between
    /// rows and the vectors that their codes stand for) or biases of scores.
    pub addends: &'a [f32],
    /// Lengths (L2 norms) of rows.
    pub lengths: &'a [f32],
}

/// A query's coefficients in the formula of the bound. For an inner product `p` of codes and a row with the scale `s`,
/// the addend `a` and the length `l`, the bound is
/// `scale · p · s + (per_addend · a + l · (per_length + per_square · l) + constant)`.
#[derive(Debug, Clone, Copy)]
pub struct Int8Bound {
    /// The query's quantization scale.
    pub scale: f32,
    /// Factor of the row's addend.
    pub per_addend: f32,
    /// Factor of the row's length.
    pub per_length: f32,
    /// Factor of the row's squared length.
    pub per_square: f32,
    /// The part that is the same for all rows.
    pub constant: f32,
}

impl Int8Bound {
    /// Computes the bound of one row. For a query of 8-bit values, `product` is the inner product of the codes, and
    /// `low_product` is `None`. A query of 14-bit values is split into high and low parts: `product` is the inner
    /// product with the high parts, whose weight is [`HIGH_FACTOR`], and `low_product` the one with the low parts.
    #[inline]
    #[must_use]
    pub fn of(&self, product: i32, low_product: Option<i32>, scale: f32, addend: f32, length: f32) -> f32 {
        let product = match low_product {
            Some(low_product) => product as f32 * HIGH_FACTOR + low_product as f32,
            None => product as f32,
        };
        (self.scale * product) * scale
            + (self.per_addend * addend
                + length * (self.per_length + self.per_square * length)
                + self.constant)
    }
}

/// Returns a mask of the rows whose bound is at or above `threshold`. Portable code for every CPU.
pub(super) fn at_least(
    products: &[i32],
    low_products: Option<&[i32]>,
    rows: Int8RowBounds<'_>,
    bound: &Int8Bound,
    threshold: f32,
) -> u64 {
    let mut mask = 0;
    for (at, &product) in products.iter().enumerate() {
        let (scale, addend, length) = (rows.scales[at], rows.addends[at], rows.lengths[at]);
        let low_product = low_products.map(|low| low[at]);
        mask |= u64::from(bound.of(product, low_product, scale, addend, length) >= threshold) << at;
    }
    mask
}

#[cfg(target_arch = "x86_64")]
pub(super) mod avx512 {
    use std::arch::x86_64::{
        __m512, __m512i, __mmask16, _CMP_GE_OQ, _mm512_add_ps, _mm512_cvtepi32_ps, _mm512_fmadd_ps,
        _mm512_mask_cmp_ps_mask, _mm512_maskz_loadu_epi32, _mm512_maskz_loadu_ps, _mm512_mul_ps,
        _mm512_set1_ps,
    };

    use super::{HIGH_FACTOR, Int8Bound, Int8RowBounds};

    const WIDTH: usize = 16;

    /// Does the same as [`super::at_least`], but fuses multiplications with additions, so bounds may round differently.
    #[target_feature(enable = "avx512f")]
    pub(in crate::int8) fn at_least(
        products: &[i32],
        low_products: Option<&[i32]>,
        rows: Int8RowBounds<'_>,
        bound: &Int8Bound,
        threshold: f32,
    ) -> u64 {
        let [scale, per_addend, per_length] =
            [bound.scale, bound.per_addend, bound.per_length].map(|value| _mm512_set1_ps(value));
        let [per_square, constant, threshold] =
            [bound.per_square, bound.constant, threshold].map(|value| _mm512_set1_ps(value));
        let mut mask = 0;
        for start in (0..products.len()).step_by(WIDTH) {
            let mut product = _mm512_cvtepi32_ps(integers(&products[start..]));
            if let Some(low) = low_products {
                let low = _mm512_cvtepi32_ps(integers(&low[start..]));
                product = _mm512_fmadd_ps(product, _mm512_set1_ps(HIGH_FACTOR), low);
            }
            let approximate = _mm512_mul_ps(_mm512_mul_ps(scale, product), floats(&rows.scales[start..]));
            let length = floats(&rows.lengths[start..]);
            let length_factor = _mm512_fmadd_ps(per_square, length, per_length);
            let error_bound = _mm512_fmadd_ps(length, length_factor, constant);
            let error_bound = _mm512_fmadd_ps(per_addend, floats(&rows.addends[start..]), error_bound);
            let present = lowest_bits(products.len() - start);
            let bound = _mm512_add_ps(approximate, error_bound);
            mask |= u64::from(_mm512_mask_cmp_ps_mask::<_CMP_GE_OQ>(present, bound, threshold)) << start;
        }
        mask
    }

    /// Loads the first sixteen values. If there are fewer, the other lanes are zeros.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn floats(values: &[f32]) -> __m512 {
        // SAFETY: the mask selects only lanes within `values`, and other lanes are not read.
        unsafe { _mm512_maskz_loadu_ps(lowest_bits(values.len()), values.as_ptr()) }
    }

    /// Loads the first sixteen values. If there are fewer, the other lanes are zeros.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn integers(values: &[i32]) -> __m512i {
        // SAFETY: the mask selects only lanes within `values`, and other lanes are not read.
        unsafe { _mm512_maskz_loadu_epi32(lowest_bits(values.len()), values.as_ptr()) }
    }

    /// Returns a mask of the lowest `length` bits.
    #[inline]
    fn lowest_bits(length: usize) -> __mmask16 {
        if length < WIDTH { (1 << length) - 1 } else { __mmask16::MAX }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2 {
    use std::arch::x86_64::{
        __m256, __m256i, _CMP_GE_OQ, _mm256_add_ps, _mm256_cmp_ps, _mm256_cvtepi32_ps, _mm256_loadu_ps,
        _mm256_loadu_si256, _mm256_movemask_ps, _mm256_mul_ps, _mm256_set1_ps,
    };

    use super::{HIGH_FACTOR, Int8Bound, Int8RowBounds};

    const WIDTH: usize = 8;

    /// Does the same as [`super::at_least`].
    #[target_feature(enable = "avx2")]
    pub(in crate::int8) fn at_least(
        products: &[i32],
        low_products: Option<&[i32]>,
        rows: Int8RowBounds<'_>,
        bound: &Int8Bound,
        threshold: f32,
    ) -> u64 {
        let [scale, per_addend, per_length] =
            [bound.scale, bound.per_addend, bound.per_length].map(|value| _mm256_set1_ps(value));
        let [per_square, constant, thresholds] =
            [bound.per_square, bound.constant, threshold].map(|value| _mm256_set1_ps(value));
        let mut mask = 0;
        let mut start = 0;
        while products.len() - start >= WIDTH {
            let mut product = _mm256_cvtepi32_ps(integers(&products[start..]));
            if let Some(low) = low_products {
                let low = _mm256_cvtepi32_ps(integers(&low[start..]));
                product = _mm256_add_ps(_mm256_mul_ps(product, _mm256_set1_ps(HIGH_FACTOR)), low);
            }
            let approximate = _mm256_mul_ps(_mm256_mul_ps(scale, product), floats(&rows.scales[start..]));
            let length = floats(&rows.lengths[start..]);
            let length_factor = _mm256_add_ps(_mm256_mul_ps(per_square, length), per_length);
            let error_bound = _mm256_add_ps(_mm256_mul_ps(length, length_factor), constant);
            let error_bound =
                _mm256_add_ps(_mm256_mul_ps(per_addend, floats(&rows.addends[start..])), error_bound);
            let is_at_least =
                _mm256_cmp_ps::<_CMP_GE_OQ>(_mm256_add_ps(approximate, error_bound), thresholds);
            mask |= u64::from(_mm256_movemask_ps(is_at_least).cast_unsigned()) << start;
            start += WIDTH;
        }
        if start == products.len() {
            return mask;
        }
        let Int8RowBounds { scales, addends, lengths } = rows;
        let rest = Int8RowBounds {
            scales: &scales[start..],
            addends: &addends[start..],
            lengths: &lengths[start..],
        };
        let low_products = low_products.map(|low| &low[start..]);
        mask | super::at_least(&products[start..], low_products, rest, bound, threshold) << start
    }

    /// Loads the first eight values.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn floats(values: &[f32]) -> __m256 {
        let values: &[f32; WIDTH] = values.first_chunk().expect("at least eight values");
        // SAFETY: `values` is eight readable floats; the load needs no alignment.
        unsafe { _mm256_loadu_ps(values.as_ptr()) }
    }

    /// Loads the first eight values.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn integers(values: &[i32]) -> __m256i {
        let values: &[i32; WIDTH] = values.first_chunk().expect("at least eight values");
        // SAFETY: `values` is eight readable integers; the load needs no alignment.
        unsafe { _mm256_loadu_si256(values.as_ptr().cast()) }
    }
}
