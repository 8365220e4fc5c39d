//! What every CPU can run: eight lanes that the compiler may or may not put in registers.

use super::format;

type Lanes = [f32; WIDTH];
const WIDTH: usize = 8;

define_half!("scalar", 1 x 2);

#[inline]
fn zero() -> Lanes {
    [0.0; WIDTH]
}

#[inline]
fn load(chunk: &[f32; WIDTH]) -> Lanes {
    *chunk
}

#[inline]
fn load_part(part: &[f32]) -> Lanes {
    let mut lanes = zero();
    lanes[..part.len()].copy_from_slice(part);
    lanes
}

#[inline]
fn store(into: &mut [f32; WIDTH], lanes: Lanes) {
    *into = lanes;
}

#[inline]
fn widened<const BF16: bool>(halves: &[u16; WIDTH]) -> Lanes {
    halves.map(format::widen::<BF16>)
}

#[inline]
fn narrowed<const BF16: bool>(values: &[f32; WIDTH]) -> [u16; WIDTH] {
    values.map(format::narrow::<BF16>)
}

/// Rounds twice: a fused multiply-add is a slow library call on the CPUs that need this set.
#[inline]
fn multiply_add(a: Lanes, b: Lanes, sum: Lanes) -> Lanes {
    std::array::from_fn(|lane| sum[lane] + a[lane] * b[lane])
}

#[inline]
fn subtract(a: Lanes, b: Lanes) -> Lanes {
    std::array::from_fn(|lane| a[lane] - b[lane])
}

#[inline]
fn add(a: Lanes, b: Lanes) -> Lanes {
    std::array::from_fn(|lane| a[lane] + b[lane])
}

#[inline]
fn sum(lanes: Lanes) -> f32 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}
