//! Collects the stored readings of a question's passages, and numbers the distinct texts of their spans.

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
    /// The number of each distinct span text.
    text_numbers: HashMap<String, u32>,
    /// The number of each distinct span text after normalization.
    normalized_numbers: HashMap<String, u32>,
}

impl QuestionBuilder {
    /// Returns a builder without passages.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next passage: its text, the score with which it was retrieved, and its stored reading.
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
            let (mut number, mut utf16_start) = (NO_TEXT, 0);
            let bytes = span.bytes.start as usize..span.bytes.end as usize;
            if let Some(answer) = answer_text(text, bytes.clone()) {
                number = self.text_number(answer);
                utf16_start = utf16.of(bytes.start).unwrap_or_default() as u32;
            }
            self.question.spans.push(SpanData {
                start: span.start,
                end: span.end,
                text: number,
                utf16_start,
            });
        }
        self.question.passages.push(PassageData {
            relevance: reading.relevance,
            retrieval_score,
            starts: reading.starts,
            ends: reading.ends,
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
        question.normalized_numbers.shrink_to_fit();
        question.texts.shrink_to_fit();
        question.normalized_texts.shrink_to_fit();
        question
    }

    /// Returns the number of a span text. A new text gets the next number.
    fn text_number(&mut self, answer: &str) -> u32 {
        if let Some(&number) = self.text_numbers.get(answer) {
            return number;
        }
        let normalized = text::normalize_answer(answer);
        let normalized_number = match self.normalized_numbers.get(&normalized) {
            Some(&number) => number,
            None => {
                let number = self.question.normalized_texts.push(&normalized);
                self.normalized_numbers.insert(normalized, number);
                number
            }
        };
        let number = self.question.texts.push(answer);
        self.question.normalized_numbers.push(normalized_number);
        self.text_numbers.insert(answer.to_owned(), number);
        number
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
