//! Rows in half precision.

use std::borrow::Cow;

use kernels::half::{HalfFormat, HalfKernels};

use crate::Error;
use crate::store::element::Element;
use crate::store::rows::Rows;

/// The greatest finite number.
const GREATEST: f32 = 65_504.0;
/// The bits of a number in half precision.
impl Element for u16 {
    fn encode<'a>(dim: usize, vectors: Cow<'a, [f32]>) -> Result<Cow<'a, [Self]>, Error> {
        let mut halves = vec![0; vectors.len()];
        HalfKernels::detect().narrow(HalfFormat::F16, &vectors, &mut halves);
        let infinite = |&half: &u16| half & 0x7fff == 0x7c00;
        match halves.iter().position(infinite) {
            Some(at) => Err(Error::Range {
                operation: "add",
                row: at / dim,
                column: at % dim,
                expected: GREATEST,
                got: vectors[at],
            }),
            None => Ok(Cow::Owned(halves)),
        }
    }

    fn decode(stored: &[Self]) -> Cow<'_, [f32]> {
        Cow::Owned(widened(stored))
    }

    fn decode_into<'a>(stored: &'a [Self], room: &'a mut [f32]) -> &'a [f32] {
        HalfKernels::detect().widen(HalfFormat::F16, stored, room);
        room
    }

    fn products(vector: &[f32], rows: &[Self], products: &mut [f32]) {
        HalfKernels::detect().score_rows(HalfFormat::F16, vector, rows, products);
    }

    fn squared_distances(vector: &[f32], rows: &[Self], distances: &mut [f32]) {
        HalfKernels::detect().squared_l2_block(HalfFormat::F16, vector.len(), vector, rows, distances);
    }
}

impl Rows<u16> {
    /// The same rows in single precision, in memory.
    pub fn widened(self) -> Rows {
        self.converted(widened)
    }
}

fn widened(halves: &[u16]) -> Vec<f32> {
    let mut values = vec![0.0; halves.len()];
    HalfKernels::detect().widen(HalfFormat::F16, halves, &mut values);
    values
}
