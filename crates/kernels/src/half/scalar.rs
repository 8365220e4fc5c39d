//! Portable code for every CPU. A "register" is an array of eight floats, which the compiler maps to the registers of
//! the target.

use super::format;
use crate::float::scalar::{
    Lanes, WIDTH, add, horizontal_sum, load, load_part, multiply_add, store, subtract, zero,
};

define_half!("scalar", 1 x 2);

#[inline]
fn widened<const BF16: bool>(halves: &[u16; WIDTH]) -> Lanes {
    halves.map(format::widen::<BF16>)
}

#[inline]
fn widened_part<const BF16: bool>(halves: &[u16]) -> Lanes {
    let mut chunk = [0; WIDTH];
    chunk[..halves.len()].copy_from_slice(halves);
    widened::<BF16>(&chunk)
}

#[inline]
fn narrowed<const BF16: bool>(values: &[f32; WIDTH]) -> [u16; WIDTH] {
    values.map(format::narrow::<BF16>)
}
