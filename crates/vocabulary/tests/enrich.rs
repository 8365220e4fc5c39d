//! Tests single-token enrichments on small heads, and compares them with the definition in double precision.

mod support;

use std::path::Path;

use control::Control;
use proptest::prelude::*;
use safetensors::Dtype;
use support::Parts;
use vocabulary::{Adam, EnrichOptions, Error, Head, Objective, Start, cache_file, enrich, enrich_evenly};

const NAMES: [&str; 6] = [
    "cls.predictions.transform.dense.weight",
    "cls.predictions.transform.dense.bias",
    "cls.predictions.transform.LayerNorm.weight",
    "cls.predictions.transform.LayerNorm.bias",
    "cls.predictions.decoder.weight",
    "cls.predictions.bias",
];

/// Writes a head to a file and opens it.
fn head(parts: &Parts) -> Head {
    let folder = tempfile::tempdir().expect("a folder");
    support::write(&folder.path().join("model.safetensors"), &parts.named(NAMES), Dtype::F32);
    Head::open(folder.path()).expect("a head")
}

/// The dot product in double precision.
fn product(row: &[f32], with: &[f64]) -> f64 {
    row.iter().zip(with).map(|(&a, b)| f64::from(a) * b).sum()
}

/// −log MLM(vector)[token], computed directly from the definition.
fn loss(parts: &Parts, vector: &[f64], token: usize) -> f64 {
    loss_of(parts, &activations(parts, vector), token)
}

/// The activations of the dense layer for a vector, with the exact GELU (`erf` of libm).
fn activations(parts: &Parts, vector: &[f64]) -> Vec<f64> {
    let gelu = |x: f64| 0.5 * x * (1.0 + libm::erf(x / std::f64::consts::SQRT_2));
    let rows = parts.values[0].chunks_exact(parts.dim).zip(&parts.values[1]);
    rows.map(|(row, &bias)| gelu(product(row, vector) + f64::from(bias))).collect()
}

/// A bound on the rounding error of each activation in single precision.
fn rounding(parts: &Parts, vector: &[f32], activations: &[f64]) -> Vec<f64> {
    let rows = parts.values[0].chunks_exact(parts.dim).zip(activations);
    let off = |(row, value): (&[f32], &f64)| {
        // The slope of GELU is below 1.13.
        1.13 * kernels::reference::dot_error(row, vector) + f64::from(f32::EPSILON) * value.abs()
    };
    rows.map(off).collect()
}

/// How much a function of the activations changes if each activation changes by its rounding error, summed over activations.
fn sensitivity(activations: &[f64], rounding: &[f64], of: impl Fn(&[f64]) -> f64) -> f64 {
    let exact = of(activations);
    let moved = |(at, &off): (usize, &f64)| {
        let beside = |step: f64| {
            let mut moved = activations.to_vec();
            moved[at] += step;
            (of(&moved) - exact).abs()
        };
        beside(off).max(beside(-off))
    };
    rounding.iter().enumerate().map(moved).sum()
}

fn loss_of(parts: &Parts, values: &[f64], token: usize) -> f64 {
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
    let logits: Vec<f64> = logits.map(|(row, &bias)| product(row, &transformed) + f64::from(bias)).collect();
    logits.iter().map(|logit| logit.exp()).sum::<f64>().ln() - logits[token]
}

fn doubles(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&value| f64::from(value)).collect()
}

proptest! {
    #[test]
    fn gradients_agree_with_central_differences_and_bounds_are_below_every_loss(
        (dim, inner, vocabulary) in (1usize..10, 2usize..10, 2usize..60),
        seed in any::<u64>(),
        values in proptest::collection::vec(-2.0f32..2.0, 40),
    ) {
        let parts = Parts::new(dim, inner, vocabulary, seed);
        let head = head(&parts);
        let rows = 4;
        let tokens: Vec<u32> = (0..rows).map(|row| (seed >> (8 * row)) as u32 % vocabulary as u32).collect();
        let vectors = &values[..rows * dim];
        let found = Objective::new(&head).at(vectors, &tokens, &Control::new()).expect("found");
        for (row, &token) in tokens.iter().enumerate() {
            let vector = doubles(&vectors[row * dim..][..dim]);
            let token = token as usize;
            let expected = loss(&parts, &vector, token);
            let exact = activations(&parts, &vector);
            let rounding = rounding(&parts, &vectors[row * dim..][..dim], &exact);
            // The derivative of the loss with respect to coordinate i, with activations shifted from `exact` to `moved`.
            let slope = |i: usize, moved: &[f64]| {
                const STEP: f64 = 1e-6;
                let beside = |step: f64| {
                    let mut vector = vector.clone();
                    vector[i] += step;
                    let mut values = activations(&parts, &vector);
                    values.iter_mut().zip(moved.iter().zip(&exact)).for_each(|(value, (to, from))| *value += to - from);
                    loss_of(&parts, &values, token)
                };
                (beside(STEP) - beside(-STEP)) / (2.0 * STEP)
            };
            let slopes: Vec<f64> = (0..dim).map(|i| slope(i, &exact)).collect();
            let steepness = slopes.iter().map(|slope| slope.abs()).fold(1.0, f64::max);
            prop_assume!(steepness < 1e3);
            let off = (f64::from(found.losses[row]) - expected).abs();
            prop_assert!(off < 1e-5 * steepness * (1.0 + expected), "loss {expected}: off by {off:e}");
            for (i, &expected) in slopes.iter().enumerate() {
                let off = (f64::from(found.gradient[row * dim + i]) - expected).abs();
                // If activations are nearly equal, the layer norm amplifies their rounding errors.
                let rounded = 2.0 * sensitivity(&exact, &rounding, |moved| slope(i, moved));
                let max = 1e-4 * steepness * steepness + rounded;
                prop_assert!(off < max, "slope {expected}: off by {off:e}, more than {max:e}");
            }
            for other in vectors.chunks_exact(dim) {
                let loss = loss(&parts, &doubles(other), token);
                prop_assert!(f64::from(found.bounds[row]) < loss + 1e-4 * (1.0 + loss));
            }
        }
    }
}

fn options() -> EnrichOptions {
    EnrichOptions { max_steps: 300, threads: 2, ..EnrichOptions::default() }
}

fn found(head: &Head, options: &EnrichOptions, path: Option<&Path>) -> vocabulary::Enrichments {
    enrich(head, options, path, &Control::new()).expect("enrichments")
}

/// A head whose tokens are far apart, so that each can be distinguished from the others.
fn easy() -> Parts {
    let mut parts = Parts::new(8, 8, 50, 5);
    // The dense layer is nearly the identity, and the bias moves it to where GELU is nearly linear, so it reaches every
    // direction.
    parts.values[1].iter_mut().for_each(|bias| *bias += 3.0);
    parts.values[0]
        .iter_mut()
        .enumerate()
        .for_each(|(at, weight)| *weight = if at % 9 == 0 { 1.0 } else { *weight / 8.0 });
    parts.values[2].iter_mut().for_each(|weight| *weight = 12.0);
    // Normalize the rows: on a sphere, each row is its own best match.
    for row in parts.values[4].chunks_exact_mut(8) {
        let mean = row.iter().sum::<f32>() / 8.0;
        row.iter_mut().for_each(|value| *value -= mean);
        let length = row.iter().map(|value| value * value).sum::<f32>().sqrt();
        row.iter_mut().for_each(|value| *value /= length);
    }
    parts
}

#[test]
fn every_token_of_a_small_head_reaches_the_loss() {
    let parts = easy();
    let head = head(&parts);
    for start in [Start::Zero, Start::Static] {
        let found = found(&head, &EnrichOptions { start, ..options() }, None);
        for token in 0..50 {
            let vector = doubles(&found.vectors[token * 8..][..8]);
            let loss = loss(&parts, &vector, token);
            assert!((loss - f64::from(found.losses[token])).abs() < 1e-4, "token {token}: {loss}");
            assert!(loss < 0.1, "token {token}: {loss} after {} steps", found.steps[token]);
        }
    }
}

#[test]
fn a_token_that_cannot_reach_the_loss_gets_as_close_as_its_bound() {
    let mut parts = easy();
    // Tokens 3 and 4 are the same, so each can get at most half of their common probability.
    let row = parts.values[4][24..32].to_vec();
    parts.values[4][32..40].copy_from_slice(&row);
    parts.values[5][4] = parts.values[5][3];
    let head = head(&parts);
    let found = found(&head, &options(), None);
    let half = std::f32::consts::LN_2;
    for token in [3, 4] {
        assert!(found.bounds[token] >= 0.1 && found.losses[token] >= half - 1e-4);
        assert!(
            found.losses[token] - found.bounds[token] < 0.1 && found.bounds[token] <= found.losses[token]
        );
        assert!(found.steps[token] < options().max_steps);
    }
    assert!(found.losses[5] < 0.1);
}

#[test]
fn steps_have_a_minimum_and_a_maximum() {
    let head = head(&easy());
    let few = found(&head, &EnrichOptions { max_steps: 3, ..options() }, None);
    assert!(few.steps.iter().all(|&steps| steps <= 3) && few.losses.iter().any(|&loss| loss >= 0.1));
    let more = found(&head, &EnrichOptions { min_steps: 90, ..options() }, None);
    assert!(more.steps.iter().all(|&steps| steps >= 90));
    let enough = found(&head, &options(), None);
    assert!(enough.losses.iter().sum::<f32>() > more.losses.iter().sum::<f32>());
}

/// A head with more tokens than one block, some of which need many steps.
fn larger() -> Head {
    let mut parts = Parts::new(12, 12, 700, 11);
    parts.values[2].iter_mut().for_each(|weight| *weight = 6.0);
    head(&parts)
}

#[test]
fn threads_change_nothing() {
    let head = larger();
    let one = found(&head, &EnrichOptions { threads: 1, max_steps: 60, ..options() }, None);
    let three = found(&head, &EnrichOptions { threads: 3, max_steps: 60, ..options() }, None);
    assert_eq!(one, three);
}

#[test]
fn interrupted_work_continues_and_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().expect("found");
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    let head = larger();
    let options = EnrichOptions { max_steps: 120, ..options() };
    let expected = found(&head, &options, Some(&whole));
    let mut interruptions = 0;
    let result = loop {
        let control = Control::new();
        let result = std::thread::scope(|scope| {
            let work = scope.spawn(|| enrich(&head, &options, Some(&parts), &control));
            let before = loop {
                // Wait until the work has started, and note the progress that it begins with.
                if control.total() > 0 {
                    break control.done();
                }
                if work.is_finished() {
                    break 0;
                }
                std::hint::spin_loop();
            };
            while !work.is_finished() && control.done() < before + 40 {
                std::hint::spin_loop();
            }
            control.cancel();
            work.join().expect("no panic")
        });
        match result {
            Ok(found) => break found,
            Err(Error::Cancelled(_)) => interruptions += 1,
            Err(error) => panic!("{error}"),
        }
        assert!(interruptions < 1000, "it goes on");
    };
    assert!(interruptions > 0, "interrupted at least once");
    assert_eq!(result, expected);
    assert_eq!(std::fs::read(&parts).expect("found"), std::fs::read(&whole).expect("found"));
    // A complete file is read, and no step is taken.
    let control = Control::new();
    assert_eq!(enrich(&head, &options, Some(&parts), &control).expect("found"), expected);
    assert_eq!((control.done(), control.total()), (700, 700));
}

#[test]
fn with_even_steps_all_tokens_take_as_many_as_the_slowest() {
    let head = larger();
    for max_steps in [120, 5] {
        let options = EnrichOptions { max_steps, ..options() };
        let each = found(&head, &options, None);
        let slowest = *each.steps.iter().max().expect("tokens");
        assert!(each.steps.iter().any(|&steps| steps < slowest), "some stop before");
        let control = Control::new();
        let even = enrich_evenly(&head, &options, None, &control).expect("enrichments");
        assert_eq!((even.options.min_steps, even.options.max_steps), (slowest, slowest));
        assert!(even.enrichments.steps.iter().all(|&steps| steps == slowest));
        assert_eq!(even.enrichments, found(&head, &even.options, None));
        // 700 tokens in the first search, then the steps of each token.
        let total = 700 + 700 * u64::from(slowest);
        assert_eq!((control.done(), control.total()), (total, total));
        // A token that took the maximum number of steps in both searches has the same vector.
        let token = each.steps.iter().position(|&steps| steps == slowest).expect("the slowest");
        assert_eq!(even.enrichments.vectors[token * 12..][..12], each.vectors[token * 12..][..12]);
    }
}

#[test]
fn a_fixed_number_of_even_steps_needs_no_first_search_and_uses_the_same_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let head = larger();
    let options = EnrichOptions { min_steps: 7, max_steps: 7, ..options() };
    let file = cache_file(folder.path(), &head, &options);
    let expected = found(&head, &options, Some(&file));
    let control = Control::new();
    let even = enrich_evenly(&head, &options, Some(folder.path()), &control).expect("enrichments");
    assert_eq!(even.enrichments, expected);
    assert_eq!((control.done(), control.total()), (4900, 4900));
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn interrupted_even_steps_continue_in_both_searches_and_end_with_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    for folder in [&whole, &parts] {
        std::fs::create_dir(folder).expect("a folder");
    }
    let head = larger();
    let options = EnrichOptions { max_steps: 60, ..options() };
    let expected = enrich_evenly(&head, &options, Some(&whole), &Control::new()).expect("enrichments");
    // The progress at which each call was cancelled.
    let mut cancelled_at = Vec::new();
    let result = loop {
        let control = Control::new();
        let result = std::thread::scope(|scope| {
            let work = scope.spawn(|| enrich_evenly(&head, &options, Some(&parts), &control));
            while control.total() == 0 && !work.is_finished() {
                std::hint::spin_loop();
            }
            let before = control.done();
            while !work.is_finished() && control.done() < before + 3000 {
                std::hint::spin_loop();
            }
            control.cancel();
            work.join().expect("no panic")
        });
        match result {
            Ok(found) => break found,
            Err(Error::Cancelled(_)) => cancelled_at.push(control.done()),
            Err(error) => panic!("{error}"),
        }
        assert!(cancelled_at.len() < 1000, "it continues");
    };
    assert!(cancelled_at.len() > 1, "interrupted more than once: {cancelled_at:?}");
    assert_eq!(result, expected);
    for options in [&options, &expected.options] {
        let [one, other] =
            [&whole, &parts].map(|folder| std::fs::read(cache_file(folder, &head, options)).expect("a file"));
        assert_eq!(one, other);
    }
}

#[test]
fn a_file_of_another_head_or_other_options_and_a_corrupt_file_are_refused() {
    let folder = tempfile::tempdir().expect("found");
    let path = folder.path().join("enrichments");
    let head = head(&easy());
    found(&head, &options(), Some(&path));
    let refused = |head: &Head, options: &EnrichOptions| {
        enrich(head, options, Some(&path), &Control::new()).expect_err("refused")
    };
    let mut parts = easy();
    parts.values[5][49] += 0.5;
    let other = self::head(&parts);
    assert!(matches!(refused(&other, &options()), Error::OtherEnrichments { .. }));
    let adam = Adam { learning_rate: 0.001, ..Adam::default() };
    let error = refused(&head, &EnrichOptions { adam, ..options() });
    assert!(error.to_string().contains("\"learningRate\":0.001"), "{error}");
    // The number of threads is not part of the options that must match.
    found(&head, &EnrichOptions { threads: 1, ..options() }, Some(&path));
    let mut bytes = std::fs::read(&path).expect("found");
    bytes[200] ^= 1;
    std::fs::write(&path, bytes).expect("found");
    assert!(matches!(refused(&head, &options()), Error::Storage(_)));
}

#[test]
fn invalid_options_are_refused() {
    let head = head(&easy());
    let refused = |options: EnrichOptions| {
        enrich(&head, &options, None, &Control::new()).expect_err("refused").to_string()
    };
    let adam = Adam { learning_rate: 0.0, ..Adam::default() };
    assert_eq!(
        refused(EnrichOptions { adam, ..options() }),
        "learning rate: expected a number above 0, got 0"
    );
    let adam = Adam { beta2: 1.0, ..Adam::default() };
    assert_eq!(
        refused(EnrichOptions { adam, ..options() }),
        "beta2: expected a number from 0, below 1, got 1"
    );
    assert_eq!(
        refused(EnrichOptions { loss: f32::NAN, ..options() }),
        "loss: expected a number above 0, got NaN"
    );
    assert_eq!(
        refused(EnrichOptions { min_steps: 9, max_steps: 8, ..options() }),
        "max steps: expected at least min steps, 9, got 8"
    );
    let narrow = self::head(&Parts::new(4, 6, 9, 1));
    let options = EnrichOptions { start: Start::Static, ..options() };
    let error = enrich(&narrow, &options, None, &Control::new()).expect_err("refused");
    assert_eq!(error.to_string(), "start: expected a decoder of the vectors' dimension, got 4 and 6");
}
