//! What every CPU can run.

use super::WORD_DIM;

type Sums = i32;

define_signs!("scalar");

#[inline]
fn zero() -> Sums {
    0
}

#[inline]
fn add_chosen(bits: u64, values: &[i8; WORD_DIM], sums: Sums) -> Sums {
    let chosen = values.iter().enumerate().map(|(at, &value)| (bits >> at & 1) as i32 * i32::from(value));
    sums + chosen.sum::<i32>()
}

#[inline]
fn totals(sums: [Sums; 4]) -> [i32; 4] {
    sums
}
