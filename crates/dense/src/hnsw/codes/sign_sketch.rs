use std::sync::Arc;

use kernels::signs::{SignKernels, SignQuery, WORD_DIM};
use kernels::{ByteRows, Line};
use storage::{File, Writer};

use crate::Error;
use crate::hnsw::options::Layout;
use crate::store::columns::copy_on_write::Lines;
use crate::store::columns::reserve::reserve;

/// Vectors up to this dimension have codes of one or two lines: there is nothing to save.
const LEAST_DIM: usize = 129;
/// Numbers behind the signs of a row: its factor, its error, its bias and its scale.
const NUMBERS: usize = 4;
const NUMBER_BYTES: usize = 4 * NUMBERS;
/// The most signs of a row: walks wait for lines, and a second one is not worth what it tells.
const MOST_SIGNS: usize = (size_of::<Line>() - NUMBER_BYTES) * 8;

/// Standard deviations by which a row may be nearer than its signs have it: nearly all that are near are kept, and few others.
pub(crate) const ROUGH_DEVIATIONS: f32 = 1.0;

/// The signs of rotated rows, by which most rows that a walk sees are ruled out at the price of one line: with
/// `v` a row's signs, `⟨q, v⟩·|x|²/⟨x, v⟩` is near `⟨q, x⟩`, off by about `|q|·|x|·tan(x, v)/√dim` (Gao and Long, "RaBitQ",
/// 2024). Of high dimensions the first numbers have signs, the others count as zeros of `v`.
#[derive(Debug)]
pub(super) struct Rough {
    signs: usize,
    lines: Lines,
}

impl Rough {
    /// None where codes are short enough, and in a compact layout.
    pub fn new(dim: usize, layout: Layout) -> Option<Self> {
        Self::with(dim, layout, Lines::new())
    }

    fn with(dim: usize, layout: Layout, lines: Lines) -> Option<Self> {
        let room = dim >= LEAST_DIM && layout == Layout::Fast;
        room.then(|| Self { signs: dim.min(MOST_SIGNS), lines })
    }

    /// Makes room for the rows from `first` on.
    pub fn reserve(&mut self, rows: usize) {
        reserve(self.lines.own(), rows);
    }

    /// Appends a rotated row, of which `bias` is added to every product; `scale` is what a step of its codes is worth.
    pub fn push(&mut self, rotated: &[f32], squared: f64, bias: f32, scale: f32) {
        let lines = self.lines.own();
        let start = lines.len();
        lines.push(Line::ZERO);
        let bytes = Line::bytes_mut(&mut lines[start..]);
        let mut along = 0.0;
        for (byte, values) in bytes.iter_mut().zip(rotated[..self.signs].chunks(8)) {
            for (at, value) in values.iter().enumerate() {
                *byte |= u8::from(*value >= 0.0) << at;
                along += f64::from(value.abs());
            }
        }
        let (mut factor, mut error) = (0.0, 0.0);
        if along > 0.0 {
            factor = squared / along;
            let tangent = (squared * self.signs as f64 / (along * along) - 1.0).max(0.0).sqrt();
            error = squared.sqrt() * tangent / (rotated.len() as f64).sqrt();
        }
        let numbers = [factor as f32, error as f32, bias, scale];
        let end = bytes.len() - NUMBER_BYTES;
        bytes[end..][..size_of_val(&numbers)].copy_from_slice(bytemuck::cast_slice(&numbers));
    }

    pub fn truncate(&mut self, rows: usize) {
        self.lines.own().truncate(rows);
    }

    pub fn view(&self) -> RoughView<'_> {
        RoughView {
            kernels: SignKernels::detect(),
            signs: self.signs,
            rows: ByteRows::new(self.lines.bytes(), size_of::<Line>()),
        }
    }

    /// A section of a file, which stays there; none where [`new`](Self::new) is none.
    pub fn open(file: &Arc<File>, dim: usize, rows: usize, layout: Layout) -> Result<Option<Self>, Error> {
        if Self::new(dim, layout).is_none() {
            return Ok(None);
        }
        let Some(opened) = Self::with(dim, layout, Lines::open(file, "signs")?) else { return Ok(None) };
        let (expected, got) = (rows.checked_mul(size_of::<Line>()), opened.lines.bytes().len());
        if expected != Some(got) {
            let (expected, got) = (format!("signs of {rows} rows"), format!("{got} bytes"));
            return Err(storage::Error::corrupt(file.path(), expected, got).into());
        }
        Ok(Some(opened))
    }

    pub fn write(&self, writer: &mut Writer) -> Result<(), Error> {
        self.lines.write(writer, "signs")
    }

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.lines.memory_bytes()
    }
}

/// Signs while they are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct RoughView<'a> {
    kernels: &'static SignKernels,
    signs: usize,
    rows: ByteRows<'a>,
}

/// What rows have to reach by their signs so as not to be ruled out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach {
    pub least: f32,
    /// The standard deviations that a row is given: it may be as much nearer than its signs have it.
    pub deviations: f32,
}

/// What makes a closeness of a query's sums.
#[derive(Debug, Clone, Copy)]
pub(super) struct RoughTarget<'a> {
    pub query: &'a SignQuery,
    /// What a step of the query's values is worth.
    pub scale: f32,
    /// Its length.
    pub length: f32,
}

impl RoughView<'_> {
    /// What a query makes of signs, from its values, rotated and in bytes.
    pub fn query(&self, bytes: &[i8]) -> SignQuery {
        SignQuery::new(&bytes[..self.signs])
    }

    /// Keeps those of `rows` that are within `reach`, with `more` of each row added. `sums` is room to work in.
    pub fn reaching(
        &self,
        target: RoughTarget<'_>,
        rows: &mut Vec<u32>,
        reach: Reach,
        sums: &mut Vec<i32>,
        more: impl Fn(u32) -> f32,
    ) {
        sums.clear();
        sums.resize(rows.len(), 0);
        self.kernels.sums_of(target.query, self.rows, rows, sums);
        let (all, deviation) = (target.query.sum(), reach.deviations * target.length);
        let mut kept = 0;
        for at in 0..rows.len() {
            let row = rows[at];
            let [factor, error, bias, _] = self.numbers(row);
            let near = (2 * sums[at] - all) as f32 * target.scale * factor + bias;
            // Four of five rows go: this has no branch to guess.
            rows[kept] = row;
            kept += usize::from(near + deviation * error + more(row) >= reach.least);
        }
        rows.truncate(kept);
    }

    /// The bias of a row, and what a step of its codes is worth: where its signs are, these are too.
    #[inline]
    pub fn bias_and_scale(&self, row: u32) -> (f32, f32) {
        let [_, _, bias, scale] = self.numbers(row);
        (bias, scale)
    }

    /// The numbers behind the signs of a row.
    #[inline]
    fn numbers(&self, row: u32) -> [f32; NUMBERS] {
        let (_, numbers) = self.rows.row(row).split_last_chunk::<NUMBER_BYTES>().expect("a line");
        let (numbers, _) = numbers.as_chunks::<4>();
        std::array::from_fn(|at| f32::from_le_bytes(numbers[at]))
    }

    /// Asks for a row to be fetched.
    #[inline]
    pub fn prefetch(&self, row: u32) {
        kernels::prefetch_bytes(self.rows.row(row));
    }
}

const _: () = assert!(MOST_SIGNS.is_multiple_of(WORD_DIM));

#[cfg(test)]
mod tests {
    use super::super::query::to_bytes;
    use super::super::rotation::Rotation;
    use super::*;
    use crate::similarity::squared_length;

    const DEVIATIONS: f32 = 1.0;

    #[test]
    fn products_by_signs_are_off_by_the_error_that_is_kept() {
        let mut state = 1u64;
        let mut number = || {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        };
        // All numbers have signs, the last word of them is not full, some are cut off.
        for dim in [384, 200, 512, 1024] {
            let (rotation, mut rough) =
                (Rotation::new(dim), Rough::new(dim, Layout::Fast).expect("a high dimension"));
            let query: Vec<f32> = (0..dim).map(|_| number()).collect();
            let mut rotated = query.clone();
            rotation.apply(&mut rotated);
            let mut bytes = Vec::new();
            let scale = to_bytes(&rotated, &mut bytes);
            let length = squared_length(&query).sqrt() as f32;
            let mut products = Vec::new();
            for row in 0u8..200 {
                // From rows like the query to others.
                let like = f32::from(row) / 200.0;
                let mut vector: Vec<f32> =
                    query.iter().map(|value| 3.0 * (like * value + number())).collect();
                products.push(vector.iter().zip(&query).map(|(x, q)| x * q).sum::<f32>());
                rotation.apply(&mut vector);
                rough.push(&vector, squared_length(&vector), 100.0, 3.0);
            }
            let view = rough.view();
            let signs = view.query(&bytes);
            let target = RoughTarget { query: &signs, scale, length };
            let (mut squares, mut sums) = (0.0, Vec::new());
            for (row, product) in (0u32..).zip(products) {
                let [_, error, ..] = view.numbers(row);
                assert_eq!(view.bias_and_scale(row), (100.0, 3.0));
                // The least that a row reaches, found by halving, is its product, the bias and a deviation more.
                let (mut low, mut high) = (product - 60.0 * length, product + 200.0 + 60.0 * length);
                for _ in 0..50 {
                    let least = low.midpoint(high);
                    let mut rows = vec![row];
                    view.reaching(
                        target,
                        &mut rows,
                        Reach { least, deviations: DEVIATIONS },
                        &mut sums,
                        |_| 50.0,
                    );
                    *(if rows.is_empty() { &mut high } else { &mut low }) = least;
                }
                let deviation = DEVIATIONS * length * error;
                squares += ((low - 150.0 - deviation - product) / deviation).powi(2);
            }
            let mean = (squares / 200.0).sqrt();
            assert!((0.8..1.2).contains(&mean), "dimension {dim}: {mean} deviations");
        }
    }

    #[test]
    fn rows_without_length_are_ruled_out_by_what_is_nearer_alone() {
        let mut rough = Rough::new(300, Layout::Fast).expect("a high dimension");
        rough.push(&[0.0; 300], 0.0, 0.0, 0.0);
        let view = rough.view();
        let query = view.query(&[1; 300]);
        let target = RoughTarget { query: &query, scale: 1.0, length: 300f32.sqrt() };
        for (least, expected) in [(0.0, 1), (1e-6, 0)] {
            let mut rows = vec![0];
            view.reaching(target, &mut rows, Reach { least, deviations: 1.0 }, &mut Vec::new(), |_| 0.0);
            assert_eq!(rows.len(), expected);
        }
    }
}
