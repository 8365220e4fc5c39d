//! Compares the search for a temperature with an exhaustive grid of 100,000 temperatures.

use calibration::{Descent, Ensemble, Error, MAX_SEARCH_BINS, Outcomes, descend, search};
use control::Control;

const GRID: usize = 100_000;
const NONE: f32 = f32::NEG_INFINITY;

/// A linear congruential generator of numbers from 0 to 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (self.0 >> 33) as f64 / (1u64 << 31) as f64
    }
}

/// For each model, scores of shape `[questions, k]`, and which predictions are right. A prediction is more likely to be right the
/// larger the gap between the best two scores.
fn models(seed: u64, models: usize, questions: usize, k: usize, size: f32) -> Vec<(Vec<f32>, Vec<bool>)> {
    let mut random = Random(seed);
    (0..20).for_each(|_| {
        random.next();
    });
    let model = |_| {
        let (mut scores, mut correct) = (Vec::new(), Vec::new());
        for _ in 0..questions {
            let found = if random.next() < 0.1 { (random.next() * k as f64) as usize } else { k };
            let mut row: Vec<f32> = (0..found).map(|_| random.next().powi(2) as f32).collect();
            row.sort_by(|a, b| b.total_cmp(a));
            let gap = if found > 1 { f64::from(row[0] - row[1]) } else { 1.0 };
            correct.push(found > 0 && random.next() < 0.3 + 2.0 * gap);
            scores.extend(row.into_iter().map(|score| size * (3.0 + score)));
            scores.extend(std::iter::repeat_n(NONE, k - found));
        }
        (scores, correct)
    };
    (0..models).map(model).collect()
}

fn ensemble(models: &[(Vec<f32>, Vec<bool>)], k: usize) -> Ensemble<'_> {
    let outcomes = models.iter().map(|(scores, correct)| Outcomes::new(scores, k, correct).expect("valid"));
    Ensemble::new(outcomes.collect()).expect("valid")
}

/// The smallest error of the fused predictions on a logarithmic grid of temperatures, computed directly: each confidence by its
/// definition, the model with the largest one, and the error over bins.
fn grid_minimum(models: &[(Vec<f32>, Vec<bool>)], k: usize, bins: usize, (from, to): (f64, f64)) -> f64 {
    let questions = models[0].1.len();
    let gaps: Vec<Vec<f64>> = (0..questions)
        .flat_map(|question| models.iter().map(move |(scores, _)| &scores[question * k..][..k]))
        .map(|scores| {
            let best = scores.iter().copied().fold(NONE, f32::max);
            let found = scores.iter().filter(|score| score.is_finite());
            let mut gaps: Vec<f64> = found.map(|&score| f64::from(best) - f64::from(score)).collect();
            gaps.sort_by(f64::total_cmp);
            gaps
        })
        .collect();
    let mut min = f64::INFINITY;
    for step in 0..GRID {
        let temperature = from * (to / from).powf(step as f64 / (GRID - 1) as f64);
        let mut sums = vec![(0usize, 0.0); bins];
        for question in 0..questions {
            let (mut best, mut min_others) = (None, f64::INFINITY);
            for (model, gaps) in gaps[question * models.len()..][..models.len()].iter().enumerate() {
                if gaps.is_empty() {
                    continue;
                }
                // C = 1 / (1 + others), so the largest C has the smallest `others`. This still holds if 1 + others rounds to 1.
                let others: f64 = gaps[1..].iter().map(|gap| (-gap / temperature).exp()).sum();
                if others < min_others {
                    (best, min_others) = (Some(model), others);
                }
            }
            let confidence = if best.is_some() { 1.0 / (1.0 + min_others) } else { 0.0 };
            let right = models[best.unwrap_or(0)].1[question];
            let bin = &mut sums[((confidence * bins as f64) as usize).min(bins - 1)];
            bin.0 += 1;
            bin.1 += confidence - f64::from(u8::from(right));
        }
        let parts = sums.iter().filter(|(count, _)| *count > 0);
        let error = parts.map(|(count, gap)| gap * gap / *count as f64).sum::<f64>() / questions as f64;
        min = min.min(error);
    }
    min
}

/// The seeds of the random data sets. `PASSAGEKIT_LONG=1` runs 25 times as many.
fn seeds(few: u64) -> std::ops::Range<u64> {
    0..if std::env::var_os("PASSAGEKIT_LONG").is_some() { 25 * few } else { few }
}

#[test]
fn one_model_has_no_lower_error_at_any_of_100_000_temperatures() {
    for seed in seeds(5) {
        let (questions, k) = (8 + 6 * (seed as usize % 5), 2 + seed as usize % 7);
        let models = models(seed, 1, questions, k, 1.0);
        let found = search(&ensemble(&models, k), 10, &Control::new()).expect("valid");
        let min = grid_minimum(&models, k, 10, (2e-3, 2e2));
        assert!(found.error <= min * 1.001, "{seed}: {found:?} and {min}");
    }
}

#[test]
fn fused_models_have_no_lower_error_at_any_of_100_000_temperatures() {
    for seed in seeds(6) {
        let (count, questions, k, bins) = (
            2 + seed as usize % 3,
            10 + 8 * seed as usize,
            3 + seed as usize,
            [10, 15, 4][seed as usize % 3],
        );
        let models = models(100 + seed, count, questions, k, 1.0);
        let found = search(&ensemble(&models, k), bins, &Control::new()).expect("valid");
        let min = grid_minimum(&models, k, bins, (2e-3, 2e2));
        assert!(found.error <= min * 1.001, "{seed}: {found:?} and {min}");
    }
}

#[test]
fn the_error_belongs_to_the_temperature_and_no_descent_ends_lower() {
    for seed in 0..4 {
        let models = models(seed, 3, 900, 10, 8.0);
        let ensemble = ensemble(&models, 10);
        let found = search(&ensemble, 10, &Control::new()).expect("valid");
        assert_eq!(ensemble.squared_error(found.temperature, 10).expect("valid").0, found.error);
        for start in [0.01, 0.1, 1.0, 5.0] {
            let descent = Descent { start, ..Descent::default() };
            let path = descend(&ensemble, &descent, &Control::new()).expect("valid");
            assert!(path.iter().all(|step| found.error <= step.error * 1.001), "{seed}, {start}");
        }
    }
}

#[test]
fn it_finds_the_temperature_at_which_confidence_equals_accuracy_at_any_scale_of_scores() {
    for size in [1e-6f32, 1.0, 1e6] {
        let scores: Vec<f32> = (0..10).flat_map(|_| [size, 0.0]).collect();
        let correct: Vec<bool> = (0..10).map(|at| at < 8).collect();
        let outcomes = Outcomes::new(&scores, 2, &correct).expect("valid");
        let found = search(&outcomes.into(), 10, &Control::new()).expect("valid");
        assert!((found.temperature / f64::from(size) - 1.0 / 4f64.ln()).abs() < 1e-4, "{found:?}");
        assert!(found.error < 1e-9);
    }
}

#[test]
fn missing_scores_change_nothing() {
    let mut scores = Vec::new();
    (0..10).for_each(|_| scores.extend([1.0, 0.0, NONE, NONE]));
    let correct: Vec<bool> = (0..10).map(|at| at < 8).collect();
    let outcomes = Outcomes::new(&scores, 4, &correct).expect("valid");
    let found = search(&outcomes.into(), 10, &Control::new()).expect("valid");
    assert!((found.temperature - 1.0 / 4f64.ln()).abs() < 1e-4, "{found:?}");
    let nothing = [NONE; 8];
    let outcomes = Outcomes::new(&nothing, 4, &[false, false]).expect("valid");
    let found = search(&outcomes.into(), 10, &Control::new()).expect("valid");
    assert!(found.error == 0.0 && found.temperature.is_finite(), "{found:?}");
}

#[test]
fn it_can_be_cancelled_and_refuses_invalid_numbers_of_bins() {
    let outcomes = Outcomes::new(&[1.0, 0.0], 2, &[true]).expect("valid");
    let control = Control::new();
    control.cancel();
    assert_eq!(search(&outcomes.into(), 10, &control), Err(Error::Cancelled(control::Cancelled)));
    for bins in [0, MAX_SEARCH_BINS + 1] {
        let error = search(&outcomes.into(), bins, &Control::new()).expect_err("refused").to_string();
        assert_eq!(error, format!("bins: expected 1 to 1000 for a search, got {bins}"));
    }
}
