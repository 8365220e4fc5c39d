//! What every CPU can run: eight lanes that the compiler may or may not put in registers.

type Lanes = [f32; WIDTH];
const WIDTH: usize = 8;

define_kernels!("scalar", 1 x 2);

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

/// Rounds twice: a fused multiply-add is a slow library call on the CPUs that need this set.
#[inline]
fn multiply_add(a: Lanes, b: Lanes, sum: Lanes) -> Lanes {
    let mut result = sum;
    for lane in 0..WIDTH {
        result[lane] += a[lane] * b[lane];
    }
    result
}

#[inline]
fn subtract(a: Lanes, b: Lanes) -> Lanes {
    let mut result = a;
    for lane in 0..WIDTH {
        result[lane] -= b[lane];
    }
    result
}

#[inline]
fn add(a: Lanes, b: Lanes) -> Lanes {
    let mut result = a;
    for lane in 0..WIDTH {
        result[lane] += b[lane];
    }
    result
}

#[inline]
fn sum(lanes: Lanes) -> f32 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}
