//! Answers a question: runs a reader model on passages and extracts the best answers.

use std::ops::Range;

use control::Control;
use inference::{PassageLogits, ReaderModel, ReaderPassage};
use reading::{PassageReading, ReadOptions};

use crate::Error;
use crate::window::to_window;

/// A passage to read, with the score with which it was retrieved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoredPassage<'a> {
    /// Title and text.
    pub passage: ReaderPassage<'a>,
    /// The retrieval score, for evidence fusion.
    pub score: f32,
}

/// How answers are extracted from passages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnswerOptions {
    /// How spans are scored and merged.
    pub read_options: ReadOptions,
    /// Maximum number of answers.
    pub k: usize,
}

/// An answer, with the location of its best span.
#[derive(Debug, Clone, PartialEq)]
pub struct PassageAnswer {
    /// The span's text.
    pub text: String,
    /// Position of the answer's passage in the list of passages.
    pub passage: usize,
    /// The span's range in the passage's text, in UTF-16 code units.
    pub utf16_range: Range<usize>,
    /// With [`SpanScoring::Original`](reading::SpanScoring::Original), start logit + end logit; otherwise a
    /// probability.
    pub score: f64,
}

/// Reads passages for a question, and returns up to `k` answers, best first. Progress counts passages.
///
/// # Errors
///
/// If a text cannot be tokenized, the model cannot be run, an option is invalid, or the work is canceled.
pub fn answer(
    model: &ReaderModel,
    question: &str,
    passages: &[ScoredPassage<'_>],
    options: &AnswerOptions,
    control: &Control,
) -> Result<Vec<PassageAnswer>, Error> {
    let inputs: Vec<ReaderPassage<'_>> = passages.iter().map(|scored| scored.passage).collect();
    let windows = model.read(question, &inputs, control)?;
    answers_of(passages, &windows, options)
}

/// Returns up to `k` answers from the reader's outputs. `windows` has the outputs for each passage: one for each window
/// of it, since long passages are read in overlapping windows.
fn answers_of(
    passages: &[ScoredPassage<'_>],
    windows: &[Vec<PassageLogits>],
    options: &AnswerOptions,
) -> Result<Vec<PassageAnswer>, Error> {
    let readings: Vec<PassageReading<'_>> = passages
        .iter()
        .zip(windows)
        .map(|(scored, windows)| PassageReading {
            text: scored.passage.text,
            retrieval_score: scored.score,
            windows: windows.iter().map(to_window).collect(),
        })
        .collect();
    let mut answers = reading::answers(&readings, &options.read_options)?;
    answers.truncate(options.k);
    let utf16_len = |text: &str| text.encode_utf16().count();
    Ok(answers
        .into_iter()
        .map(|answer| {
            let start = utf16_len(&passages[answer.passage].passage.text[..answer.bytes.start]);
            let utf16_range = start..start + utf16_len(&answer.text);
            PassageAnswer { text: answer.text, passage: answer.passage, utf16_range, score: answer.score }
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use inference::Relevance;
    use reading::SpanScoring;

    #[test]
    fn the_k_best_answers_are_returned_with_ranges_in_utf_16_code_units() {
        // 😀 has four bytes and two UTF-16 code units.
        let passage = ReaderPassage { title: None, text: "😀 in 1869" };
        let passages = [ScoredPassage { passage, score: 7.0 }, ScoredPassage { passage, score: 7.0 }];
        let window = |relevance: f32, logits: [f32; 2]| {
            vec![PassageLogits {
                relevance: Relevance::Logit(relevance),
                start: logits.to_vec(),
                end: logits.to_vec(),
                offsets: vec![5..7, 8..12],
                words: vec![0, 1],
            }]
        };
        let read_options = ReadOptions { scoring: SpanScoring::Original, ..ReadOptions::default() };
        let answers = |k| {
            let windows = [window(0.0, [9.0, 0.0]), window(1.0, [0.0, 5.0])];
            answers_of(&passages, &windows, &AnswerOptions { read_options, k }).expect("sound windows")
        };
        // With `Original`, the passage with the best relevance comes first. Its best token has the logits 5 and 5.
        let best = &answers(1)[..];
        let expected = PassageAnswer { text: "1869".to_owned(), passage: 1, utf16_range: 6..10, score: 10.0 };
        assert_eq!(best, [expected]);
        assert!(answers(100).len() > 1);
    }
}
