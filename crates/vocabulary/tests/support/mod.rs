//! Helpers of the tests: random weights of heads, files with these weights, and the definition of a head, computed in
//! double precision.
#![allow(dead_code, reason = "each test file uses some of these functions")]

pub mod enrichment;
pub mod graph;
pub mod loss;

use std::path::Path;

use numerics::rounding::UNIT_ROUNDOFF;
use safetensors::Dtype;
use safetensors::tensor::{TensorView, serialize};

/// A tensor to write: its name, shape and values.
pub type NamedTensor = (String, Vec<usize>, Vec<f32>);

/// The weights of a head.
pub struct Parts {
    pub dim: usize,
    pub inner: usize,
    pub vocabulary: usize,
    /// Weight and bias of the dense layer (0 and 1), of the layer norm (2 and 3), and of the decoder (4 and 5).
    pub values: [Vec<f32>; 6],
}

impl Parts {
    /// Draws random multiples of 1/16 between −1 and 1, which 16-bit floats represent exactly.
    pub fn new(dim: usize, inner: usize, vocabulary: usize, seed: u64) -> Self {
        let mut state = seed;
        let mut next = |count: usize| -> Vec<f32> {
            (0..count)
                .map(|_| {
                    // A linear congruential generator (Knuth, The Art of Computer Programming, volume 2, §3.3.4,
                    // table 1, line 26).
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    ((state >> 33) % 33) as f32 / 16.0 - 1.0
                })
                .collect()
        };
        let counts = [inner * dim, inner, inner, inner, vocabulary * inner, vocabulary];
        Self { dim, inner, vocabulary, values: counts.map(&mut next) }
    }

    /// Returns the weights as tensors with these names, in the order of `values`.
    pub fn named(&self, names: [&str; 6]) -> Vec<NamedTensor> {
        let shapes = [
            vec![self.inner, self.dim],
            vec![self.inner],
            vec![self.inner],
            vec![self.inner],
            vec![self.vocabulary, self.inner],
            vec![self.vocabulary],
        ];
        let parts = names.into_iter().zip(shapes).zip(self.values.clone());
        parts.map(|((name, shape), values)| (name.to_owned(), shape, values)).collect()
    }

    /// Returns the values of the transformed vector g(e) = LayerNorm(GELU(W e + c)), computed from the definition, each
    /// with a bound on the error of a computation in single precision.
    ///
    /// The dot products of the dense layer have an error of at most `kernels::reference::dot_error`. GELU multiplies
    /// this error by at most the slope of GELU, which is below 1.13, and rounding adds to the error; the result is δ.
    /// The layer norm subtracts a mean, which has an error of at most δ too. The differences therefore have an error of
    /// at most 2δ. The standard deviation σ is the root mean square of the differences, so its error is also at most
    /// 2δ. A normalized value n has an error of at most 2δ / (σ − 2δ) · (1 + |n|). Two more roundings follow.
    pub fn transform(&self, vector: &[f32], gelu: impl Fn(f64) -> f64, epsilon: f64) -> Vec<(f64, f64)> {
        let [weight, bias, scale, shift, ..] = &self.values;
        let rows = weight.chunks_exact(self.dim).zip(bias);
        let values: Vec<(f64, f64)> = rows
            .map(|(row, &bias)| {
                let value = gelu(kernels::reference::dot(row, vector) + f64::from(bias));
                (value, 1.13 * kernels::reference::dot_error(row, vector) + UNIT_ROUNDOFF * value.abs())
            })
            .collect();
        let error = values.iter().map(|&(_, error)| error).fold(0.0, f64::max);
        let count = values.len() as f64;
        let mean = values.iter().map(|&(value, _)| value).sum::<f64>() / count;
        let variance = values.iter().map(|&(value, _)| (value - mean).powi(2)).sum::<f64>() / count;
        let deviation = (variance + epsilon).sqrt();
        values
            .iter()
            .zip(scale.iter().zip(shift))
            .map(|(&(value, _), (&scale, &shift))| {
                let normal = (value - mean) / deviation;
                // If the activations vary less than their error, the bound is infinite or NaN.
                let normal_error = 2.0 * error / (deviation - 2.0 * error).max(0.0) * (1.0 + normal.abs());
                let result = normal * f64::from(scale) + f64::from(shift);
                (result, normal_error * f64::from(scale).abs() + 2.0 * UNIT_ROUNDOFF * result.abs())
            })
            .collect()
    }
}

/// GELU, x · Φ(x), for |x| ≤ 40. Φ is the integral of the normal density, by Simpson's rule. Beyond ±12, Φ differs from
/// 0 or 1 by less than 1e-32.
pub fn gelu(x: f64) -> f64 {
    const STEPS: usize = 20_000;
    let density = |t: f64| (-0.5 * t * t).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let end = x.clamp(-12.0, 12.0);
    let step = end / STEPS as f64;
    let weight = |at: usize| if at == 0 || at == STEPS { 1.0 } else { 2.0 + 2.0 * (at % 2) as f64 };
    let sum: f64 = (0..=STEPS).map(|at| weight(at) * density(at as f64 * step)).sum();
    x * (0.5 + sum * step / 3.0)
}

/// Writes tensors to a safetensors file, all with the same data type.
pub fn write(path: &Path, tensors: &[NamedTensor], dtype: Dtype) {
    let bytes: Vec<(String, Vec<usize>, Vec<u8>)> = tensors
        .iter()
        .map(|(name, shape, values)| (name.clone(), shape.clone(), bytes(values, dtype)))
        .collect();
    let views = bytes.iter().map(|(name, shape, bytes)| {
        (name.as_str(), TensorView::new(dtype, shape.clone(), bytes).expect("a tensor"))
    });
    std::fs::write(path, serialize(views, None).expect("a file")).expect("written");
}

/// Returns the little-endian bytes of values with this data type.
fn bytes(values: &[f32], dtype: Dtype) -> Vec<u8> {
    use kernels::half::{HalfFormat, HalfKernels};
    let format = match dtype {
        Dtype::F16 => HalfFormat::F16,
        Dtype::BF16 => HalfFormat::Bf16,
        _ => return bytemuck::cast_slice(values).to_vec(),
    };
    let mut halves = vec![0; values.len()];
    HalfKernels::detect().narrow(format, values, &mut halves);
    bytemuck::cast_slice(&halves).to_vec()
}
