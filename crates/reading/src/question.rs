//! What a reader said of the passages of one question, from which all answers follow by arithmetic.

use std::collections::HashMap;
use std::ops::Range;

use text::{PredictionMatcher, Utf16Offsets};

use crate::answer::answer_text;
use crate::candidates::{Candidate, rank};
use crate::kept::{KeptPassage, TokenSum};
use crate::{Accepted, Error, Evidence, Merge, SpanScoring};

/// How answers are made of readings.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Scoring {
    /// How spans are scored.
    pub spans: SpanScoring,
    /// What the retrieval score adds to the relevance.
    pub evidence: Evidence,
    /// Which answers are one.
    pub merge: Merge,
}

/// The best answer of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct BestAnswer<'a> {
    /// The span's text.
    pub text: &'a str,
    /// Position of its passage in the list read.
    pub passage: usize,
    /// UTF-16 code units of the passage's text.
    pub units: Range<usize>,
    /// A probability under `Normalized`, `Probability` and `SummedProbability`; start + end logits under `Original`.
    pub score: f64,
    /// Position of `text` among the texts of spans.
    text_number: u32,
}

/// What a reader said of a question's passages, in the order of retrieval.
#[derive(Debug, Clone, Default)]
pub struct QuestionReadings {
    passages: Vec<ReadPassage>,
    spans: Vec<ReadSpan>,
    /// The spans' different texts, and what SQuAD's normalisation makes of them.
    exact: Texts,
    normalised: Texts,
    /// Of each of `exact`, its number among `normalised`.
    normalised_of: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadPassage {
    pub relevance: f32,
    pub retrieval: f32,
    starts: TokenSum,
    ends: TokenSum,
    /// Position after its last span.
    end: usize,
}

#[derive(Debug, Clone, Copy)]
struct ReadSpan {
    start: f32,
    end: f32,
    /// Position among the exact texts, or `NONE` where its text is blank.
    text: u32,
    /// UTF-16 code units before it.
    before: u32,
}

const NONE: u32 = u32::MAX;

impl QuestionReadings {
    /// Passages read.
    #[must_use]
    pub fn len(&self) -> usize {
        self.passages.len()
    }

    /// Whether nothing was read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.passages.is_empty()
    }

    /// The best answer that the first so many passages give, the same that [`answers`](crate::answers) has first; none
    /// where they have no span.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for weights that are not finite.
    pub fn best(&self, scoring: Scoring, passages: usize) -> Result<Option<BestAnswer<'_>>, Error> {
        scoring.evidence.check()?;
        Ok(self.best_of(scoring, passages))
    }

    pub(crate) fn best_of(&self, scoring: Scoring, passages: usize) -> Option<BestAnswer<'_>> {
        let read = &self.passages[..passages.min(self.passages.len())];
        let relevance: Vec<f64> =
            read.iter().map(|passage| scoring.evidence.fuse(passage.relevance, passage.retrieval)).collect();
        let mut candidates = Vec::new();
        for passage in 0..read.len() {
            candidates.extend(self.candidates(passage, scoring.merge));
        }
        let tokens = |passage: usize| (read[passage].starts, read[passage].ends);
        let ranked = rank(&candidates, &relevance, tokens, scoring.spans, self.answers(scoring.merge));
        let best = ranked.first()?;
        let span = &self.spans[best.candidate];
        let text = self.exact.get(span.text);
        let before = span.before as usize;
        Some(BestAnswer {
            text,
            passage: candidates[best.candidate].passage,
            units: before..before + text.encode_utf16().count(),
            score: best.score,
            text_number: span.text,
        })
    }

    /// For each text of a span, by its number, whether it is an exact match of an accepted answer.
    pub(crate) fn matching_texts(&self, accepted: Accepted<'_>) -> Vec<bool> {
        match accepted {
            Accepted::Texts(answers) => {
                let answers: Vec<String> =
                    answers.iter().map(|answer| text::normalise_answer(answer)).collect();
                let is_right = |number| answers.iter().any(|answer| answer == self.normalised.get(number));
                let right: Vec<bool> = (0..self.normalised.len()).map(is_right).collect();
                self.normalised_of.iter().map(|&number| right[number as usize]).collect()
            }
            Accepted::Patterns(answers) => {
                let matcher = PredictionMatcher::patterns_lossy(answers).0;
                (0..self.exact.len()).map(|number| matcher.matches(self.exact.get(number))).collect()
            }
        }
    }

    /// The number of the answer that each text of a span counts as.
    pub(crate) fn answers_of_texts(&self, merge: Merge) -> Vec<u32> {
        match merge {
            Merge::Text => (0..self.exact.len()).collect(),
            Merge::Normalized => self.normalised_of.clone(),
        }
    }

    pub(crate) fn passages(&self) -> &[ReadPassage] {
        &self.passages
    }

    /// Number of different answers.
    pub(crate) fn answers(&self, merge: Merge) -> usize {
        match merge {
            Merge::Text => self.exact.len() as usize,
            Merge::Normalized => self.normalised.len() as usize,
        }
    }

    /// The spans of a passage, best first.
    pub(crate) fn candidates(&self, passage: usize, merge: Merge) -> impl Iterator<Item = Candidate> + '_ {
        let first = passage.checked_sub(1).map_or(0, |before| self.passages[before].end);
        self.spans[first..self.passages[passage].end].iter().map(move |span| {
            let answer = (span.text != NONE).then(|| match merge {
                Merge::Text => span.text,
                Merge::Normalized => self.normalised_of[span.text as usize],
            });
            Candidate { passage, start: span.start, end: span.end, answer }
        })
    }

    /// P_start · P_end of a span of a passage.
    pub(crate) fn token_share(&self, span: &Candidate) -> f64 {
        let passage = &self.passages[span.passage];
        passage.starts.share(span.start) * passage.ends.share(span.end)
    }
}

impl BestAnswer<'_> {
    /// Position of its text among the texts of spans.
    pub(crate) fn text_number(&self) -> usize {
        self.text_number as usize
    }
}

/// Takes what was said of a question's passages, in the order of retrieval.
#[derive(Debug, Default)]
pub struct QuestionBuilder {
    question: QuestionReadings,
    exact: HashMap<String, u32>,
    normalised: HashMap<String, u32>,
}

impl QuestionBuilder {
    /// Nothing read yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next passage: its text, the score with which it was retrieved, what was said of it.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for a retrieval score that is not finite.
    pub fn push(&mut self, text: &str, retrieval: f32, kept: &KeptPassage) -> Result<(), Error> {
        if !retrieval.is_finite() {
            let got = retrieval.to_string();
            return Err(Error::Argument { what: "retrieval score", expected: "a finite number", got });
        }
        let utf16 = Utf16Offsets::new(text);
        for span in &kept.spans {
            let (mut number, mut before) = (NONE, 0);
            let bytes = span.bytes.start as usize..span.bytes.end as usize;
            if let Some(answer) = answer_text(text, bytes.clone()) {
                number = self.number(answer);
                before = utf16.of(bytes.start).unwrap_or_default() as u32;
            }
            self.question.spans.push(ReadSpan { start: span.start, end: span.end, text: number, before });
        }
        self.question.passages.push(ReadPassage {
            relevance: kept.relevance,
            retrieval,
            starts: kept.starts,
            ends: kept.ends,
            end: self.question.spans.len(),
        });
        Ok(())
    }

    /// All that was added.
    #[must_use]
    pub fn finish(self) -> QuestionReadings {
        let mut question = self.question;
        question.passages.shrink_to_fit();
        question.spans.shrink_to_fit();
        question.normalised_of.shrink_to_fit();
        question.exact.shrink_to_fit();
        question.normalised.shrink_to_fit();
        question
    }

    fn number(&mut self, answer: &str) -> u32 {
        if let Some(&number) = self.exact.get(answer) {
            return number;
        }
        let normalised = text::normalise_answer(answer);
        let of = match self.normalised.get(&normalised) {
            Some(&number) => number,
            None => {
                let number = self.question.normalised.push(&normalised);
                self.normalised.insert(normalised, number);
                number
            }
        };
        let number = self.question.exact.push(answer);
        self.question.normalised_of.push(of);
        self.exact.insert(answer.to_owned(), number);
        number
    }
}

/// Texts by number, one after another in one string.
#[derive(Debug, Clone, Default)]
struct Texts {
    joined: String,
    ends: Vec<usize>,
}

impl Texts {
    fn push(&mut self, text: &str) -> u32 {
        self.joined.push_str(text);
        self.ends.push(self.joined.len());
        self.ends.len() as u32 - 1
    }

    fn get(&self, number: u32) -> &str {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.joined[start..self.ends[number]]
    }

    fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    fn shrink_to_fit(&mut self) {
        self.joined.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Read, windowed};
    use crate::{PassageReading, ReadOptions, SpanLimits, answers};
    use proptest::prelude::*;

    #[test]
    fn offsets_are_in_utf_16() {
        let mut builder = QuestionBuilder::new();
        let kept = crate::testing::kept(0.0, &[(5..7, 1.0)]);
        builder.push("🚁 éa", 0.0, &kept).expect("adds");
        let question = builder.finish();
        let best = question.best(Scoring::default(), 1).expect("finite").expect("an answer");
        // The helicopter: four bytes, two units; é: two bytes, one unit.
        assert_eq!((best.text, best.units), ("é", 3..4));
    }

    #[test]
    fn scores_and_weights_that_are_no_numbers_are_refused() {
        let kept = crate::testing::kept(0.0, &[(0..1, 1.0)]);
        let error = QuestionBuilder::new().push("a", f32::NAN, &kept).expect_err("refused");
        assert_eq!(error.to_string(), "retrieval score: expected a finite number, got NaN");
        let evidence = Evidence { beta: f64::INFINITY, gamma: 0.0 };
        let nothing = QuestionReadings::default();
        let error = nothing.best(Scoring { evidence, ..Scoring::default() }, 1);
        assert_eq!(error.expect_err("refused").to_string(), "beta: expected a finite number, got inf");
    }

    proptest! {
        #[test]
        fn what_was_kept_gives_the_answers_of_what_was_read(
            reads in prop::collection::vec(any::<Read>(), 0..12),
            (spans, tokens, first) in (1usize..5, 1usize..4, 0usize..14),
            (beta, gamma) in (-1i8..3, -1i8..3),
            (scoring, merge) in crate::testing::ways(),
        ) {
            let limits = SpanLimits { spans, tokens };
            let evidence = Evidence { beta: f64::from(beta), gamma: f64::from(gamma) };
            let mut builder = QuestionBuilder::new();
            let readings: Vec<PassageReading<'_>> = reads.iter().map(windowed).collect();
            for (at, reading) in readings.iter().enumerate() {
                let kept = crate::keep(at, &reading.windows, limits).expect("keeps");
                builder.push(reading.text, reading.retrieval, &kept).expect("adds");
            }
            let question = builder.finish();
            let best = question.best(Scoring { spans: scoring, evidence, merge }, first).expect("finite");
            let options = ReadOptions { scoring, limits, evidence, merge };
            let expected = answers(&readings[..first.min(readings.len())], &options).expect("reads").into_iter().next();
            prop_assert_eq!(best.is_some(), expected.is_some());
            let Some(expected) = expected else { return Ok(()) };
            let best = best.expect("an answer");
            prop_assert_eq!((best.text, best.passage, best.score), (expected.text.as_str(), expected.passage, expected.score));
            let text = readings[best.passage].text;
            prop_assert_eq!(best.units.start, text[..expected.bytes.start].encode_utf16().count());
        }
    }
}
