//! Rows in half precision (IEEE 754 binary16). A `u16` holds the bits of a number. To compute scores, the kernels widen
//! numbers to single precision.

use std::borrow::Cow;

use kernels::half::{HalfFormat, HalfKernels};

use super::element::Element;
use super::rows::Rows;
use crate::Error;

/// The largest finite number in binary16.
const MAX_F16: f32 = 65_504.0;

impl Element for u16 {
    fn encode<'a>(dim: usize, vectors: Cow<'a, [f32]>) -> Result<Cow<'a, [Self]>, Error> {
        let mut halves = vec![0; vectors.len()];
        HalfKernels::detect().narrow(HalfFormat::F16, &vectors, &mut halves);
        let is_infinite = |&half: &u16| half & 0x7fff == 0x7c00;
        match halves.iter().position(is_infinite) {
            Some(at) => Err(Error::Range {
                operation: "add",
                row: at / dim,
                column: at % dim,
                expected: MAX_F16,
                got: vectors[at],
            }),
            None => Ok(Cow::Owned(halves)),
        }
    }

    fn decode(stored: &[Self]) -> Cow<'_, [f32]> {
        Cow::Owned(widened(stored))
    }

    fn decode_into<'a>(stored: &'a [Self], buffer: &'a mut [f32]) -> &'a [f32] {
        HalfKernels::detect().widen(HalfFormat::F16, stored, buffer);
        buffer
    }

    fn products(vector: &[f32], rows: &[Self], products: &mut [f32]) {
        HalfKernels::detect().score_rows(HalfFormat::F16, vector, rows, products);
    }

    fn squared_distances(vector: &[f32], rows: &[Self], distances: &mut [f32]) {
        HalfKernels::detect().squared_l2_block(HalfFormat::F16, vector.len(), vector, rows, distances);
    }
}

impl Rows<u16> {
    /// Converts the rows to single precision, in memory.
    pub fn widened(self) -> Rows {
        self.converted(widened)
    }
}

fn widened(halves: &[u16]) -> Vec<f32> {
    let mut values = vec![0.0; halves.len()];
    HalfKernels::detect().widen(HalfFormat::F16, halves, &mut values);
    values
}
