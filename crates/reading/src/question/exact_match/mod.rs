//! Decides whether a question's best answer is an exact match, for many numbers of passages in one pass.
//!
//! The best answer depends on how many passages are read. Ranking all answers for each number of passages would be
//! slow. Instead, one pass over the passages, in retrieval order, keeps two scores: the highest of all accepted
//! answers, and the highest of all other answers. The best answer is an accepted one if the first score is higher. Two
//! facts make this correct: the score of an answer never decreases as passages are added, and the denominator of the
//! softmax over passages, which is the same for all answers, can be left out. If rounding errors could decide the
//! comparison, the answers are ranked after all. Under [`SpanScoring::Original`], the pass keeps the most relevant
//! passage instead, whose best span is the best answer.

mod layout;
mod one_pass;
#[cfg(test)]
mod tests;

use super::accepted::AcceptedAnswers;
use super::readings::QuestionReadings;
use super::scoring::Scoring;
use crate::{Error, Evidence, Merge, SpanScoring};

/// A question's readings with its accepted answers, laid out for one pass over the passages.
pub(crate) struct ExactMatchEvaluator<'a> {
    readings: &'a QuestionReadings,
    span_scoring: SpanScoring,
    merge: Merge,
    /// For each distinct span text, whether it is accepted.
    text_is_accepted: Vec<bool>,
    /// For each answer, whether at least one of its texts is accepted. An answer has several texts if they are merged.
    answer_is_accepted: Vec<bool>,
    /// Whether the texts of each answer are either all accepted or all not accepted. Otherwise, a regular expression
    /// accepts only one of two texts that normalization makes equal, and one pass cannot decide.
    is_consistent: bool,
    /// Whether any answer is accepted.
    can_match: bool,
    /// Empty if one pass cannot decide (see `is_consistent`) or is not needed because no answer is accepted.
    passages: Vec<Passage>,
    /// The index of each span's answer in `answer_is_accepted`, passage by passage. Blank spans are left out. Within a
    /// passage, the spans of accepted answers come first. Empty under `Original`.
    span_answers: Vec<u32>,
    /// The factor of each span's score that does not depend on other passages: under `Normalized`, the softmax over the
    /// passage's spans; under `Probability` and `SummedProbability`, P_start · P_end, the probabilities of the span's
    /// first and last token. Empty under `Original`.
    span_weights: Vec<f64>,
    /// Whether all of `span_weights` are finite.
    has_finite_weights: bool,
}

/// A passage. Its spans in [`ExactMatchEvaluator::span_answers`] begin where those of the previous passage end.
struct Passage {
    /// End of the spans of accepted answers. The spans of other answers follow.
    accepted_end: u32,
    /// End of the spans of other answers.
    end: u32,
    /// Whether the answer of the best nonblank span is accepted; `None` if the passage has no nonblank span.
    best_is_accepted: Option<bool>,
}

impl<'a> ExactMatchEvaluator<'a> {
    pub fn new(
        readings: &'a QuestionReadings,
        accepted: AcceptedAnswers<'_>,
        span_scoring: SpanScoring,
        merge: Merge,
    ) -> Self {
        let text_is_accepted = readings.matching_texts(accepted);
        let (answer_is_accepted, is_consistent) = match merge {
            // Each distinct text is an answer of its own.
            Merge::Text => (text_is_accepted.clone(), true),
            Merge::Normalized => {
                let answers = readings.answers_of_texts(merge);
                let mut answer_is_accepted = vec![false; readings.answer_count(merge)];
                for (&answer, &is_accepted) in answers.iter().zip(&text_is_accepted) {
                    answer_is_accepted[answer as usize] |= is_accepted;
                }
                let mut texts = answers.iter().zip(&text_is_accepted);
                let is_consistent =
                    texts.all(|(&answer, &is_accepted)| answer_is_accepted[answer as usize] == is_accepted);
                (answer_is_accepted, is_consistent)
            }
        };
        let can_match = answer_is_accepted.contains(&true);
        let mut evaluator = Self {
            readings,
            span_scoring,
            merge,
            text_is_accepted,
            answer_is_accepted,
            is_consistent,
            can_match,
            passages: Vec::new(),
            span_answers: Vec::new(),
            span_weights: Vec::new(),
            has_finite_weights: true,
        };
        if can_match && is_consistent {
            evaluator.lay_out();
        }
        evaluator
    }

    /// Whether any answer is accepted.
    pub fn can_match(&self) -> bool {
        self.can_match
    }

    /// Evaluates the best answer in the first n passages, for each n in `passage_counts`, which must be in ascending
    /// order. The best answer is the one that [`QuestionReadings::best`] returns. Calls `report` with the index of n in
    /// `passage_counts`, and with whether the best answer is accepted.
    pub fn evaluate(
        &self,
        evidence: Evidence,
        passage_counts: &[usize],
        scratch: &mut Scratch,
        mut report: impl FnMut(usize, bool),
    ) {
        if !self.can_match {
            return (0..passage_counts.len()).for_each(|index| report(index, false));
        }
        if !self.is_consistent {
            return (0..passage_counts.len())
                .for_each(|index| report(index, self.evaluate_by_ranking(evidence, passage_counts[index])));
        }
        let Scratch { relevance, sums } = scratch;
        relevance.clear();
        let passages = self.readings.passages();
        let passages = &passages[..passage_counts.last().map_or(0, |&max| max.min(passages.len()))];
        relevance
            .extend(passages.iter().map(|passage| evidence.fuse(passage.relevance, passage.retrieval_score)));
        match self.span_scoring {
            SpanScoring::Original => self.evaluate_by_relevance(relevance, passage_counts, report),
            SpanScoring::Normalized | SpanScoring::Probability | SpanScoring::SummedProbability => {
                sums.clear();
                sums.resize(self.answer_is_accepted.len(), 0.0);
                self.evaluate_by_score(relevance, passage_counts, sums, |index, is_match| {
                    let is_match =
                        is_match.unwrap_or_else(|| self.evaluate_by_ranking(evidence, passage_counts[index]));
                    report(index, is_match);
                });
            }
        }
    }

    /// Returns whether the best answer in the first `passage_count` passages is accepted. Ranks all answers, which is
    /// slow, but always gives a result.
    fn evaluate_by_ranking(&self, evidence: Evidence, passage_count: usize) -> bool {
        let scoring = Scoring { spans: self.span_scoring, evidence, merge: self.merge };
        let best = self.readings.best_unchecked(scoring, passage_count);
        best.is_some_and(|best| self.text_is_accepted[best.text_index()])
    }
}

/// Buffers of [`ExactMatchEvaluator::evaluate`], reused between calls.
#[derive(Default)]
pub(crate) struct Scratch {
    /// The fused relevance of each passage.
    relevance: Vec<f64>,
    /// The summed score of each answer.
    sums: Vec<f64>,
}

/// Fails if the numbers of passages are not in strictly ascending order.
pub(crate) fn check_passage_counts(passage_counts: &[usize]) -> Result<(), Error> {
    if passage_counts.is_sorted_by(|a, b| a < b) {
        return Ok(());
    }
    let got = format!("{passage_counts:?}");
    Err(Error::Argument { what: "passages", expected: "numbers in strictly ascending order", got })
}
