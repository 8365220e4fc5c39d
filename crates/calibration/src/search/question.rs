//! Determines which model predicts a question at which temperatures.

use super::curve::{Curve, Odds};
use super::root::increasing_root;
use crate::Ensemble;

/// Maximum depth to which an interval is split to find the models that predict in it.
const MAX_SPLITS: usize = 24;

/// A model that can be the most confident one, and whether it is right.
#[derive(Debug)]
pub(super) struct Rival {
    pub curve: Curve,
    pub correct: bool,
}

/// A question, reduced to the models that can predict it.
#[derive(Debug)]
pub(super) enum Question {
    /// The temperature changes neither the prediction nor its confidence: the most confident model has a single score, or
    /// no model has one.
    Constant { confidence: f64, correct: bool },
    /// Models in their order, without models whose confidence is always that of an earlier one.
    Rivals(Vec<Rival>),
}

/// A part of an interval of u = ln T in which one model predicts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Piece {
    pub low: f64,
    pub high: f64,
    pub rival: usize,
}

impl Question {
    pub fn new(ensemble: &Ensemble<'_>, question: usize) -> Self {
        let mut rivals: Vec<Rival> = Vec::new();
        for model in ensemble.models() {
            let (scores, correct) = (model.scores_of(question), model.correct()[question]);
            match Curve::new(scores) {
                // If two models have the same confidence at every temperature, the earlier one predicts.
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

/// The position of the lowest odds; the first if several are equal.
pub(super) fn winner(odds: &[Odds]) -> usize {
    let earlier_or_lower =
        |a: &usize, b: &usize| odds[*a].against.total_cmp(&odds[*b].against).then(a.cmp(b));
    (0..odds.len()).min_by(earlier_or_lower).expect("at least one rival")
}

/// Appends the pieces of the interval from `low` to `high` to `found`, in order. `at_low` and `at_high` are the rivals' odds at
/// its ends.
pub(super) fn pieces(
    rivals: &[Rival],
    (low, at_low): (f64, &[Odds]),
    (high, at_high): (f64, &[Odds]),
    found: &mut Vec<Piece>,
) {
    split(rivals, (low, at_low), (high, at_high), MAX_SPLITS, found);
}

fn split(
    rivals: &[Rival],
    (low, at_low): (f64, &[Odds]),
    (high, at_high): (f64, &[Odds]),
    splits: usize,
    found: &mut Vec<Piece>,
) {
    let (first, last) = (winner(at_low), winner(at_high));
    if rivals.len() == 1 || splits == 0 {
        return add(Piece { low, high, rival: first }, found);
    }
    let middle = if first == last {
        dip(rivals, first, (low, at_low), (high, at_high))
    } else {
        Some(crossing(&rivals[first].curve, &rivals[last].curve, low, high))
    };
    // Without a split point inside the interval, one rival predicts in all of it.
    let Some(middle) = middle.filter(|&middle| middle > low && middle < high) else {
        return add(Piece { low, high, rival: last }, found);
    };
    let at_middle: Vec<Odds> = rivals.iter().map(|rival| rival.curve.at(middle)).collect();
    let won = winner(&at_middle);
    let lowest = at_middle[won].against;
    let tied = |rival: usize| at_middle[rival].against - lowest <= 1e-12 * lowest.abs().max(1.0);
    if first != last && tied(first) && tied(last) {
        add(Piece { low, high: middle, rival: first }, found);
        return add(Piece { low: middle, high, rival: last }, found);
    }
    if won == first && first == last {
        return add(Piece { low, high, rival: first }, found);
    }
    split(rivals, (low, at_low), (middle, &at_middle), splits - 1, found);
    split(rivals, (middle, &at_middle), (high, at_high), splits - 1, found);
}

/// Appends a piece, or extends the last one if the same rival predicts there.
fn add(piece: Piece, found: &mut Vec<Piece>) {
    match found.last_mut() {
        Some(last) if last.rival == piece.rival && last.high == piece.low => last.high = piece.high,
        _ => found.push(piece),
    }
}

/// The u at which two curves cross: `first` is lower at `low`, and `last` is lower at `high`.
fn crossing(first: &Curve, last: &Curve, low: f64, high: f64) -> f64 {
    increasing_root(low, high, |u| {
        let (first, last) = (first.at(u), last.at(u));
        (first.against - last.against, first.slope - last.slope)
    })
}

/// A u at which another rival is below `best`, which is the lowest at both ends. That is possible only if the difference falls at
/// `low` and rises at `high`, and then near the minimum of the difference.
fn dip(
    rivals: &[Rival],
    best: usize,
    (low, at_low): (f64, &[Odds]),
    (high, at_high): (f64, &[Odds]),
) -> Option<f64> {
    let width = high - low;
    for (other, rival) in rivals.iter().enumerate() {
        let difference =
            |odds: &[Odds]| (odds[other].against - odds[best].against, odds[other].slope - odds[best].slope);
        let ((value, slope), (end, end_slope)) = (difference(at_low), difference(at_high));
        if other == best || slope >= 0.0 || end_slope <= 0.0 {
            continue;
        }
        // A convex difference cannot be lower than the point where the tangents at both ends meet. Allow twice that depth, as the
        // difference need not be convex.
        let meet = ((end - value - end_slope * width) / (slope - end_slope)).clamp(0.0, width);
        let depth = slope * meet;
        if value + 2.0 * depth > 0.0 {
            continue;
        }
        // Find the minimum by bisection: the derivative of the difference changes its sign here.
        let (mut from, mut to) = (low, high);
        for _ in 0..40 {
            let u = (from + to) / 2.0;
            let (ours, theirs) = (rivals[best].curve.at(u), rival.curve.at(u));
            if theirs.against < ours.against {
                return Some(u);
            }
            if theirs.slope < ours.slope {
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
            let odds = |u: f64| -> Vec<Odds> { rivals.iter().map(|rival| rival.curve.at(u)).collect() };
            let high = low + 0.05;
            let mut found = Vec::new();
            pieces(&rivals, (low, &odds(low)), (high, &odds(high)), &mut found);
            prop_assert_eq!((found[0].low, found[found.len() - 1].high), (low, high));
            for pair in found.windows(2) {
                prop_assert!(pair[0].high == pair[1].low && pair[0].rival != pair[1].rival);
            }
            for step in 0..200 {
                let u = low + 0.05 * (f64::from(step) + 0.5) / 200.0;
                let piece = found.iter().find(|piece| u <= piece.high).expect("in one of them");
                let odds = odds(u);
                let excess = odds[piece.rival].against - odds[winner(&odds)].against;
                prop_assert!(excess < 1e-9, "{} at {}", excess, u);
            }
        }
    }

    #[test]
    fn questions_without_a_choice_are_constant() {
        let none = f32::NEG_INFINITY;
        let (a, b) = ([3.0, 2.0, 1.0, none, none, none], [5.0, none, 2.0, 1.0, none, none]);
        let (right_a, right_b) = ([false, true, true], [true, false, false]);
        let outcomes = |scores, correct| Outcomes::new(scores, 2, correct).expect("valid");
        let ensemble = Ensemble::new(vec![outcomes(&a, &right_a), outcomes(&b, &right_b)]).expect("valid");
        let constant = |question| match Question::new(&ensemble, question) {
            Question::Constant { confidence, correct } => (confidence, correct),
            Question::Rivals(_) => panic!("not constant"),
        };
        // A single score has a confidence of 1; two models with one score each tie; without scores the confidence is 0.
        assert_eq!(constant(0), (1.0, true));
        assert_eq!(constant(1), (1.0, true));
        assert_eq!(constant(2), (0.0, true));
    }
}
