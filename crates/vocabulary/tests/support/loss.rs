//! The loss that enrichment minimizes, −log MLM(vector)[token], computed from its definition in double precision.
//! MLM(vector)[token] is the probability that a masked-language-model head gives to a token.

use super::Parts;

/// The loss of a vector for a token, in nats.
pub fn loss(parts: &Parts, vector: &[f64], token: usize) -> f64 {
    loss_from_activations(parts, &activations(parts, vector), token)
}

/// The values after the dense layer and GELU. GELU is computed with `erf` in double precision.
pub fn activations(parts: &Parts, vector: &[f64]) -> Vec<f64> {
    let gelu = |x: f64| 0.5 * x * (1.0 + libm::erf(x / std::f64::consts::SQRT_2));
    let rows = parts.values[0].chunks_exact(parts.dim).zip(&parts.values[1]);
    rows.map(|(row, &bias)| gelu(dot(row, vector) + f64::from(bias))).collect()
}

/// The loss of a vector for a token, given the values after GELU.
pub fn loss_from_activations(parts: &Parts, values: &[f64], token: usize) -> f64 {
    let [.., scale, shift, decoder, decoder_bias] = &parts.values;
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count + 1e-12).sqrt();
    let weights = scale.iter().zip(shift);
    let transformed: Vec<f64> = values
        .iter()
        .zip(weights)
        .map(|(value, (&scale, &shift))| (value - mean) / deviation * f64::from(scale) + f64::from(shift))
        .collect();
    let logits = decoder.chunks_exact(parts.inner).zip(decoder_bias);
    let logits: Vec<f64> = logits.map(|(row, &bias)| dot(row, &transformed) + f64::from(bias)).collect();
    logits.iter().map(|logit| logit.exp()).sum::<f64>().ln() - logits[token]
}

/// Converts numbers to double precision.
pub fn doubles(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&value| f64::from(value)).collect()
}

/// The dot product in double precision.
fn dot(row: &[f32], vector: &[f64]) -> f64 {
    row.iter().zip(vector).map(|(&a, b)| f64::from(a) * b).sum()
}
