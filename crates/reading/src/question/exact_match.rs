//! Whether a question's best answer is an exact match, for many numbers of passages at once.
//!
//! Ranking all answers for each number of passages would be slow. Instead, one pass over the passages, in retrieval
//! order, keeps the highest score of any accepted answer and of any other answer. A summed score only grows with more
//! passages, and the denominator of the softmax over passages is the same for all answers, so comparing the two highest
//! scores decides. Only if they are closer than rounding errors are the answers ranked.

use super::accepted::AcceptedAnswers;
use super::readings::QuestionReadings;
use super::scoring::Scoring;
use crate::scoring::softmax;
use crate::{Error, Evidence, Merge, SpanScoring};

/// A question's readings with its accepted answers, laid out for one pass over the passages.
pub(crate) struct ExactMatchEvaluator<'a> {
    readings: &'a QuestionReadings,
    spans: SpanScoring,
    merge: Merge,
    /// For each distinct text, whether it is accepted.
    text_is_accepted: Vec<bool>,
    /// For each answer, whether one of its texts is accepted.
    answer_is_accepted: Vec<bool>,
    /// Whether all texts of an answer are accepted or none of them is. Only regular expressions can tell texts apart that
    /// normalization makes equal.
    is_consistent: bool,
    /// Whether any answer is accepted.
    can_match: bool,
    passages: Vec<Passage>,
    /// The answer of each span. Blank spans are left out. Within a passage, the spans of accepted answers come first.
    span_answers: Vec<u32>,
    /// The factor of each span's score that does not depend on other passages: softmax(s_i)_j, or P_start · P_end.
    span_weights: Vec<f64>,
    has_finite_weights: bool,
}

/// The spans of a passage, as positions in [`ExactMatchEvaluator::span_answers`].
struct Passage {
    /// Spans before this position are of accepted answers.
    accepted_end: u32,
    /// Spans from `accepted_end` to this position are of other answers.
    end: u32,
    /// Whether its best span is of an accepted answer; none if the passage has no span.
    best_is_accepted: Option<bool>,
}

/// If two sums differ by less than this fraction of the larger, adding their terms in another order may reverse them.
///
/// A sum of n terms of one sign has a relative error of at most n · 2⁻⁵³; a term, whose exponent is at most 745, has
/// one of at most (745 + 8) · 2⁻⁵³. Two sums, each added up in two orders, are off by 4 · (2¹⁷ + 753) · 2⁻⁵³ = 5.9 · 10⁻¹¹
/// for answers of up to 2¹⁷ spans.
const MIN_RELATIVE_GAP: f64 = 1e-10;
/// Below this, terms may have underflowed (at about 10⁻³⁰⁸), so that sums are unreliable.
const MIN_RELIABLE_SUM: f64 = 1e-250;

impl<'a> ExactMatchEvaluator<'a> {
    pub fn new(
        readings: &'a QuestionReadings,
        accepted: AcceptedAnswers<'_>,
        spans: SpanScoring,
        merge: Merge,
    ) -> Self {
        let text_is_accepted = readings.matching_texts(accepted);
        let (answer_is_accepted, is_consistent) = match merge {
            // Each text is an answer of its own.
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
            spans,
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

    /// Whether any answer is an accepted one.
    pub fn can_match(&self) -> bool {
        self.can_match
    }

    fn lay_out(&mut self) {
        for passage in 0..self.readings.len() {
            let candidates: Vec<_> = self.readings.candidates(passage, self.merge).collect();
            let weights: Vec<f64> = match self.spans {
                SpanScoring::Original => Vec::new(),
                SpanScoring::Normalized => {
                    softmax(&candidates.iter().map(|span| span.score()).collect::<Vec<_>>())
                }
                SpanScoring::Probability | SpanScoring::SummedProbability => {
                    candidates.iter().map(|span| self.readings.span_probability(span)).collect()
                }
            };
            let is_accepted = |answer: u32| self.answer_is_accepted[answer as usize];
            for accepted in [true, false] {
                for (span, weight) in candidates.iter().zip(&weights) {
                    if let Some(answer) = span.answer.filter(|&answer| is_accepted(answer) == accepted) {
                        self.span_answers.push(answer);
                        self.span_weights.push(*weight);
                    }
                }
                if accepted {
                    let (accepted_end, end) = (self.span_answers.len() as u32, 0);
                    let best_is_accepted = candidates.iter().find_map(|span| span.answer).map(is_accepted);
                    self.passages.push(Passage { accepted_end, end, best_is_accepted });
                }
            }
            let end = self.span_answers.len() as u32;
            self.passages.last_mut().expect("just added").end = end;
        }
        self.has_finite_weights = self.span_weights.iter().all(|weight| weight.is_finite());
    }

    /// Calls `report` for each of `passage_counts`, which ascend, with its position and whether the best answer among the
    /// first so many passages is an accepted one. The best answer is the one that [`QuestionReadings::best`] returns.
    pub fn evaluate(
        &self,
        evidence: Evidence,
        passage_counts: &[usize],
        scratch: &mut Scratch,
        mut report: impl FnMut(usize, bool),
    ) {
        if !self.can_match {
            return (0..passage_counts.len()).for_each(|at| report(at, false));
        }
        if !self.is_consistent {
            return (0..passage_counts.len())
                .for_each(|at| report(at, self.evaluate_by_ranking(evidence, passage_counts[at])));
        }
        let Scratch { relevance, sums } = scratch;
        relevance.clear();
        let read = self.readings.passages();
        let read = &read[..passage_counts.last().map_or(0, |&max| max.min(read.len()))];
        relevance
            .extend(read.iter().map(|passage| evidence.fuse(passage.relevance, passage.retrieval_score)));
        match self.spans {
            SpanScoring::Original => self.evaluate_most_relevant(relevance, passage_counts, report),
            SpanScoring::Normalized | SpanScoring::Probability | SpanScoring::SummedProbability => {
                sums.clear();
                sums.resize(self.answer_is_accepted.len(), 0.0);
                self.evaluate_highest_score(relevance, passage_counts, sums, |at, is_match| {
                    let is_match =
                        is_match.unwrap_or_else(|| self.evaluate_by_ranking(evidence, passage_counts[at]));
                    report(at, is_match);
                });
            }
        }
    }

    /// The original scoring: the best span of the most relevant passage that has a span; of equally relevant passages,
    /// of the first.
    fn evaluate_most_relevant(
        &self,
        relevance: &[f64],
        passage_counts: &[usize],
        mut report: impl FnMut(usize, bool),
    ) {
        let (mut max_relevance, mut is_match) = (None::<f64>, false);
        let mut next = 0;
        for (at, &count) in passage_counts.iter().enumerate() {
            let until = count.min(relevance.len());
            for (relevance, passage) in relevance[next..until].iter().zip(&self.passages[next..until]) {
                let Some(best_is_accepted) = passage.best_is_accepted else { continue };
                if max_relevance.is_none_or(|max| relevance.total_cmp(&max).is_gt()) {
                    (max_relevance, is_match) = (Some(*relevance), best_is_accepted);
                }
            }
            next = until;
            report(at, is_match);
        }
    }

    /// The other scorings: exp(relevance) · weight, summed over the spans of each answer or not. The softmax over
    /// passages has one denominator for all answers, which is left out. Reports none if the highest scores of accepted and
    /// of other answers are closer than rounding errors, or unreliable.
    fn evaluate_highest_score(
        &self,
        relevance: &[f64],
        passage_counts: &[usize],
        sums: &mut [f64],
        mut report: impl FnMut(usize, Option<bool>),
    ) {
        if !self.has_finite_weights || relevance.iter().any(|relevance| !relevance.is_finite()) {
            return (0..passage_counts.len()).for_each(|at| report(at, None));
        }
        let max_relevance = relevance.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut max_accepted, mut max_other) = (0.0_f64, 0.0_f64);
        let (mut next_passage, mut next_span) = (0, 0);
        for (at, &count) in passage_counts.iter().enumerate() {
            let until = count.min(relevance.len());
            let passages = &self.passages[next_passage..until];
            for (relevance, passage) in relevance[next_passage..until].iter().zip(passages) {
                let passage_weight = (relevance - max_relevance).exp();
                let (accepted_end, end) = (passage.accepted_end as usize, passage.end as usize);
                max_accepted = self.add_scores(next_span..accepted_end, passage_weight, sums, max_accepted);
                max_other = self.add_scores(accepted_end..end, passage_weight, sums, max_other);
                next_span = end;
            }
            next_passage = until;
            let min_tie = max_accepted.max(max_other) * (1.0 - MIN_RELATIVE_GAP);
            let is_match = match (max_accepted < min_tie, max_other < min_tie) {
                _ if next_span == 0 => Some(false),
                _ if min_tie < MIN_RELIABLE_SUM => None,
                (false, true) => Some(true),
                (true, false) => Some(false),
                _ => None,
            };
            report(at, is_match);
        }
    }

    /// Adds the scores of spans to the sums of their answers, if the scoring is summed. Returns the maximum of `max` and the
    /// scores of these answers.
    fn add_scores(
        &self,
        spans: std::ops::Range<usize>,
        passage_weight: f64,
        sums: &mut [f64],
        mut max: f64,
    ) -> f64 {
        if !self.spans.is_summed() {
            return self.span_weights[spans].iter().map(|weight| passage_weight * weight).fold(max, f64::max);
        }
        for (&answer, weight) in self.span_answers[spans.clone()].iter().zip(&self.span_weights[spans]) {
            let sum = &mut sums[answer as usize];
            *sum += passage_weight * weight;
            max = if *sum > max { *sum } else { max };
        }
        max
    }

    /// Ranks all answers, which is exact and slow.
    fn evaluate_by_ranking(&self, evidence: Evidence, passage_count: usize) -> bool {
        let scoring = Scoring { spans: self.spans, evidence, merge: self.merge };
        let best = self.readings.best_unchecked(scoring, passage_count);
        best.is_some_and(|best| self.text_is_accepted[best.text_number()])
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

/// Fails if numbers of passages are not in strictly ascending order.
pub(crate) fn check_passage_counts(passage_counts: &[usize]) -> Result<(), Error> {
    if passage_counts.is_sorted_by(|a, b| a < b) {
        return Ok(());
    }
    let got = format!("{passage_counts:?}");
    Err(Error::Argument { what: "passages", expected: "numbers in ascending order, each once", got })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{RandomReading, passage_reading, scorings_and_merges, stored};
    use crate::{QuestionBuilder, SpanLimits, StoredReading};
    use proptest::prelude::*;

    fn evaluated(
        evaluator: &ExactMatchEvaluator<'_>,
        evidence: Evidence,
        passage_counts: &[usize],
    ) -> Vec<bool> {
        let mut matches = Vec::new();
        evaluator.evaluate(evidence, passage_counts, &mut Scratch::default(), |at, is_match| {
            assert_eq!(at, matches.len());
            matches.push(is_match);
        });
        matches
    }

    #[test]
    fn an_answer_scores_higher_with_each_passage_that_has_it() {
        // One span per passage: b with relevance ln 3, then x with 0, 0 and ln 3. The sums of (b, x) are (3, 0), (3, 1), (3, 2)
        // and (3, 5).
        let mut builder = QuestionBuilder::new();
        for (text, relevance) in [("b", 3f32.ln()), ("x", 0.0), ("x", 0.0), ("x", 3f32.ln())] {
            builder.push(text, 0.0, &stored(relevance, &[(0..1, 7.0)])).expect("a finite score");
        }
        let question = builder.finish();
        let evaluator = ExactMatchEvaluator::new(
            &question,
            AcceptedAnswers::Texts(&["The X!".to_owned()]),
            SpanScoring::Normalized,
            Merge::Text,
        );
        assert_eq!(
            evaluated(&evaluator, Evidence::default(), &[0, 1, 2, 3, 4, 9]),
            [false, false, false, false, true, true]
        );
        // With β = 0 all passages weigh the same: the sums are (1, 0), (1, 1), where b stays first, and (1, 2).
        let none = Evidence { beta: 0.0, gamma: 0.0 };
        assert_eq!(evaluated(&evaluator, none, &[1, 2, 3]), [false, false, true]);
    }

    #[test]
    fn relevance_a_thousand_apart_neither_overflows_nor_vanishes() {
        // z has nearly all of the probability. Relative to z, x and y have e^-1000 and twice that, and are still told apart.
        let mut builder = QuestionBuilder::new();
        for (text, relevance) in [("x", 0.0), ("y", 2f32.ln()), ("z", 1000.0)] {
            builder.push(text, 0.0, &stored(relevance, &[(0..1, 7.0)])).expect("a finite score");
        }
        let question = builder.finish();
        let evaluator = ExactMatchEvaluator::new(
            &question,
            AcceptedAnswers::Texts(&["y".to_owned()]),
            SpanScoring::Normalized,
            Merge::Text,
        );
        assert_eq!(evaluated(&evaluator, Evidence::default(), &[1, 2, 3]), [false, true, false]);
    }

    #[test]
    fn patterns_may_accept_one_of_two_texts_that_normalization_makes_equal() {
        // "U", "U." and W have the weights 1, 2 and 1. Merged, "U" and "U." have 3, and the best span is "U.".
        let mut builder = QuestionBuilder::new();
        for (text, relevance) in [("U", 0.0), ("U.", 2f32.ln()), ("W", 0.0)] {
            builder
                .push(text, 0.0, &stored(relevance, &[(0..text.len() as u32, 7.0)]))
                .expect("a finite score");
        }
        let question = builder.finish();
        let judge = |pattern: &str, merge| {
            let accepted = [pattern.to_owned()];
            let evaluator = ExactMatchEvaluator::new(
                &question,
                AcceptedAnswers::Patterns(&accepted),
                SpanScoring::Normalized,
                merge,
            );
            evaluated(&evaluator, Evidence::default(), &[1, 2, 3])
        };
        // A merged answer has the text of its best span: "U" with one passage, "U." with more.
        assert_eq!(judge("U$", Merge::Normalized), [true, false, false]);
        assert_eq!(judge(r"U\.", Merge::Normalized), [false, true, true]);
        assert_eq!(judge("u", Merge::Normalized), [true, true, true]);
        assert_eq!(judge("U$", Merge::Text), [true, false, false]);
    }

    /// Accepted answers, as texts or as regular expressions.
    fn accepted() -> impl Strategy<Value = (Vec<String>, bool)> {
        let texts = prop::sample::select(vec!["x", "X y", "é", "a", "🚁"]);
        let patterns = prop::sample::select(vec!["x", "x$", "[ax]$", "x .", "(", "é|y"]);
        let owned = |answers: Vec<&str>| answers.into_iter().map(str::to_owned).collect::<Vec<_>>();
        prop_oneof![
            prop::collection::vec(texts, 0..3).prop_map(move |answers| (owned(answers), false)),
            prop::collection::vec(patterns, 0..3).prop_map(move |answers| (owned(answers), true)),
        ]
    }

    proptest! {
        #[test]
        fn one_pass_accepts_what_ranking_all_answers_accepts(
            reads in prop::collection::vec(any::<RandomReading>(), 0..20),
            (beta, gamma) in (prop::sample::select(vec![0.0, 0.01, 0.3, 1.0, 400.0]), prop::sample::select(vec![-0.5, 0.0, 0.07, 1.0, 300.0])),
            (accepted, patterns) in accepted(),
            (spans, merge) in scorings_and_merges(),
        ) {
            let mut builder = QuestionBuilder::new();
            for (at, read) in reads.iter().enumerate() {
                let reading = passage_reading(read);
                let limits = SpanLimits { max_spans: 4, max_tokens: 2 };
                let stored = StoredReading::new(at, &reading.windows, limits).expect("valid windows");
                builder.push(reading.text, reading.retrieval_score, &stored).expect("a finite score");
            }
            let question = builder.finish();
            let evidence = Evidence { beta, gamma };
            let as_accepted = if patterns { AcceptedAnswers::Patterns(&accepted) } else { AcceptedAnswers::Texts(&accepted) };
            let evaluator = ExactMatchEvaluator::new(&question, as_accepted, spans, merge);
            let passage_counts = [0, 1, 2, 5, 11, 100];
            let expected = passage_counts.map(|passage_count| {
                let best = question.best(Scoring { spans, evidence, merge }, passage_count).expect("finite weights");
                let matches = if patterns { evaluation::pattern_match } else { evaluation::exact_match };
                best.is_some_and(|best| matches(best.text, &accepted))
            });
            prop_assert_eq!(evaluated(&evaluator, evidence, &passage_counts), expected);
        }
    }
}
