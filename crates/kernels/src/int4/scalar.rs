//! Inner products of 4-bit codes in portable code, for every CPU.

type Sums = i32;
const WIDTH: usize = 16;

define_int4!("scalar");

#[inline]
fn zero() -> Sums {
    0
}

#[inline]
fn add_products(codes: &[u8; WIDTH], low: &[i8; WIDTH], high: &[i8; WIDTH], sums: Sums) -> Sums {
    let mut sums = sums;
    for at in 0..WIDTH {
        sums +=
            i32::from(codes[at] & 15) * i32::from(low[at]) + i32::from(codes[at] >> 4) * i32::from(high[at]);
    }
    sums
}

#[inline]
fn totals(sums: [Sums; 4]) -> [i32; 4] {
    sums
}
