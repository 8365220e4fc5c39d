use std::sync::Arc;

use kernels::int8::{Int8RowBounds, Int8Rows, MAX_DIM};
use storage::{File, Writer};

use crate::Error;
use crate::similarity::squared_length;
use crate::store::columns::column::Column;
use crate::store::rows::Rows;

/// The largest code. −127 is the smallest, so that the range is symmetric.
const MAX_CODE: f64 = 127.0;
/// A length computed in double precision times this is not below the true length. The sum of up to 65,536 squares and its
/// root lose less than 2⁻³⁰ of it: 2¹⁶ roundings of 2⁻⁵³ each, and the root halves that. Each difference that is squared
/// is exact up to one rounding.
pub(super) const LENGTH_ROUNDING: f64 = 1.0 + 1.0 / (1u64 << 30) as f64;

/// The int8 copy of an index's rows.
#[derive(Debug)]
pub(crate) struct QuantizedRows {
    dim: usize,
    /// The code of each number, plus 128.
    codes: Column<u8>,
    /// The quantization scale of each row.
    scales: Column<f32>,
    /// Upper bounds of the distances between rows and what their codes stand for.
    errors: Column<f32>,
    /// Upper bounds of the lengths of rows.
    lengths: Column<f32>,
}

/// Consecutive rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct QuantizedBlock<'a> {
    pub codes: Int8Rows<'a>,
    pub bounds: Int8RowBounds<'a>,
}

/// What is stored of a row besides its codes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RowBounds {
    pub scale: f32,
    pub error: f32,
    pub length: f32,
}

impl QuantizedRows {
    pub fn new(dim: usize) -> Result<Self, Error> {
        if dim > MAX_DIM {
            let expected = format!("1 to {MAX_DIM} with the storage int8Filtered");
            return Err(Error::Option { name: "dim", expected, got: dim.to_string() });
        }
        Ok(Self::empty(dim))
    }

    fn empty(dim: usize) -> Self {
        let [scales, errors, lengths] = [Column::new(), Column::new(), Column::new()];
        Self { dim, codes: Column::new(), scales, errors, lengths }
    }

    /// Appends stored vectors `[n * dim]`.
    pub fn extend(&mut self, vectors: &[f32]) {
        let mut codes = vec![0; self.dim];
        for row in vectors.chunks_exact(self.dim) {
            let bounds = encode(row, &mut codes);
            self.push(&codes, bounds);
        }
    }

    /// A copy of the rows that are `live`.
    pub fn compacted(&self, live: impl Fn(u32) -> bool) -> Self {
        let mut copy = Self::empty(self.dim);
        for row in (0..self.scales.len()).filter(|&row| live(row as u32)) {
            copy.push(self.codes.slice(row * self.dim, self.dim), self.row_bounds(row));
        }
        copy
    }

    /// Opens the sections written by [`write`](Self::write), which stay in the file.
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
                    let expected = format!("\"{section}\" that are finite and not negative");
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

    /// Checks that errors and lengths of a file are upper bounds: otherwise a search might leave out one of the best rows.
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
                let expected = "codes within the stored error of their rows".to_owned();
                Err(storage::Error::corrupt(file.path(), expected, format!("others at row {row}")).into())
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

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        let bounds = [&self.scales, &self.errors, &self.lengths].map(Column::memory_bytes);
        self.codes.memory_bytes() + bounds.iter().sum::<usize>()
    }

    /// Consecutive rows from `start`: up to `max`, fewer at the end of the file's rows and at the end.
    pub(super) fn block(&self, start: usize, max: usize) -> QuantizedBlock<'_> {
        let in_file = self.scales.parts().0.len();
        let end = if start < in_file { in_file } else { self.scales.len() };
        let count = max.min(end - start);
        let bytes = self.codes.slice(start * self.dim, count * self.dim);
        let [scales, errors, lengths] =
            [&self.scales, &self.errors, &self.lengths].map(|column| column.slice(start, count));
        let codes = Int8Rows::new(bytes, self.dim, self.dim);
        QuantizedBlock { codes, bounds: Int8RowBounds { scales, errors, lengths } }
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

/// Writes a row's codes to `codes` and returns the rest: the same numbers on every CPU.
pub(super) fn encode(row: &[f32], codes: &mut [u8]) -> RowBounds {
    let Rounded { values, max } = round_to_steps(row, MAX_CODE);
    let (mut product, mut squares) = (0.0, 0.0);
    for ((code, &value), &number) in codes.iter_mut().zip(&values).zip(row) {
        *code = (value + 128.0) as u8;
        product += value * f64::from(number);
        squares += value * value;
    }
    // The scale with the least error: least squares. The largest number has the code ±127, so there is one.
    let scale = if max == 0.0 { 0.0 } else { (product / squares) as f32 };
    let length = round_up(squared_length(row).sqrt() * LENGTH_ROUNDING);
    RowBounds { scale, error: round_up(quantization_error(row, &values, scale)), length }
}

/// A vector in integer steps.
pub(super) struct Rounded {
    pub values: Vec<f64>,
    /// The size of the largest number.
    pub max: f64,
}

/// Rounds each number to the nearest step, where the largest number has `max_steps` steps.
pub(super) fn round_to_steps(vector: &[f32], max_steps: f64) -> Rounded {
    /// Adding it leaves no bits for a fraction; subtracting it again brings back the rest.
    const SHIFT: f64 = 1.5 * (1u64 << 52) as f64;
    let max = f64::from(vector.iter().fold(0.0f32, |max, value| max.max(value.abs())));
    if max == 0.0 {
        return Rounded { values: vec![0.0; vector.len()], max };
    }
    let steps = max_steps / max;
    let values = vector.iter().map(|&value| f64::from(value) * steps + SHIFT - SHIFT).collect();
    Rounded { values, max }
}

/// An upper bound of the distance between a vector and its steps times `scale`. The products are exact: both factors have
/// at most 24 bits.
pub(super) fn quantization_error(vector: &[f32], values: &[f64], scale: f32) -> f64 {
    let scale = f64::from(scale);
    let squares: f64 =
        vector.iter().zip(values).map(|(&number, &value)| (f64::from(number) - scale * value).powi(2)).sum();
    squares.sqrt() * LENGTH_ROUNDING
}

/// The smallest `f32` that is not below `value`.
pub(super) fn round_up(value: f64) -> f32 {
    let nearest = value as f32;
    if f64::from(nearest) < value { nearest.next_up() } else { nearest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_bounds_are_those_worked_out_by_hand() {
        let mut codes = [0; 3];
        // Steps of 2: 127, −63.5 to the even −64, and 0. The best scale is (254·127 + 127·64) / (127² + 64²).
        let RowBounds { scale, error, length } = encode(&[254.0, -127.0, 0.0], &mut codes);
        assert_eq!(codes, [255, 64, 128]);
        let best: f64 = (254.0 * 127.0 + 127.0 * 64.0) / (127.0 * 127.0 + 64.0 * 64.0);
        assert_eq!(scale, best as f32);
        let exact = (254.0 - 127.0 * best).hypot(127.0 - 64.0 * best);
        assert!(f64::from(error) >= exact && f64::from(error) < exact * 1.000_001);
        assert!(f64::from(length) >= 254f64.hypot(127.0) && length < 283.981);
        assert_eq!(encode(&[0.0; 3], &mut codes), RowBounds { scale: 0.0, error: 0.0, length: 0.0 });
        assert_eq!(codes, [128; 3]);
    }

    #[test]
    fn a_row_too_small_for_a_scale_is_all_error() {
        let mut codes = [0; 2];
        let tiny = f32::MIN_POSITIVE * f32::EPSILON; // the smallest float
        let RowBounds { scale, error, length } = encode(&[tiny, -tiny], &mut codes);
        assert_eq!((scale, codes), (0.0, [255, 1]));
        assert_eq!((error, length), (2.0 * tiny, 2.0 * tiny), "√2 rounded up");
    }
}
