//! The loops of [`LogitKernels`](super::LogitKernels), in portable code that is compiled for each instruction set. They
//! process arrays of [`LANES`] floats, which the compiler maps to registers.
//!
//! For x ≤ 0, exp(x) is 2ⁿ · exp(r), where n is the integer nearest to x / ln 2 and r = x − n · ln 2. So |r| is at most
//! (ln 2) / 2. The parts are computed as follows:
//!
//! - n: adding 1.5 · 2²³ to a number of magnitude below 2²² rounds the number to an integer, which is then in the last
//!   bits of the result. Subtracting 1.5 · 2²³ again leaves n as a float.
//! - r: ln 2 is split into two parts. The first, 355/512, has so few significant bits that its product with n is exact.
//! - exp(r): the Taylor polynomial of degree 7. The terms that it omits add up to less than 6 · 10⁻⁹.
//! - 2ⁿ: the last bits of the result of the first step are shifted into the exponent of a float, and the exponent bias
//!   of 127 is added.

use std::f32::consts::LOG2_E;

use super::sum::{LANES, SoftmaxSum};

/// Number of exponentials that each lane adds up in `f32` before their sum is added to the lane's `f64` total.
const FLOAT_ADDITIONS: usize = 8;
/// Below this, [`exp`] returns 0. exp(−87) is 1.6 · 10⁻³⁸, a little more than the smallest normal float.
const MIN_EXPONENT: f32 = -87.0;
/// 1.5 · 2²³.
const ROUND_TO_INTEGER: f32 = 12_582_912.0;
/// The first part of ln 2: 355/512, whose last bits are zeros.
const LN_2_HIGH: f32 = 0.693_359_4;
/// ln 2 − `LN_2_HIGH`.
const LN_2_LOW: f32 = -2.121_944_4e-4;

/// Adds `bias` to `logits`, and the exponentials of the results to `sum`. Returns the largest of the results. A first
/// pass over the block finds the largest, so that `sum` is rescaled at most once. A second pass computes the
/// exponentials.
#[inline(always)]
pub(super) fn accumulate<const FUSED: bool>(logits: &mut [f32], bias: &[f32], sum: &mut SoftmaxSum) -> f32 {
    let mut lane_max = [f32::NEG_INFINITY; LANES];
    let (chunks, rest) = logits.as_chunks_mut::<LANES>();
    let (bias, rest_bias) = bias.as_chunks::<LANES>();
    for (chunk, bias) in chunks.iter_mut().zip(bias) {
        for lane in 0..LANES {
            chunk[lane] += bias[lane];
            lane_max[lane] = if chunk[lane] > lane_max[lane] { chunk[lane] } else { lane_max[lane] };
        }
    }
    for ((logit, bias), max) in rest.iter_mut().zip(rest_bias).zip(&mut lane_max) {
        *logit += bias;
        *max = max.max(*logit);
    }
    let max = max_lane(lane_max);
    if max > sum.max {
        sum.raise_max(max);
    }
    for group in chunks.chunks(FLOAT_ADDITIONS) {
        let mut partial = [0.0; LANES];
        for chunk in group {
            for lane in 0..LANES {
                partial[lane] += exp::<FUSED>(chunk[lane] - sum.max);
            }
        }
        for (lane, partial) in sum.lanes.iter_mut().zip(partial) {
            *lane += f64::from(partial);
        }
    }
    for (&logit, lane) in rest.iter().zip(&mut sum.lanes) {
        *lane += f64::from(exp::<FUSED>(logit - sum.max));
    }
    max
}

/// Adds the number of `logits` above `scores[i]` (with `OR_EQUAL`, at or above) to `counts[i]`.
#[inline(always)]
pub(super) fn count<const OR_EQUAL: bool>(logits: &[f32], scores: &[f32], counts: &mut [u32]) {
    let (chunks, rest) = logits.as_chunks::<LANES>();
    for (&score, count) in scores.iter().zip(counts) {
        let counts_as = |logit: f32| u32::from(if OR_EQUAL { logit >= score } else { logit > score });
        let mut lanes = [0; LANES];
        for chunk in chunks {
            for lane in 0..LANES {
                lanes[lane] += counts_as(chunk[lane]);
            }
        }
        *count += lanes.iter().sum::<u32>() + rest.iter().map(|&logit| counts_as(logit)).sum::<u32>();
    }
}

/// Returns the largest lane.
#[inline(always)]
fn max_lane(lanes: [f32; LANES]) -> f32 {
    let mut lanes = lanes;
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] = if lanes[lane + half] > lanes[lane] { lanes[lane + half] } else { lanes[lane] };
        }
        half /= 2;
    }
    lanes[0]
}

/// Returns exp(x) for x ≤ 0, with a relative error of at most 2⁻²². Returns 0 for x below −87, and NaN for NaN. The
/// function compiles to code without branches or calls, so that compilers vectorize loops that call it. With `FUSED` it
/// uses fused multiply-adds, which are slow library calls unless the caller is compiled for a CPU that has them.
#[inline(always)]
#[must_use]
pub fn exp<const FUSED: bool>(x: f32) -> f32 {
    let clamped = if x < MIN_EXPONENT { MIN_EXPONENT } else { x };
    let shifted = multiply_add::<FUSED>(clamped, LOG2_E, ROUND_TO_INTEGER);
    let n = shifted - ROUND_TO_INTEGER;
    let r = multiply_add::<FUSED>(n, -LN_2_HIGH, clamped);
    let r = multiply_add::<FUSED>(n, -LN_2_LOW, r);
    let mut value = 1.0 / 5040.0;
    for coefficient in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        value = multiply_add::<FUSED>(value, r, coefficient);
    }
    let power_of_two = f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23));
    if x < MIN_EXPONENT { 0.0 } else { value * power_of_two }
}

#[inline(always)]
fn multiply_add<const FUSED: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_agree_with_the_standard_library_within_the_error_bound() {
        for at in 0..=2_000_000 {
            let x = -87.5 * (at as f32 / 2_000_000.0);
            let expected = f64::from(x).exp();
            for got in [exp::<true>(x), exp::<false>(x)] {
                let error = (f64::from(got) - expected).abs();
                // The relative error is at most 2⁻²².
                assert!(
                    if x < MIN_EXPONENT { got == 0.0 } else { error <= expected / 4_194_304.0 },
                    "{x}: {got}"
                );
            }
        }
        assert_eq!(exp::<true>(0.0), 1.0);
        assert_eq!(exp::<true>(f32::NEG_INFINITY), 0.0);
        assert!(exp::<true>(f32::NAN).is_nan());
    }
}
