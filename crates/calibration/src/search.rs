use control::Control;

use crate::Outcomes;
use crate::descent::Step;
use crate::error::Error;

/// The temperature with the least squared calibration error.
pub type Temperature = Step;

/// Temperatures looked at first, evenly spaced in their logarithm.
const FIRST: usize = 241;
/// Powers of ten on either side of the scores' spread.
const DECADES: f64 = 4.0;
/// So many of the first, the best, have a closer look around them.
const BEST: usize = 5;
/// How often the part looked at is cut, by the golden section.
const CUTS: usize = 48;

/// The temperature with the least squared calibration error, without a start or a step: over eight powers of ten around the
/// spread of the scores, then closer around the best. The error jumps where confidences pass from bin to bin, so that its
/// gradient says little of where it is least, and of few questions a lower one may lie between two that were looked at. Of equal
/// errors the lower temperature is taken. Progress counts temperatures looked at.
///
/// # Errors
///
/// [`Error::Argument`] for no bins; [`Error::Cancelled`].
pub fn search(outcomes: &Outcomes<'_>, bins: usize, control: &Control) -> Result<Temperature, Error> {
    control.set_total((FIRST + BEST * CUTS * 2) as u64);
    let at = |logarithm: f64| -> Result<Step, Error> {
        control.check()?;
        control.advance(1);
        let temperature = logarithm.exp();
        Ok(Step { temperature, error: outcomes.squared_error(temperature, bins)?.0 })
    };
    let middle = spread(outcomes).ln();
    let apart = 2.0 * DECADES * std::f64::consts::LN_10 / (FIRST - 1) as f64;
    let first = |place: usize| middle + (place as f64 - (FIRST - 1) as f64 / 2.0) * apart;
    let mut looked: Vec<(usize, Step)> =
        (0..FIRST).map(|place| Ok((place, at(first(place))?))).collect::<Result<_, Error>>()?;
    looked.sort_by(|(_, a), (_, b)| better(a, b));
    let mut best = looked[0].1;
    for (place, _) in looked.into_iter().take(BEST) {
        let (mut low, mut high) = (first(place) - apart, first(place) + apart);
        let inner = |low: f64, high: f64| (high - low) * (3.0 - 5f64.sqrt()) / 2.0;
        for _ in 0..CUTS {
            let part = inner(low, high);
            let (left, right) = (at(low + part)?, at(high - part)?);
            for step in [left, right] {
                if better(&step, &best).is_lt() {
                    best = step;
                }
            }
            if left.error <= right.error {
                high -= part;
            } else {
                low += part;
            }
        }
    }
    Ok(best)
}

fn better(a: &Step, b: &Step) -> std::cmp::Ordering {
    a.error.total_cmp(&b.error).then(a.temperature.total_cmp(&b.temperature))
}

/// How far scores are from the best of their question, in the mean; 1 where all are the same.
fn spread(outcomes: &Outcomes<'_>) -> f64 {
    let (mut sum, mut count) = (0.0, 0usize);
    for scores in outcomes.each() {
        let max = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let there = scores.iter().filter(|score| score.is_finite());
        sum += there.clone().map(|&score| f64::from(max) - f64::from(score)).sum::<f64>();
        count += there.count().saturating_sub(1);
    }
    if sum > 0.0 { sum / count.max(1) as f64 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Descent, descend};

    #[test]
    fn it_finds_where_confidence_is_accuracy_whatever_the_size_of_scores() {
        for size in [1e-6f32, 1.0, 1e6] {
            let scores: Vec<f32> = (0..10).flat_map(|_| [size, 0.0]).collect();
            let correct: Vec<bool> = (0..10).map(|at| at < 8).collect();
            let outcomes = Outcomes::new(&scores, 2, &correct).expect("sound");
            let found = search(&outcomes, 10, &Control::new()).expect("sound");
            assert!((found.temperature / f64::from(size) - 1.0 / 4f64.ln()).abs() < 1e-4, "{found:?}");
            assert!(found.error < 1e-9);
        }
    }

    #[test]
    fn scores_that_are_not_there_do_not_move_it() {
        let (mut scores, none) = (Vec::new(), f32::NEG_INFINITY);
        (0..10).for_each(|_| scores.extend([1.0, 0.0, none, none]));
        let correct: Vec<bool> = (0..10).map(|at| at < 8).collect();
        let outcomes = Outcomes::new(&scores, 4, &correct).expect("sound");
        let found = search(&outcomes, 10, &Control::new()).expect("sound");
        assert!((found.temperature - 1.0 / 4f64.ln()).abs() < 1e-4, "{found:?}");
        let nothing = [none; 8];
        let outcomes = Outcomes::new(&nothing, 4, &[false, false]).expect("sound");
        let found = search(&outcomes, 10, &Control::new()).expect("sound");
        assert!(found.error == 0.0 && found.temperature.is_finite(), "{found:?}");
    }

    #[test]
    fn of_many_questions_it_finds_what_a_dense_grid_finds() {
        for seed in 1..6u64 {
            // Scores and right answers that have something to do with each other, the same every time.
            let mut state = seed;
            let mut number = || {
                state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
                (state >> 40) as f32 / (1u64 << 24) as f32
            };
            let (mut scores, mut correct) = (Vec::new(), Vec::new());
            for _ in 0..1500 {
                let of_one: [f32; 8] = std::array::from_fn(|_| 40.0 + 12.0 * number());
                let outcomes = Outcomes::new(&of_one, 8, &[true]).expect("sound");
                correct.push(f64::from(number()) < outcomes.confidences(1.5)[0]);
                scores.extend(of_one);
            }
            let outcomes = Outcomes::new(&scores, 8, &correct).expect("sound");
            let found = search(&outcomes, 10, &Control::new()).expect("sound");
            let grid = (0..4000).map(|at| 1e-3 * 10f64.powf(f64::from(at) / 600.0));
            let least = grid.map(|temperature| outcomes.squared_error(temperature, 10).expect("sound").0);
            let least = least.fold(f64::INFINITY, f64::min);
            assert!(found.error <= least + 2e-5, "{found:?} and {least}");
            let descent = Descent { start: 1.0, step: 100.0, ..Descent::default() };
            let path = descend(&outcomes, &descent, &Control::new());
            let lowest = path.expect("sound").iter().map(|step| step.error).fold(f64::INFINITY, f64::min);
            assert!(found.error <= lowest + 2e-5, "{found:?} and {lowest}");
        }
    }
}
