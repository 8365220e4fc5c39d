//! The part of a reader's output that all scorings need, in a few hundred bytes per passage. The cache stores it in
//! this form.

use std::ops::Range;

use super::spans::{SpanLimits, select_spans, whole_word_spans};
use super::window::{Relevance, Window};
use crate::Error;

/// A reading of one passage for one question: the passage's relevance, its best spans, and the denominators of the
/// softmaxes over its tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredReading {
    /// How well the passage answers the question, as a logit. Always finite.
    pub relevance: f32,
    /// The best spans, best first. None lies within another.
    pub spans: Vec<StoredSpan>,
    /// The softmax denominator over the start logits of all windows.
    pub start_logit_sum: LogitSum,
    /// The softmax denominator over the end logits of all windows.
    pub end_logit_sum: LogitSum,
}

/// A span of a stored reading.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSpan {
    /// The span as a range of bytes in the passage's text.
    pub bytes: Range<u32>,
    /// Start logit of the span's first token.
    pub start_logit: f32,
    /// End logit of the span's last token.
    pub end_logit: f32,
}

impl StoredSpan {
    /// Returns start logit + end logit.
    #[must_use]
    pub fn score(&self) -> f64 {
        f64::from(self.start_logit) + f64::from(self.end_logit)
    }
}

/// The denominator of a softmax over tokens: Σ exp(logit). It is stored as exp(`max`) · `sum`, so that it cannot
/// overflow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogitSum {
    /// The highest logit; −∞ if there are no tokens.
    pub max: f32,
    /// Σ exp(logit − max).
    pub sum: f64,
}

impl LogitSum {
    fn new<'a>(logits: impl Iterator<Item = &'a f32> + Clone) -> Self {
        let max = logits.clone().copied().fold(f32::NEG_INFINITY, f32::max);
        Self { max, sum: logits.map(|&logit| (f64::from(logit) - f64::from(max)).exp()).sum() }
    }

    /// Returns the softmax probability of a token with this logit, which must be one of the summed logits.
    pub(crate) fn softmax(self, logit: f32) -> f64 {
        (f64::from(logit) - f64::from(self.max)).exp() / self.sum
    }
}

impl StoredReading {
    /// Reduces the windows of one passage to a stored reading.
    ///
    /// The best spans are selected from the spans of all windows; if two windows have a span with the same bytes, the
    /// one with the higher score counts. The relevance of the passage is the maximum over its windows. `passage` is the
    /// index of the passage, for error messages.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if the slices of a window differ in length; [`Error::Argument`] if a relevance is not finite,
    /// or if there is no window.
    pub fn new(passage: usize, windows: &[Window<'_>], limits: SpanLimits) -> Result<Self, Error> {
        let mut spans = Vec::new();
        let mut relevance = f32::NEG_INFINITY;
        for window in windows {
            let expected = window.words.len();
            for got in [window.start.len(), window.end.len(), window.offsets.len()] {
                if got != expected {
                    return Err(Error::Shape { passage, expected, got });
                }
            }
            let mut best_score: Option<f64> = None;
            for span in whole_word_spans(window.start, window.end, window.words, limits.max_tokens) {
                let (first, last) = (span.tokens.start, span.tokens.end - 1);
                best_score = Some(best_score.map_or(span.score, |best| best.max(span.score)));
                spans.push(StoredSpan {
                    bytes: window.offsets[first].start..window.offsets[last].end,
                    start_logit: window.start[first],
                    end_logit: window.end[last],
                });
            }
            let window_relevance = match window.relevance {
                Relevance::Logit(logit) => logit,
                Relevance::NoAnswer(score) => (best_score.unwrap_or(0.0) - f64::from(score)) as f32,
            };
            if !window_relevance.is_finite() {
                let got = window_relevance.to_string();
                return Err(Error::Argument { what: "relevance", expected: "a finite logit", got });
            }
            relevance = relevance.max(window_relevance);
        }
        if windows.is_empty() {
            return Err(Error::Argument {
                what: "windows",
                expected: "at least one",
                got: "none".to_owned(),
            });
        }
        let spans = select_spans(spans, limits.max_spans, |span| {
            (span.bytes.start as usize..span.bytes.end as usize, span.score())
        });
        Ok(Self {
            relevance,
            spans,
            start_logit_sum: LogitSum::new(windows.iter().flat_map(|window| window.start)),
            end_logit_sum: LogitSum::new(windows.iter().flat_map(|window| window.end)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: SpanLimits = SpanLimits { max_spans: 3, max_tokens: 1 };

    /// A window of up to eight tokens. All end logits are 0.
    fn window<'a>(
        relevance: Relevance,
        start: &'a [f32],
        offsets: &'a [Range<u32>],
        words: &'a [u32],
    ) -> Window<'a> {
        Window { relevance, start, end: &[0.0; 8][..start.len()], offsets, words }
    }

    /// The byte range and the score of each span.
    fn spans(reading: &StoredReading) -> Vec<(Range<u32>, f64)> {
        reading.spans.iter().map(|span| (span.bytes.clone(), span.score())).collect()
    }

    #[test]
    fn spans_are_selected_from_all_windows_and_the_same_bytes_count_once() {
        // "a b c" is read as "a b" and as "b c". b scores 2 in the first window and 5 in the second.
        let first = window(Relevance::Logit(1.5), &[3.0, 2.0], &[0..1, 2..3], &[0, 1]);
        let second = window(Relevance::Logit(-1.0), &[5.0, 4.0], &[2..3, 4..5], &[1, 2]);
        let reading = StoredReading::new(0, &[first, second], LIMITS).expect("valid windows");
        assert_eq!(spans(&reading), [(2..3, 5.0), (4..5, 4.0), (0..1, 3.0)]);
        assert_eq!(reading.relevance, 1.5, "the maximum over windows");
        let reading = StoredReading::new(0, &[first, second], SpanLimits { max_spans: 1, max_tokens: 1 })
            .expect("valid windows");
        assert_eq!(spans(&reading), [(2..3, 5.0)]);
    }

    #[test]
    fn a_span_within_a_span_of_another_window_is_dropped() {
        // The windows are "a b" and "b c". "b" is a span of the second window with the score 8 + 0. It is dropped
        // because it lies within "a b", which has a higher score.
        let limits = SpanLimits { max_spans: 9, max_tokens: 2 };
        let first = Window {
            end: &[-9.0, 9.0],
            ..window(Relevance::Logit(0.0), &[9.0, -9.0], &[0..1, 2..3], &[0, 1])
        };
        let second = window(Relevance::Logit(0.0), &[8.0, 1.0], &[2..3, 4..5], &[1, 2]);
        // "a b" scores 9 + 9. "b c" scores 8 + 0; it overlaps "a b" but does not lie within it, so it is kept. "c" is
        // dropped because it lies within "b c".
        let reading = StoredReading::new(0, &[first, second], limits).expect("valid windows");
        assert_eq!(spans(&reading), [(0..3, 18.0), (2..5, 8.0)]);
    }

    #[test]
    fn relevance_can_be_the_best_span_score_minus_the_null_answer_score() {
        let window_with = |score| window(Relevance::NoAnswer(score), &[3.0, 2.0], &[0..1, 2..3], &[0, 1]);
        assert_eq!(StoredReading::new(0, &[window_with(1.0)], LIMITS).expect("valid windows").relevance, 2.0);
        assert_eq!(
            StoredReading::new(0, &[window_with(1.0), window_with(-4.0)], LIMITS)
                .expect("valid windows")
                .relevance,
            7.0
        );
        let empty = window(Relevance::NoAnswer(1.5), &[], &[], &[]);
        assert_eq!(StoredReading::new(0, &[empty], LIMITS).expect("valid windows").relevance, -1.5);
    }

    #[test]
    fn softmaxes_are_over_the_tokens_of_all_windows() {
        // The exponentials of the three start logits are 1, 3 and 4; their sum is 8. Those of the three end logits are
        // all 1.
        let (ln3, ln4) = (3f32.ln(), 4f32.ln());
        let start = [0.0, ln3];
        let first = window(Relevance::Logit(0.0), &start, &[0..1, 2..3], &[0, 1]);
        let second = [ln4];
        let second = window(Relevance::Logit(0.0), &second, std::slice::from_ref(&(4..5)), &[2]);
        let reading = StoredReading::new(0, &[first, second], LIMITS).expect("valid windows");
        assert!((reading.start_logit_sum.softmax(ln3) - 0.375).abs() < 1e-7, "{reading:?}");
        assert!((reading.end_logit_sum.softmax(0.0) - 1.0 / 3.0).abs() < 1e-15, "{reading:?}");
    }

    #[test]
    fn a_passage_without_windows_and_a_relevance_that_is_not_finite_are_refused() {
        let refused =
            |windows: &[Window<'_>]| StoredReading::new(0, windows, LIMITS).expect_err("refused").to_string();
        assert_eq!(refused(&[]), "windows: expected at least one, got none");
        let broken = window(Relevance::Logit(f32::NAN), &[0.0], std::slice::from_ref(&(0..1)), &[0]);
        assert_eq!(refused(&[broken]), "relevance: expected a finite logit, got NaN");
    }
}
