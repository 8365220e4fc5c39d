//! Lays out a question's spans in flat arrays for one pass over the passages.

use super::{ExactMatchEvaluator, Passage};
use crate::SpanScoring;
use crate::scoring::softmax;

impl ExactMatchEvaluator<'_> {
    /// Fills `passages`, `span_answers` and `span_weights`. Under `Original`, `span_answers` and `span_weights` stay
    /// empty, because only the best span of each passage counts.
    pub(super) fn lay_out(&mut self) {
        for passage in 0..self.readings.len() {
            let candidates: Vec<_> = self.readings.candidates(passage, self.merge).collect();
            let weights: Vec<f64> = match self.span_scoring {
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
                    // The end is set below, after the spans of the other answers.
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
}
