//! The spans of a passage that may be answers.

use std::ops::Range;

/// A range of consecutive tokens of a passage's text.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// Tokens, half-open.
    pub tokens: Range<usize>,
    /// start logit + end logit.
    pub score: f64,
}

/// How many spans of a passage are selected, and how long they may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanLimits {
    /// Maximum number of spans per passage; m in Ma et al. (2021).
    pub max_spans: usize,
    /// Maximum number of tokens in a span.
    pub max_tokens: usize,
}

/// 10 spans of up to 10 tokens.
impl Default for SpanLimits {
    fn default() -> Self {
        Self { max_spans: 10, max_tokens: 10 }
    }
}

/// Returns the best spans of a passage, best first.
///
/// Spans begin and end at word boundaries, and none lies within another. Of equal scores, the earlier span comes first,
/// then the shorter one. `start`, `end` and `words` have one entry per token.
#[must_use]
pub fn best_spans(start: &[f32], end: &[f32], words: &[u32], limits: SpanLimits) -> Vec<Span> {
    let spans = whole_word_spans(start, end, words, limits.max_tokens).collect();
    select_spans(spans, limits.max_spans, |Span { tokens, score }| (tokens.clone(), *score))
}

/// All spans of up to `max_tokens` tokens that begin and end at word boundaries and have a finite score, ordered by
/// their first token, then by length.
pub(crate) fn whole_word_spans<'a>(
    start: &'a [f32],
    end: &'a [f32],
    words: &'a [u32],
    max_tokens: usize,
) -> impl Iterator<Item = Span> + 'a {
    let tokens = words.len();
    let begins_word = move |at: usize| at == 0 || words[at] != words[at - 1];
    let ends_word = move |at: usize| at + 1 == tokens || words[at] != words[at + 1];
    (0..tokens).filter(move |&at| begins_word(at)).flat_map(move |first| {
        (first..tokens.min(first.saturating_add(max_tokens))).filter(move |&at| ends_word(at)).filter_map(
            move |last| {
                let score = f64::from(start[first]) + f64::from(end[last]);
                score.is_finite().then_some(Span { tokens: first..last + 1, score })
            },
        )
    })
}

/// Selects up to `max_spans` spans, best first. Of two spans of which one lies within the other, the one with the lower
/// score is dropped. Of equal scores, the earlier span comes first, then the shorter one, then the one listed first.
/// `range_and_score` returns the range and the score of a span.
pub(crate) fn select_spans<S>(
    mut spans: Vec<S>,
    max_spans: usize,
    range_and_score: impl Fn(&S) -> (Range<usize>, f64),
) -> Vec<S> {
    spans.sort_by(|a, b| {
        let ((a, a_score), (b, b_score)) = (range_and_score(a), range_and_score(b));
        b_score.total_cmp(&a_score).then(a.start.cmp(&b.start)).then(a.end.cmp(&b.end))
    });
    let mut best: Vec<S> = Vec::with_capacity(max_spans.min(spans.len()));
    for span in spans {
        if best.len() == max_spans {
            break;
        }
        let range = range_and_score(&span).0;
        if !best.iter().any(|selected| is_nested(&range_and_score(selected).0, &range)) {
            best.push(span);
        }
    }
    best
}

/// Whether one of the ranges lies within the other.
fn is_nested(a: &Range<usize>, b: &Range<usize>) -> bool {
    (a.start <= b.start && b.end <= a.end) || (b.start <= a.start && a.end <= b.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn after_the_best_span_come_spans_neither_inside_nor_around_it() {
        // The tokens belong to the words 0 | 1 1 | 2. Token 2 has the best start and token 1 the best end, but both are inside a word.
        let (start, end) = ([1.0, 3.0, 9.0, 0.0], [0.0, 9.0, 2.0, 1.0]);
        let spans = best_spans(&start, &end, &[0, 1, 1, 2], SpanLimits { max_spans: 3, max_tokens: 4 });
        // [1, 3) scores 3 + 2. [0, 3) = 1 + 2 and [1, 4) = 3 + 1 are around it; [0, 1) = 1 + 0 and [3, 4) = 0 + 1 are apart.
        let expected = [(1..3, 5.0), (0..1, 1.0), (3..4, 1.0)];
        assert_eq!(spans, expected.map(|(tokens, score)| Span { tokens, score }));
    }

    #[test]
    fn overlapping_is_not_nested() {
        let (start, end) = ([5.0, 4.0, -9.0], [-9.0, 5.0, 4.0]);
        let spans = best_spans(&start, &end, &[0, 1, 2], SpanLimits { max_spans: 2, max_tokens: 2 });
        assert_eq!(spans.iter().map(|span| span.tokens.clone()).collect::<Vec<_>>(), [0..2, 1..3]);
    }

    proptest! {
        #[test]
        fn whole_words_within_the_limit_and_never_nested(tokens in prop::collection::vec((-3i8..3, -3i8..3, any::<bool>()), 0..40), m in 0usize..12, longest in 0usize..12) {
            let start: Vec<f32> = tokens.iter().map(|token| token.0.into()).collect();
            let end: Vec<f32> = tokens.iter().map(|token| token.1.into()).collect();
            let words: Vec<u32> = tokens.iter().scan(0, |word, token| { *word += u32::from(token.2); Some(*word) }).collect();
            let spans = best_spans(&start, &end, &words, SpanLimits { max_spans: m, max_tokens: longest });
            prop_assert!(spans.len() <= m);
            prop_assert!(spans.windows(2).all(|pair| pair[0].score >= pair[1].score));
            for (i, span) in spans.iter().enumerate() {
                let Range { start: first, end: after } = span.tokens;
                prop_assert!(first < after && after - first <= longest);
                prop_assert!(first == 0 || words[first - 1] != words[first]);
                prop_assert!(after == words.len() || words[after - 1] != words[after]);
                prop_assert!(spans[..i].iter().all(|other| !is_nested(&other.tokens, &span.tokens)));
            }
            // The first span has the highest score of all spans.
            let best = (0..words.len()).flat_map(|a| (a..words.len().min(a + longest)).map(move |b| (a, b)))
                .filter(|&(a, b)| (a == 0 || words[a - 1] != words[a]) && (b + 1 == words.len() || words[b] != words[b + 1]))
                .map(|(a, b)| start[a] + end[b]).fold(f32::NEG_INFINITY, f32::max);
            prop_assert_eq!(spans.first().map_or(f64::NEG_INFINITY, |span| span.score), if m == 0 { f64::NEG_INFINITY } else { f64::from(best) });
        }
    }
}
