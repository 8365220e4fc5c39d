//! Portable code for every CPU. A "register" is an array of sixteen numbers.

use super::weights::Step;

type Sums = [i32; LANES];
type Bytes = [u8; 4];
type ByteLanes = [[i8; 4]; LANES];
type Floats = [f32; LANES];

define_network!("scalar", rows: 2 > [1], blocks: 1, unsigned: true);

#[inline]
fn zero_sums() -> Sums {
    [0; LANES]
}

#[inline]
fn splat_bytes(bytes: [u8; 4]) -> Bytes {
    bytes
}

#[inline]
fn load_step(step: &Step) -> ByteLanes {
    step.0
}

#[inline]
fn add_products<const NARROW: bool>(sums: Sums, bytes: Bytes, weights: ByteLanes) -> Sums {
    let mut result = sums;
    for lane in 0..LANES {
        for (byte, weight) in bytes.iter().zip(&weights[lane]) {
            result[lane] += i32::from(*byte) * i32::from(*weight);
        }
    }
    result
}

#[inline]
fn store_sums(sums: Sums) -> [i32; LANES] {
    sums
}

#[inline]
fn zero_floats() -> Floats {
    [0.0; LANES]
}

#[inline]
fn splat_float(value: f32) -> Floats {
    [value; LANES]
}

#[inline]
fn load_floats(values: &[f32; LANES]) -> Floats {
    *values
}

#[inline]
fn multiply_add(a: Floats, b: Floats, sum: Floats) -> Floats {
    let mut result = sum;
    for lane in 0..LANES {
        result[lane] = a[lane].mul_add(b[lane], result[lane]);
    }
    result
}

#[inline]
fn store_floats(floats: Floats) -> [f32; LANES] {
    floats
}
