//! Sums of selected query values in portable code, for every CPU.

use super::WORD_DIM;

type Sums = i32;

define_signs!("scalar");

#[inline]
fn zero() -> Sums {
    0
}

#[inline]
fn add_selected(bits: u64, values: &[i8; WORD_DIM], sums: Sums) -> Sums {
    let selected = values.iter().enumerate().map(|(at, &value)| (bits >> at & 1) as i32 * i32::from(value));
    sums + selected.sum::<i32>()
}

#[inline]
fn totals(sums: [Sums; 4]) -> [i32; 4] {
    sums
}
