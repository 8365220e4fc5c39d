//! The stored readings of one question's passages, and the best answer that follows from them.

use std::ops::Range;

use text::PredictionMatcher;

use super::accepted::AcceptedAnswers;
use super::scoring::Scoring;
use super::texts::TextList;
use crate::reader_output::LogitSum;
use crate::scoring::{Candidate, rank};
use crate::{Error, Merge};

/// The stored readings of a question's passages, in retrieval order.
#[derive(Debug, Clone, Default)]
pub struct QuestionReadings {
    pub(super) passages: Vec<PassageData>,
    /// The spans of all passages, passage by passage, best span first.
    pub(super) spans: Vec<SpanData>,
    /// The distinct texts of spans.
    pub(super) texts: TextList,
    /// The distinct results of SQuAD's normalization of these texts.
    pub(super) normalized_texts: TextList,
    /// For each of `texts`, its number in `normalized_texts`.
    pub(super) normalized_of: Vec<u32>,
}

/// A passage without its spans.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PassageData {
    pub relevance: f32,
    pub retrieval_score: f32,
    pub(super) starts: LogitSum,
    pub(super) ends: LogitSum,
    /// Position after its last span.
    pub(super) span_end: usize,
}

/// A span of a passage.
#[derive(Debug, Clone, Copy)]
pub(super) struct SpanData {
    pub start: f32,
    pub end: f32,
    /// Number of its text in `texts`, or [`NO_TEXT`].
    pub text: u32,
    /// Number of UTF-16 code units of the passage's text before the span.
    pub utf16_start: u32,
}

/// The text number of a span whose text is blank.
pub(super) const NO_TEXT: u32 = u32::MAX;

/// The best answer of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct BestAnswer<'a> {
    /// The span's text.
    pub text: &'a str,
    /// Position of its passage in the list of passages.
    pub passage: usize,
    /// Its range in the passage's text, in UTF-16 code units.
    pub utf16_range: Range<usize>,
    /// start logit + end logit under `Original`; otherwise a probability.
    pub score: f64,
    /// Number of `text` among the distinct texts of spans.
    text_number: u32,
}

impl QuestionReadings {
    /// Number of passages.
    #[must_use]
    pub fn len(&self) -> usize {
        self.passages.len()
    }

    /// Whether there are no passages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.passages.is_empty()
    }

    /// Returns the best answer among the first `passage_count` passages: the first one that [`answers`](crate::answers())
    /// would return. None if these passages have no span.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if a weight is not finite.
    pub fn best(&self, scoring: Scoring, passage_count: usize) -> Result<Option<BestAnswer<'_>>, Error> {
        scoring.evidence.check()?;
        Ok(self.best_unchecked(scoring, passage_count))
    }

    /// As [`best`](Self::best), for weights that were checked.
    pub(crate) fn best_unchecked(&self, scoring: Scoring, passage_count: usize) -> Option<BestAnswer<'_>> {
        let read = &self.passages[..passage_count.min(self.passages.len())];
        let relevance: Vec<f64> = read
            .iter()
            .map(|passage| scoring.evidence.fuse(passage.relevance, passage.retrieval_score))
            .collect();
        let mut candidates = Vec::new();
        for passage in 0..read.len() {
            candidates.extend(self.candidates(passage, scoring.merge));
        }
        let logit_sums = |passage: usize| (read[passage].starts, read[passage].ends);
        let answer_count = self.answer_count(scoring.merge);
        let ranked = rank(&candidates, &relevance, logit_sums, scoring.spans, answer_count);
        let best = ranked.first()?;
        let span = &self.spans[best.candidate];
        let text = self.texts.get(span.text);
        let utf16_start = span.utf16_start as usize;
        Some(BestAnswer {
            text,
            passage: candidates[best.candidate].passage,
            utf16_range: utf16_start..utf16_start + text.encode_utf16().count(),
            score: best.score,
            text_number: span.text,
        })
    }

    /// For each distinct text, whether it is an exact match of an accepted answer.
    pub(crate) fn matching_texts(&self, accepted: AcceptedAnswers<'_>) -> Vec<bool> {
        match accepted {
            AcceptedAnswers::Texts(answers) => {
                let answers: Vec<String> =
                    answers.iter().map(|answer| text::normalize_answer(answer)).collect();
                let is_accepted =
                    |number| answers.iter().any(|answer| answer == self.normalized_texts.get(number));
                let accepted: Vec<bool> = (0..self.normalized_texts.len()).map(is_accepted).collect();
                self.normalized_of.iter().map(|&number| accepted[number as usize]).collect()
            }
            AcceptedAnswers::Patterns(answers) => {
                let matcher = PredictionMatcher::patterns_lossy(answers).0;
                (0..self.texts.len()).map(|number| matcher.matches(self.texts.get(number))).collect()
            }
        }
    }

    /// For each distinct text, the number of the answer that it belongs to.
    pub(crate) fn answers_of_texts(&self, merge: Merge) -> Vec<u32> {
        match merge {
            Merge::Text => (0..self.texts.len()).collect(),
            Merge::Normalized => self.normalized_of.clone(),
        }
    }

    pub(crate) fn passages(&self) -> &[PassageData] {
        &self.passages
    }

    /// Number of distinct answers.
    pub(crate) fn answer_count(&self, merge: Merge) -> usize {
        match merge {
            Merge::Text => self.texts.len() as usize,
            Merge::Normalized => self.normalized_texts.len() as usize,
        }
    }

    /// The spans of a passage, best first.
    pub(crate) fn candidates(&self, passage: usize, merge: Merge) -> impl Iterator<Item = Candidate> + '_ {
        let first = passage.checked_sub(1).map_or(0, |before| self.passages[before].span_end);
        self.spans[first..self.passages[passage].span_end].iter().map(move |span| {
            let answer = (span.text != NO_TEXT).then(|| match merge {
                Merge::Text => span.text,
                Merge::Normalized => self.normalized_of[span.text as usize],
            });
            Candidate { passage, start: span.start, end: span.end, answer }
        })
    }

    /// P_start · P_end of a span (Karpukhin et al., 2020, equations 3–4).
    pub(crate) fn span_probability(&self, span: &Candidate) -> f64 {
        let passage = &self.passages[span.passage];
        passage.starts.softmax(span.start) * passage.ends.softmax(span.end)
    }
}

impl BestAnswer<'_> {
    /// Number of its text among the distinct texts of spans.
    pub(crate) fn text_number(&self) -> usize {
        self.text_number as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{RandomReading, passage_reading, scorings_and_merges};
    use crate::{Evidence, PassageReading, QuestionBuilder, ReadOptions, SpanLimits, StoredReading, answers};
    use proptest::prelude::*;

    #[test]
    fn weights_that_are_not_finite_are_refused() {
        let evidence = Evidence { beta: f64::INFINITY, gamma: 0.0 };
        let nothing = QuestionReadings::default();
        let error = nothing.best(Scoring { evidence, ..Scoring::default() }, 1);
        assert_eq!(error.expect_err("refused").to_string(), "beta: expected a finite number, got inf");
    }

    proptest! {
        #[test]
        fn stored_readings_give_the_answers_that_the_logits_give(
            reads in prop::collection::vec(any::<RandomReading>(), 0..12),
            (max_spans, max_tokens, first) in (1usize..5, 1usize..4, 0usize..14),
            (beta, gamma) in (-1i8..3, -1i8..3),
            (scoring, merge) in scorings_and_merges(),
        ) {
            let limits = SpanLimits { max_spans, max_tokens };
            let evidence = Evidence { beta: f64::from(beta), gamma: f64::from(gamma) };
            let mut builder = QuestionBuilder::new();
            let readings: Vec<PassageReading<'_>> = reads.iter().map(passage_reading).collect();
            for (at, reading) in readings.iter().enumerate() {
                let stored = StoredReading::new(at, &reading.windows, limits).expect("valid windows");
                builder.push(reading.text, reading.retrieval_score, &stored).expect("a finite score");
            }
            let question = builder.finish();
            let best = question.best(Scoring { spans: scoring, evidence, merge }, first).expect("finite weights");
            let options = ReadOptions { scoring, limits, evidence, merge };
            let expected = answers(&readings[..first.min(readings.len())], &options).expect("valid windows").into_iter().next();
            prop_assert_eq!(best.is_some(), expected.is_some());
            let Some(expected) = expected else { return Ok(()) };
            let best = best.expect("an answer");
            prop_assert_eq!((best.text, best.passage, best.score), (expected.text.as_str(), expected.passage, expected.score));
            let text = readings[best.passage].text;
            prop_assert_eq!(best.utf16_range.start, text[..expected.bytes.start].encode_utf16().count());
        }
    }
}
