//! The pass over a question's passages, which evaluates the best answer after each requested number of passages.

use std::ops::Range;

use super::ExactMatchEvaluator;

/// If the highest score of the accepted answers and that of the other answers differ by less than this fraction of the
/// higher one, rounding errors may decide which one is higher. The pass then reports no result, and
/// [`ExactMatchEvaluator::evaluate`] ranks all answers instead.
///
/// A score is a sum of terms exp(x) · weight, where x is the relevance of a passage minus the highest relevance. Since
/// exp(x) is 0 below x = −745, the rounding of x changes a term by a fraction of at most 745 · 2⁻⁵³ of it; the other
/// operations on a term change it by a fraction of at most 8 · 2⁻⁵³. The addition of n positive terms changes their sum
/// by a fraction of at most n · 2⁻⁵³. Four sums contribute errors: two scores are compared, and ranking would add the
/// terms of each in a different order. For answers of up to 2¹⁷ spans, the total is at most 4 · (2¹⁷ + 753) · 2⁻⁵³ =
/// 5.9 · 10⁻¹¹.
const MIN_RELATIVE_GAP: f64 = 1e-10;
/// Scores below this are unreliable: some of their terms may have underflowed, which happens below about 10⁻³⁰⁸.
const MIN_RELIABLE_SCORE: f64 = 1e-250;

impl ExactMatchEvaluator<'_> {
    /// Evaluates the original scoring, under which the best answer is the best span of the most relevant passage that
    /// has a nonblank span. If several passages are equally relevant, the first one counts. Calls `report` with the
    /// index of each of `passage_counts` and whether the best answer is accepted.
    pub(super) fn evaluate_by_relevance(
        &self,
        relevance: &[f64],
        passage_counts: &[usize],
        mut report: impl FnMut(usize, bool),
    ) {
        let (mut max_relevance, mut is_match) = (None::<f64>, false);
        let mut next = 0;
        for (index, &count) in passage_counts.iter().enumerate() {
            let passage_end = count.min(relevance.len());
            for (relevance, passage) in
                relevance[next..passage_end].iter().zip(&self.passages[next..passage_end])
            {
                let Some(best_is_accepted) = passage.best_is_accepted else { continue };
                if max_relevance.is_none_or(|max| relevance.total_cmp(&max).is_gt()) {
                    (max_relevance, is_match) = (Some(*relevance), best_is_accepted);
                }
            }
            next = passage_end;
            report(index, is_match);
        }
    }

    /// Evaluates all other scorings. The score of a span is exp(relevance of its passage) · weight of the span. The
    /// score of an answer is the sum of its spans' scores, or the highest of them if the scoring is not summed. `sums`
    /// must have a zero for each answer.
    ///
    /// Calls `report` with the index of each of `passage_counts` and whether the best answer is accepted. Reports
    /// `None` if the pass cannot tell: if a weight or a relevance is not finite, or if rounding or underflow could
    /// decide which score is higher.
    pub(super) fn evaluate_by_score(
        &self,
        relevance: &[f64],
        passage_counts: &[usize],
        sums: &mut [f64],
        mut report: impl FnMut(usize, Option<bool>),
    ) {
        if !self.has_finite_weights || relevance.iter().any(|relevance| !relevance.is_finite()) {
            return (0..passage_counts.len()).for_each(|index| report(index, None));
        }
        let max_relevance = relevance.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut max_accepted, mut max_other) = (0.0_f64, 0.0_f64);
        let (mut next_passage, mut next_span) = (0, 0);
        for (index, &count) in passage_counts.iter().enumerate() {
            let passage_end = count.min(relevance.len());
            let passages = &self.passages[next_passage..passage_end];
            for (relevance, passage) in relevance[next_passage..passage_end].iter().zip(passages) {
                let passage_weight = (relevance - max_relevance).exp();
                let (accepted_end, end) = (passage.accepted_end as usize, passage.end as usize);
                max_accepted = self.add_scores(next_span..accepted_end, passage_weight, sums, max_accepted);
                max_other = self.add_scores(accepted_end..end, passage_weight, sums, max_other);
                next_span = end;
            }
            next_passage = passage_end;
            let tie_threshold = max_accepted.max(max_other) * (1.0 - MIN_RELATIVE_GAP);
            let is_match = match (max_accepted < tie_threshold, max_other < tie_threshold) {
                // No passage so far has an answer.
                _ if next_span == 0 => Some(false),
                _ if tie_threshold < MIN_RELIABLE_SCORE => None,
                (false, true) => Some(true),
                (true, false) => Some(false),
                _ => None,
            };
            report(index, is_match);
        }
    }

    /// Adds the scores of a range of spans to the sums of their answers, if the scoring is summed. Returns the maximum
    /// of `max` and the current scores of these answers.
    #[inline]
    fn add_scores(&self, spans: Range<usize>, passage_weight: f64, sums: &mut [f64], mut max: f64) -> f64 {
        if !self.span_scoring.is_summed() {
            return self.span_weights[spans].iter().map(|weight| passage_weight * weight).fold(max, f64::max);
        }
        for (&answer, weight) in self.span_answers[spans.clone()].iter().zip(&self.span_weights[spans]) {
            let sum = &mut sums[answer as usize];
            *sum += passage_weight * weight;
            max = if *sum > max { *sum } else { max };
        }
        max
    }
}
