//! Readings for tests: passages of one-character words, of which some are equal answers and some are blank.

use std::ops::Range;

use proptest::prelude::*;

use crate::{LogitSum, Merge, PassageReading, Relevance, SpanScoring, StoredReading, StoredSpan, Window};

/// A stored reading with these spans: their bytes and scores.
pub fn stored(relevance: f32, spans: &[(Range<u32>, f32)]) -> StoredReading {
    let logits = LogitSum { max: 0.0, sum: 4.0 };
    let spans = spans
        .iter()
        .map(|(bytes, score)| StoredSpan { bytes: bytes.clone(), start: *score, end: 0.0 })
        .collect();
    StoredReading { relevance, spans, starts: logits, ends: logits }
}

/// Every scoring with every way of merging.
pub fn scorings_and_merges() -> impl Strategy<Value = (SpanScoring, Merge)> {
    let scorings = [
        SpanScoring::Original,
        SpanScoring::Normalized,
        SpanScoring::Probability,
        SpanScoring::SummedProbability,
    ];
    (prop::sample::select(scorings.to_vec()), prop::sample::select(vec![Merge::Text, Merge::Normalized]))
}

/// A passage of up to six words, read in one window or in two that overlap.
#[derive(Debug)]
pub struct RandomReading {
    text: String,
    retrieval_score: i8,
    relevance: (i8, i8),
    starts: Vec<f32>,
    ends: Vec<f32>,
    offsets: Vec<Range<u32>>,
    words: Vec<u32>,
    has_two_windows: bool,
}

impl Arbitrary for RandomReading {
    type Parameters = ();
    type Strategy = BoxedStrategy<Self>;

    fn arbitrary_with((): ()) -> Self::Strategy {
        // The values are few, so that scores are often equal. The no-break space is a blank answer.
        let word = prop::sample::select(vec!["a", "x", "X", "é", "🚁", "\u{a0}", "y"]);
        let token = (word, -2i8..3, -2i8..3);
        (prop::collection::vec(token, 0..7), -3i8..4, (-3i8..4, -3i8..4), any::<bool>())
            .prop_map(|(tokens, retrieval_score, relevance, has_two_windows)| {
                let (mut text, mut offsets) = (String::new(), Vec::new());
                let (mut starts, mut ends) = (Vec::new(), Vec::new());
                for (word, start, end) in tokens {
                    offsets.push(text.len() as u32..(text.len() + word.len()) as u32);
                    text.push_str(word);
                    text.push(' ');
                    starts.push(f32::from(start));
                    ends.push(f32::from(end));
                }
                let words = (0..offsets.len() as u32).collect();
                Self { text, retrieval_score, relevance, starts, ends, offsets, words, has_two_windows }
            })
            .boxed()
    }
}

/// The reading as [`crate::answers`] takes it.
pub fn passage_reading(read: &RandomReading) -> PassageReading<'_> {
    let window = |range: Range<usize>, relevance: i8| Window {
        relevance: Relevance::Logit(f32::from(relevance)),
        start: &read.starts[range.clone()],
        end: &read.ends[range.clone()],
        offsets: &read.offsets[range.clone()],
        words: &read.words[range],
    };
    let tokens = read.words.len();
    let windows = if read.has_two_windows && tokens > 2 {
        vec![window(0..tokens - 1, read.relevance.0), window(1..tokens, read.relevance.1)]
    } else {
        vec![window(0..tokens, read.relevance.0)]
    };
    PassageReading { text: &read.text, retrieval_score: f32::from(read.retrieval_score), windows }
}
