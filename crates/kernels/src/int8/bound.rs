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

/// Defines `reaching` for an instruction set.
///
/// `(products, fine, rows, bound, least)`: of up to [`BOUND_ROWS`] rows a bit for each whose bound is not below `least`.
macro_rules! define_reaching {
    ($($feature:meta)?) => {
        $(#[$feature])?
        fn reaching(
            products: &[i32],
            fine: Option<&[i32]>,
            rows: $crate::int8::Int8RowBounds<'_>,
            bound: &$crate::int8::Int8Bound,
            least: f32,
        ) -> u64 {
            match fine {
                Some(fine) => masked::<true>(products, fine, rows, bound, least),
                None => masked::<false>(products, &[], rows, bound, least),
            }
        }

        $(#[$feature])?
        #[inline]
        fn masked<const FINE: bool>(
            products: &[i32],
            fine: &[i32],
            rows: $crate::int8::Int8RowBounds<'_>,
            bound: &$crate::int8::Int8Bound,
            least: f32,
        ) -> u64 {
            const CHUNK: usize = 16;
            let mut mask = 0;
            let mut start = 0;
            while start < products.len() {
                let size = CHUNK.min(products.len() - start);
                let mut uppers = [f32::NEG_INFINITY; CHUNK];
                if let (Some(products), Some(scales), Some(errors), Some(lengths)) = (
                    products[start..].first_chunk::<CHUNK>(),
                    rows.scales[start..].first_chunk::<CHUNK>(),
                    rows.errors[start..].first_chunk::<CHUNK>(),
                    rows.lengths[start..].first_chunk::<CHUNK>(),
                ) {
                    let lower: &[i32; CHUNK] =
                        if FINE { fine[start..].first_chunk().expect("as many as products") } else { &[0; CHUNK] };
                    for i in 0..CHUNK {
                        let lower = FINE.then_some(lower[i]);
                        uppers[i] = bound.of(products[i], lower, scales[i], errors[i], lengths[i]);
                    }
                } else {
                    for i in 0..size {
                        let at = start + i;
                        let lower = FINE.then(|| fine[at]);
                        let (scale, error, length) = (rows.scales[at], rows.errors[at], rows.lengths[at]);
                        uppers[i] = bound.of(products[at], lower, scale, error, length);
                    }
                }
                let mut any = false;
                for upper in &uppers {
                    any |= *upper >= least;
                }
                // NaN, which only numbers that are not finite make, is not told apart from what is below.
                if any {
                    for (i, &upper) in uppers.iter().enumerate().take(size) {
                        mask |= u64::from(upper >= least) << (start + i);
                    }
                }
                start += CHUNK;
            }
            mask
        }
    };
}
