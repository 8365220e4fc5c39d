//! Compares the search for a temperature with a grid of 100,000 temperatures.

use calibration::{Descent, Ensemble, Error, MAX_SEARCH_BINS, Outcomes, descend, search};
use control::Control;

const GRID_SIZE: usize = 100_000;
/// The lowest and the highest temperature of the grid. Unscaled random scores differ by at most 1, so near both ends
/// the confidences hardly change any more.
const GRID_ENDS: (f64, f64) = (2e-3, 2e2);
/// The found error is at most this factor times the minimum, as `search` promises.
const MAX_ERROR_FACTOR: f64 = 1.001;
/// Pads the row of scores for a question for which a model found fewer than k passages.
const NO_SCORE: f32 = f32::NEG_INFINITY;

/// A linear congruential generator of numbers from 0 to 1, with the constants of Knuth's MMIX.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (self.0 >> 33) as f64 / (1u64 << 31) as f64
    }
}

/// Returns random models: for each, scores of shape `[question_count, k]`, and which predictions are correct. The
/// larger the gap between the best two scores, the more likely a prediction is correct. Scores are multiplied by
/// `scale`.
fn random_models(
    seed: u64,
    model_count: usize,
    question_count: usize,
    k: usize,
    scale: f32,
) -> Vec<(Vec<f32>, Vec<bool>)> {
    let mut random = Random(seed);
    // Skips the first numbers, which are similar for similar seeds.
    (0..20).for_each(|_| {
        random.next();
    });
    let model = |_| {
        let (mut scores, mut correct) = (Vec::new(), Vec::new());
        for _ in 0..question_count {
            let found = if random.next() < 0.1 { (random.next() * k as f64) as usize } else { k };
            let mut row: Vec<f32> = (0..found).map(|_| random.next().powi(2) as f32).collect();
            row.sort_by(|a, b| b.total_cmp(a));
            let gap = if found > 1 { f64::from(row[0] - row[1]) } else { 1.0 };
            correct.push(found > 0 && random.next() < 0.3 + 2.0 * gap);
            scores.extend(row.into_iter().map(|score| scale * (3.0 + score)));
            scores.extend(std::iter::repeat_n(NO_SCORE, k - found));
        }
        (scores, correct)
    };
    (0..model_count).map(model).collect()
}

fn ensemble(models: &[(Vec<f32>, Vec<bool>)], k: usize) -> Ensemble<'_> {
    let outcomes = models.iter().map(|(scores, correct)| Outcomes::new(scores, k, correct).expect("valid"));
    Ensemble::new(outcomes.collect()).expect("valid")
}

/// Returns the smallest error of the fused predictions on a logarithmic grid of temperatures. The error is computed
/// directly: all confidences by their definition, then the highest of them for each question, then the error over bins.
fn grid_minimum(models: &[(Vec<f32>, Vec<bool>)], k: usize, bins: usize) -> f64 {
    let (from, to) = GRID_ENDS;
    let question_count = models[0].1.len();
    let gaps: Vec<Vec<f64>> = (0..question_count)
        .flat_map(|question| models.iter().map(move |(scores, _)| &scores[question * k..][..k]))
        .map(|scores| {
            let best = scores.iter().copied().fold(NO_SCORE, f32::max);
            let found = scores.iter().filter(|score| score.is_finite());
            let mut gaps: Vec<f64> = found.map(|&score| f64::from(best) - f64::from(score)).collect();
            gaps.sort_by(f64::total_cmp);
            gaps
        })
        .collect();
    let mut min = f64::INFINITY;
    for step in 0..GRID_SIZE {
        let temperature = from * (to / from).powf(step as f64 / (GRID_SIZE - 1) as f64);
        let mut sums = vec![(0usize, 0.0); bins];
        for question in 0..question_count {
            let (mut best, mut min_others) = (None, f64::INFINITY);
            for (model, model_gaps) in gaps[question * models.len()..][..models.len()].iter().enumerate() {
                if model_gaps.is_empty() {
                    continue;
                }
                // C = 1 / (1 + others), so the model with the highest C has the smallest `others`. Comparing `others`
                // also distinguishes models for which C rounds to 1.
                let others: f64 = model_gaps[1..].iter().map(|gap| (-gap / temperature).exp()).sum();
                if others < min_others {
                    (best, min_others) = (Some(model), others);
                }
            }
            let confidence = if best.is_some() { 1.0 / (1.0 + min_others) } else { 0.0 };
            let correct = models[best.unwrap_or(0)].1[question];
            let bin = &mut sums[((confidence * bins as f64) as usize).min(bins - 1)];
            bin.0 += 1;
            bin.1 += confidence - f64::from(u8::from(correct));
        }
        let nonempty = sums.iter().filter(|(count, _)| *count > 0);
        let error =
            nonempty.map(|(count, gap)| gap * gap / *count as f64).sum::<f64>() / question_count as f64;
        min = min.min(error);
    }
    min
}

/// Returns the seeds of `count` random data sets, or of 25 times as many if the environment variable `PASSAGEKIT_LONG`
/// is set.
fn seeds(count: u64) -> std::ops::Range<u64> {
    0..if std::env::var_os("PASSAGEKIT_LONG").is_some() { 25 * count } else { count }
}

#[test]
fn for_one_model_the_found_error_is_at_most_0_1_percent_above_the_grid_minimum() {
    for seed in seeds(5) {
        // The sizes are arbitrary.
        let (question_count, k) = (8 + 6 * (seed as usize % 5), 2 + seed as usize % 7);
        let models = random_models(seed, 1, question_count, k, 1.0);
        let found = search(&ensemble(&models, k), 10, &Control::new()).expect("valid");
        let min = grid_minimum(&models, k, 10);
        assert!(found.error <= min * MAX_ERROR_FACTOR, "{seed}: {found:?} and {min}");
    }
}

#[test]
fn for_fused_models_the_found_error_is_at_most_0_1_percent_above_the_grid_minimum() {
    for seed in seeds(6) {
        let (model_count, question_count, k, bins) = (
            2 + seed as usize % 3,
            10 + 8 * seed as usize,
            3 + seed as usize,
            [10, 15, 4][seed as usize % 3],
        );
        let models = random_models(100 + seed, model_count, question_count, k, 1.0);
        let found = search(&ensemble(&models, k), bins, &Control::new()).expect("valid");
        let min = grid_minimum(&models, k, bins);
        assert!(found.error <= min * MAX_ERROR_FACTOR, "{seed}: {found:?} and {min}");
    }
}

#[test]
fn the_found_error_is_that_of_the_found_temperature_and_no_descent_does_better_by_over_0_1_percent() {
    for seed in 0..4 {
        let models = random_models(seed, 3, 900, 10, 8.0);
        let ensemble = ensemble(&models, 10);
        let found = search(&ensemble, 10, &Control::new()).expect("valid");
        assert_eq!(ensemble.squared_error(found.temperature, 10).expect("valid").0, found.error);
        for start in [0.01, 0.1, 1.0, 5.0] {
            let descent = Descent { start, ..Descent::default() };
            let path = descend(&ensemble, &descent, &Control::new()).expect("valid");
            assert!(path.iter().all(|step| found.error <= step.error * MAX_ERROR_FACTOR), "{seed}, {start}");
        }
    }
}

#[test]
fn the_temperature_at_which_confidence_equals_accuracy_is_found_at_any_scale_of_scores() {
    for scale in [1e-6f32, 1.0, 1e6] {
        let scores: Vec<f32> = (0..10).flat_map(|_| [scale, 0.0]).collect();
        let correct: Vec<bool> = (0..10).map(|question| question < 8).collect();
        let outcomes = Outcomes::new(&scores, 2, &correct).expect("valid");
        let found = search(&outcomes.into(), 10, &Control::new()).expect("valid");
        assert!((found.temperature / f64::from(scale) - 1.0 / 4f64.ln()).abs() < 1e-4, "{found:?}");
        assert!(found.error < 1e-9);
    }
}

#[test]
fn missing_scores_do_not_change_the_temperature() {
    let mut scores = Vec::new();
    (0..10).for_each(|_| scores.extend([1.0, 0.0, NO_SCORE, NO_SCORE]));
    let correct: Vec<bool> = (0..10).map(|question| question < 8).collect();
    let outcomes = Outcomes::new(&scores, 4, &correct).expect("valid");
    let found = search(&outcomes.into(), 10, &Control::new()).expect("valid");
    assert!((found.temperature - 1.0 / 4f64.ln()).abs() < 1e-4, "{found:?}");
    let no_scores = [NO_SCORE; 8];
    let outcomes = Outcomes::new(&no_scores, 4, &[false, false]).expect("valid");
    let found = search(&outcomes.into(), 10, &Control::new()).expect("valid");
    assert!(found.error == 0.0 && found.temperature.is_finite(), "{found:?}");
}

#[test]
fn a_search_can_be_canceled_and_invalid_numbers_of_bins_are_refused() {
    let outcomes = Outcomes::new(&[1.0, 0.0], 2, &[true]).expect("valid");
    let control = Control::new();
    control.cancel();
    assert_eq!(search(&outcomes.into(), 10, &control), Err(Error::Canceled(control::Canceled)));
    for bins in [0, MAX_SEARCH_BINS + 1] {
        let error = search(&outcomes.into(), bins, &Control::new()).expect_err("refused").to_string();
        assert_eq!(error, format!("bins: expected 1 to 1000 for a search, got {bins}"));
    }
}
