//! Operations on rows of floats, in portable code that is compiled for each instruction set. They process arrays of
//! [`LANES`] floats, which the compiler maps to registers. Sums have a partial sum for each lane, so their order is the
//! same with every instruction set.

use super::LANES;
use crate::logits::exp;

/// Adds `residual` to `row`, if there is one, and normalizes the sum x (Ba et al., 2016, equation 4):
/// (x − mean) / √(variance + epsilon) · weight + bias.
#[inline(always)]
pub(super) fn normalize(
    row: &mut [f32],
    residual: Option<&[f32]>,
    weight: &[f32],
    bias: &[f32],
    epsilon: f32,
) {
    if let Some(residual) = residual {
        row.iter_mut().zip(residual).for_each(|(value, residual)| *value += residual);
    }
    let count = row.len() as f32;
    let mean = sum(row, |value| value) / count;
    row.iter_mut().for_each(|value| *value -= mean);
    let variance = sum(row, |value| value * value) / count;
    let factor = 1.0 / (variance + epsilon).sqrt();
    for ((value, weight), bias) in row.iter_mut().zip(weight).zip(bias) {
        *value = (*value * factor).mul_add(*weight, *bias);
    }
}

/// Replaces each value x with exp(`scale` · x), divided by the sum of all these. `scale` must not be negative.
#[inline(always)]
pub(super) fn softmax(row: &mut [f32], scale: f32) {
    let max = best(row, f32::NEG_INFINITY, |value, max| value > max);
    row.iter_mut().for_each(|value| *value = exp::<true>((*value - max) * scale));
    let factor = 1.0 / sum(row, |value| value);
    row.iter_mut().for_each(|value| *value *= factor);
}

/// The constants of erf(y) ≈ 1 − (a₁ t + a₂ t² + a₃ t³ + a₄ t⁴ + a₅ t⁵) exp(−y²) for y ≥ 0, where t = 1 / (1 + p y)
/// (Abramowitz and Stegun, 1964, equation 7.1.26). The error is at most 1.5 · 10⁻⁷.
const ERF_P: f32 = 0.327_591_1;
const ERF_A: [f32; 5] = [0.254_829_6, -0.284_496_72, 1.421_413_8, -1.453_152_1, 1.061_405_4];

/// Replaces each value x with x · Φ(x), where Φ(x) = (1 + erf(x / √2)) / 2 is the cumulative distribution function of
/// the standard normal distribution (Hendrycks and Gimpel, 2016, §2).
#[inline(always)]
pub(super) fn gelu(values: &mut [f32]) {
    values.iter_mut().for_each(|value| *value *= normal_distribution(*value).0);
}

/// Returns Φ(x) and exp(−x²/2), of which it is computed.
#[inline(always)]
pub(crate) fn normal_distribution(x: f32) -> (f32, f32) {
    let y = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / y.mul_add(ERF_P, 1.0);
    let [a1, a2, a3, a4, a5] = ERF_A;
    let polynomial = t * a5.mul_add(t, a4).mul_add(t, a3).mul_add(t, a2).mul_add(t, a1);
    let power = exp::<true>(-(y * y));
    // 1 − Φ(|x|)
    let tail = 0.5 * polynomial * power;
    (if x < 0.0 { tail } else { 1.0 - tail }, power)
}

/// Quantizes a row, as [`NetworkKernels::quantize`](super::NetworkKernels::quantize) describes. Returns its scale and
/// its zero point. If any value is NaN or infinite, the scale is not finite.
#[inline(always)]
pub(super) fn quantize(row: &[f32], bytes: &mut [u8]) -> (f32, i32) {
    let low = best(row, 0.0, |value, low| value < low);
    let high = best(row, 0.0, |value, high| value > high);
    // Adds 0 if all values are finite, and otherwise NaN.
    let range = high - low + sum(row, |value| value * 0.0);
    // With a scale of 1, all bytes of a row of zeros are 0.
    let scale = if range == 0.0 { 1.0 } else { range / 255.0 };
    let inverse = 1.0 / scale;
    let zero = round_to_byte(-low * inverse) as u8;
    let offset = f32::from(zero);
    for (&value, byte) in row.iter().zip(bytes) {
        *byte = round_to_byte(value.mul_add(inverse, offset)) as u8;
    }
    (scale, i32::from(zero))
}

/// Rounds a number to the nearest byte, which is in the lowest eight bits of the result.
#[inline(always)]
fn round_to_byte(value: f32) -> u32 {
    /// 1.5 · 2²³. Adding it to a number of magnitude below 2²² rounds the number to an integer, which is then in the
    /// last bits of the result.
    const ROUND_TO_INTEGER: f32 = 12_582_912.0;
    let value = if value > 0.0 { value } else { 0.0 };
    let value = if value < 255.0 { value } else { 255.0 };
    (value + ROUND_TO_INTEGER).to_bits()
}

/// Returns the best of `start` and all values. NaN is never better than another value.
#[inline(always)]
fn best(row: &[f32], start: f32, is_better: impl Fn(f32, f32) -> bool) -> f32 {
    let mut lanes = [start; LANES];
    let (chunks, rest) = row.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] = if is_better(chunk[lane], lanes[lane]) { chunk[lane] } else { lanes[lane] };
        }
    }
    for (lane, &value) in lanes.iter_mut().zip(rest) {
        *lane = if is_better(value, *lane) { value } else { *lane };
    }
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            let other = lanes[lane + half];
            lanes[lane] = if is_better(other, lanes[lane]) { other } else { lanes[lane] };
        }
        half /= 2;
    }
    lanes[0]
}

/// Adds up a function of all values.
#[inline(always)]
pub(crate) fn sum(row: &[f32], function: impl Fn(f32) -> f32) -> f32 {
    let mut sums = [0.0; LANES];
    let (chunks, rest) = row.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            sums[lane] += function(chunk[lane]);
        }
    }
    for (sum, &value) in sums.iter_mut().zip(rest) {
        *sum += function(value);
    }
    add_lanes(sums)
}

/// Adds up the products of the values of two rows of the same length.
#[inline(always)]
pub(crate) fn sum_of_products(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0; LANES];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            sums[lane] = a[lane].mul_add(b[lane], sums[lane]);
        }
    }
    for ((sum, a), b) in sums.iter_mut().zip(a_rest).zip(b_rest) {
        *sum = a.mul_add(*b, *sum);
    }
    add_lanes(sums)
}

/// Adds up all lanes: halves are added lane by lane until one lane is left.
#[inline(always)]
fn add_lanes(mut lanes: [f32; LANES]) -> f32 {
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] += lanes[lane + half];
        }
        half /= 2;
    }
    lanes[0]
}
