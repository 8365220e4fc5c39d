//! What every CPU can run: eight lanes that the compiler may or may not put in registers.

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

/// Rounds twice: a fused multiply-add is a slow library call on the CPUs that need this set.
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
pub(crate) fn sum(lanes: Lanes) -> f32 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// The sum of every pair.
#[inline]
fn sums(pairs: &[[Lanes; 4]; 2]) -> [Lanes; 1] {
    let mut sums = [0.0; WIDTH];
    for (value, &pair) in sums.iter_mut().zip(pairs.as_flattened()) {
        *value = sum(pair);
    }
    [sums]
}

/// A bit for every lane that is `least` or more.
#[inline]
fn reaching(lanes: Lanes, least: &[f32; WIDTH]) -> u32 {
    let mut bits = 0;
    for lane in 0..WIDTH {
        bits |= u32::from(lanes[lane] >= least[lane]) << lane;
    }
    bits
}
