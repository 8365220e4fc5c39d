//! Compares the objective of enrichment, its gradient and its lower bounds with the definition in double precision.

mod support;

use control::Control;
use proptest::prelude::*;
use support::Parts;
use support::enrichment::open_head;
use support::loss::{activations, doubles, loss, loss_from_activations};
use vocabulary::Objective;

proptest! {
    #[test]
    fn gradients_agree_with_central_differences_and_bounds_are_below_every_loss(
        (dim, inner, vocabulary) in (1usize..10, 2usize..10, 2usize..60),
        seed in any::<u64>(),
        values in proptest::collection::vec(-2.0f32..2.0, 40),
    ) {
        let parts = Parts::new(dim, inner, vocabulary, seed);
        let head = open_head(&parts);
        // At most 4 · 9 of the 40 values are used.
        let rows = 4;
        let tokens: Vec<u32> = (0..rows).map(|row| (seed >> (8 * row)) as u32 % vocabulary as u32).collect();
        let vectors = &values[..rows * dim];
        let found = Objective::new(&head).at(vectors, &tokens, &Control::new()).expect("losses");
        for (row, &token) in tokens.iter().enumerate() {
            let vector = doubles(&vectors[row * dim..][..dim]);
            let token = token as usize;
            let expected = loss(&parts, &vector, token);
            let exact = activations(&parts, &vector);
            let activation_errors = activation_errors(&parts, &vectors[row * dim..][..dim], &exact);
            // The partial derivative of the loss with respect to coordinate i of the vector, if the activations had the
            // error `shifted` − `exact`.
            let derivative = |i: usize, shifted: &[f64]| {
                const STEP: f64 = 1e-6;
                let loss_after_step = |step: f64| {
                    let mut vector = vector.clone();
                    vector[i] += step;
                    let mut values = activations(&parts, &vector);
                    for (value, (shifted, exact)) in values.iter_mut().zip(shifted.iter().zip(&exact)) {
                        *value += shifted - exact;
                    }
                    loss_from_activations(&parts, &values, token)
                };
                (loss_after_step(STEP) - loss_after_step(-STEP)) / (2.0 * STEP)
            };
            let gradient: Vec<f64> = (0..dim).map(|i| derivative(i, &exact)).collect();
            let steepness = gradient.iter().map(|value| value.abs()).fold(1.0, f64::max);
            // In single precision, steeper losses have no useful error bound.
            prop_assume!(steepness < 1e3);
            let error = (f64::from(found.losses[row]) - expected).abs();
            prop_assert!(error < 1e-5 * steepness * (1.0 + expected), "loss {expected}: an error of {error:e}");
            for (i, &expected) in gradient.iter().enumerate() {
                let error = (f64::from(found.gradient[row * dim + i]) - expected).abs();
                // If activations are nearly equal, the layer norm amplifies their rounding errors.
                let amplified = 2.0 * sensitivity(&exact, &activation_errors, |shifted| derivative(i, shifted));
                let max = 1e-4 * steepness * steepness + amplified;
                prop_assert!(error < max, "derivative {expected}: an error of {error:e}, more than {max:e}");
            }
            for other in vectors.chunks_exact(dim) {
                let loss = loss(&parts, &doubles(other), token);
                prop_assert!(f64::from(found.bounds[row]) < loss + 1e-4 * (1.0 + loss));
            }
        }
    }
}

/// A bound on the rounding error of each activation in single precision.
fn activation_errors(parts: &Parts, vector: &[f32], activations: &[f64]) -> Vec<f64> {
    let rows = parts.values[0].chunks_exact(parts.dim).zip(activations);
    let error = |(row, value): (&[f32], &f64)| {
        // The slope of GELU is below 1.13.
        1.13 * kernels::reference::dot_error(row, vector) + f64::from(f32::EPSILON) * value.abs()
    };
    rows.map(error).collect()
}

/// The sum, over all activations, of how much `function` changes if that activation changes by its error.
fn sensitivity(activations: &[f64], errors: &[f64], function: impl Fn(&[f64]) -> f64) -> f64 {
    let exact = function(activations);
    let change = |(at, &error): (usize, &f64)| {
        let change_by = |step: f64| {
            let mut shifted = activations.to_vec();
            shifted[at] += step;
            (function(&shifted) - exact).abs()
        };
        change_by(error).max(change_by(-error))
    };
    errors.iter().enumerate().map(change).sum()
}
