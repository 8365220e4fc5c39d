//! The operations for training agree with their definitions in `f64`, and with each other on all instruction sets.

use kernels::gradients::{AdamStep, Dropout, GradientKernels};
use kernels::matrix::{Matrix, multiply};
use numerics::SplitMix64;

fn random(seed: u64, count: usize) -> Vec<f32> {
    let mut random = SplitMix64::new(seed);
    (0..count).map(|_| 2.0 * random.roughly_normal()).collect()
}

/// Lengths around the multiples of the number of lanes.
const LENGTHS: [usize; 9] = [0, 1, 7, 15, 16, 17, 31, 48, 100];

/// Fails unless all instruction sets compute the same bits. Returns what they compute.
fn with_all_sets<T: PartialEq + std::fmt::Debug>(compute: impl Fn(&GradientKernels) -> T) -> T {
    let sets = GradientKernels::available();
    let expected = compute(sets.last().expect("there is the scalar set"));
    for set in &sets {
        assert_eq!(compute(set), expected, "{}", set.name());
    }
    expected
}

fn close(found: f32, expected: f64, tolerance: f64, what: &str) {
    let error = (f64::from(found) - expected).abs();
    assert!(error <= tolerance * expected.abs().max(1.0), "{what}: {found}, expected {expected}");
}

/// The error function, as the integral of its derivative (trapezoids).
fn erf(x: f64) -> f64 {
    let steps = 20_000;
    let at = |i: usize| (-(x * i as f64 / steps as f64).powi(2)).exp();
    let inner: f64 = (1..steps).map(at).sum();
    2.0 / std::f64::consts::PI.sqrt() * x / steps as f64 * (inner + (at(0) + at(steps)) / 2.0)
}

#[test]
fn gelu_backward_multiplies_by_the_derivative() {
    for length in LENGTHS {
        let (inputs, gradients) = (random(1, length), random(2, length));
        let found = with_all_sets(|kernels| {
            let mut found = gradients.clone();
            kernels.gelu_backward(&inputs, &mut found);
            found
        });
        for ((found, &x), &gradient) in found.iter().zip(&inputs).zip(&gradients) {
            let x = f64::from(x);
            let cumulative = 0.5 * (1.0 + erf(x / 2f64.sqrt()));
            let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
            close(*found, f64::from(gradient) * (cumulative + x * density), 2e-6, "gelu");
        }
    }
}

#[test]
fn softmax_backward_agrees_with_its_definition() {
    for length in LENGTHS {
        let (values, gradients) = (random(3, length), random(4, length));
        let exponentials: Vec<f64> = values.iter().map(|value| f64::from(*value).exp()).collect();
        let sum: f64 = exponentials.iter().sum();
        let probabilities: Vec<f32> = exponentials.iter().map(|value| (value / sum) as f32).collect();
        let found = with_all_sets(|kernels| {
            let mut found = gradients.clone();
            kernels.softmax_backward(&probabilities, &mut found, 0.3);
            found
        });
        let both = || probabilities.iter().zip(&gradients).map(|(p, g)| (f64::from(*p), f64::from(*g)));
        let mean: f64 = both().map(|(p, g)| p * g).sum();
        for (found, (p, g)) in found.iter().zip(both()) {
            close(*found, 0.3 * p * (g - mean), 1e-6, "softmax");
        }
    }
}

/// A layer normalization in `f64`: (x − mean) / √(variance + epsilon) · weight + bias, and Σ gradient · output.
fn normalized(values: &[f64], weight: &[f32], bias: &[f32], gradients: &[f32], epsilon: f64) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    let outputs = values.iter().zip(weight).zip(bias).map(|((value, weight), bias)| {
        (value - mean) / (variance + epsilon).sqrt() * f64::from(*weight) + f64::from(*bias)
    });
    outputs.zip(gradients).map(|(output, gradient)| output * f64::from(*gradient)).sum()
}

#[test]
fn normalize_backward_agrees_with_finite_differences() {
    for length in [2, 15, 16, 33] {
        let (values, weight) = (random(5, length), random(6, length));
        let (bias, gradients) = (random(7, length), random(8, length));
        let (outputs, of_inputs, of_weights, of_biases) = with_all_sets(|kernels| {
            let mut standardized = values.clone();
            let factor = kernels.standardize(&mut standardized, 1e-3);
            let mut outputs = vec![0.0; length];
            kernels.scale_and_shift(&standardized, &weight, &bias, &mut outputs);
            let mut found = gradients.clone();
            // The gradients of weights and biases are added.
            let (mut of_weights, mut of_biases) = (vec![1.0; length], vec![2.0; length]);
            kernels.layer_norm_backward(
                &standardized,
                factor,
                &weight,
                &mut found,
                &mut of_weights,
                &mut of_biases,
            );
            (outputs, found, of_weights, of_biases)
        });
        let wide: Vec<f64> = values.iter().map(|value| f64::from(*value)).collect();
        let sum: f64 = outputs.iter().zip(&gradients).map(|(o, g)| f64::from(*o) * f64::from(*g)).sum();
        close(sum as f32, normalized(&wide, &weight, &bias, &gradients, 1e-3), 1e-5, "normalize");
        for at in 0..length {
            let difference = |change: f64| {
                let mut changed = wide.clone();
                changed[at] += change;
                normalized(&changed, &weight, &bias, &gradients, 1e-3)
            };
            let slope = (difference(1e-5) - difference(-1e-5)) / 2e-5;
            close(of_inputs[at], slope, 1e-4, "gradient of the input");
            let mean = wide.iter().sum::<f64>() / length as f64;
            let variance = wide.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / length as f64;
            let standardized = (wide[at] - mean) / (variance + 1e-3).sqrt();
            close(
                of_weights[at],
                1.0 + f64::from(gradients[at]) * standardized,
                1e-5,
                "gradient of a weight",
            );
            close(of_biases[at], 2.0 + f64::from(gradients[at]), 1e-6, "gradient of a bias");
        }
    }
}

#[test]
fn dropout_drops_the_same_values_every_time_and_as_many_as_its_probability_says() {
    let (rows, columns) = (200, 333);
    for probability in [0.1, 0.5] {
        let dropout = Dropout::new(probability, 42);
        let drop = |dropout: Dropout| {
            with_all_sets(|kernels| {
                let mut values = vec![1.0; rows * columns];
                for (row, values) in values.chunks_exact_mut(columns).enumerate() {
                    kernels.drop(values, dropout, row as u64);
                }
                values
            })
        };
        let values = drop(dropout);
        let kept = 1.0 / (1.0 - probability);
        assert!(values.iter().all(|value| *value == 0.0 || *value == kept));
        let count = values.len() as f64;
        // Five standard deviations of the number of dropped values, in the whole and in each row and column.
        let check = |dropped: usize, count: f64| {
            let p = f64::from(probability);
            let bound = 5.0 * (count * p * (1.0 - p)).sqrt();
            assert!((dropped as f64 - p * count).abs() < bound, "{dropped} of {count} with {p}");
        };
        check(values.iter().filter(|value| **value == 0.0).count(), count);
        for row in values.chunks_exact(columns) {
            check(row.iter().filter(|value| **value == 0.0).count(), columns as f64);
        }
        for column in 0..columns {
            check((0..rows).filter(|row| values[row * columns + column] == 0.0).count(), rows as f64);
        }
        // Neighboring rows, and other keys, drop other values: both are dropped with the probability p².
        let others = drop(Dropout::new(probability, 43));
        let pairs = |both: &dyn Fn(usize) -> bool, count: usize| {
            let p = f64::from(probability).powi(2);
            let found = (0..count).filter(|&at| both(at)).count() as f64;
            let bound = 5.0 * (count as f64 * p * (1.0 - p)).sqrt();
            assert!((found - p * count as f64).abs() < bound, "{found} pairs of {count} with {p}");
        };
        pairs(&|at| values[at] == 0.0 && others[at] == 0.0, values.len());
        pairs(&|at| values[at] == 0.0 && values[at + columns] == 0.0, values.len() - columns);
        pairs(&|at| values[at] == 0.0 && values[at + 1] == 0.0, values.len() - 1);
    }
    let mut values = [1.0, f32::NAN];
    GradientKernels::detect().drop(&mut values, Dropout::new(0.0, 1), 0);
    assert!(values[0] == 1.0 && values[1].is_nan(), "without dropout, values stay as they are");
}

#[test]
fn a_step_of_adam_agrees_with_its_definition() {
    for length in LENGTHS {
        let (parameters, gradients) = (random(9, length), random(10, length));
        let (means, roots) = (random(11, length), random(12, length));
        let variances: Vec<f32> = roots.iter().map(|root| root * root).collect();
        let step = AdamStep {
            rate: 0.01,
            decay: 0.1,
            beta_1: 0.9,
            beta_2: 0.99,
            epsilon: 1e-6,
            first_correction: 1.0 / (1.0 - 0.9f32.powi(3)),
            second_correction: 1.0 / (1.0 - 0.99f32.powi(3)),
            scale: 0.5,
        };
        let (found, found_means, found_variances) = with_all_sets(|kernels| {
            let mut found = (parameters.clone(), means.clone(), variances.clone());
            kernels.adam(step, &mut found.0, &gradients, &mut found.1, &mut found.2);
            found
        });
        for at in 0..length {
            let [parameter, gradient, mean, variance] =
                [&parameters, &gradients, &means, &variances].map(|values| f64::from(values[at]));
            let gradient = 0.5 * gradient;
            let mean = 0.9 * mean + 0.1 * gradient;
            let variance = 0.99 * variance + 0.01 * gradient * gradient;
            close(found_means[at], mean, 1e-6, "mean");
            close(found_variances[at], variance, 1e-6, "variance");
            let (mean, variance) = (mean / (1.0 - 0.9f64.powi(3)), variance / (1.0 - 0.99f64.powi(3)));
            let expected = parameter - 0.01 * 0.1 * parameter - 0.01 * mean / (variance.sqrt() + 1e-6);
            close(found[at], expected, 1e-6, "parameter");
        }
    }
}

#[test]
fn products_of_matrices_agree_with_their_definition() {
    for (rows, inner, columns) in [(0, 3, 2), (1, 1, 1), (3, 0, 4), (5, 7, 3), (33, 40, 17)] {
        let (a, b) = (random(13, rows * (inner + 2)), random(14, columns * inner));
        let stride = columns + 3;
        for adds in [false, true] {
            let before = random(15, rows * stride);
            let mut found = before.clone();
            let left = Matrix::with_stride(&a, rows, inner, inner + 2);
            let right = Matrix::new(&b, columns, inner).transposed();
            multiply(left, right, &mut found, stride, adds);
            for (at, found) in found.iter().enumerate() {
                let (row, column) = (at / stride, at % stride);
                if column >= columns {
                    assert_eq!(*found, before[at], "values between rows stay as they are");
                    continue;
                }
                let product =
                    |i: usize| f64::from(a[row * (inner + 2) + i]) * f64::from(b[column * inner + i]);
                let old = if adds { f64::from(before[at]) } else { 0.0 };
                close(*found, old + (0..inner).map(product).sum::<f64>(), 1e-5, "product");
            }
        }
    }
}

#[test]
fn operands_that_do_not_fit_are_refused() {
    let fails = |work: fn()| {
        let panic = std::panic::catch_unwind(work).expect_err("refused");
        panic.downcast_ref::<String>().expect("a message").clone()
    };
    let message = "matrix: expected at least 6 values, got 5";
    assert_eq!(fails(|| _ = Matrix::new(&[0.0; 5], 2, 3)), message);
    let message = "matrix: expected a stride of at least 3, got 2";
    assert_eq!(fails(|| _ = Matrix::with_stride(&[0.0; 9], 2, 3, 2)), message);
    let huge = || _ = Matrix::new(&[0.0; 5], usize::MAX, 3);
    assert_eq!(fails(huge), format!("matrix: expected at least {} values, got 5", usize::MAX));
    let message = "product: expected 3 rows, got 2";
    let square = |size| Matrix::new(&[0.0; 9], size, size);
    assert_eq!(
        std::panic::catch_unwind(|| multiply(square(3), square(2), &mut [0.0; 9], 3, false))
            .expect_err("refused")
            .downcast_ref::<String>()
            .expect("a message"),
        message
    );
    let message = "gelu: expected 2 values, got [1]";
    assert_eq!(fails(|| GradientKernels::detect().gelu_backward(&[0.0; 2], &mut [0.0])), message);
    let message = "dropout: expected a probability below 1, got 1";
    assert_eq!(fails(|| _ = Dropout::new(1.0, 0)), message);
}
