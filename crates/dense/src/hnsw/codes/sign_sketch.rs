//! Sign-bit sketches: one cache line per row, from which a search estimates the row's score and the error of the
//! estimate.
//!
//! Most rows that a search finds in adjacency lists are too far from the query to become hits. Their codes take several
//! cache lines each, a sketch only one. A search reads sketches first, and then the codes of only those rows that may
//! be near enough.
//!
//! **Layout** of the line of a row. Below dimension 384, the bits that are left over are zeros (`·`):
//!
//! ```text
//! byte  0                                     48       52      56     60
//!       | sign bits of the first 384 numbers · | factor | error | bias | scale |
//! ```
//!
//! A bit is set if the rotated number is not negative. `factor` and `error` are derived below. `bias` and `scale` are
//! copies of the row's bias and scale (see [`Codes`](super::Codes)), so that scoring the codes reads no other cache
//! line for them.
//!
//! **Estimate** (Gao and Long, "RaBitQ", 2024, section 3.2). Let `q` and `x` be a rotated query and a rotated row of
//! dimension `d`, and `v` the signs of `x`: ±1 in the first `S = min(d, 384)` dimensions, 0 in the others. Split `v`
//! into a part along `x` and a part `w` perpendicular to `x`:
//!
//! ```text
//! v = (⟨x, v⟩ / |x|²) · x + w        so        ⟨q, v⟩ · |x|² / ⟨x, v⟩ = ⟨q, x⟩ + ⟨q, w⟩ · |x|² / ⟨x, v⟩
//! ```
//!
//! The left side is the estimate, with `factor = |x|² / ⟨x, v⟩`. Its error is the last term. With `θ` the angle between
//! `x` and `v`, `|w| = |v|·sin θ` and `⟨x, v⟩ = |x|·|v|·cos θ`, so that the error is `⟨q, w/|w|⟩ · |x| · tan θ`. After
//! a random rotation, the product of `q` and a unit vector has a standard deviation of at most `|q| / √d`. The error
//! therefore has a standard deviation of at most
//!
//! ```text
//! |q| · error        with        error = |x| · tan θ / √d,   tan² θ = |x|² · S / ⟨x, v⟩² − 1
//! ```
//!
//! A [`Threshold`] sets how many standard deviations are added to an estimate.

use std::sync::Arc;

use kernels::signs::{SignKernels, SignQuery, WORD_DIM};
use kernels::{ByteRows, Line};
use storage::{File, Writer};

use crate::Error;
use crate::hnsw::options::Layout;
use crate::store::columns::copy_on_write::CowLines;
use crate::store::columns::reserve::reserve;

/// Rows of a lower dimension have no sketches: their codes take only one cache line, so there is nothing to save.
const MIN_DIM: usize = 129;
/// The bytes after the signs: factor, error, bias and scale, each an `f32`.
const NUMBER_BYTES: usize = 4 * size_of::<f32>();
/// The number of signs for which one line has space. Reading a second line would cost more than its signs could save.
const MAX_SIGNS: usize = (size_of::<Line>() - NUMBER_BYTES) * 8;

const _: () = assert!(MAX_SIGNS.is_multiple_of(WORD_DIM));

/// A beam search discards a row if its estimate plus this many standard deviations is below the threshold. 1.0 keeps
/// nearly all rows whose score reaches the threshold, and few others. `cargo bench -p dense --bench hnsw -- search`
/// measures the search time, `npm run bench -- qps sentences-50k` also the recall.
pub(crate) const SKETCH_DEVIATIONS: f32 = 1.0;

/// The sketches of all rows.
#[derive(Debug)]
pub(super) struct SignSketches {
    num_signs: usize,
    lines: CowLines,
}

/// The properties of a row that its sketch needs besides the signs.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowSummary {
    pub squared_length: f64,
    /// Added to the score of the row.
    pub bias: f32,
    /// The quantization scale of the row's codes.
    pub scale: f32,
}

impl SignSketches {
    /// Returns an empty list of sketches; `None` if rows of this dimension or layout have no sketches.
    pub fn new(dim: usize, layout: Layout) -> Option<Self> {
        Self::with_lines(dim, layout, CowLines::new())
    }

    fn with_lines(dim: usize, layout: Layout, lines: CowLines) -> Option<Self> {
        let has_sketches = dim >= MIN_DIM && layout == Layout::Fast;
        has_sketches.then(|| Self { num_signs: dim.min(MAX_SIGNS), lines })
    }

    /// Copies mapped sketches to memory, where they can be changed, and reserves space for `additional` rows.
    pub fn reserve(&mut self, additional: usize) {
        reserve(self.lines.to_mut(), additional);
    }

    /// Appends the sketch of a rotated row.
    pub fn push(&mut self, rotated: &[f32], row: RowSummary) {
        let lines = self.lines.to_mut();
        let start = lines.len();
        lines.push(Line::ZERO);
        let bytes = Line::bytes_mut(&mut lines[start..]);
        // ⟨x, v⟩ = Σ |xᵢ|
        let mut product = 0.0;
        for (byte, values) in bytes.iter_mut().zip(rotated[..self.num_signs].chunks(8)) {
            for (at, value) in values.iter().enumerate() {
                *byte |= u8::from(*value >= 0.0) << at;
                product += f64::from(value.abs());
            }
        }
        let (mut factor, mut error) = (0.0, 0.0);
        if product > 0.0 {
            let squared = row.squared_length;
            factor = squared / product;
            let tangent = (squared * self.num_signs as f64 / (product * product) - 1.0).max(0.0).sqrt();
            error = squared.sqrt() * tangent / (rotated.len() as f64).sqrt();
        }
        let numbers = [factor as f32, error as f32, row.bias, row.scale];
        let end = bytes.len() - NUMBER_BYTES;
        bytes[end..].copy_from_slice(bytemuck::cast_slice(&numbers));
    }

    pub fn truncate(&mut self, num_rows: usize) {
        self.lines.to_mut().truncate(num_rows);
    }

    pub fn view(&self) -> SignSketchView<'_> {
        SignSketchView {
            kernels: SignKernels::detect(),
            num_signs: self.num_signs,
            rows: ByteRows::new(self.lines.bytes(), size_of::<Line>()),
        }
    }

    /// Opens the section of a file, without copying it to memory. Returns `None` if rows of this dimension or layout
    /// have no sketches.
    pub fn open(
        file: &Arc<File>,
        dim: usize,
        num_rows: usize,
        layout: Layout,
    ) -> Result<Option<Self>, Error> {
        if Self::new(dim, layout).is_none() {
            return Ok(None);
        }
        let Some(opened) = Self::with_lines(dim, layout, CowLines::open(file, "signs")?) else {
            return Ok(None);
        };
        let (expected, got) = (num_rows.checked_mul(size_of::<Line>()), opened.lines.bytes().len());
        if expected != Some(got) {
            let (expected, got) = (format!("signs of {num_rows} rows"), format!("{got} bytes"));
            return Err(storage::Error::corrupt(file.path(), expected, got).into());
        }
        Ok(Some(opened))
    }

    pub fn write(&self, writer: &mut Writer) -> Result<(), Error> {
        self.lines.write(writer, "signs")
    }

    /// Returns the number of bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.lines.memory_bytes()
    }
}

/// A read-only view of [`SignSketches`], for one search.
#[derive(Debug, Clone, Copy)]
pub(super) struct SignSketchView<'a> {
    kernels: &'static SignKernels,
    num_signs: usize,
    rows: ByteRows<'a>,
}

/// The score that a row must reach to be kept, and the allowance for the error of its sketch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Threshold {
    pub min_score: f32,
    /// A row passes if its estimate plus this many standard deviations reaches `min_score`.
    pub deviations: f32,
}

/// The parts of a quantized query that sketches need.
#[derive(Debug, Clone, Copy)]
pub(super) struct SketchQuery<'a> {
    pub signs: &'a SignQuery,
    /// The quantization scale of the query.
    pub scale: f32,
    /// |q|
    pub length: f32,
}

/// The numbers that a row's line has after the signs.
#[derive(Debug, Clone, Copy)]
pub(super) struct SketchNumbers {
    factor: f32,
    error: f32,
    pub bias: f32,
    pub scale: f32,
}

impl SignSketchView<'_> {
    /// Prepares the values of a rotated query, quantized to bytes, for sums over the sign bits of rows.
    pub fn query(&self, bytes: &[i8]) -> SignQuery {
        SignQuery::new(&bytes[..self.num_signs])
    }

    /// Removes the rows that, by their sketches, do not reach the threshold. `addend(row)` is added to the estimate of
    /// a row. `sums` is a scratch buffer.
    pub fn prune(
        &self,
        query: SketchQuery<'_>,
        rows: &mut Vec<u32>,
        threshold: Threshold,
        sums: &mut Vec<i32>,
        addend: impl Fn(u32) -> f32,
    ) {
        sums.clear();
        sums.resize(rows.len(), 0);
        // Sums the query's values at the set bits of a row. ⟨q, v⟩ is twice this sum minus the sum of all values.
        self.kernels.sums_of(query.signs, self.rows, rows, sums);
        let (total, deviation) = (query.signs.sum(), threshold.deviations * query.length);
        let mut kept = 0;
        for at in 0..rows.len() {
            let row = rows[at];
            let SketchNumbers { factor, error, bias, .. } = self.numbers(row);
            let estimate = (2 * sums[at] - total) as f32 * query.scale * factor + bias;
            // This has no branch, because a branch would be mispredicted often: about four in five rows are discarded.
            rows[kept] = row;
            kept += usize::from(estimate + deviation * error + addend(row) >= threshold.min_score);
        }
        rows.truncate(kept);
    }

    #[inline]
    pub fn numbers(&self, row: u32) -> SketchNumbers {
        let (_, numbers) = self.rows.row(row).split_last_chunk::<NUMBER_BYTES>().expect("a line");
        let (numbers, _) = numbers.as_chunks::<4>();
        let number = |at: usize| f32::from_le_bytes(numbers[at]);
        SketchNumbers { factor: number(0), error: number(1), bias: number(2), scale: number(3) }
    }

    #[inline]
    pub fn prefetch(&self, row: u32) {
        kernels::prefetch(self.rows.row(row));
    }
}

#[cfg(test)]
mod tests {
    use super::super::query::quantize;
    use super::super::rotation::Rotation;
    use super::*;
    use crate::similarity::squared_length;

    const DEVIATIONS: f32 = 1.0;

    #[test]
    fn errors_of_estimates_have_the_stored_standard_deviation() {
        let mut state = 1u64;
        let mut random_value = || {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        };
        // With 384 and 200 dimensions, every number has a sign; with 200, the last word of signs is not full. With 512
        // and 1024, only the first 384 numbers have signs.
        for dim in [384, 200, 512, 1024] {
            let (rotation, mut sketches) =
                (Rotation::new(dim), SignSketches::new(dim, Layout::Fast).expect("a high dimension"));
            let query: Vec<f32> = (0..dim).map(|_| random_value()).collect();
            let mut rotated = query.clone();
            rotation.apply(&mut rotated);
            let mut bytes = Vec::new();
            let scale = quantize(&rotated, &mut bytes);
            let length = squared_length(&query).sqrt() as f32;
            let mut products = Vec::new();
            for row in 0u8..200 {
                // From rows unrelated to the query to rows that are similar to it.
                let correlation = f32::from(row) / 200.0;
                let mut vector: Vec<f32> =
                    query.iter().map(|value| 3.0 * (correlation * value + random_value())).collect();
                products.push(vector.iter().zip(&query).map(|(x, q)| x * q).sum::<f32>());
                rotation.apply(&mut vector);
                let squared_length = squared_length(&vector);
                sketches.push(&vector, RowSummary { squared_length, bias: 100.0, scale: 3.0 });
            }
            let view = sketches.view();
            let signs = view.query(&bytes);
            let query = SketchQuery { signs: &signs, scale, length };
            let (mut squares, mut sums) = (0.0, Vec::new());
            for (row, product) in (0u32..).zip(products) {
                let SketchNumbers { error, bias, scale, .. } = view.numbers(row);
                assert_eq!((bias, scale), (100.0, 3.0));
                // Finds, by bisection, the highest threshold that the row passes: its estimate plus the bias (100), the
                // addend (50) and one standard deviation. The first interval extends at least 60·|q| to both sides of
                // the exact score, so it contains any plausible estimate.
                let (mut low, mut high) = (product - 60.0 * length, product + 200.0 + 60.0 * length);
                for _ in 0..50 {
                    let min_score = low.midpoint(high);
                    let mut rows = vec![row];
                    let threshold = Threshold { min_score, deviations: DEVIATIONS };
                    view.prune(query, &mut rows, threshold, &mut sums, |_| 50.0);
                    *(if rows.is_empty() { &mut high } else { &mut low }) = min_score;
                }
                let deviation = DEVIATIONS * length * error;
                squares += ((low - 150.0 - deviation - product) / deviation).powi(2);
            }
            let root_mean_square = (squares / 200.0).sqrt();
            assert!((0.8..1.2).contains(&root_mean_square), "dimension {dim}: {root_mean_square} deviations");
        }
    }

    #[test]
    fn the_estimate_of_a_row_of_zeros_is_zero() {
        let mut sketches = SignSketches::new(300, Layout::Fast).expect("a high dimension");
        sketches.push(&[0.0; 300], RowSummary { squared_length: 0.0, bias: 0.0, scale: 0.0 });
        let view = sketches.view();
        let signs = view.query(&[1; 300]);
        let query = SketchQuery { signs: &signs, scale: 1.0, length: 300f32.sqrt() };
        for (min_score, expected) in [(0.0, 1), (1e-6, 0)] {
            let mut rows = vec![0];
            let threshold = Threshold { min_score, deviations: 1.0 };
            view.prune(query, &mut rows, threshold, &mut Vec::new(), |_| 0.0);
            assert_eq!(rows.len(), expected);
        }
    }
}
