use std::sync::Arc;

use kernels::signs::{SignKernels, SignQuery, WORD_DIM};
use kernels::{ByteRows, Line};
use storage::{File, Writer};

use crate::Error;
use crate::hnsw::options::Layout;
use crate::numbers::{Lines, reserve};

/// Vectors up to this dimension have codes of one or two lines: there is nothing to save.
const LEAST_DIM: usize = 129;
/// Bytes behind the signs of a row: its factor, its error and its bias.
const NUMBER_BYTES: usize = 16;
/// A row has one line for each this many bytes of signs and numbers, so that they may be cut off to save a line.
const LINE_BYTES: usize = 96;
const MOST_LINES: usize = 2;
/// Standard deviations by which a row may be nearer than its signs have it.
const DEVIATIONS: f32 = 1.0;

/// The signs of rotated rows, by which most rows that a walk sees are ruled out at the price of one line or two: with
/// `v` a row's signs, `⟨q, v⟩·|x|²/⟨x, v⟩` is near `⟨q, x⟩`, off by about `|q|·|x|·tan(x, v)/√dim` (Gao and Long, "RaBitQ",
/// 2024). Of high dimensions the first numbers have signs, the others count as zeros of `v`.
#[derive(Debug)]
pub(super) struct Rough {
    lines_of_row: usize,
    signs: usize,
    lines: Lines,
}

impl Rough {
    /// None where codes are short enough, and in a compact layout.
    pub fn new(dim: usize, layout: Layout) -> Option<Self> {
        Self::with(dim, layout, Lines::new())
    }

    fn with(dim: usize, layout: Layout, lines: Lines) -> Option<Self> {
        let lines_of_row = (dim.div_ceil(8) + NUMBER_BYTES).div_ceil(LINE_BYTES).min(MOST_LINES);
        let room = (lines_of_row * size_of::<Line>() - NUMBER_BYTES) * 8;
        (dim >= LEAST_DIM && layout == Layout::Fast).then(|| Self {
            lines_of_row,
            signs: dim.min(room),
            lines,
        })
    }

    /// Makes room for the rows from `first` on.
    pub fn reserve(&mut self, rows: usize) {
        reserve(self.lines.own(), rows * self.lines_of_row);
    }

    /// Appends a rotated row, of which `bias` is added to every product.
    pub fn push(&mut self, rotated: &[f32], squared: f64, bias: f32) {
        let lines = self.lines.own();
        let start = lines.len();
        lines.resize(start + self.lines_of_row, Line::ZERO);
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
        let numbers = [factor as f32, error as f32, bias];
        let end = bytes.len() - NUMBER_BYTES;
        bytes[end..][..size_of_val(&numbers)].copy_from_slice(bytemuck::cast_slice(&numbers));
    }

    pub fn truncate(&mut self, rows: usize) {
        self.lines.own().truncate(rows * self.lines_of_row);
    }

    pub fn view(&self) -> RoughView<'_> {
        RoughView {
            kernels: SignKernels::detect(),
            signs: self.signs,
            rows: ByteRows::new(self.lines.bytes(), self.lines_of_row * size_of::<Line>()),
        }
    }

    /// A section of a file, which stays there; none where [`new`](Self::new) is none.
    pub fn open(file: &Arc<File>, dim: usize, rows: usize, layout: Layout) -> Result<Option<Self>, Error> {
        if Self::new(dim, layout).is_none() {
            return Ok(None);
        }
        let Some(opened) = Self::with(dim, layout, Lines::open(file, "signs")?) else { return Ok(None) };
        let (expected, got) =
            (rows.checked_mul(opened.lines_of_row * size_of::<Line>()), opened.lines.bytes().len());
        if expected != Some(got) {
            let (expected, got) = (format!("signs of {rows} rows"), format!("{got} bytes"));
            return Err(storage::Error::corrupt(file.path(), expected, got).into());
        }
        Ok(Some(opened))
    }

    /// Copies them to memory.
    pub fn load(&mut self) {
        self.lines.own();
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

    /// Keeps those of `rows` that may be as near as `least`, to which `more` of a row is added. `sums` is room to work in.
    pub fn reaching(
        &self,
        target: RoughTarget<'_>,
        rows: &mut Vec<u32>,
        least: f32,
        sums: &mut Vec<i32>,
        more: impl Fn(u32) -> f32,
    ) {
        sums.clear();
        sums.resize(rows.len(), 0);
        self.kernels.sums_of(target.query, self.rows, rows, sums);
        let (all, reach) = (target.query.sum(), DEVIATIONS * target.length);
        let mut kept = 0;
        for at in 0..rows.len() {
            let row = rows[at];
            let [factor, error, bias] = numbers(self.rows.row(row));
            let near = (2 * sums[at] - all) as f32 * target.scale * factor + bias;
            // Four of five rows go: this has no branch to guess.
            rows[kept] = row;
            kept += usize::from(near + reach * error + more(row) >= least);
        }
        rows.truncate(kept);
    }

    /// Asks for a row to be fetched.
    pub fn prefetch(&self, row: u32) {
        kernels::prefetch_bytes(self.rows.row(row));
    }
}

/// The numbers behind the signs.
fn numbers(row: &[u8]) -> [f32; 3] {
    let (_, numbers) = row.split_at(row.len() - NUMBER_BYTES);
    let (numbers, _) = numbers.as_chunks::<4>();
    [0, 1, 2].map(|at| f32::from_le_bytes(numbers[at]))
}

const _: () = assert!(((size_of::<Line>() - NUMBER_BYTES) * 8).is_multiple_of(WORD_DIM));

#[cfg(test)]
mod tests {
    use super::super::rotation::Rotation;
    use super::super::target::to_bytes;
    use super::*;
    use crate::similarity::squared_length;

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
                rough.push(&vector, squared_length(&vector), 100.0);
            }
            let view = rough.view();
            let signs = view.query(&bytes);
            let target = RoughTarget { query: &signs, scale, length };
            let (mut squares, mut sums) = (0.0, Vec::new());
            for (row, product) in (0u32..).zip(products) {
                let [_, error, bias] = numbers(view.rows.row(row));
                assert_eq!(bias, 100.0);
                // The least that a row reaches, found by halving, is its product, the bias and a deviation more.
                let (mut low, mut high) = (product - 60.0 * length, product + 200.0 + 60.0 * length);
                for _ in 0..50 {
                    let least = low.midpoint(high);
                    let mut rows = vec![row];
                    view.reaching(target, &mut rows, least, &mut sums, |_| 50.0);
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
        rough.push(&[0.0; 300], 0.0, 0.0);
        let view = rough.view();
        let query = view.query(&[1; 300]);
        let target = RoughTarget { query: &query, scale: 1.0, length: 300f32.sqrt() };
        for (least, expected) in [(0.0, 1), (1e-6, 0)] {
            let mut rows = vec![0];
            view.reaching(target, &mut rows, least, &mut Vec::new(), |_| 0.0);
            assert_eq!(rows.len(), expected);
        }
    }
}
