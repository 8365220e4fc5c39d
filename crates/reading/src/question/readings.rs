//! The stored readings of one question's passages, and the search for the best answer in them.

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
    /// The spans of all passages, passage by passage, each passage's best span first.
    pub(super) spans: Vec<SpanData>,
    /// The distinct texts of spans, without blank ones.
    pub(super) texts: TextList,
    /// The distinct texts after SQuAD's normalization.
    pub(super) normalized_texts: TextList,
    /// `[texts]`: for each text, the index of its normalized form in `normalized_texts`.
    pub(super) normalized_indexes: Vec<u32>,
}

/// A passage without its spans.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PassageData {
    pub relevance: f32,
    pub retrieval_score: f32,
    pub(super) start_logit_sum: LogitSum,
    pub(super) end_logit_sum: LogitSum,
    /// End of the passage's spans in [`QuestionReadings::spans`]. They begin where those of the previous passage end.
    pub(super) span_end: usize,
}

/// A span of a passage.
#[derive(Debug, Clone, Copy)]
pub(super) struct SpanData {
    /// Start logit of the span's first token.
    pub start_logit: f32,
    /// End logit of the span's last token.
    pub end_logit: f32,
    /// Index of the span's text in [`QuestionReadings::texts`], or [`NO_TEXT`].
    pub text: u32,
    /// Start of the span in the passage's text, in UTF-16 code units. 0 if the span is blank.
    pub utf16_start: u32,
}

/// The value of [`SpanData::text`] for a blank span.
pub(super) const NO_TEXT: u32 = u32::MAX;

/// The best answer to a question.
#[derive(Debug, Clone, PartialEq)]
pub struct BestAnswer<'a> {
    /// The span's text.
    pub text: &'a str,
    /// Index of the span's passage in the list of passages, from 0.
    pub passage: usize,
    /// The span as a range of UTF-16 code units in the text of its passage.
    pub utf16_range: Range<usize>,
    /// Under [`SpanScoring::Original`](crate::SpanScoring::Original), start logit + end logit; otherwise a probability.
    pub score: f64,
    /// Index of `text` in [`QuestionReadings::texts`].
    text_index: u32,
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

    /// Returns the best answer in the first `passage_count` passages, or `None` if these passages have no answer. It is
    /// the first answer that [`answers`](crate::answers()) would return.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if a weight is not finite.
    pub fn best(&self, scoring: Scoring, passage_count: usize) -> Result<Option<BestAnswer<'_>>, Error> {
        scoring.evidence.check()?;
        Ok(self.best_unchecked(scoring, passage_count))
    }

    /// Like [`best`](Self::best), but the caller has checked the weights.
    pub(crate) fn best_unchecked(&self, scoring: Scoring, passage_count: usize) -> Option<BestAnswer<'_>> {
        let passages = &self.passages[..passage_count.min(self.passages.len())];
        let relevance: Vec<f64> = passages
            .iter()
            .map(|passage| scoring.evidence.fuse(passage.relevance, passage.retrieval_score))
            .collect();
        let mut candidates = Vec::new();
        for passage in 0..passages.len() {
            candidates.extend(self.candidates(passage, scoring.merge));
        }
        let logit_sums =
            |passage: usize| (passages[passage].start_logit_sum, passages[passage].end_logit_sum);
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
            text_index: span.text,
        })
    }

    /// Returns, for each distinct text, whether it is an accepted answer.
    pub(crate) fn matching_texts(&self, accepted: AcceptedAnswers<'_>) -> Vec<bool> {
        match accepted {
            AcceptedAnswers::Texts(answers) => {
                let answers: Vec<String> =
                    answers.iter().map(|answer| text::normalize_answer(answer)).collect();
                let is_accepted =
                    |index| answers.iter().any(|answer| answer == self.normalized_texts.get(index));
                let accepted: Vec<bool> = (0..self.normalized_texts.len()).map(is_accepted).collect();
                self.normalized_indexes.iter().map(|&index| accepted[index as usize]).collect()
            }
            AcceptedAnswers::Patterns(answers) => {
                let matcher = PredictionMatcher::patterns_lossy(answers).0;
                (0..self.texts.len()).map(|index| matcher.matches(self.texts.get(index))).collect()
            }
        }
    }

    /// Returns, for each distinct text, the index of its answer among the distinct answers. Texts that are merged have
    /// the same answer.
    pub(crate) fn answers_of_texts(&self, merge: Merge) -> Vec<u32> {
        match merge {
            Merge::Text => (0..self.texts.len()).collect(),
            Merge::Normalized => self.normalized_indexes.clone(),
        }
    }

    pub(crate) fn passages(&self) -> &[PassageData] {
        &self.passages
    }

    /// Number of distinct answers, which depends on how texts are merged.
    pub(crate) fn answer_count(&self, merge: Merge) -> usize {
        match merge {
            Merge::Text => self.texts.len() as usize,
            Merge::Normalized => self.normalized_texts.len() as usize,
        }
    }

    /// Iterates over the spans of a passage, best first.
    pub(crate) fn candidates(&self, passage: usize, merge: Merge) -> impl Iterator<Item = Candidate> + '_ {
        let first = passage.checked_sub(1).map_or(0, |previous| self.passages[previous].span_end);
        self.spans[first..self.passages[passage].span_end].iter().map(move |span| {
            let answer = (span.text != NO_TEXT).then(|| match merge {
                Merge::Text => span.text,
                Merge::Normalized => self.normalized_indexes[span.text as usize],
            });
            Candidate { passage, start_logit: span.start_logit, end_logit: span.end_logit, answer }
        })
    }

    /// Returns P_start · P_end of a span: the probability of its first token as the start of the answer times that of
    /// its last token as the end (Karpukhin et al., 2020, equations 3–4).
    pub(crate) fn span_probability(&self, span: &Candidate) -> f64 {
        let passage = &self.passages[span.passage];
        passage.start_logit_sum.softmax(span.start_logit) * passage.end_logit_sum.softmax(span.end_logit)
    }
}

impl BestAnswer<'_> {
    /// Index of the answer's text in [`QuestionReadings::texts`].
    pub(crate) fn text_index(&self) -> usize {
        self.text_index as usize
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
        let empty = QuestionReadings::default();
        let error = empty.best(Scoring { evidence, ..Scoring::default() }, 1);
        assert_eq!(error.expect_err("refused").to_string(), "beta: expected a finite number, got inf");
    }

    proptest! {
        #[test]
        fn stored_readings_give_the_same_best_answer_as_logits(
            random_readings in prop::collection::vec(any::<RandomReading>(), 0..12),
            (max_spans, max_tokens, passage_count) in (1usize..5, 1usize..4, 0usize..14),
            (beta, gamma) in (-1i8..3, -1i8..3),
            (scoring, merge) in scorings_and_merges(),
        ) {
            let limits = SpanLimits { max_spans, max_tokens };
            let evidence = Evidence { beta: f64::from(beta), gamma: f64::from(gamma) };
            let mut builder = QuestionBuilder::new();
            let readings: Vec<PassageReading<'_>> = random_readings.iter().map(passage_reading).collect();
            for (index, reading) in readings.iter().enumerate() {
                let stored = StoredReading::new(index, &reading.windows, limits).expect("valid windows");
                builder.push(reading.text, reading.retrieval_score, &stored).expect("a finite score");
            }
            let question = builder.finish();
            let best = question.best(Scoring { spans: scoring, evidence, merge }, passage_count);
            let best = best.expect("finite weights");
            let options = ReadOptions { scoring, limits, evidence, merge };
            let expected = answers(&readings[..passage_count.min(readings.len())], &options);
            let expected = expected.expect("valid windows").into_iter().next();
            prop_assert_eq!(best.is_some(), expected.is_some());
            let Some(expected) = expected else { return Ok(()) };
            let best = best.expect("an answer");
            prop_assert_eq!(best.text, &expected.text);
            prop_assert_eq!((best.passage, best.score), (expected.passage, expected.score));
            let text = readings[best.passage].text;
            prop_assert_eq!(best.utf16_range.start, text[..expected.bytes.start].encode_utf16().count());
        }
    }
}
