//! Determines which model is the most confident one for a question at each temperature T: the model with the lowest
//! log-odds against it. Temperatures are given by u = ln T.

use super::curve::{Curve, LogOdds};
use super::root::increasing_root;
use crate::Ensemble;

/// Maximum depth of the recursion that splits an interval to find the most confident model in each part of it.
const MAX_SPLIT_DEPTH: usize = 24;

/// A model that may be the most confident one for a question.
#[derive(Debug)]
pub(super) struct Rival {
    pub curve: Curve,
    /// Whether its prediction is correct.
    pub correct: bool,
}

/// A question, with the models that may be the most confident one for it.
#[derive(Debug)]
pub(super) enum Question {
    /// The temperature changes neither the prediction nor its confidence: one of the models has a single score, and
    /// therefore a confidence of 1, or no model has any score.
    Constant { confidence: f64, correct: bool },
    /// The models in their order, without models that have no scores for the question, and without those that have the
    /// same confidence as an earlier model at every temperature.
    Rivals(Vec<Rival>),
}

/// A part of an interval of u in which the same rival is the most confident one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Piece {
    pub low: f64,
    pub high: f64,
    /// Index of the rival.
    pub rival: usize,
}

impl Question {
    /// Determines whether the temperature can change the prediction for a question, and if so, its rivals.
    pub fn new(ensemble: &Ensemble<'_>, question: usize) -> Self {
        let mut rivals: Vec<Rival> = Vec::new();
        for model in ensemble.models() {
            let (scores, correct) = (model.scores_of(question), model.correct()[question]);
            match Curve::new(scores) {
                // Among models with equal confidences, the first counts as the most confident one, so a model that
                // always has the same confidence as an earlier one cannot be chosen.
                Some(curve) if rivals.iter().any(|rival| rival.curve == curve) => {}
                Some(curve) => rivals.push(Rival { curve, correct }),
                None if scores.iter().any(|score| score.is_finite()) => {
                    return Self::Constant { confidence: 1.0, correct };
                }
                None => {}
            }
        }
        if rivals.is_empty() {
            return Self::Constant { confidence: 0.0, correct: ensemble.models()[0].correct()[question] };
        }
        Self::Rivals(rivals)
    }
}

/// Returns the index of the lowest log-odds, which belong to the most confident rival. If several are equal, returns
/// the first.
pub(super) fn most_confident_rival(log_odds: &[LogOdds]) -> usize {
    let lower_or_earlier =
        |a: &usize, b: &usize| log_odds[*a].value.total_cmp(&log_odds[*b].value).then(a.cmp(b));
    (0..log_odds.len()).min_by(lower_or_earlier).expect("at least one rival")
}

/// Splits the interval from `low` to `high` into pieces, and appends them to `found` in order. `at_low` and `at_high`
/// are the log-odds of the rivals at the ends of the interval.
pub(super) fn split_into_pieces(
    rivals: &[Rival],
    (low, at_low): (f64, &[LogOdds]),
    (high, at_high): (f64, &[LogOdds]),
    found: &mut Vec<Piece>,
) {
    split(rivals, (low, at_low), (high, at_high), MAX_SPLIT_DEPTH, found);
}

/// Splits an interval recursively, to a depth of at most `max_depth`.
fn split(
    rivals: &[Rival],
    (low, at_low): (f64, &[LogOdds]),
    (high, at_high): (f64, &[LogOdds]),
    max_depth: usize,
    found: &mut Vec<Piece>,
) {
    let (first, last) = (most_confident_rival(at_low), most_confident_rival(at_high));
    if rivals.len() == 1 || max_depth == 0 {
        return add(Piece { low, high, rival: first }, found);
    }
    let middle = if first == last {
        find_lower_rival(rivals, first, (low, at_low), (high, at_high))
    } else {
        Some(crossing(&rivals[first].curve, &rivals[last].curve, low, high))
    };
    // If there is no point inside the interval at which to split it, one rival is the most confident one in all of it.
    let Some(middle) = middle.filter(|&middle| middle > low && middle < high) else {
        return add(Piece { low, high, rival: last }, found);
    };
    let at_middle: Vec<LogOdds> = rivals.iter().map(|rival| rival.curve.at(middle)).collect();
    let middle_rival = most_confident_rival(&at_middle);
    let lowest = at_middle[middle_rival].value;
    // Equal up to rounding errors.
    let is_lowest = |rival: usize| at_middle[rival].value - lowest <= 1e-12 * lowest.abs().max(1.0);
    if first != last && is_lowest(first) && is_lowest(last) {
        add(Piece { low, high: middle, rival: first }, found);
        return add(Piece { low: middle, high, rival: last }, found);
    }
    if middle_rival == first && first == last {
        return add(Piece { low, high, rival: first }, found);
    }
    split(rivals, (low, at_low), (middle, &at_middle), max_depth - 1, found);
    split(rivals, (middle, &at_middle), (high, at_high), max_depth - 1, found);
}

/// Appends a piece. If the last piece has the same rival and ends where the new piece begins, extends it instead.
fn add(piece: Piece, found: &mut Vec<Piece>) {
    match found.last_mut() {
        Some(last) if last.rival == piece.rival && last.high == piece.low => last.high = piece.high,
        _ => found.push(piece),
    }
}

/// Returns u at the point where two curves cross. `first` must be lower at `low`, and `last` must be lower at `high`.
fn crossing(first: &Curve, last: &Curve, low: f64, high: f64) -> f64 {
    increasing_root(low, high, |u| {
        let (first, last) = (first.at(u), last.at(u));
        (first.value - last.value, first.slope - last.slope)
    })
}

/// Returns a value of u at which the log-odds of another rival are lower than those of `best`, which has the lowest
/// log-odds at both ends of the interval. Returns `None` if it finds no such rival.
///
/// In an interval as narrow as those of the grid, the difference between the log-odds of the other rival and those of
/// `best` is assumed to have at most one minimum. It can then be negative inside the interval only if it falls at `low`
/// and rises at `high`, and it is negative near its minimum.
fn find_lower_rival(
    rivals: &[Rival],
    best: usize,
    (low, at_low): (f64, &[LogOdds]),
    (high, at_high): (f64, &[LogOdds]),
) -> Option<f64> {
    let width = high - low;
    for (other, rival) in rivals.iter().enumerate() {
        let difference = |log_odds: &[LogOdds]| {
            (log_odds[other].value - log_odds[best].value, log_odds[other].slope - log_odds[best].slope)
        };
        let ((value, slope), (end, end_slope)) = (difference(at_low), difference(at_high));
        if other == best || slope >= 0.0 || end_slope <= 0.0 {
            continue;
        }
        // If the difference is convex, it never falls below the point where the tangents at both ends meet. It may not
        // be convex, so this allows for twice the descent to that point.
        let meeting_point = ((end - value - end_slope * width) / (slope - end_slope)).clamp(0.0, width);
        let change = slope * meeting_point;
        if value + 2.0 * change > 0.0 {
            continue;
        }
        // The derivative of the difference changes its sign at the minimum, so bisection finds the minimum. Intervals
        // of the grid are 0.07 wide; 40 halvings narrow them to less than 10⁻¹².
        let (mut from, mut to) = (low, high);
        for _ in 0..40 {
            let u = (from + to) / 2.0;
            let (best_odds, other_odds) = (rivals[best].curve.at(u), rival.curve.at(u));
            if other_odds.value < best_odds.value {
                return Some(u);
            }
            if other_odds.slope < best_odds.slope {
                from = u;
            } else {
                to = u;
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcomes;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 400, ..ProptestConfig::default() })]

        #[test]
        fn pieces_have_the_most_confident_model_at_every_temperature(
            lists in prop::collection::vec(prop::collection::vec(0f32..4.0, 5), 2..5),
            low in -4f64..3.0,
        ) {
            let rivals: Vec<Rival> = lists
                .iter()
                .map(|scores| Rival { curve: Curve::new(scores).expect("five scores"), correct: true })
                .collect();
            let log_odds = |u: f64| -> Vec<LogOdds> { rivals.iter().map(|rival| rival.curve.at(u)).collect() };
            // About the width of an interval of the grid.
            let high = low + 0.05;
            let mut found = Vec::new();
            split_into_pieces(&rivals, (low, &log_odds(low)), (high, &log_odds(high)), &mut found);
            prop_assert_eq!((found[0].low, found[found.len() - 1].high), (low, high));
            for pair in found.windows(2) {
                prop_assert!(pair[0].high == pair[1].low && pair[0].rival != pair[1].rival);
            }
            for step in 0..200 {
                let u = low + 0.05 * (f64::from(step) + 0.5) / 200.0;
                let piece = found.iter().find(|piece| u <= piece.high).expect("one of them contains it");
                let log_odds = log_odds(u);
                let excess = log_odds[piece.rival].value - log_odds[most_confident_rival(&log_odds)].value;
                prop_assert!(excess < 1e-9, "{} at {}", excess, u);
            }
        }
    }

    #[test]
    fn a_question_is_constant_if_a_model_has_a_single_score_or_no_model_has_any() {
        let none = f32::NEG_INFINITY;
        let (a, b) = ([3.0, 2.0, 1.0, none, none, none], [5.0, none, 2.0, 1.0, none, none]);
        let (correct_a, correct_b) = ([false, true, true], [true, false, false]);
        let outcomes = |scores, correct| Outcomes::new(scores, 2, correct).expect("valid");
        let ensemble =
            Ensemble::new(vec![outcomes(&a, &correct_a), outcomes(&b, &correct_b)]).expect("valid");
        let constant = |question| match Question::new(&ensemble, question) {
            Question::Constant { confidence, correct } => (confidence, correct),
            Question::Rivals(_) => panic!("not constant"),
        };
        // For questions 0 and 1, one of the models has a single score, and therefore a confidence of 1: the second
        // model for question 0, the first for question 1. For question 2, no model has a score, so the confidence is 0.
        assert_eq!(constant(0), (1.0, true));
        assert_eq!(constant(1), (1.0, true));
        assert_eq!(constant(2), (0.0, true));
    }
}
