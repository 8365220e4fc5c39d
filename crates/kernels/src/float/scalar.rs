//! Portable code for every CPU. A "register" is an array of eight floats, which the compiler maps to the registers of
//! the target.

pub(crate) type Lanes = [f32; WIDTH];
pub(crate) const WIDTH: usize = 8;

define_kernels!("scalar", 1 x 2, panels 2 x 4);

#[inline]
pub(crate) fn zero() -> Lanes {
    [0.0; WIDTH]
}

#[inline]
pub(crate) fn load(chunk: &[f32; WIDTH]) -> Lanes {
    *chunk
}

/// Loads up to eight floats and fills the other lanes with zeros.
#[inline]
pub(crate) fn load_part(part: &[f32]) -> Lanes {
    let mut lanes = zero();
    lanes[..part.len()].copy_from_slice(part);
    lanes
}

#[inline]
pub(crate) fn store(lanes: Lanes) -> [f32; WIDTH] {
    lanes
}

/// Rounds the product and then the sum, because a fused multiply-add is a slow library call on CPUs without the
/// instruction.
#[inline]
pub(crate) fn multiply_add(a: Lanes, b: Lanes, sum: Lanes) -> Lanes {
    let mut result = sum;
    for lane in 0..WIDTH {
        result[lane] += a[lane] * b[lane];
    }
    result
}

#[inline]
pub(crate) fn subtract(a: Lanes, b: Lanes) -> Lanes {
    let mut result = a;
    for lane in 0..WIDTH {
        result[lane] -= b[lane];
    }
    result
}

#[inline]
pub(crate) fn add(a: Lanes, b: Lanes) -> Lanes {
    let mut result = a;
    for lane in 0..WIDTH {
        result[lane] += b[lane];
    }
    result
}

#[inline]
pub(crate) fn horizontal_sum(lanes: Lanes) -> f32 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// Returns the [`horizontal_sum`] of the register of each (query, row) pair: all rows of the first query, then all rows
/// of the second.
#[inline]
fn horizontal_sums(pairs: &[[Lanes; 4]; 2]) -> [Lanes; 1] {
    let mut sums = [0.0; WIDTH];
    for (value, &pair) in sums.iter_mut().zip(pairs.as_flattened()) {
        *value = horizontal_sum(pair);
    }
    [sums]
}

/// Returns a mask: bit `i` is set if lane `i` is at or above threshold `i`.
#[inline]
fn mask_at_least(lanes: Lanes, thresholds: &[f32; WIDTH]) -> u32 {
    let mut bits = 0;
    for lane in 0..WIDTH {
        bits |= u32::from(lanes[lane] >= thresholds[lane]) << lane;
    }
    bits
}
