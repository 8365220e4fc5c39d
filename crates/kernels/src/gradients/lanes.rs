//! The operations, in portable code that is compiled for each instruction set.

use super::{AdamStep, Dropout};
use crate::network::lanes::{normal_distribution, sum, sum_of_products};

/// Multiplies gradients by the derivative of GELU at `inputs`: Φ(x) + x · φ(x), where Φ is the cumulative distribution
/// function of the standard normal distribution, and φ its density.
#[inline(always)]
pub(super) fn gelu_backward(inputs: &[f32], gradients: &mut [f32]) {
    /// 1 / √(2π)
    const DENSITY_AT_0: f32 = 0.398_942_3;
    for (gradient, &x) in gradients.iter_mut().zip(inputs) {
        let (cumulative, power) = normal_distribution(x);
        *gradient *= (x * DENSITY_AT_0).mul_add(power, cumulative);
    }
}

/// The backward pass of p = softmax(`scale` · x): replaces the gradients g with respect to p by those with respect to
/// x, `scale` · p · (g − Σ p g).
#[inline(always)]
pub(super) fn softmax_backward(probabilities: &[f32], gradients: &mut [f32], scale: f32) {
    let mean = sum_of_products(gradients, probabilities);
    for (gradient, &probability) in gradients.iter_mut().zip(probabilities) {
        *gradient = (*gradient - mean) * probability * scale;
    }
}

/// Subtracts the mean from each value, divides by the standard deviation, and returns the factor 1 / √(variance +
/// epsilon).
#[inline(always)]
pub(super) fn standardize(row: &mut [f32], epsilon: f32) -> f32 {
    let count = row.len() as f32;
    let mean = sum(row, |value| value) / count;
    row.iter_mut().for_each(|value| *value -= mean);
    let variance = sum(row, |value| value * value) / count;
    let factor = 1.0 / (variance + epsilon).sqrt();
    row.iter_mut().for_each(|value| *value *= factor);
    factor
}

/// Writes standardized · weight + bias.
#[inline(always)]
pub(super) fn scale_and_shift(standardized: &[f32], weight: &[f32], bias: &[f32], out: &mut [f32]) {
    for (((out, value), weight), bias) in out.iter_mut().zip(standardized).zip(weight).zip(bias) {
        *out = value.mul_add(*weight, *bias);
    }
}

/// Replaces the gradients of a layer normalization's outputs by those of its inputs, and adds those of its weights and
/// biases to `weight_gradients` and `bias_gradients`.
#[inline(always)]
pub(super) fn layer_norm_backward(
    standardized: &[f32],
    factor: f32,
    weight: &[f32],
    gradients: &mut [f32],
    weight_gradients: &mut [f32],
    bias_gradients: &mut [f32],
) {
    let values = gradients.iter_mut().zip(standardized).zip(weight).zip(weight_gradients).zip(bias_gradients);
    for ((((gradient, value), weight), of_weight), of_bias) in values {
        *of_weight = gradient.mul_add(*value, *of_weight);
        *of_bias += *gradient;
        *gradient *= *weight;
    }
    let count = gradients.len() as f32;
    let mean = sum(gradients, |gradient| gradient) / count;
    let slope = sum_of_products(gradients, standardized) / count;
    for (gradient, value) in gradients.iter_mut().zip(standardized) {
        *gradient = (*gradient - value.mul_add(slope, mean)) * factor;
    }
}

/// Sets some values to 0 and multiplies the others.
#[inline(always)]
pub(super) fn drop(values: &mut [f32], dropout: Dropout, row: u64) {
    // Two numbers that depend on everything but the column. For the columns, a shorter hash of 32 bits suffices, which
    // every instruction set computes for several columns at once.
    let key = mix(dropout.key ^ mix(row));
    let (first, second) = (key as u32, (key >> 32) as u32);
    for (column, value) in values.iter_mut().enumerate() {
        let hash = mix_32((column as u32).wrapping_mul(0x9E37_79B9).wrapping_add(first)) ^ second;
        let keeps = mix_32(hash) >= dropout.threshold;
        *value = if keeps { *value * dropout.factor } else { 0.0 };
    }
}

/// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
#[inline(always)]
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// A bijection of 32 bits with little bias (the function `lowbias32` of Wellons, “Prospecting for hash functions”,
/// 2018).
#[inline(always)]
fn mix_32(x: u32) -> u32 {
    let x = (x ^ (x >> 16)).wrapping_mul(0x7FEB_352D);
    let x = (x ^ (x >> 15)).wrapping_mul(0x846C_A68B);
    x ^ (x >> 16)
}

/// Updates parameters by one step of AdamW (Loshchilov and Hutter, 2019, algorithm 2).
#[inline(always)]
pub(super) fn adam(
    step: AdamStep,
    parameters: &mut [f32],
    gradients: &[f32],
    first_moments: &mut [f32],
    second_moments: &mut [f32],
) {
    let AdamStep { rate, decay, beta_1, beta_2, epsilon, first_correction, second_correction, scale } = step;
    let rate_of_mean = rate * first_correction;
    let root_correction = second_correction.sqrt();
    for (((parameter, gradient), mean), variance) in
        parameters.iter_mut().zip(gradients).zip(first_moments).zip(second_moments)
    {
        let gradient = gradient * scale;
        *mean = (gradient - *mean).mul_add(1.0 - beta_1, *mean);
        *variance = (gradient * gradient).mul_add(1.0 - beta_2, *variance * beta_2);
        let root = variance.sqrt() * root_correction + epsilon;
        let decayed = *parameter * (1.0 - rate * decay);
        *parameter = decayed - rate_of_mean * *mean / root;
    }
}
