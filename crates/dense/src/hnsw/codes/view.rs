//! Quantizes queries for [`Codes`](super::Codes), and scores rows by their codes.

use std::ops::Range;
use std::slice::from_ref;

use kernels::ByteRows;
use kernels::int4::{Int4Kernels, Int4Query, unpack};
use kernels::int8::{BOUND_ROWS, Int8Bound, Int8Kernels, Int8Queries, Int8RowBounds, Int8Rows};

use super::query::{QuantizedQuery, QueryValues, quantize, reduce_to_small_groups};
use super::rotation::Rotation;
use super::sign_sketch::{SignSketchView, SketchQuery, Threshold};
use crate::similarity::squared_length;

/// A read-only view of [`Codes`](super::Codes), for one search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CodesView<'a> {
    pub(super) dim: usize,
    pub(super) rotation: &'a Rotation,
    pub(super) rows: PackedRows<'a>,
    pub(super) scales: &'a [f32],
    /// Empty except for [`Similarity::L2`](crate::Similarity::L2).
    pub(super) biases: &'a [f32],
    pub(super) sketches: Option<SignSketchView<'a>>,
}

/// The codes of all rows, and the kernels that multiply queries with them.
#[derive(Debug, Clone, Copy)]
pub(super) enum PackedRows<'a> {
    FourBit(&'static Int4Kernels, ByteRows<'a>),
    EightBit(&'static Int8Kernels, Int8Rows<'a>),
}

impl<'a> CodesView<'a> {
    /// Quantizes a vector x as a query. The score of a row y is then about x·y or, for
    /// [`Similarity::L2`](crate::Similarity::L2), about x·y − |y|²/2.
    pub fn query(&self, vector: &[f32]) -> QuantizedQuery {
        let mut rotated = vector.to_vec();
        self.rotation.apply(&mut rotated);
        let mut bytes = Vec::with_capacity(self.dim);
        let scale = quantize(&rotated, &mut bytes);
        let length = squared_length(vector).sqrt() as f32;
        let is_biased = !self.biases.is_empty();
        let signs = self.sketches.map(|sketches| sketches.query(&bytes));
        let (values, scale) = match self.rows {
            PackedRows::FourBit(..) => (QueryValues::FourBit(Int4Query::new(&bytes)), scale / 2.0),
            PackedRows::EightBit(..) => (QueryValues::EightBit(Int8Queries::new(self.dim, bytes)), scale),
        };
        QuantizedQuery { values, signs, scale, offset: 0.0, is_biased, length, augmented: 0.0 }
    }

    /// Makes a query from a row's codes.
    pub fn query_from_codes(&self, row: u32) -> QuantizedQuery {
        let values = match self.rows {
            PackedRows::FourBit(..) => QueryValues::FourBit(Int4Query::new(&vec![0; self.dim])),
            PackedRows::EightBit(..) => QueryValues::EightBit(Int8Queries::new(self.dim, vec![0; self.dim])),
        };
        let is_biased = !self.biases.is_empty();
        let mut query = QuantizedQuery {
            values,
            signs: None,
            scale: 0.0,
            offset: 0.0,
            is_biased,
            length: 0.0,
            augmented: 0.0,
        };
        self.set_query_to_codes(&mut query, row);
        query
    }

    /// Overwrites a query made by [`query_from_codes`](Self::query_from_codes) with the codes of another row.
    pub fn set_query_to_codes(&self, query: &mut QuantizedQuery, row: u32) {
        let scale = self.scale(row);
        query.offset = self.biases.get(row as usize).copied().unwrap_or(0.0);
        match (&mut query.values, self.rows) {
            (QueryValues::FourBit(values), PackedRows::FourBit(_, rows)) => {
                values.set_to_row(rows.row(row), self.dim);
                query.scale = scale / 4.0;
            }
            (QueryValues::EightBit(values), PackedRows::EightBit(_, rows)) => {
                let row = rows.row(row as usize).iter().map(|&code| (code ^ 0x80).cast_signed());
                *values = Int8Queries::new(self.dim, row.collect());
                query.scale = scale;
            }
            _ => unreachable!("a query has the layout of the codes that made it"),
        }
    }

    /// Scores rows by their codes and writes the results to `scores`: higher is nearer, and no score is NaN. `products`
    /// is a scratch buffer.
    pub fn score(
        &self,
        query: &QuantizedQuery,
        rows: &[u32],
        products: &mut Vec<i32>,
        scores: &mut Vec<f32>,
    ) {
        products.clear();
        products.resize(rows.len(), 0);
        scores.clear();
        match (&query.values, self.rows) {
            (QueryValues::FourBit(values), PackedRows::FourBit(kernels, codes)) => {
                kernels.products_of(values, codes, rows, products);
                // 2 · Σ qᵢ·(ℓᵢ − 7.5), an integer.
                let middle = 15 * values.sum();
                products.iter_mut().for_each(|product| *product = 2 * *product - middle);
            }
            (QueryValues::EightBit(values), PackedRows::EightBit(kernels, codes)) => {
                kernels.products_of(values, codes, rows, products)
            }
            _ => unreachable!("a query has the layout of the codes that made it"),
        }
        // `max` turns NaN, which only a corrupt file can cause, into −∞.
        let score = |product: i32, bias: f32, scale: f32| {
            (query.offset + (product as f32 * query.scale) * scale + bias).max(f32::NEG_INFINITY)
        };
        let pairs = rows.iter().zip(products.iter());
        match self.sketches {
            Some(sketches) => scores.extend(pairs.map(|(&row, &product)| {
                let numbers = sketches.numbers(row);
                score(product, numbers.bias, numbers.scale)
            })),
            None => scores.extend(pairs.map(|(&row, &product)| {
                let bias = if query.is_biased { self.biases[row as usize] } else { 0.0 };
                score(product, bias, self.scales[row as usize])
            })),
        }
    }

    /// Returns the values of all queries as bytes, for products with a [`byte_block`](Self::byte_block), and for each
    /// query the coefficients with which [`Int8Bound::of`] computes scores from these products. The formula of a bound
    /// is used because it includes that of a score, `scale · product · (row's scale) + (row's bias) + constant`; the
    /// coefficients of the other terms are 0. Augmented coordinates are not included: they are 0 for all queries made
    /// from vectors.
    ///
    /// If `have_small_groups`, queries of four-bit codes get [small groups](kernels::int8::MAX_GROUP_SUM). They lose up
    /// to two bits of precision, but keep more than the codes have. Queries of eight-bit codes stay as they are,
    /// because they are no more precise than the codes.
    ///
    /// # Panics
    ///
    /// If there are no queries.
    pub fn byte_queries<'t>(
        &self,
        queries: impl Iterator<Item = &'t QuantizedQuery>,
        have_small_groups: bool,
    ) -> (Int8Queries, Vec<Int8Bound>) {
        let mut bytes = Vec::new();
        let formulas = queries.map(|query| {
            let first = bytes.len();
            let mut scale = query.scale;
            match &query.values {
                QueryValues::FourBit(values) => {
                    bytes.extend_from_slice(&values.values()[..self.dim]);
                    if have_small_groups {
                        scale *= reduce_to_small_groups(&mut bytes[first..]);
                    }
                }
                QueryValues::EightBit(values) => bytes.extend_from_slice(values.query(0)),
            }
            let per_addend = if query.is_biased { 1.0 } else { 0.0 };
            Int8Bound { scale, per_addend, per_length: 0.0, per_square: 0.0, constant: query.offset }
        });
        let formulas = formulas.collect();
        (Int8Queries::new(self.dim, bytes), formulas)
    }

    /// Returns the codes of up to [`BOUND_ROWS`] consecutive rows as one byte per number, with the scales and biases of
    /// the rows, for the formulas of [`byte_queries`](Self::byte_queries). `bytes` is a buffer that may hold the
    /// returned codes.
    pub fn byte_block<'b>(
        &'b self,
        rows: Range<u32>,
        bytes: &'b mut Vec<u8>,
    ) -> (Int8Rows<'b>, Int8RowBounds<'b>) {
        const ZEROS: [f32; BOUND_ROWS] = [0.0; BOUND_ROWS];
        let range = rows.start as usize..rows.end as usize;
        let zeros = &ZEROS[..rows.len()];
        let biases = if self.biases.is_empty() { zeros } else { &self.biases[range.clone()] };
        // Scores do not depend on lengths.
        let scales_and_biases =
            Int8RowBounds { scales: &self.scales[range.clone()], addends: biases, lengths: zeros };
        let codes = match self.rows {
            PackedRows::FourBit(_, codes) => {
                bytes.resize(rows.len() * self.dim, 0);
                for (row, bytes) in rows.zip(bytes.chunks_exact_mut(self.dim)) {
                    unpack(codes.row(row), bytes);
                    // 2 · (ℓ − 7.5), plus 128 as in all bytes of `Int8Rows`.
                    bytes.iter_mut().for_each(|byte| *byte = 2 * *byte + (128 - 15));
                }
                Int8Rows::new(bytes, self.dim, self.dim)
            }
            PackedRows::EightBit(_, codes) => codes.part(range),
        };
        (codes, scales_and_biases)
    }

    /// Removes the rows that, by their sketches, are unlikely to reach the threshold. Without sketches, keeps all rows.
    /// `addend(row)` is added to the estimate of a row. `sums` is a scratch buffer.
    pub fn prune(
        &self,
        query: &QuantizedQuery,
        rows: &mut Vec<u32>,
        threshold: Threshold,
        sums: &mut Vec<i32>,
        addend: impl Fn(u32) -> f32,
    ) {
        if let (Some(sketches), Some(signs)) = (self.sketches, &query.signs) {
            // Rows with sketches have four-bit codes, for which the query's scale is halved.
            let query = SketchQuery { signs, scale: query.scale * 2.0, length: query.length };
            sketches.prune(query, rows, threshold, sums, addend);
        }
    }

    /// Prefetches the sketch of a row. Returns false if rows have no sketches.
    #[inline]
    pub fn prefetch_sketch(&self, row: u32) -> bool {
        self.sketches.inspect(|sketches| sketches.prefetch(row)).is_some()
    }

    /// Returns the standard deviation of the error of [`score`](Self::score), for a query made from a vector.
    ///
    /// The rounding error of a number is uniformly distributed over a quantization step `s`, so it has a variance of
    /// `s²/12`. If the errors are independent, the error of `⟨q, x̂⟩` has a standard deviation of `|q|·s/√12`.
    #[inline]
    pub fn score_deviation(&self, query: &QuantizedQuery, row: u32) -> f32 {
        const INVERSE_SQRT_12: f32 = 0.288_675_13;
        let step = match self.rows {
            PackedRows::FourBit(..) => self.scale(row),
            // The query also has 8 bits per number, and its rounding adds about as much error as that of the row.
            // Compared with the error of 4-bit codes, that of the query is negligible.
            PackedRows::EightBit(..) => 2.0 * self.scale(row),
        };
        query.length * step * INVERSE_SQRT_12
    }

    /// Returns whether two rows have the same codes, as all rows with equal vectors do.
    pub fn are_equal(&self, a: u32, b: u32) -> bool {
        self.scale(a).to_bits() == self.scale(b).to_bits() && self.row(a) == self.row(b)
    }

    /// Prefetches the codes of a row, with its scale and bias.
    #[inline]
    pub fn prefetch(&self, row: u32) {
        kernels::prefetch(self.row(row));
        if let Some(sketches) = self.sketches {
            sketches.prefetch(row);
            return;
        }
        kernels::prefetch(from_ref(&self.scales[row as usize]));
        if let Some(bias) = self.biases.get(row as usize) {
            kernels::prefetch(from_ref(bias));
        }
    }

    /// Returns the quantization scale of a row.
    #[inline]
    fn scale(&self, row: u32) -> f32 {
        self.sketches.map_or_else(|| self.scales[row as usize], |sketches| sketches.numbers(row).scale)
    }

    #[inline]
    fn row(&self, row: u32) -> &'a [u8] {
        match self.rows {
            PackedRows::FourBit(_, rows) => rows.row(row),
            PackedRows::EightBit(_, rows) => rows.row(row as usize),
        }
    }
}
