//! The int8 codes of all rows, with the numbers from which bounds on scores are computed. The [parent module](super)
//! defines these numbers: the scale, the error and the length of a row.

use std::sync::Arc;

use kernels::int8::{Int8RowBounds, Int8Rows, MAX_DIM};
use storage::{File, Writer};

use crate::Error;
use crate::similarity::squared_length;
use crate::store::columns::column::Column;
use crate::store::rows::Rows;

/// The largest code. The smallest is −127, so that the range is symmetric.
const MAX_CODE: f64 = 127.0;
/// A length that was computed in double precision, multiplied by this factor, is an upper bound on the true length. The
/// computed length has a relative error of less than 2⁻³⁰: the sum of up to 65,536 squares takes 2¹⁶ roundings with a
/// relative error of 2⁻⁵³ each, and the square root halves their total. For the length of a difference of vectors, each
/// difference is rounded once more.
pub(super) const LENGTH_ROUNDING: f64 = 1.0 + 1.0 / (1u64 << 30) as f64;

/// The int8 copy of an index's rows.
#[derive(Debug)]
pub(crate) struct QuantizedRows {
    dim: usize,
    /// The code of each number, plus 128.
    codes: Column<u8>,
    /// The quantization scale of each row.
    scales: Column<f32>,
    /// For each row `x` with the approximation `x̂`, an upper bound on `|x − x̂|`.
    errors: Column<f32>,
    /// For each row `x`, an upper bound on `|x|`.
    lengths: Column<f32>,
}

/// A block of consecutive rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct QuantizedBlock<'a> {
    pub codes: Int8Rows<'a>,
    pub bounds: Int8RowBounds<'a>,
}

/// The numbers that are stored for a row besides its codes; see [`QuantizedRows`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RowBounds {
    pub scale: f32,
    pub error: f32,
    pub length: f32,
}

impl QuantizedRows {
    /// Creates an empty copy. Fails with [`Error::Option`] if `dim` is above [`MAX_DIM`], the limit of the kernels.
    pub fn new(dim: usize) -> Result<Self, Error> {
        if dim > MAX_DIM {
            let expected = format!("1 to {MAX_DIM} with the storage int8Rescored");
            return Err(Error::Option { name: "dim", expected, got: dim.to_string() });
        }
        Ok(Self::empty(dim))
    }

    fn empty(dim: usize) -> Self {
        let [scales, errors, lengths] = [Column::new(), Column::new(), Column::new()];
        Self { dim, codes: Column::new(), scales, errors, lengths }
    }

    /// Encodes the stored vectors `[n * dim]` and appends their codes.
    pub fn extend(&mut self, vectors: &[f32]) {
        let mut codes = vec![0; self.dim];
        for row in vectors.chunks_exact(self.dim) {
            let bounds = encode(row, &mut codes);
            self.push(&codes, bounds);
        }
    }

    /// Returns a copy of the rows for which `is_live` is true.
    pub fn compacted(&self, is_live: impl Fn(u32) -> bool) -> Self {
        let mut copy = Self::empty(self.dim);
        for row in (0..self.scales.len()).filter(|&row| is_live(row as u32)) {
            copy.push(self.codes.slice(row * self.dim, self.dim), self.row_bounds(row));
        }
        copy
    }

    /// Opens and checks the sections written by [`write`](Self::write), without copying them to memory.
    pub fn open(file: &Arc<File>, dim: usize, num_rows: usize) -> Result<Self, Error> {
        let corrupt = |expected, got| storage::Error::corrupt(file.path(), expected, got);
        if dim > MAX_DIM {
            let expected = format!("a dimension of 1 to {MAX_DIM} for codes");
            return Err(corrupt(expected, dim.to_string()).into());
        }
        let codes = Column::open(file, "codes")?;
        if num_rows.checked_mul(dim) != Some(codes.len()) {
            let expected = format!("{num_rows} rows of {dim} codes");
            return Err(corrupt(expected, format!("{} codes", codes.len())).into());
        }
        let open_numbers = |section: &'static str| -> Result<Column<f32>, Error> {
            let column: Column<f32> = Column::open(file, section)?;
            let (values, _) = column.parts();
            if values.len() != num_rows {
                let expected = format!("{num_rows} numbers in section \"{section}\"");
                return Err(corrupt(expected, values.len().to_string()).into());
            }
            match values.iter().find(|value| !value.is_finite() || **value < 0.0) {
                Some(got) => {
                    let expected = format!("finite, non-negative numbers in section \"{section}\"");
                    Err(corrupt(expected, got.to_string()).into())
                }
                None => Ok(column),
            }
        };
        let scales = open_numbers("scales")?;
        let errors = open_numbers("errors")?;
        let lengths = open_numbers("lengths")?;
        Ok(Self { dim, codes, scales, errors, lengths })
    }

    /// Checks that the errors and lengths in a file are upper bounds. If they were not, a search could miss one of the
    /// best rows.
    pub fn verify(&self, rows: &Rows) -> Result<(), Error> {
        let Some(file) = rows.file() else { return Ok(()) };
        let is_valid = |&row: &u32| {
            let (vector, row) = (rows.stored(row), row as usize);
            let codes = self.codes.slice(row * self.dim, self.dim);
            let codes: Vec<f64> = codes.iter().map(|&code| f64::from(code) - 128.0).collect();
            let RowBounds { scale, error, length } = self.row_bounds(row);
            // The same computation as in `encode`, with the same result on every CPU.
            round_up(quantization_error(vector, &codes, scale)) <= error
                && round_up(squared_length(vector).sqrt() * LENGTH_ROUNDING) <= length
        };
        match (0..rows.len() as u32).find(|row| !is_valid(row)) {
            Some(row) => {
                let expected = format!("upper bounds on the error and the length of row {row}");
                Err(storage::Error::corrupt(file.path(), expected, "smaller numbers".to_owned()).into())
            }
            None => Ok(()),
        }
    }

    pub fn write(&self, writer: &mut Writer) -> Result<(), Error> {
        writer.begin("codes")?;
        self.codes.write(writer)?;
        for (section, column) in
            [("scales", &self.scales), ("errors", &self.errors), ("lengths", &self.lengths)]
        {
            writer.begin(section)?;
            column.write(writer)?;
        }
        Ok(())
    }

    /// Returns the number of bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        let bounds = [&self.scales, &self.errors, &self.lengths].map(Column::memory_bytes);
        self.codes.memory_bytes() + bounds.iter().sum::<usize>()
    }

    /// Returns up to `max` consecutive rows from the row `start` on. The rows are either all in the file or all in
    /// memory, because the two parts are separate slices.
    pub(super) fn block(&self, start: usize, max: usize) -> QuantizedBlock<'_> {
        let in_file = self.scales.parts().0.len();
        let end = if start < in_file { in_file } else { self.scales.len() };
        let count = max.min(end - start);
        let bytes = self.codes.slice(start * self.dim, count * self.dim);
        let [scales, errors, lengths] =
            [&self.scales, &self.errors, &self.lengths].map(|column| column.slice(start, count));
        let codes = Int8Rows::new(bytes, self.dim, self.dim);
        QuantizedBlock { codes, bounds: Int8RowBounds { scales, addends: errors, lengths } }
    }

    fn row_bounds(&self, row: usize) -> RowBounds {
        RowBounds { scale: self.scales.get(row), error: self.errors.get(row), length: self.lengths.get(row) }
    }

    fn push(&mut self, codes: &[u8], RowBounds { scale, error, length }: RowBounds) {
        self.codes.extend(codes);
        self.scales.extend(&[scale]);
        self.errors.extend(&[error]);
        self.lengths.extend(&[length]);
    }
}

/// Writes a row's codes to `codes` and returns its scale, error and length. The results are the same on every CPU.
pub(super) fn encode(row: &[f32], codes: &mut [u8]) -> RowBounds {
    let Rounded { values, max } = round_to_steps(row, MAX_CODE);
    let (mut product, mut squares) = (0.0, 0.0);
    for ((code, &value), &number) in codes.iter_mut().zip(&values).zip(row) {
        *code = (value + 128.0) as u8;
        product += value * f64::from(number);
        squares += value * value;
    }
    // The scale that minimizes the squared error. `squares` is positive, because the number with the largest absolute
    // value has the code ±127.
    let scale = if max == 0.0 { 0.0 } else { (product / squares) as f32 };
    let length = round_up(squared_length(row).sqrt() * LENGTH_ROUNDING);
    RowBounds { scale, error: round_up(quantization_error(row, &values, scale)), length }
}

/// A vector rounded to integer multiples of a step.
pub(super) struct Rounded {
    /// The multiples, which are integers.
    pub values: Vec<f64>,
    /// The largest absolute value in the vector.
    pub max: f64,
}

/// Expresses the numbers of a vector as multiples of a step, which is 1/`max_steps` of their largest absolute value,
/// and rounds the multiples to integers.
pub(super) fn round_to_steps(vector: &[f32], max_steps: f64) -> Rounded {
    /// A double near this one has no bits for a fraction, so adding it rounds a number to an integer. Subtracting it
    /// again leaves the rounded number.
    const SHIFT: f64 = 1.5 * (1u64 << 52) as f64;
    let max = f64::from(vector.iter().fold(0.0f32, |max, value| max.max(value.abs())));
    if max == 0.0 {
        return Rounded { values: vec![0.0; vector.len()], max };
    }
    let steps = max_steps / max;
    let values = vector.iter().map(|&value| f64::from(value) * steps + SHIFT - SHIFT).collect();
    Rounded { values, max }
}

/// Returns an upper bound on the distance between a vector and its approximation, which is `values` times `scale`. The
/// products are exact in double precision, because both factors have at most 24 significant bits.
pub(super) fn quantization_error(vector: &[f32], values: &[f64], scale: f32) -> f64 {
    let scale = f64::from(scale);
    let squares: f64 =
        vector.iter().zip(values).map(|(&number, &value)| (f64::from(number) - scale * value).powi(2)).sum();
    squares.sqrt() * LENGTH_ROUNDING
}

/// Returns the smallest `f32` that is not below `value`.
pub(super) fn round_up(value: f64) -> f32 {
    let nearest = value as f32;
    if f64::from(nearest) < value { nearest.next_up() } else { nearest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_bounds_equal_values_computed_by_hand() {
        let mut codes = [0; 3];
        // A step is 2, so the numbers are 127, −63.5 and 0 steps; −63.5 is rounded to the even −64. The scale with the
        // smallest squared error is (254·127 + 127·64) / (127² + 64²).
        let RowBounds { scale, error, length } = encode(&[254.0, -127.0, 0.0], &mut codes);
        assert_eq!(codes, [255, 64, 128]);
        let best: f64 = (254.0 * 127.0 + 127.0 * 64.0) / (127.0 * 127.0 + 64.0 * 64.0);
        assert_eq!(scale, best as f32);
        let exact = (254.0 - 127.0 * best).hypot(127.0 - 64.0 * best);
        assert!(f64::from(error) >= exact && f64::from(error) < exact * 1.000_001);
        // √(254² + 127²) ≈ 283.9806
        assert!(f64::from(length) >= 254f64.hypot(127.0) && length < 283.981);
        assert_eq!(encode(&[0.0; 3], &mut codes), RowBounds { scale: 0.0, error: 0.0, length: 0.0 });
        assert_eq!(codes, [128; 3]);
    }

    #[test]
    fn a_row_whose_scale_underflows_has_its_length_as_error() {
        let mut codes = [0; 2];
        let tiny = f32::MIN_POSITIVE * f32::EPSILON; // the smallest positive float
        let RowBounds { scale, error, length } = encode(&[tiny, -tiny], &mut codes);
        assert_eq!((scale, codes), (0.0, [255, 1]));
        assert_eq!((error, length), (2.0 * tiny, 2.0 * tiny), "√2 · tiny, rounded up to a float");
    }
}
