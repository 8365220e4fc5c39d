//! Collects the stored readings of a question's passages, and stores each distinct text of their spans once.

use std::collections::HashMap;

use text::Utf16Offsets;

use super::readings::{NO_TEXT, PassageData, QuestionReadings, SpanData};
use crate::Error;
use crate::answer::answer_text;
use crate::reader_output::StoredReading;

/// Builds [`QuestionReadings`]. The stored readings of the passages are added in retrieval order, best passage first.
#[derive(Debug, Default)]
pub struct QuestionBuilder {
    question: QuestionReadings,
    /// The index of each distinct span text in [`QuestionReadings::texts`].
    text_indexes: HashMap<String, u32>,
    /// The index of each distinct normalized span text in [`QuestionReadings::normalized_texts`].
    normalized_indexes: HashMap<String, u32>,
}

impl QuestionBuilder {
    /// Returns a builder without passages.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next passage, given by its text, the score with which it was retrieved, and its stored reading.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if the retrieval score is not finite.
    pub fn push(&mut self, text: &str, retrieval_score: f32, reading: &StoredReading) -> Result<(), Error> {
        if !retrieval_score.is_finite() {
            let got = retrieval_score.to_string();
            return Err(Error::Argument { what: "retrieval score", expected: "a finite number", got });
        }
        let utf16 = Utf16Offsets::new(text);
        for span in &reading.spans {
            let (mut text_index, mut utf16_start) = (NO_TEXT, 0);
            let bytes = span.bytes.start as usize..span.bytes.end as usize;
            if let Some(answer) = answer_text(text, bytes.clone()) {
                text_index = self.text_index(answer);
                utf16_start = utf16.of(bytes.start).unwrap_or_default() as u32;
            }
            self.question.spans.push(SpanData {
                start_logit: span.start_logit,
                end_logit: span.end_logit,
                text: text_index,
                utf16_start,
            });
        }
        self.question.passages.push(PassageData {
            relevance: reading.relevance,
            retrieval_score,
            start_logit_sum: reading.start_logit_sum,
            end_logit_sum: reading.end_logit_sum,
            span_end: self.question.spans.len(),
        });
        Ok(())
    }

    /// Returns the readings of all passages that were added.
    #[must_use]
    pub fn finish(self) -> QuestionReadings {
        let mut question = self.question;
        question.passages.shrink_to_fit();
        question.spans.shrink_to_fit();
        question.normalized_indexes.shrink_to_fit();
        question.texts.shrink_to_fit();
        question.normalized_texts.shrink_to_fit();
        question
    }

    /// Returns the index of a span text in [`QuestionReadings::texts`]. Adds the text if it is new.
    fn text_index(&mut self, answer: &str) -> u32 {
        if let Some(&index) = self.text_indexes.get(answer) {
            return index;
        }
        let normalized = text::normalize_answer(answer);
        let normalized_index = match self.normalized_indexes.get(&normalized) {
            Some(&index) => index,
            None => {
                let index = self.question.normalized_texts.push(&normalized);
                self.normalized_indexes.insert(normalized, index);
                index
            }
        };
        let index = self.question.texts.push(answer);
        self.question.normalized_indexes.push(normalized_index);
        self.text_indexes.insert(answer.to_owned(), index);
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scoring;
    use crate::testing::stored;

    #[test]
    fn answer_ranges_are_in_utf_16_code_units() {
        let mut builder = QuestionBuilder::new();
        builder.push("🚁 éa", 0.0, &stored(0.0, &[(5..7, 1.0)])).expect("a finite score");
        let question = builder.finish();
        let best = question.best(Scoring::default(), 1).expect("finite weights").expect("an answer");
        // 🚁 has four bytes and two UTF-16 code units; é has two bytes and one code unit.
        assert_eq!((best.text, best.utf16_range), ("é", 3..4));
    }

    #[test]
    fn a_retrieval_score_that_is_not_finite_is_refused() {
        let reading = stored(0.0, &[(0..1, 1.0)]);
        let error = QuestionBuilder::new().push("a", f32::NAN, &reading).expect_err("refused");
        assert_eq!(error.to_string(), "retrieval score: expected a finite number, got NaN");
    }
}
