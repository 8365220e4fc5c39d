//! The loops of every instruction set: the compiler makes lanes of these arrays.

use std::f32::consts::LOG2_E;

use super::sum::{LANES, SoftmaxSum};

/// Exponentials that are added up in single precision before they go to the sum.
const RUN: usize = 8;
/// What is this far below the greatest logit is taken for nothing: exp(−87) is 1.6e-38.
const LEAST: f32 = -87.0;
/// 3 · 2²²: added to a number below 2²¹, it leaves the nearest whole number in the last bits.
const ROUNDER: f32 = 12_582_912.0;
/// ln 2 in two parts: the first has its last bits zero, so that its product with an exponent is exact.
const LN_2_HIGH: f32 = 0.693_359_4;
const LN_2_LOW: f32 = -2.121_944_4e-4;

/// Adds `bias` to `logits`, and their exponentials to `sum`. Returns the greatest of them.
#[inline(always)]
pub(super) fn gather<const FUSED: bool>(logits: &mut [f32], bias: &[f32], sum: &mut SoftmaxSum) -> f32 {
    let mut most = [f32::NEG_INFINITY; LANES];
    let (chunks, rest) = logits.as_chunks_mut::<LANES>();
    let (bias, rest_bias) = bias.as_chunks::<LANES>();
    for (chunk, bias) in chunks.iter_mut().zip(bias) {
        for lane in 0..LANES {
            chunk[lane] += bias[lane];
            most[lane] = if chunk[lane] > most[lane] { chunk[lane] } else { most[lane] };
        }
    }
    for ((logit, bias), most) in rest.iter_mut().zip(rest_bias).zip(&mut most) {
        *logit += bias;
        *most = most.max(*logit);
    }
    let most = greatest(most);
    if most > sum.greatest {
        sum.raise(most);
    }
    for run in chunks.chunks(RUN) {
        let mut part = [0.0; LANES];
        for chunk in run {
            for lane in 0..LANES {
                part[lane] += exp::<FUSED>(chunk[lane] - sum.greatest);
            }
        }
        for (lane, part) in sum.lanes.iter_mut().zip(part) {
            *lane += f64::from(part);
        }
    }
    for (&logit, lane) in rest.iter().zip(&mut sum.lanes) {
        *lane += f64::from(exp::<FUSED>(logit - sum.greatest));
    }
    most
}

/// Adds to each of `counts` how many of `logits` are above the score at its place, or with `REACHING` as high or above.
#[inline(always)]
pub(super) fn count<const REACHING: bool>(logits: &[f32], scores: &[f32], counts: &mut [u32]) {
    let (chunks, rest) = logits.as_chunks::<LANES>();
    for (&score, count) in scores.iter().zip(counts) {
        let beats = |logit: f32| u32::from(if REACHING { logit >= score } else { logit > score });
        let mut lanes = [0; LANES];
        for chunk in chunks {
            for lane in 0..LANES {
                lanes[lane] += beats(chunk[lane]);
            }
        }
        *count += lanes.iter().sum::<u32>() + rest.iter().map(|&logit| beats(logit)).sum::<u32>();
    }
}

#[inline(always)]
fn greatest(lanes: [f32; LANES]) -> f32 {
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

/// exp(x) for x ≤ 0, with a relative error of at most 2⁻²²; 0 below −87, NaN for NaN. It has no branches or calls, so that
/// compilers vectorize loops over it. `FUSED` uses fused multiply-adds, which are slow library calls unless the caller is
/// compiled for a CPU that has them.
///
/// x is n ln 2 + r with |r| ≤ ln 2 / 2, and exp(r) the first eight terms of its series: those that follow are below 6e-9.
#[inline(always)]
#[must_use]
pub fn exp<const FUSED: bool>(x: f32) -> f32 {
    let within = if x < LEAST { LEAST } else { x };
    let shifted = multiply_add::<FUSED>(within, LOG2_E, ROUNDER);
    let whole = shifted - ROUNDER;
    let rest = multiply_add::<FUSED>(whole, -LN_2_HIGH, within);
    let rest = multiply_add::<FUSED>(whole, -LN_2_LOW, rest);
    let mut value = 1.0 / 5040.0;
    for term in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        value = multiply_add::<FUSED>(value, rest, term);
    }
    // The whole number is in the last bits; a float's exponent begins at bit 23, and 127 there is a factor of 1.
    let scale = f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23));
    if x < LEAST { 0.0 } else { value * scale }
}

#[inline(always)]
fn multiply_add<const FUSED: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_near_those_of_the_standard_library() {
        for at in 0..=2_000_000 {
            let x = -87.5 * (at as f32 / 2_000_000.0);
            let expected = f64::from(x).exp();
            for got in [exp::<true>(x), exp::<false>(x)] {
                let off = (f64::from(got) - expected).abs();
                assert!(if x < LEAST { got == 0.0 } else { off <= expected / 4_194_304.0 }, "{x}: {got}");
            }
        }
        assert_eq!(exp::<true>(0.0), 1.0);
        assert_eq!(exp::<true>(f32::NEG_INFINITY), 0.0);
        assert!(exp::<true>(f32::NAN).is_nan());
    }
}
