use std::sync::Arc;

use kernels::int8::{Int8RowBounds, Int8Rows, MOST_DIM};
use storage::{File, Writer};

use crate::Error;
use crate::similarity::squared_length;
use crate::store::columns::column::Column;
use crate::store::rows::Rows;

/// The greatest code; −127 is the least, so that the range is the same on both sides.
const MOST_CODE: f64 = 127.0;
/// More than what a sum of squares of up to 65,536 differences and its root lose in double precision, relative to it.
/// A difference itself is that of two numbers without error, rounded once.
const SUMMED: f64 = 1.0 + 1.0 / (1u64 << 30) as f64;

/// The codes of an index's rows.
#[derive(Debug)]
pub(crate) struct Shadow {
    dim: usize,
    /// Each code plus 128.
    codes: Column<u8>,
    scales: Column<f32>,
    /// Upper bounds of the distances between rows and what their codes stand for.
    errors: Column<f32>,
    /// Upper bounds of the rows' lengths.
    lengths: Column<f32>,
}

/// Consecutive rows of a shadow.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShadowBlock<'a> {
    pub codes: Int8Rows<'a>,
    pub numbers: Int8RowBounds<'a>,
}

impl Shadow {
    pub fn new(dim: usize) -> Result<Self, Error> {
        if dim > MOST_DIM {
            let expected = format!("1 to {MOST_DIM} with the storage int8Filtered");
            return Err(Error::Option { name: "dim", expected, got: dim.to_string() });
        }
        let [scales, errors, lengths] = [Column::new(), Column::new(), Column::new()];
        Ok(Self { dim, codes: Column::new(), scales, errors, lengths })
    }

    /// Appends the codes of stored vectors `[n * dim]`.
    pub fn extend(&mut self, vectors: &[f32]) {
        let mut codes = vec![0; self.dim];
        for row in vectors.chunks_exact(self.dim) {
            let [scale, error, length] = encode(row, &mut codes);
            self.push(&codes, [scale, error, length]);
        }
    }

    /// A copy of the rows that are `live`.
    pub fn compacted(&self, live: impl Fn(u32) -> bool) -> Self {
        let [scales, errors, lengths] = [Column::new(), Column::new(), Column::new()];
        let mut copy = Self { dim: self.dim, codes: Column::new(), scales, errors, lengths };
        for row in (0..self.scales.len()).filter(|&row| live(row as u32)) {
            let numbers = [self.scales.get(row), self.errors.get(row), self.lengths.get(row)];
            copy.push(self.codes.slice(row * self.dim, self.dim), numbers);
        }
        copy
    }

    /// Reads the sections written by [`write`](Self::write); they stay in the file.
    pub fn open(file: &Arc<File>, dim: usize, rows: usize) -> Result<Self, Error> {
        let corrupt = |expected, got| storage::Error::corrupt(file.path(), expected, got);
        if dim > MOST_DIM {
            let expected = format!("a dimension of 1 to {MOST_DIM} for codes");
            return Err(corrupt(expected, dim.to_string()).into());
        }
        let codes = Column::open(file, "codes")?;
        if rows.checked_mul(dim) != Some(codes.len()) {
            let expected = format!("{rows} rows of {dim} codes");
            return Err(corrupt(expected, format!("{} codes", codes.len())).into());
        }
        let numbers = |section: &'static str| -> Result<Column<f32>, Error> {
            let column: Column<f32> = Column::open(file, section)?;
            let (values, _) = column.parts();
            if values.len() != rows {
                let expected = format!("{rows} numbers in section \"{section}\"");
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
        let [scales, errors, lengths] = [numbers("scales")?, numbers("errors")?, numbers("lengths")?];
        Ok(Self { dim, codes, scales, errors, lengths })
    }

    /// Whether the bounds of rows from a file are such: what a search leaves out is then none of the best.
    pub fn verify(&self, rows: &Rows) -> Result<(), Error> {
        let Some(file) = rows.file() else { return Ok(()) };
        let sound = |&row: &u32| {
            let (vector, row) = (rows.stored(row), row as usize);
            let codes = self.codes.slice(row * self.dim, self.dim);
            let values: Vec<f64> = codes.iter().map(|&code| f64::from(code) - 128.0).collect();
            let [scale, most, longest] = [&self.scales, &self.errors, &self.lengths].map(|all| all.get(row));
            // As they are worked out by `encode`, on every CPU alike.
            round_up(error(vector, &values, scale)) <= most
                && round_up(squared_length(vector).sqrt() * SUMMED) <= longest
        };
        match (0..rows.len() as u32).find(|row| !sound(row)) {
            Some(row) => {
                let expected = "codes that are as near to their rows as is said".to_owned();
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
        let numbers = [&self.scales, &self.errors, &self.lengths].map(Column::memory_bytes);
        self.codes.memory_bytes() + numbers.iter().sum::<usize>()
    }

    /// Consecutive rows from `start`: up to `most`, fewer where the file ends.
    pub(super) fn block(&self, start: usize, most: usize) -> ShadowBlock<'_> {
        let in_file = self.scales.parts().0.len();
        let end = if start < in_file { in_file } else { self.scales.len() };
        let count = most.min(end - start);
        let bytes = self.codes.slice(start * self.dim, count * self.dim);
        let [scales, errors, lengths] =
            [&self.scales, &self.errors, &self.lengths].map(|column| column.slice(start, count));
        let codes = Int8Rows::new(bytes, self.dim, self.dim);
        ShadowBlock { codes, numbers: Int8RowBounds { scales, errors, lengths } }
    }

    fn push(&mut self, codes: &[u8], [scale, error, length]: [f32; 3]) {
        self.codes.extend(codes);
        self.scales.extend(&[scale]);
        self.errors.extend(&[error]);
        self.lengths.extend(&[length]);
    }
}

/// Writes a row's codes and returns its scale, error and length: the same numbers on every CPU.
pub(super) fn encode(row: &[f32], codes: &mut [u8]) -> [f32; 3] {
    let (values, largest) = rounded(row, MOST_CODE);
    let (mut product, mut squares) = (0.0, 0.0);
    for ((code, &value), &number) in codes.iter_mut().zip(&values).zip(row) {
        *code = (value + 128.0) as u8;
        product += value * f64::from(number);
        squares += value * value;
    }
    // The scale with the least error; the largest number has the code 127, so there is one.
    let scale = if largest == 0.0 { 0.0 } else { (product / squares) as f32 };
    let length = squared_length(row).sqrt() * SUMMED;
    [scale, round_up(error(row, &values, scale)), round_up(length)]
}

/// Each number in steps of the largest's `levels`-th part, to the nearest step; and the largest.
pub(super) fn rounded(vector: &[f32], levels: f64) -> (Vec<f64>, f64) {
    /// Adding it leaves no room for bits below the point, taking it away again brings back the rest.
    const SHIFT: f64 = 1.5 * (1u64 << 52) as f64;
    let largest = f64::from(vector.iter().fold(0.0f32, |most, value| most.max(value.abs())));
    if largest == 0.0 {
        return (vec![0.0; vector.len()], 0.0);
    }
    let steps = levels / largest;
    (vector.iter().map(|&value| f64::from(value) * steps + SHIFT - SHIFT).collect(), largest)
}

/// An upper bound of the distance between a vector and its steps times `scale`. The products are exact.
pub(super) fn error(vector: &[f32], values: &[f64], scale: f32) -> f64 {
    let scale = f64::from(scale);
    let squares: f64 =
        vector.iter().zip(values).map(|(&number, &value)| (f64::from(number) - scale * value).powi(2)).sum();
    squares.sqrt() * SUMMED
}

/// The least `f32` that is not below.
pub(super) fn round_up(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) < value { near.next_up() } else { near }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_numbers_are_those_worked_out_by_hand() {
        let mut codes = [0; 3];
        // Steps of 2: 127, −63.5 to the even 64 and 0. The best scale is (254·127 + 127·64) / (127² + 64²).
        let [scale, error, length] = encode(&[254.0, -127.0, 0.0], &mut codes);
        assert_eq!(codes, [255, 64, 128]);
        let best: f64 = (254.0 * 127.0 + 127.0 * 64.0) / (127.0 * 127.0 + 64.0 * 64.0);
        assert_eq!(scale, best as f32);
        let exact = (254.0 - 127.0 * best).hypot(127.0 - 64.0 * best);
        assert!(f64::from(error) >= exact && f64::from(error) < exact * 1.000_001);
        assert!(f64::from(length) >= 254f64.hypot(127.0) && length < 283.981);
        assert_eq!(encode(&[0.0; 3], &mut codes), [0.0; 3]);
        assert_eq!(codes, [128; 3]);
    }

    #[test]
    fn what_is_too_small_for_a_scale_is_all_error() {
        let mut codes = [0; 2];
        let tiny = f32::MIN_POSITIVE * f32::EPSILON; // the smallest float
        let [scale, error, length] = encode(&[tiny, -tiny], &mut codes);
        assert_eq!((scale, codes), (0.0, [255, 1]));
        assert_eq!((error, length), (2.0 * tiny, 2.0 * tiny), "√2 rounded up");
    }
}
