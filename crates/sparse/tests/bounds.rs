//! Pruning and rounding never change the hits: searches for the best k are compared with searches that score every
//! passage, and both are compared with the BM25 formula.
//!
//! The index has enough passages for several blocks of 8,192, for all layouts of postings, and for impacts (pairs of a
//! term frequency and a quantized length) that have no code of their own.

use std::collections::HashMap;
use std::sync::LazyLock;

use control::Control;
use proptest::prelude::*;
use sparse::{Analyzer, Bm25, Bm25Index, Filter, IndexWriter, Searcher, WriterOptions};

const PASSAGES: u32 = 21_000;
const TERMS: u32 = 3_000;

/// The index, opened twice, and what it should contain.
struct Fixture {
    _folder: tempfile::TempDir,
    /// Opened before the segments were merged.
    segments: Searcher,
    /// Opened after the segments were merged.
    merged: Searcher,
    /// For each ord, the frequency of each term in the passage, and the passage's length in terms.
    passages: Vec<(HashMap<u32, u32>, u32)>,
}

/// A multiplicative congruential generator of pseudo-random numbers.
struct Random(u64);

impl Random {
    /// Returns a random number below `limit`.
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

/// Returns true if the passage is deleted: every seventh passage, and passages 9,000 to 9,399, which include all
/// passages of the smallest commit (9,301 to 9,320).
fn is_deleted(ord: u32) -> bool {
    ord % 7 == 3 || (9_000..9_400).contains(&ord)
}

static FIXTURE: LazyLock<Fixture> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("index");
    let mut writer =
        IndexWriter::create(&path, Analyzer::WHITESPACE, WriterOptions::default()).expect("an empty folder");
    let (mut random, mut passages) = (Random(7), Vec::new());
    for ord in 0..PASSAGES {
        // Some passages are empty, some are long, and some repeat each word, so that there are many different impacts.
        let length = match ord % 100 {
            0 => 0,
            1 => 2_000 + random.below(3_000),
            _ => 1 + random.below(40),
        };
        let repetitions = if ord % 50 == 2 { 1 + random.below(90) } else { 1 };
        let mut terms = HashMap::new();
        let mut text = String::new();
        for _ in 0..length {
            let term = random.term();
            for _ in 0..repetitions {
                *terms.entry(term).or_default() += 1;
                text.push_str(&format!("t{term} "));
            }
        }
        writer.add(&format!("p{ord}"), None, &text).expect("a new id");
        passages.push((terms, length * repetitions));
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
    // The merge does not delete the files that `segments` has open.
    writer.merge().expect("a merge");
    let merged = Bm25Index::open(&path).expect("an intact index").searcher();
    assert_eq!(merged.segments(), 1);
    Fixture { _folder: folder, segments: into_inner(segments), merged: into_inner(merged), passages }
});

/// Takes the searcher out of its `Arc`.
fn into_inner(searcher: std::sync::Arc<Searcher>) -> Searcher {
    std::sync::Arc::into_inner(searcher).expect("no other owner")
}

/// Generates queries: terms with weights.
fn query() -> impl Strategy<Value = Vec<(String, f32)>> {
    // Frequent to rare terms, and one that no passage has.
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
    fn the_best_k_hits_are_the_first_k_when_every_passage_is_scored(
        query in query(),
        parameters in parameters(),
        // If k is at most a certain share of the passages, which depends on the instruction set, the searcher computes
        // upper bounds.
        k in prop_oneof![1usize..12, Just(100usize), 300usize..2_500, Just(10_000usize)],
        filter_step in prop::option::of(2u32..60),
    ) {
        let control = Control::new();
        let filter = filter_step.map(|step| {
            Filter::Ids((0..PASSAGES).filter(|ord| ord % step != 1).map(|ord| format!("p{ord}")).collect())
        });
        for searcher in [&FIXTURE.segments, &FIXTURE.merged] {
            let filtered = searcher.filtered(filter.as_ref(), &control).expect("a valid filter");
            let best = filtered.search_terms(&query, k, parameters, &control).expect("hits");
            // This k is more than the number of passages, so every posting is scored.
            let mut all = filtered.search_terms(&query, 1 << 20, parameters, &control).expect("hits");
            all.truncate(k);
            prop_assert_eq!(best, all);
        }
    }
}

#[test]
fn scores_of_every_passage_agree_with_the_formula() {
    let Fixture { segments, merged, passages, .. } = &*FIXTURE;
    let (control, mut random) = (Control::new(), Random(11));
    for round in 0..12 {
        let Bm25 { k1, b } = if round % 2 == 0 { Bm25::default() } else { Bm25 { k1: 1.7, b: 0.8 } };
        // Five random terms, and one of the three most frequent ones.
        let mut query: Vec<u32> = (0..5).map(|_| random.term()).chain([round % 3]).collect();
        query.sort_unstable();
        query.dedup();
        let weighted: Vec<(String, f32)> = query.iter().map(|term| (format!("t{term}"), 1.0)).collect();
        for (searcher, is_merged) in [(segments, false), (merged, true)] {
            let not_deleted = || (0..PASSAGES).zip(passages).filter(|&(ord, _)| !is_deleted(ord));
            let statistics = searcher.statistics();
            let df = |term: u32| searcher.doc_freq(&format!("t{term}")).expect("an intact index");
            if is_merged {
                // Before the merge, deleted passages still count in the statistics, so this check needs the merge.
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
