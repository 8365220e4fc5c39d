//! Answers directly from a reader's logits.

use std::collections::HashMap;
use std::ops::Range;

use crate::reader_output::{SpanLimits, StoredReading, Window};
use crate::scoring::{Candidate, Merge, SpanScoring, rank};
use crate::{Error, Evidence};

/// A passage with the reader's output.
#[derive(Debug, Clone)]
pub struct PassageReading<'a> {
    /// The passage's text.
    pub text: &'a str,
    /// The score with which it was retrieved, for evidence fusion.
    pub retrieval_score: f32,
    /// The reader's output: one window, or several that overlap.
    pub windows: Vec<Window<'a>>,
}

/// How answers are found.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ReadOptions {
    /// How spans are scored.
    pub scoring: SpanScoring,
    /// How many spans of a passage are scored, and how long they may be.
    pub limits: SpanLimits,
    /// The weights of the reader's relevance and of the retrieval score.
    pub evidence: Evidence,
    /// Which spans are the same answer.
    pub merge: Merge,
}

/// An answer, with the location of its best span.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The span's text.
    pub text: String,
    /// Position of its passage in the list of passages.
    pub passage: usize,
    /// Bytes of the passage's text.
    pub bytes: Range<usize>,
    /// start logit + end logit under `Original`; otherwise a probability.
    pub score: f64,
}

/// Returns the answers that passages give, best first, each once.
///
/// Of equal scores, the answer from the earlier passage comes first. Passages without tokens give no answer.
///
/// # Errors
///
/// [`Error::Argument`] if a weight or a relevance is not finite, or a passage has no window; [`Error::Shape`] if the slices
/// of a window differ in length.
pub fn answers(passages: &[PassageReading<'_>], options: &ReadOptions) -> Result<Vec<Answer>, Error> {
    options.evidence.check()?;
    let readings = passages
        .iter()
        .enumerate()
        .map(|(at, passage)| StoredReading::new(at, &passage.windows, options.limits));
    let readings = readings.collect::<Result<Vec<StoredReading>, Error>>()?;
    let mut answer_numbers: HashMap<String, u32> = HashMap::new();
    let mut candidates = Vec::new();
    let mut byte_ranges = Vec::new();
    for (at, (passage, reading)) in passages.iter().zip(&readings).enumerate() {
        for span in &reading.spans {
            let bytes = span.bytes.start as usize..span.bytes.end as usize;
            let answer = answer_text(passage.text, bytes.clone()).map(|text| {
                let next = answer_numbers.len() as u32;
                *answer_numbers.entry(options.merge.key(text)).or_insert(next)
            });
            candidates.push(Candidate { passage: at, start: span.start, end: span.end, answer });
            byte_ranges.push(bytes);
        }
    }
    let relevance: Vec<f64> = passages
        .iter()
        .zip(&readings)
        .map(|(passage, reading)| options.evidence.fuse(reading.relevance, passage.retrieval_score))
        .collect();
    let logit_sums = |passage: usize| (readings[passage].starts, readings[passage].ends);
    let ranked = rank(&candidates, &relevance, logit_sums, options.scoring, answer_numbers.len());
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

/// The text of a span; none if it is blank.
pub(crate) fn answer_text(text: &str, bytes: Range<usize>) -> Option<&str> {
    text.get(bytes).filter(|answer| !answer.trim().is_empty())
}

impl Merge {
    /// A text that is the same for all spans that are the same answer.
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

    /// Two one-letter words, with spans of one token only.
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

    fn read(passages: &[PassageReading<'_>], options: ReadOptions) -> Vec<(String, usize, f64)> {
        let limits = SpanLimits { max_spans: 2, max_tokens: 1 };
        let answers = answers(passages, &ReadOptions { limits, ..options }).expect("reads");
        answers.into_iter().map(|answer| (answer.text, answer.passage, answer.score)).collect()
    }

    #[test]
    fn original_takes_the_most_relevant_passage_whatever_its_spans_score() {
        let passages = [passage("x y", 1.0, 9.0, &[8.0, 7.0]), passage("u v", 2.0, 1.0, &[3.0, 4.0])];
        let options = ReadOptions { scoring: SpanScoring::Original, ..ReadOptions::default() };
        assert_eq!(read(&passages, options)[0], ("v".into(), 1, 4.0));
        // Evidence: 1 + 0.5 · 9 > 2 + 0.5 · 1.
        let evidence = Evidence { beta: 1.0, gamma: 0.5 };
        assert_eq!(read(&passages, ReadOptions { evidence, ..options })[0], ("x".into(), 0, 8.0));
    }

    #[test]
    fn normalized_sums_the_scores_of_equal_answers() {
        // softmax(0, ln 3) = (1/4, 3/4); spans: softmax(0, 0) = (1/2, 1/2) and softmax(ln 2, 0) = (2/3, 1/3).
        let (ln2, ln3) = (2f32.ln(), 3f32.ln());
        let start = [ln2, 0.0];
        let passages = [passage("a b", 0.0, 0.0, &[0.0, 0.0]), passage("c b", ln3, 0.0, &start)];
        let answers = read(&passages, ReadOptions::default());
        // c: 3/4 · 2/3 = 1/2; b: 3/4 · 1/3 + 1/4 · 1/2 = 3/8, with the passage of its best span; a: 1/4 · 1/2 = 1/8.
        let expected = [("c", 1, 0.5), ("b", 1, 0.375), ("a", 0, 0.125)];
        for ((text, passage, score), (e_text, e_passage, e_score)) in answers.iter().zip(expected) {
            assert!(text == e_text && *passage == e_passage && (score - e_score).abs() < 1e-7, "{answers:?}");
        }
        assert_eq!(answers.len(), 3);
    }

    #[test]
    fn probabilities_are_over_all_tokens() {
        // P_start = P_end = 1/2 each over two tokens, P_selected = 1.
        let passages = [passage("a b", 0.0, 0.0, &[0.0, 0.0])];
        let options = ReadOptions { scoring: SpanScoring::Probability, ..ReadOptions::default() };
        assert_eq!(read(&passages, options), [("a".into(), 0, 0.25), ("b".into(), 0, 0.25)]);
    }

    #[test]
    fn an_answer_has_the_probability_of_its_best_span_unless_probabilities_are_summed() {
        // P_selected = 1/4, 1/4, 1/2. P_start of b is 1/2, 1/2 and 1/4, that of c is 3/4. P_end is always 1/2.
        let (ln2, ln3) = (2f32.ln(), 3f32.ln());
        let start = [0.0, ln3];
        let passages = [
            passage("a b", 0.0, 0.0, &[0.0, 0.0]),
            passage("d b", 0.0, 0.0, &[0.0, 0.0]),
            passage("b c", ln2, 0.0, &start),
        ];
        let scores = |scoring| -> Vec<(String, usize, f64)> {
            read(&passages, ReadOptions { scoring, ..ReadOptions::default() })
        };
        // c: 1/2 · 3/4 · 1/2 = 3/16. b: 1/4 · 1/2 · 1/2 = 1/16 in the first two passages, 1/2 · 1/4 · 1/2 = 1/16 in the third.
        let expected =
            [("c", 2, 3.0 / 16.0), ("a", 0, 1.0 / 16.0), ("b", 0, 1.0 / 16.0), ("d", 1, 1.0 / 16.0)];
        let single = scores(SpanScoring::Probability);
        assert_eq!(single.len(), 4);
        // Answers whose scores are equal up to rounding may come in any order.
        assert_eq!(single[0].0, "c");
        for (text, _, score) in expected {
            let found = single.iter().find(|answer| answer.0 == text).expect("an answer");
            assert!((found.2 - score).abs() < 1e-8, "{single:?}");
        }
        // b has 3 · 1/16, as much as c.
        let summed = scores(SpanScoring::SummedProbability);
        let score_of = |text: &str| summed.iter().find(|answer| answer.0 == text).expect("an answer").2;
        assert!(
            (score_of("b") - 3.0 / 16.0).abs() < 1e-8 && (score_of("c") - 3.0 / 16.0).abs() < 1e-8,
            "{summed:?}"
        );
        assert!((score_of("a") - 1.0 / 16.0).abs() < 1e-8, "{summed:?}");
    }

    #[test]
    fn merging_can_ignore_case() {
        let passages = [passage("A x", 0.0, 0.0, &[9.0, -9.0]), passage("x X", 0.0, 0.0, &[0.0, 0.0])];
        let exact = read(&passages, ReadOptions::default());
        assert_eq!(exact.iter().map(|answer| answer.0.as_str()).collect::<Vec<_>>(), ["A", "x", "X"]);
        let merged = read(&passages, ReadOptions { merge: Merge::Normalized, ..ReadOptions::default() });
        assert_eq!(merged.len(), 2, "{merged:?}");
    }

    #[test]
    fn arrays_of_different_lengths_are_refused() {
        let mut broken = passage("a b", 0.0, 0.0, &[0.0, 0.0]);
        broken.windows[0].end = &[0.0];
        let error = answers(&[broken], &ReadOptions::default()).expect_err("refused");
        assert_eq!(error.to_string(), "passage 0: expected 2 tokens in every array, got 1");
    }

    #[test]
    fn nothing_to_read_gives_no_answer() {
        assert_eq!(answers(&[], &ReadOptions::default()).expect("reads"), []);
    }
}
