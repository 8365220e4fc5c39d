/// Rows whose products are bounded at once.
pub const BOUND_ROWS: usize = 64;

/// Three numbers of each row, as the caller defines them for [`Int8Bound`].
#[derive(Debug, Clone, Copy)]
pub struct Int8RowBounds<'a> {
    /// What one step of the row's codes is worth.
    pub scales: &'a [f32],
    /// How far the codes are from the row.
    pub errors: &'a [f32],
    /// How long the row is.
    pub lengths: &'a [f32],
}

/// What a query makes of a product `p` and a row's numbers: with a scale `s`, an error `e` and a length `l`
/// `scale · p · s + (per_error · e + l · (per_length + per_square · l) + constant)`.
#[derive(Debug, Clone, Copy)]
pub struct Int8Bound {
    /// What one step of the query's codes is worth.
    pub scale: f32,
    /// For each unit of a row's error.
    pub per_error: f32,
    /// For each unit of a row's length.
    pub per_length: f32,
    /// For each unit of a row's length squared.
    pub per_square: f32,
    /// For every row.
    pub constant: f32,
}

impl Int8Bound {
    /// The bound of one row in single precision; every operation rounds once, and any may be fused with the next.
    /// `fine` is the product with the lower part of a query of 16 bits, of which `product` is that with the upper part.
    #[inline]
    #[must_use]
    pub fn of(&self, product: i32, fine: Option<i32>, scale: f32, error: f32, length: f32) -> f32 {
        let product = match fine {
            Some(fine) => product as f32 * 256.0 + fine as f32,
            None => product as f32,
        };
        (self.scale * product) * scale
            + (self.per_error * error + length * (self.per_length + self.per_square * length) + self.constant)
    }
}

/// Of up to [`BOUND_ROWS`] rows a bit for each whose bound is not below `least`, as every CPU can find it.
pub(super) fn reaching(
    products: &[i32],
    fine: Option<&[i32]>,
    rows: Int8RowBounds<'_>,
    bound: &Int8Bound,
    least: f32,
) -> u64 {
    let mut mask = 0;
    for (at, &product) in products.iter().enumerate() {
        let (scale, error, length) = (rows.scales[at], rows.errors[at], rows.lengths[at]);
        mask |= u64::from(bound.of(product, fine.map(|fine| fine[at]), scale, error, length) >= least) << at;
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

    use super::{Int8Bound, Int8RowBounds};

    const WIDTH: usize = 16;

    /// As that of every CPU.
    #[target_feature(enable = "avx512f")]
    pub(in crate::int8) fn reaching(
        products: &[i32],
        fine: Option<&[i32]>,
        rows: Int8RowBounds<'_>,
        bound: &Int8Bound,
        least: f32,
    ) -> u64 {
        let [scale, per_error, per_length] =
            [bound.scale, bound.per_error, bound.per_length].map(|value| _mm512_set1_ps(value));
        let [per_square, constant, least] =
            [bound.per_square, bound.constant, least].map(|value| _mm512_set1_ps(value));
        let mut reaching = 0;
        for start in (0..products.len()).step_by(WIDTH) {
            let mut product = _mm512_cvtepi32_ps(integers(&products[start..]));
            if let Some(fine) = fine {
                let fine = _mm512_cvtepi32_ps(integers(&fine[start..]));
                product = _mm512_fmadd_ps(product, _mm512_set1_ps(256.0), fine);
            }
            let near = _mm512_mul_ps(_mm512_mul_ps(scale, product), floats(&rows.scales[start..]));
            let length = floats(&rows.lengths[start..]);
            let by_length = _mm512_fmadd_ps(per_square, length, per_length);
            let apart = _mm512_fmadd_ps(length, by_length, constant);
            let apart = _mm512_fmadd_ps(per_error, floats(&rows.errors[start..]), apart);
            let present = mask(products.len() - start);
            let reaches = _mm512_mask_cmp_ps_mask::<_CMP_GE_OQ>(present, _mm512_add_ps(near, apart), least);
            reaching |= u64::from(reaches) << start;
        }
        reaching
    }

    /// Sixteen floats, zeros behind the last.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn floats(values: &[f32]) -> __m512 {
        // SAFETY: the mask has a bit for no lane beyond `values`, and lanes without a bit are not read.
        unsafe { _mm512_maskz_loadu_ps(mask(values.len()), values.as_ptr()) }
    }

    /// Sixteen integers, zeros behind the last.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn integers(values: &[i32]) -> __m512i {
        // SAFETY: the mask has a bit for no lane beyond `values`, and lanes without a bit are not read.
        unsafe { _mm512_maskz_loadu_epi32(mask(values.len()), values.as_ptr()) }
    }

    /// The lowest `length` of sixteen bits.
    #[inline]
    fn mask(length: usize) -> __mmask16 {
        if length < WIDTH { (1 << length) - 1 } else { __mmask16::MAX }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2 {
    use std::arch::x86_64::{
        __m256, __m256i, _CMP_GE_OQ, _mm256_add_ps, _mm256_cmp_ps, _mm256_cvtepi32_ps, _mm256_loadu_ps,
        _mm256_loadu_si256, _mm256_movemask_ps, _mm256_mul_ps, _mm256_set1_ps,
    };

    use super::{Int8Bound, Int8RowBounds};

    const WIDTH: usize = 8;

    /// As that of every CPU.
    #[target_feature(enable = "avx2")]
    pub(in crate::int8) fn reaching(
        products: &[i32],
        fine: Option<&[i32]>,
        rows: Int8RowBounds<'_>,
        bound: &Int8Bound,
        least: f32,
    ) -> u64 {
        let [scale, per_error, per_length] =
            [bound.scale, bound.per_error, bound.per_length].map(|value| _mm256_set1_ps(value));
        let [per_square, constant, smallest] =
            [bound.per_square, bound.constant, least].map(|value| _mm256_set1_ps(value));
        let mut reaching = 0;
        let mut start = 0;
        while products.len() - start >= WIDTH {
            let mut product = _mm256_cvtepi32_ps(integers(&products[start..]));
            if let Some(fine) = fine {
                let fine = _mm256_cvtepi32_ps(integers(&fine[start..]));
                product = _mm256_add_ps(_mm256_mul_ps(product, _mm256_set1_ps(256.0)), fine);
            }
            let near = _mm256_mul_ps(_mm256_mul_ps(scale, product), floats(&rows.scales[start..]));
            let length = floats(&rows.lengths[start..]);
            let by_length = _mm256_add_ps(_mm256_mul_ps(per_square, length), per_length);
            let apart = _mm256_add_ps(_mm256_mul_ps(length, by_length), constant);
            let apart = _mm256_add_ps(_mm256_mul_ps(per_error, floats(&rows.errors[start..])), apart);
            let reaches = _mm256_cmp_ps::<_CMP_GE_OQ>(_mm256_add_ps(near, apart), smallest);
            reaching |= u64::from(_mm256_movemask_ps(reaches).cast_unsigned()) << start;
            start += WIDTH;
        }
        if start == products.len() {
            return reaching;
        }
        let Int8RowBounds { scales, errors, lengths } = rows;
        let rest =
            Int8RowBounds { scales: &scales[start..], errors: &errors[start..], lengths: &lengths[start..] };
        let fine = fine.map(|fine| &fine[start..]);
        reaching | super::reaching(&products[start..], fine, rest, bound, least) << start
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn floats(values: &[f32]) -> __m256 {
        let values: &[f32; WIDTH] = values.first_chunk().expect("a whole chunk is left");
        // SAFETY: `values` is eight readable floats; the load asks for no alignment.
        unsafe { _mm256_loadu_ps(values.as_ptr()) }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn integers(values: &[i32]) -> __m256i {
        let values: &[i32; WIDTH] = values.first_chunk().expect("a whole chunk is left");
        // SAFETY: `values` is eight readable integers; the load asks for no alignment.
        unsafe { _mm256_loadu_si256(values.as_ptr().cast()) }
    }
}
