use std::ops::Range;

/// A run of tokens of a passage's text.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// Tokens, half-open.
    pub tokens: Range<usize>,
    /// start logit + end logit.
    pub score: f64,
}

/// Which spans are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanLimits {
    /// Spans kept of a passage (m).
    pub spans: usize,
    /// Tokens of a span, at most.
    pub tokens: usize,
}

/// 10 spans of up to 10 tokens.
impl Default for SpanLimits {
    fn default() -> Self {
        Self { spans: 10, tokens: 10 }
    }
}

/// The best spans of a passage, best first: they begin and end with whole words, and none lies within another.
/// Of equal scores the earlier, then the shorter, comes first. `start`, `end` and `words` have one entry a token.
#[must_use]
pub fn best_spans(start: &[f32], end: &[f32], words: &[u32], limits: SpanLimits) -> Vec<Span> {
    let spans = whole_words(start, end, words, limits.tokens).collect();
    choose(spans, limits.spans, |Span { tokens, score }| (tokens.clone(), *score))
}

/// All spans of up to so many tokens that begin and end with whole words and have a finite score, from the earliest and
/// shortest on.
pub(crate) fn whole_words<'a>(
    start: &'a [f32],
    end: &'a [f32],
    words: &'a [u32],
    longest: usize,
) -> impl Iterator<Item = Span> + 'a {
    let tokens = words.len();
    let begins = move |at: usize| at == 0 || words[at] != words[at - 1];
    let ends = move |at: usize| at + 1 == tokens || words[at] != words[at + 1];
    (0..tokens).filter(move |&at| begins(at)).flat_map(move |first| {
        (first..tokens.min(first.saturating_add(longest))).filter(move |&at| ends(at)).filter_map(
            move |last| {
                let score = f64::from(start[first]) + f64::from(end[last]);
                score.is_finite().then_some(Span { tokens: first..last + 1, score })
            },
        )
    })
}

/// The best so many of spans, best first, none within another: the one of the lower score goes. Of equal scores the
/// earlier, then the shorter, then the one listed first. `of` gives where a span stands, and its score.
pub(crate) fn choose<S>(mut spans: Vec<S>, most: usize, of: impl Fn(&S) -> (Range<usize>, f64)) -> Vec<S> {
    spans.sort_by(|a, b| {
        let ((a, a_score), (b, b_score)) = (of(a), of(b));
        b_score.total_cmp(&a_score).then(a.start.cmp(&b.start)).then(a.end.cmp(&b.end))
    });
    let mut best: Vec<S> = Vec::with_capacity(most.min(spans.len()));
    for span in spans {
        if best.len() == most {
            break;
        }
        let place = of(&span).0;
        if !best.iter().any(|kept| nested(&of(kept).0, &place)) {
            best.push(span);
        }
    }
    best
}

fn nested(a: &Range<usize>, b: &Range<usize>) -> bool {
    (a.start <= b.start && b.end <= a.end) || (b.start <= a.start && a.end <= b.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_best_span_and_then_what_is_not_inside_or_around_it() {
        // Tokens: 0 | 1 1 | 2 (word numbers); the best start is token 1, the best end token 2.
        let (start, end) = ([1.0, 3.0, 9.0, 0.0], [0.0, 9.0, 2.0, 1.0]);
        let spans = best_spans(&start, &end, &[0, 1, 1, 2], SpanLimits { spans: 3, tokens: 4 });
        // [1, 3) = 3 + 2. [0, 3) = 1 + 2 is around it, [1, 4) = 3 + 1 too; [0, 1) = 1 + 0 and [3, 4) = 0 + 1 are apart.
        let expected = [(1..3, 5.0), (0..1, 1.0), (3..4, 1.0)];
        assert_eq!(spans, expected.map(|(tokens, score)| Span { tokens, score }));
    }

    #[test]
    fn overlapping_is_not_nested() {
        let (start, end) = ([5.0, 4.0, -9.0], [-9.0, 5.0, 4.0]);
        let spans = best_spans(&start, &end, &[0, 1, 2], SpanLimits { spans: 2, tokens: 2 });
        assert_eq!(spans.iter().map(|span| span.tokens.clone()).collect::<Vec<_>>(), [0..2, 1..3]);
    }

    proptest! {
        #[test]
        fn whole_words_within_the_limit_and_never_nested(tokens in prop::collection::vec((-3i8..3, -3i8..3, any::<bool>()), 0..40), m in 0usize..12, longest in 0usize..12) {
            let start: Vec<f32> = tokens.iter().map(|token| token.0.into()).collect();
            let end: Vec<f32> = tokens.iter().map(|token| token.1.into()).collect();
            let words: Vec<u32> = tokens.iter().scan(0, |word, token| { *word += u32::from(token.2); Some(*word) }).collect();
            let spans = best_spans(&start, &end, &words, SpanLimits { spans: m, tokens: longest });
            prop_assert!(spans.len() <= m);
            prop_assert!(spans.windows(2).all(|pair| pair[0].score >= pair[1].score));
            for (i, span) in spans.iter().enumerate() {
                let Range { start: first, end: after } = span.tokens;
                prop_assert!(first < after && after - first <= longest);
                prop_assert!(first == 0 || words[first - 1] != words[first]);
                prop_assert!(after == words.len() || words[after - 1] != words[after]);
                prop_assert!(spans[..i].iter().all(|other| !nested(&other.tokens, &span.tokens)));
            }
            // The first is the best there is.
            let best = (0..words.len()).flat_map(|a| (a..words.len().min(a + longest)).map(move |b| (a, b)))
                .filter(|&(a, b)| (a == 0 || words[a - 1] != words[a]) && (b + 1 == words.len() || words[b] != words[b + 1]))
                .map(|(a, b)| start[a] + end[b]).fold(f32::NEG_INFINITY, f32::max);
            prop_assert_eq!(spans.first().map_or(f64::NEG_INFINITY, |span| span.score), if m == 0 { f64::NEG_INFINITY } else { f64::from(best) });
        }
    }
}
