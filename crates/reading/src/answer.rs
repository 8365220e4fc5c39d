//! Finds the answers to one question from a reader's logits. For readings that were stored earlier, see
//! [`best_answers`](crate::best_answers).

use std::collections::HashMap;
use std::ops::Range;

use crate::reader_output::{SpanLimits, StoredReading, Window};
use crate::scoring::{Candidate, Merge, SpanScoring, rank};
use crate::{Error, Evidence};

/// A passage with the reader's output for it.
#[derive(Debug, Clone)]
pub struct PassageReading<'a> {
    /// The text of the passage.
    pub text: &'a str,
    /// The score with which the passage was retrieved, which evidence fusion adds to the reader's relevance.
    pub retrieval_score: f32,
    /// The reader's output: one window, or several overlapping ones if the passage is long.
    pub windows: Vec<Window<'a>>,
}

/// How answers are found.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ReadOptions {
    /// How spans are scored.
    pub scoring: SpanScoring,
    /// How many spans of each passage are scored, and how long they may be.
    pub limits: SpanLimits,
    /// The weights of the reader's relevance and of the retrieval score.
    pub evidence: Evidence,
    /// Which spans are the same answer.
    pub merge: Merge,
}

/// An answer, with its best span.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The span's text.
    pub text: String,
    /// Index of the span's passage in the list of passages, from 0.
    pub passage: usize,
    /// The span as a range of bytes in the text of its passage.
    pub bytes: Range<usize>,
    /// Under [`SpanScoring::Original`], start logit + end logit; otherwise a probability.
    pub score: f64,
}

/// Returns the distinct answers that the reader finds in the passages of a question, best first.
///
/// Under [`SpanScoring::Original`], answers are ordered by the relevance of their passage; if passages are equally
/// relevant, the earlier one comes first; answers from the same passage are ordered by score. Under the other scorings,
/// answers are ordered by score; if scores are equal, the answer whose best span has the higher score comes first, then
/// the one whose best span is from the earlier passage. The relevance is the reader's relevance fused with the
/// retrieval score by `options.evidence`. A passage without tokens has no answer.
///
/// # Errors
///
/// [`Error::Argument`] if a weight or a relevance is not finite, or if a passage has no window; [`Error::Shape`] if the
/// slices of a window differ in length.
pub fn answers(passages: &[PassageReading<'_>], options: &ReadOptions) -> Result<Vec<Answer>, Error> {
    options.evidence.check()?;
    let readings = passages
        .iter()
        .enumerate()
        .map(|(index, passage)| StoredReading::new(index, &passage.windows, options.limits));
    let readings = readings.collect::<Result<Vec<StoredReading>, Error>>()?;
    let mut answer_indexes: HashMap<String, u32> = HashMap::new();
    let mut candidates = Vec::new();
    let mut byte_ranges = Vec::new();
    for (index, (passage, reading)) in passages.iter().zip(&readings).enumerate() {
        for span in &reading.spans {
            let bytes = span.bytes.start as usize..span.bytes.end as usize;
            let answer = answer_text(passage.text, bytes.clone()).map(|text| {
                let next = answer_indexes.len() as u32;
                *answer_indexes.entry(options.merge.key(text)).or_insert(next)
            });
            let (start_logit, end_logit) = (span.start_logit, span.end_logit);
            candidates.push(Candidate { passage: index, start_logit, end_logit, answer });
            byte_ranges.push(bytes);
        }
    }
    let relevance: Vec<f64> = passages
        .iter()
        .zip(&readings)
        .map(|(passage, reading)| options.evidence.fuse(reading.relevance, passage.retrieval_score))
        .collect();
    // The denominators of the softmaxes over a passage's start logits and end logits.
    let logit_sums = |passage: usize| (readings[passage].start_logit_sum, readings[passage].end_logit_sum);
    let ranked = rank(&candidates, &relevance, logit_sums, options.scoring, answer_indexes.len());
    Ok(ranked
        .into_iter()
        .map(|scored| {
            let passage = candidates[scored.candidate].passage;
            let bytes = byte_ranges[scored.candidate].clone();
            let text = passages[passage].text[bytes.clone()].to_owned();
            Answer { text, passage, bytes, score: scored.score }
        })
        .collect())
}

/// Returns the text of a span, or `None` if it is blank.
pub(crate) fn answer_text(text: &str, bytes: Range<usize>) -> Option<&str> {
    text.get(bytes).filter(|answer| !answer.trim().is_empty())
}

impl Merge {
    /// Returns a key for the text of a span. Spans with the same key are the same answer.
    fn key(self, answer: &str) -> String {
        match self {
            Self::Text => answer.to_owned(),
            Self::Normalized => text::normalize_answer(answer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Relevance;

    const OFFSETS: [Range<u32>; 2] = [0..1, 2..3];

    /// A passage of two words, each of one letter and one token. All end logits are 0.
    fn passage<'a>(
        text: &'a str,
        relevance: f32,
        retrieval_score: f32,
        start: &'a [f32; 2],
    ) -> PassageReading<'a> {
        let (relevance, end) = (Relevance::Logit(relevance), &[0.0, 0.0]);
        let window = Window { relevance, start, end, offsets: &OFFSETS, words: &[0, 1] };
        PassageReading { text, retrieval_score, windows: vec![window] }
    }

    /// Finds answers of one token. Returns the text, the passage and the score of each.
    fn find_answers(passages: &[PassageReading<'_>], options: ReadOptions) -> Vec<(String, usize, f64)> {
        let limits = SpanLimits { max_spans: 2, max_tokens: 1 };
        let answers = answers(passages, &ReadOptions { limits, ..options }).expect("valid windows");
        answers.into_iter().map(|answer| (answer.text, answer.passage, answer.score)).collect()
    }

    #[test]
    fn original_scoring_takes_the_most_relevant_passage_even_if_others_have_better_spans() {
        let passages = [passage("x y", 1.0, 9.0, &[8.0, 7.0]), passage("u v", 2.0, 1.0, &[3.0, 4.0])];
        let options = ReadOptions { scoring: SpanScoring::Original, ..ReadOptions::default() };
        assert_eq!(find_answers(&passages, options)[0], ("v".into(), 1, 4.0));
        // With retrieval scores, the first passage is more relevant: 1 + 0.5 · 9 > 2 + 0.5 · 1.
        let evidence = Evidence { beta: 1.0, gamma: 0.5 };
        assert_eq!(find_answers(&passages, ReadOptions { evidence, ..options })[0], ("x".into(), 0, 8.0));
    }

    #[test]
    fn normalized_scoring_sums_the_scores_of_equal_answers() {
        // Passages: softmax(0, ln 3) = (1/4, 3/4). Spans: softmax(0, 0) = (1/2, 1/2) and softmax(ln 2, 0) = (2/3, 1/3).
        let (ln2, ln3) = (2f32.ln(), 3f32.ln());
        let start = [ln2, 0.0];
        let passages = [passage("a b", 0.0, 0.0, &[0.0, 0.0]), passage("c b", ln3, 0.0, &start)];
        let answers = find_answers(&passages, ReadOptions::default());
        // c: 3/4 · 2/3 = 1/2. b: 3/4 · 1/3 + 1/4 · 1/2 = 3/8; its best span is in passage 1. a: 1/4 · 1/2 = 1/8.
        let expected = [("c", 1, 0.5), ("b", 1, 0.375), ("a", 0, 0.125)];
        for ((text, passage, score), expected) in answers.iter().zip(expected) {
            assert_eq!((text.as_str(), *passage), (expected.0, expected.1));
            assert!((score - expected.2).abs() < 1e-7, "{answers:?}");
        }
        assert_eq!(answers.len(), 3);
    }

    #[test]
    fn start_and_end_probabilities_are_over_all_tokens() {
        // P_start and P_end are 1/2 for each of the two tokens. P_selected, the probability of the passage, is 1.
        let passages = [passage("a b", 0.0, 0.0, &[0.0, 0.0])];
        let options = ReadOptions { scoring: SpanScoring::Probability, ..ReadOptions::default() };
        assert_eq!(find_answers(&passages, options), [("a".into(), 0, 0.25), ("b".into(), 0, 0.25)]);
    }

    #[test]
    fn an_answer_has_the_probability_of_its_best_span_unless_probabilities_are_summed() {
        // P_selected is 1/4, 1/4 and 1/2 for the three passages. P_start is 1/2 for b in the first two passages, 1/4
        // for b in the third, and 3/4 for c. P_end is always 1/2.
        let (ln2, ln3) = (2f32.ln(), 3f32.ln());
        let start = [0.0, ln3];
        let passages = [
            passage("a b", 0.0, 0.0, &[0.0, 0.0]),
            passage("d b", 0.0, 0.0, &[0.0, 0.0]),
            passage("b c", ln2, 0.0, &start),
        ];
        let scores = |scoring| -> Vec<(String, usize, f64)> {
            find_answers(&passages, ReadOptions { scoring, ..ReadOptions::default() })
        };
        // P_selected · P_start · P_end of c is 1/2 · 3/4 · 1/2 = 3/16. That of b is 1/4 · 1/2 · 1/2 = 1/16 in the first
        // two passages, and 1/2 · 1/4 · 1/2 = 1/16 in the third.
        let expected =
            [("c", 2, 3.0 / 16.0), ("a", 0, 1.0 / 16.0), ("b", 0, 1.0 / 16.0), ("d", 1, 1.0 / 16.0)];
        let not_summed = scores(SpanScoring::Probability);
        assert_eq!(not_summed.len(), 4);
        assert_eq!(not_summed[0].0, "c");
        // Rounding decides the order of the others, whose scores are equal.
        for (text, _, score) in expected {
            let found = not_summed.iter().find(|answer| answer.0 == text).expect("an answer");
            assert!((found.2 - score).abs() < 1e-8, "{not_summed:?}");
        }
        // The probabilities of b add up to 3 · 1/16, which is the probability of c.
        let summed = scores(SpanScoring::SummedProbability);
        let score_of = |text: &str| summed.iter().find(|answer| answer.0 == text).expect("an answer").2;
        assert!(
            (score_of("b") - 3.0 / 16.0).abs() < 1e-8 && (score_of("c") - 3.0 / 16.0).abs() < 1e-8,
            "{summed:?}"
        );
        assert!((score_of("a") - 1.0 / 16.0).abs() < 1e-8, "{summed:?}");
    }

    #[test]
    fn merging_by_normalized_text_ignores_case() {
        let passages = [passage("A x", 0.0, 0.0, &[9.0, -9.0]), passage("x X", 0.0, 0.0, &[0.0, 0.0])];
        let by_text = find_answers(&passages, ReadOptions::default());
        assert_eq!(by_text.iter().map(|answer| answer.0.as_str()).collect::<Vec<_>>(), ["A", "x", "X"]);
        let normalized =
            find_answers(&passages, ReadOptions { merge: Merge::Normalized, ..ReadOptions::default() });
        assert_eq!(normalized.len(), 2, "{normalized:?}");
    }

    #[test]
    fn arrays_of_different_lengths_are_refused() {
        let mut broken = passage("a b", 0.0, 0.0, &[0.0, 0.0]);
        broken.windows[0].end = &[0.0];
        let error = answers(&[broken], &ReadOptions::default()).expect_err("refused");
        assert_eq!(error.to_string(), "passage 0: expected 2 tokens in every array, got 1");
    }

    #[test]
    fn a_question_without_passages_has_no_answer() {
        assert_eq!(answers(&[], &ReadOptions::default()).expect("valid windows"), []);
    }
}
