//! What every CPU can run: eight lanes that the compiler may or may not put in registers.

use super::format;
use crate::scalar::{Lanes, WIDTH, add, load, load_part, multiply_add, store, subtract, sum, zero};

define_half!("scalar", 1 x 2);

#[inline]
fn widened<const BF16: bool>(halves: &[u16; WIDTH]) -> Lanes {
    halves.map(format::widen::<BF16>)
}

#[inline]
fn narrowed<const BF16: bool>(values: &[f32; WIDTH]) -> [u16; WIDTH] {
    values.map(format::narrow::<BF16>)
}
