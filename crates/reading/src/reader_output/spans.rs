//! Selects the spans of a passage that may be answers.

use std::ops::Range;

/// A range of consecutive tokens of a passage's text.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// The range of token indexes.
    pub tokens: Range<usize>,
    /// Start logit of the first token + end logit of the last token.
    pub score: f64,
}

/// How many spans of a passage are selected, and how long they may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanLimits {
    /// Maximum number of spans per passage; m in Ma et al., 2021, §2.2.
    pub max_spans: usize,
    /// Maximum number of tokens in a span.
    pub max_tokens: usize,
}

/// 10 spans of up to 10 tokens each.
impl Default for SpanLimits {
    fn default() -> Self {
        Self { max_spans: 10, max_tokens: 10 }
    }
}

/// Returns the best spans of a passage, best first.
///
/// Spans begin and end at word boundaries, and none lies within another. If scores are equal, the span that starts
/// first comes first, then the shorter one.
///
/// `start`, `end` and `words` have one entry per token: its start logit, its end logit, and the index of its word.
#[must_use]
pub fn best_spans(start: &[f32], end: &[f32], words: &[u32], limits: SpanLimits) -> Vec<Span> {
    let spans = whole_word_spans(start, end, words, limits.max_tokens).collect();
    select_spans(spans, limits.max_spans, |Span { tokens, score }| (tokens.clone(), *score))
}

/// Iterates over all spans of up to `max_tokens` tokens that begin and end at word boundaries and have a finite score.
/// They are ordered by their first token, then by length.
pub(crate) fn whole_word_spans<'a>(
    start: &'a [f32],
    end: &'a [f32],
    words: &'a [u32],
    max_tokens: usize,
) -> impl Iterator<Item = Span> + 'a {
    let token_count = words.len();
    let begins_word = move |token: usize| token == 0 || words[token] != words[token - 1];
    let ends_word = move |token: usize| token + 1 == token_count || words[token] != words[token + 1];
    (0..token_count).filter(move |&token| begins_word(token)).flat_map(move |first| {
        let limit = token_count.min(first.saturating_add(max_tokens));
        (first..limit).filter(move |&token| ends_word(token)).filter_map(move |last| {
            let score = f64::from(start[first]) + f64::from(end[last]);
            score.is_finite().then_some(Span { tokens: first..last + 1, score })
        })
    })
}

/// Selects up to `max_spans` spans, best first. A span is dropped if it lies within a better span that was selected, or
/// if such a span lies within it. If scores are equal, the span that starts first is better, then the shorter one, then
/// the one that comes first in `spans`. `range_and_score` returns the range and the score of a span.
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
    fn spans_that_contain_a_better_span_are_dropped() {
        // Token 0 is word 0, tokens 1 and 2 are word 1, and token 3 is word 2. Token 2 has the highest start logit, but
        // does not begin a word; token 1 has the highest end logit, but does not end one.
        let (start, end) = ([1.0, 3.0, 9.0, 0.0], [0.0, 9.0, 2.0, 1.0]);
        let spans = best_spans(&start, &end, &[0, 1, 1, 2], SpanLimits { max_spans: 3, max_tokens: 4 });
        // The best span is 1..3, which scores 3 + 2. Three spans contain it and are dropped: 0..3, 1..4 and 0..4. Two
        // spans remain: 0..1, which scores 1 + 0, and 3..4, which scores 0 + 1.
        let expected = [(1..3, 5.0), (0..1, 1.0), (3..4, 1.0)];
        assert_eq!(spans, expected.map(|(tokens, score)| Span { tokens, score }));
    }

    #[test]
    fn spans_that_overlap_without_being_nested_are_kept() {
        let (start, end) = ([5.0, 4.0, -9.0], [-9.0, 5.0, 4.0]);
        let spans = best_spans(&start, &end, &[0, 1, 2], SpanLimits { max_spans: 2, max_tokens: 2 });
        assert_eq!(spans.iter().map(|span| span.tokens.clone()).collect::<Vec<_>>(), [0..2, 1..3]);
    }

    proptest! {
        #[test]
        fn spans_are_whole_words_within_the_limits_and_never_nested(
            tokens in prop::collection::vec((-3i8..3, -3i8..3, any::<bool>()), 0..40),
            max_spans in 0usize..12,
            max_tokens in 0usize..12,
        ) {
            let start: Vec<f32> = tokens.iter().map(|token| token.0.into()).collect();
            let end: Vec<f32> = tokens.iter().map(|token| token.1.into()).collect();
            let words = tokens.iter().scan(0, |word, token| { *word += u32::from(token.2); Some(*word) });
            let words: Vec<u32> = words.collect();
            let spans = best_spans(&start, &end, &words, SpanLimits { max_spans, max_tokens });
            prop_assert!(spans.len() <= max_spans);
            prop_assert!(spans.windows(2).all(|pair| pair[0].score >= pair[1].score));
            for (i, span) in spans.iter().enumerate() {
                let Range { start: first, end: next } = span.tokens;
                prop_assert!(first < next && next - first <= max_tokens);
                prop_assert!(first == 0 || words[first - 1] != words[first]);
                prop_assert!(next == words.len() || words[next - 1] != words[next]);
                prop_assert!(spans[..i].iter().all(|other| !is_nested(&other.tokens, &span.tokens)));
            }
            // The first span has the highest score of all spans.
            let count = words.len();
            let begins_word = |token: usize| token == 0 || words[token - 1] != words[token];
            let ends_word = |token: usize| token + 1 == count || words[token] != words[token + 1];
            let best = (0..count)
                .flat_map(|first| (first..count.min(first + max_tokens)).map(move |last| (first, last)))
                .filter(|&(first, last)| begins_word(first) && ends_word(last))
                .map(|(first, last)| start[first] + end[last])
                .fold(f32::NEG_INFINITY, f32::max);
            let expected = if max_spans == 0 { f64::NEG_INFINITY } else { f64::from(best) };
            prop_assert_eq!(spans.first().map_or(f64::NEG_INFINITY, |span| span.score), expected);
        }
    }
}
