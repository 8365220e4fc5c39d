//! Pruning and rounding never change the hits: searches for the best k are compared with searches that score every
//! passage, and these are compared with the formula.
//!
//! The index has enough passages for several blocks, for all layouts of postings, and for impacts without a code.

use std::collections::HashMap;
use std::sync::LazyLock;

use control::Control;
use proptest::prelude::*;
use sparse::{Analyzer, Bm25, Bm25Index, Filter, IndexWriter, Searcher, WriterOptions};

const PASSAGES: u32 = 21_000;
const TERMS: u32 = 3_000;

struct Collection {
    _folder: tempfile::TempDir,
    /// Before the segments are merged.
    segments: Searcher,
    /// After the segments were merged.
    merged: Searcher,
    /// By ord: the terms with their frequencies, and the length.
    passages: Vec<(HashMap<u32, u32>, u32)>,
}

/// Pseudo-random numbers: a multiplicative congruential generator.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(0xf135_7aea_2e62_a9c5) | 1;
        (((self.0 >> 32) * u64::from(limit)) >> 32) as u32
    }

    /// Returns a random term; the probability of term `t` is nearly proportional to 1 / (t + 1).
    fn term(&mut self) -> u32 {
        let exponent = f64::from(self.below(1 << 20)) / f64::from(1 << 20);
        (f64::from(TERMS).powf(exponent) - 1.0) as u32
    }
}

/// Every seventh passage is deleted, and all passages of the small segment that begins after passage 9,300.
fn is_deleted(ord: u32) -> bool {
    ord % 7 == 3 || (9_000..9_400).contains(&ord)
}

static COLLECTION: LazyLock<Collection> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("index");
    let mut writer =
        IndexWriter::create(&path, Analyzer::WHITESPACE, WriterOptions::default()).expect("an empty folder");
    let (mut numbers, mut passages) = (Numbers(7), Vec::new());
    for ord in 0..PASSAGES {
        // Some passages are empty, some long, and some repeat each word, so that there are many different impacts.
        let length = match ord % 100 {
            0 => 0,
            1 => 2_000 + numbers.below(3_000),
            _ => 1 + numbers.below(40),
        };
        let repeated = if ord % 50 == 2 { 1 + numbers.below(90) } else { 1 };
        let mut terms = HashMap::new();
        let mut text = String::new();
        for _ in 0..length {
            let term = numbers.term();
            for _ in 0..repeated {
                *terms.entry(term).or_default() += 1;
                text.push_str(&format!("t{term} "));
            }
        }
        writer.add(&format!("p{ord}"), None, &text).expect("a new id");
        passages.push((terms, length * repeated));
        if [9_300, 9_320, 12_000].contains(&ord) {
            writer.commit().expect("a commit");
        }
    }
    writer.commit().expect("a commit");
    let deleted: Vec<String> =
        (0..PASSAGES).filter(|&ord| is_deleted(ord)).map(|ord| format!("p{ord}")).collect();
    writer.delete(&deleted).expect("ids of the index");
    writer.commit().expect("a commit");
    let segments = Bm25Index::open(&path).expect("an intact index").searcher();
    assert!(segments.segments() > 2, "{} segments", segments.segments());
    // The files of `segments` stay, because it has them open.
    writer.merge().expect("a merge");
    let merged = Bm25Index::open(&path).expect("an intact index").searcher();
    assert_eq!(merged.segments(), 1);
    Collection { _folder: folder, segments: into_inner(segments), merged: into_inner(merged), passages }
});

fn into_inner(searcher: std::sync::Arc<Searcher>) -> Searcher {
    std::sync::Arc::into_inner(searcher).expect("no other owner")
}

fn query() -> impl Strategy<Value = Vec<(String, f32)>> {
    // From frequent to rare terms, and one that no passage has.
    let term = prop_oneof![0u32..12, 0u32..100, 0u32..TERMS, Just(TERMS + 5)];
    let weight = prop_oneof![4 => Just(1.0f32), 1 => Just(2.0f32), 1 => 0.001f32..50.0];
    prop::collection::vec((term.prop_map(|term| format!("t{term}")), weight), 1..9)
}

fn parameters() -> impl Strategy<Value = Bm25> {
    let k1 = prop_oneof![2 => Just(0.9f32), 1 => Just(0.0f32), 1 => 0.1f32..4.0];
    let b = prop_oneof![2 => Just(0.4f32), 1 => Just(0.0f32), 1 => Just(1.0f32), 1 => 0.0f32..1.0];
    (k1, b).prop_map(|(k1, b)| Bm25 { k1, b })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn the_best_k_are_the_first_k_of_scoring_every_passage(
        query in query(),
        parameters in parameters(),
        // Up to 1,312 (a sixteenth of the passages), the searcher computes upper bounds.
        k in prop_oneof![1usize..12, Just(100usize), 300usize..2_500, Just(10_000usize)],
        filter_step in prop::option::of(2u32..60),
    ) {
        let control = Control::new();
        let filter = filter_step.map(|step| {
            Filter::Ids((0..PASSAGES).filter(|ord| ord % step != 1).map(|ord| format!("p{ord}")).collect())
        });
        for searcher in [&COLLECTION.segments, &COLLECTION.merged] {
            let filtered = searcher.filtered(filter.as_ref(), &control).expect("a valid filter");
            let best = filtered.search_terms(&query, k, parameters, &control).expect("hits");
            // More than there are passages, so every posting is scored.
            let mut all = filtered.search_terms(&query, 1 << 20, parameters, &control).expect("hits");
            all.truncate(k);
            prop_assert_eq!(best, all);
        }
    }
}

#[test]
fn scores_of_every_passage_agree_with_the_formula() {
    let Collection { segments, merged, passages, .. } = &*COLLECTION;
    let (control, mut numbers) = (Control::new(), Numbers(11));
    for round in 0..12 {
        let Bm25 { k1, b } = if round % 2 == 0 { Bm25::default() } else { Bm25 { k1: 1.7, b: 0.8 } };
        // Five random terms, and one of the three most frequent ones.
        let mut query: Vec<u32> = (0..5).map(|_| numbers.term()).chain([round % 3]).collect();
        query.sort_unstable();
        query.dedup();
        let weighted: Vec<(String, f32)> = query.iter().map(|term| (format!("t{term}"), 1.0)).collect();
        for (searcher, is_merged) in [(segments, false), (merged, true)] {
            let not_deleted = || (0..PASSAGES).zip(passages).filter(|&(ord, _)| !is_deleted(ord));
            let statistics = searcher.statistics();
            let df = |term: u32| searcher.doc_freq(&format!("t{term}")).expect("an intact index");
            if is_merged {
                // Before the merge, deleted passages count in the statistics.
                let lengths =
                    || not_deleted().map(|(_, (_, length))| u64::from(*length)).filter(|&length| length > 0);
                assert_eq!(statistics.passages, lengths().count() as u64);
                assert_eq!(statistics.tokens, lengths().sum::<u64>());
                let count =
                    |term| not_deleted().filter(|(_, (terms, _))| terms.contains_key(&term)).count() as u64;
                assert!(query.iter().all(|&term| df(term) == count(term)));
            }
            let n = statistics.passages as f64;
            let average = (statistics.tokens as f64 / n) as f32;
            let idf = |term| {
                let df = df(term) as f64;
                (1.0 + (n - df + 0.5) / (df + 0.5)).ln() as f32
            };
            let weights: Vec<f32> = query.iter().map(|&term| idf(term)).collect();
            let mut expected = Vec::new();
            for (ord, (terms, length)) in not_deleted() {
                let length = tantivy::fieldnorm::FieldNormReader::fieldnorm_to_id(*length);
                let length = tantivy::fieldnorm::FieldNormReader::id_to_fieldnorm(length) as f32;
                let inverse_norm = 1.0 / (k1 * ((1.0 - b) + b * length / average));
                let mut sum = None;
                for (term, &weight) in query.iter().zip(&weights) {
                    if let Some(&frequency) = terms.get(term) {
                        let contribution = weight - weight / (1.0 + frequency as f32 * inverse_norm);
                        *sum.get_or_insert(0.0) += f64::from(contribution);
                    }
                }
                expected.extend(sum.map(|sum: f64| (ord, (sum as f32).to_bits())));
            }
            expected.sort_by_key(|&(ord, score)| (std::cmp::Reverse(score), ord));
            for k in [10, 400, 1 << 20] {
                let hits = searcher.search_terms(&weighted, k, Bm25 { k1, b }, &control).expect("hits");
                let got: Vec<(u32, u32)> = hits.iter().map(|hit| (hit.ord, hit.score.to_bits())).collect();
                assert!(got == expected[..k.min(expected.len())], "round {round}, merged {is_merged}, k {k}");
            }
        }
    }
}
