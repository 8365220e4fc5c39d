//! Readings for tests: [`stored`] makes a stored reading with given spans, and [`RandomReading`] is a random passage
//! with random logits. The words of the passage are drawn from seven single characters. Two of these ("x" and "X") are
//! equal after normalization, and one, the no-break space, is blank.

use std::ops::Range;

use proptest::prelude::*;

use crate::{LogitSum, Merge, PassageReading, Relevance, SpanScoring, StoredReading, StoredSpan, Window};

/// A stored reading with these spans, given by their byte ranges and scores. Its softmax denominators are arbitrary;
/// only `Probability` and `SummedProbability` use them.
pub fn stored(relevance: f32, spans: &[(Range<u32>, f32)]) -> StoredReading {
    let logit_sum = LogitSum { max: 0.0, sum: 4.0 };
    let spans = spans
        .iter()
        .map(|(bytes, score)| StoredSpan { bytes: bytes.clone(), start_logit: *score, end_logit: 0.0 })
        .collect();
    StoredReading { relevance, spans, start_logit_sum: logit_sum, end_logit_sum: logit_sum }
}

/// Any scoring, with any rule for merging answers.
pub fn scorings_and_merges() -> impl Strategy<Value = (SpanScoring, Merge)> {
    let scorings = [
        SpanScoring::Original,
        SpanScoring::Normalized,
        SpanScoring::Probability,
        SpanScoring::SummedProbability,
    ];
    (prop::sample::select(scorings.to_vec()), prop::sample::select(vec![Merge::Text, Merge::Normalized]))
}

/// A random passage of up to six words, each of which is one token, and the logits of a reader for it. The passage is
/// read in one window or in two overlapping ones.
#[derive(Debug)]
pub struct RandomReading {
    text: String,
    retrieval_score: i8,
    /// The relevance of the first and of the second window.
    relevance: (i8, i8),
    start_logits: Vec<f32>,
    end_logits: Vec<f32>,
    offsets: Vec<Range<u32>>,
    words: Vec<u32>,
    has_two_windows: bool,
}

impl Arbitrary for RandomReading {
    type Parameters = ();
    type Strategy = BoxedStrategy<Self>;

    fn arbitrary_with((): ()) -> Self::Strategy {
        // Logits and scores have only a few values, so that scores are often equal.
        let word = prop::sample::select(vec!["a", "x", "X", "é", "🚁", "\u{a0}", "y"]);
        let token = (word, -2i8..3, -2i8..3);
        (prop::collection::vec(token, 0..7), -3i8..4, (-3i8..4, -3i8..4), any::<bool>())
            .prop_map(|(tokens, retrieval_score, relevance, has_two_windows)| {
                let (mut text, mut offsets) = (String::new(), Vec::new());
                let (mut start_logits, mut end_logits) = (Vec::new(), Vec::new());
                for (word, start, end) in tokens {
                    offsets.push(text.len() as u32..(text.len() + word.len()) as u32);
                    text.push_str(word);
                    text.push(' ');
                    start_logits.push(f32::from(start));
                    end_logits.push(f32::from(end));
                }
                let words = (0..offsets.len() as u32).collect();
                Self {
                    text,
                    retrieval_score,
                    relevance,
                    start_logits,
                    end_logits,
                    offsets,
                    words,
                    has_two_windows,
                }
            })
            .boxed()
    }
}

/// Converts a random reading to the input of [`crate::answers`].
pub fn passage_reading(random: &RandomReading) -> PassageReading<'_> {
    let window = |range: Range<usize>, relevance: i8| Window {
        relevance: Relevance::Logit(f32::from(relevance)),
        start: &random.start_logits[range.clone()],
        end: &random.end_logits[range.clone()],
        offsets: &random.offsets[range.clone()],
        words: &random.words[range],
    };
    let token_count = random.words.len();
    let windows = if random.has_two_windows && token_count > 2 {
        vec![window(0..token_count - 1, random.relevance.0), window(1..token_count, random.relevance.1)]
    } else {
        vec![window(0..token_count, random.relevance.0)]
    };
    PassageReading { text: &random.text, retrieval_score: f32::from(random.retrieval_score), windows }
}
