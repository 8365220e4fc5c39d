//! What a reader said of a passage, kept: all that any scoring needs, in some hundred bytes.

use std::ops::Range;

use crate::Error;
use crate::spans::{SpanLimits, choose, whole_words};

/// What a reader said of one passage, or of one of the overlapping windows in which a long one was read. The last four
/// have one entry a token of the text.
#[derive(Debug, Clone, Copy)]
pub struct Window<'a> {
    /// How much it answers the question.
    pub relevance: Relevance,
    /// Start logits.
    pub start: &'a [f32],
    /// End logits.
    pub end: &'a [f32],
    /// Bytes of the passage's whole text that each token stands for.
    pub offsets: &'a [Range<u32>],
    /// Number of the word of each token.
    pub words: &'a [u32],
}

/// How much a window answers the question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Relevance {
    /// The reader's relevance logit (Karpukhin et al., 2020, equation 5).
    Logit(f32),
    /// The score of no answer: relevance is what the best span has more (Devlin et al., 2019, §4.3). With no span at
    /// all, 0 has more.
    NoAnswer(f32),
}

/// A span that was kept.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptSpan {
    /// Bytes of the passage's text.
    pub bytes: Range<u32>,
    /// Start logit of its first token.
    pub start: f32,
    /// End logit of its last token.
    pub end: f32,
}

impl KeptSpan {
    /// start logit + end logit.
    #[must_use]
    pub fn score(&self) -> f64 {
        f64::from(self.start) + f64::from(self.end)
    }
}

/// Σ exp(logit) over tokens, as exp(max) · sum: enough to turn a logit into a probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenSum {
    /// The highest logit; −∞ of no tokens.
    pub max: f32,
    /// Σ exp(logit − max).
    pub sum: f64,
}

impl TokenSum {
    fn of<'a>(logits: impl Iterator<Item = &'a f32> + Clone) -> Self {
        let max = logits.clone().copied().fold(f32::NEG_INFINITY, f32::max);
        Self { max, sum: logits.map(|&logit| (f64::from(logit) - f64::from(max)).exp()).sum() }
    }

    /// The softmax of one of the logits.
    pub(crate) fn share(self, logit: f32) -> f64 {
        (f64::from(logit) - f64::from(self.max)).exp() / self.sum
    }
}

/// What was kept of what a reader said of a passage.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptPassage {
    /// How much the passage answers the question, as a logit; finite.
    pub relevance: f32,
    /// The best spans, best first; none lies within another.
    pub spans: Vec<KeptSpan>,
    /// Over the start logits of all windows.
    pub starts: TokenSum,
    /// Over the end logits of all windows.
    pub ends: TokenSum,
}

/// Keeps of a passage, read in one window or more, what every scoring needs. Windows pool their spans: the same bytes
/// count once, with the better score. The passage's relevance is the greatest of its windows'. `passage` is its
/// position, for errors.
///
/// # Errors
///
/// [`Error::Shape`] for arrays that do not belong together; [`Error::Argument`] for a relevance that is not finite, and
/// for no window.
pub fn keep(passage: usize, windows: &[Window<'_>], limits: SpanLimits) -> Result<KeptPassage, Error> {
    let mut spans = Vec::new();
    let mut relevance = f32::NEG_INFINITY;
    for window in windows {
        let expected = window.words.len();
        for got in [window.start.len(), window.end.len(), window.offsets.len()] {
            if got != expected {
                return Err(Error::Shape { passage, expected, got });
            }
        }
        let mut best: Option<f64> = None;
        for span in whole_words(window.start, window.end, window.words, limits.tokens) {
            let (first, last) = (span.tokens.start, span.tokens.end - 1);
            best = Some(best.map_or(span.score, |best| best.max(span.score)));
            spans.push(KeptSpan {
                bytes: window.offsets[first].start..window.offsets[last].end,
                start: window.start[first],
                end: window.end[last],
            });
        }
        let of_window = match window.relevance {
            Relevance::Logit(logit) => logit,
            Relevance::NoAnswer(score) => (best.unwrap_or(0.0) - f64::from(score)) as f32,
        };
        if !of_window.is_finite() {
            let got = of_window.to_string();
            return Err(Error::Argument { what: "relevance", expected: "a finite logit", got });
        }
        relevance = relevance.max(of_window);
    }
    if windows.is_empty() {
        return Err(Error::Argument { what: "windows", expected: "at least one", got: "none".to_owned() });
    }
    let spans = choose(spans, limits.spans, |span| {
        (span.bytes.start as usize..span.bytes.end as usize, span.score())
    });
    Ok(KeptPassage {
        relevance,
        spans,
        starts: TokenSum::of(windows.iter().flat_map(|window| window.start)),
        ends: TokenSum::of(windows.iter().flat_map(|window| window.end)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: SpanLimits = SpanLimits { spans: 3, tokens: 1 };

    fn window<'a>(
        relevance: Relevance,
        start: &'a [f32],
        offsets: &'a [Range<u32>],
        words: &'a [u32],
    ) -> Window<'a> {
        Window { relevance, start, end: &[0.0; 8][..start.len()], offsets, words }
    }

    fn spans(kept: &KeptPassage) -> Vec<(Range<u32>, f64)> {
        kept.spans.iter().map(|span| (span.bytes.clone(), span.score())).collect()
    }

    #[test]
    fn windows_pool_their_spans_and_the_same_bytes_count_once() {
        // "a b c", read as "a b" and as "b c": b scores 2 in one window and 5 in the other.
        let first = window(Relevance::Logit(1.5), &[3.0, 2.0], &[0..1, 2..3], &[0, 1]);
        let second = window(Relevance::Logit(-1.0), &[5.0, 4.0], &[2..3, 4..5], &[1, 2]);
        let kept = keep(0, &[first, second], LIMITS).expect("keeps");
        assert_eq!(spans(&kept), [(2..3, 5.0), (4..5, 4.0), (0..1, 3.0)]);
        assert_eq!(kept.relevance, 1.5, "the greatest of the windows'");
        let kept = keep(0, &[first, second], SpanLimits { spans: 1, tokens: 1 }).expect("keeps");
        assert_eq!(spans(&kept), [(2..3, 5.0)]);
    }

    #[test]
    fn spans_of_one_window_are_not_kept_within_those_of_another() {
        // "a b" is one span of the first window; the second has b alone, with less.
        let limits = SpanLimits { spans: 9, tokens: 2 };
        let first = Window {
            end: &[-9.0, 9.0],
            ..window(Relevance::Logit(0.0), &[9.0, -9.0], &[0..1, 2..3], &[0, 1])
        };
        let second = window(Relevance::Logit(0.0), &[8.0, 1.0], &[2..3, 4..5], &[1, 2]);
        // 18 for "a b"; "b c" 8 + 0 overlaps it and is not within, so it stays, and "c" is within that.
        let kept = keep(0, &[first, second], limits).expect("keeps");
        assert_eq!(spans(&kept), [(0..3, 18.0), (2..5, 8.0)]);
    }

    #[test]
    fn relevance_can_be_what_the_best_span_has_more_than_no_answer() {
        let reads = |score| window(Relevance::NoAnswer(score), &[3.0, 2.0], &[0..1, 2..3], &[0, 1]);
        assert_eq!(keep(0, &[reads(1.0)], LIMITS).expect("keeps").relevance, 2.0);
        assert_eq!(keep(0, &[reads(1.0), reads(-4.0)], LIMITS).expect("keeps").relevance, 7.0);
        let empty = window(Relevance::NoAnswer(1.5), &[], &[], &[]);
        assert_eq!(keep(0, &[empty], LIMITS).expect("keeps").relevance, -1.5);
    }

    #[test]
    fn probabilities_are_over_the_tokens_of_all_windows() {
        // exp: 1, 3 and 4 of 8.
        let (ln3, ln4) = (3f32.ln(), 4f32.ln());
        let start = [0.0, ln3];
        let first = window(Relevance::Logit(0.0), &start, &[0..1, 2..3], &[0, 1]);
        let second = [ln4];
        let second = window(Relevance::Logit(0.0), &second, std::slice::from_ref(&(4..5)), &[2]);
        let kept = keep(0, &[first, second], LIMITS).expect("keeps");
        assert!((kept.starts.share(ln3) - 0.375).abs() < 1e-7, "{kept:?}");
        assert!((kept.ends.share(0.0) - 1.0 / 3.0).abs() < 1e-15, "{kept:?}");
    }

    #[test]
    fn no_window_and_a_relevance_that_is_no_number_are_refused() {
        let refused = |windows: &[Window<'_>]| keep(0, windows, LIMITS).expect_err("refused").to_string();
        assert_eq!(refused(&[]), "windows: expected at least one, got none");
        let broken = window(Relevance::Logit(f32::NAN), &[0.0], std::slice::from_ref(&(0..1)), &[0]);
        assert_eq!(refused(&[broken]), "relevance: expected a finite logit, got NaN");
    }
}
