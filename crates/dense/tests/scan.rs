//! Tests of exact search: hits and scores equal those of scoring one pair of a query and a row at a time, bit for bit.

mod common;

use std::path::Path;

use common::{SIMILARITIES, ids};
use control::Control;
use dense::{FlatIndex, Similarity};
use kernels::Kernels;
use numerics::SplitMix64;
use proptest::prelude::*;
use ranking::Hit;
use serde_json::Value;
use storage::{File, FileKind, Writer};

const FLAT: FileKind = FileKind { magic: *b"PKFLAT\0\0", version: 2, name: "flat index" };

/// Returns random numbers from −1 to 1. If `are_integers` is true, they are integers from −2 to 2 instead, so that many
/// scores are equal.
fn numbers(count: usize, are_integers: bool, seed: u64) -> Vec<f32> {
    let mut random = SplitMix64::new(seed);
    let number = |uniform: f32| if are_integers { (2.0 * uniform).round() } else { uniform };
    (0..count).map(|_| number(random.uniform())).collect()
}

/// Replaces a number in some rows of a saved file with NaN or ±∞, which an index would reject, or with −0.
fn corrupt(path: &Path, dim: usize, seed: u64) {
    let file = File::open(path, FLAT).expect("valid");
    let sections = ["vectors", "ids", "id_ends", "deleted"]
        .map(|name| (name, file.section(name).expect("a section").to_vec()));
    let mut random = SplitMix64::new(seed);
    let mut writer = Writer::create(path, FLAT).expect("writable");
    for (name, mut bytes) in sections {
        if name == "vectors" {
            for row in bytes.chunks_exact_mut(dim * 4) {
                let at = random.next_u64() as usize % dim * 4;
                let value = match random.next_u64() % 24 {
                    0 | 1 => f32::NAN,
                    2 => f32::INFINITY,
                    3 => f32::NEG_INFINITY,
                    4 => -0.0,
                    _ => continue,
                };
                row[at..at + 4].copy_from_slice(&value.to_le_bytes());
            }
        }
        writer.section(name, &bytes).expect("writable");
    }
    writer.finish(file.metadata().clone()).expect("writable");
}

/// Computes hits by their definition: scores the rows for which `may_be_hit` is true, one at a time, drops the rows
/// with a score of NaN, and sorts the others.
fn naive(index: &FlatIndex, query: &[f32], k: usize, may_be_hit: impl Fn(u32) -> bool) -> Vec<Hit> {
    let kernels = Kernels::detect();
    let length = query.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    let scaled: Vec<f32> = query.iter().map(|&x| (f64::from(x) / length) as f32).collect();
    // As in an index, `+ 0.0` and `0.0 -` turn −0 into 0.
    let score = |row: &[f32]| match index.similarity() {
        Similarity::Dot => kernels.dot(query, row) + 0.0,
        Similarity::Cosine => kernels.dot(&scaled, row) + 0.0,
        Similarity::L2 => 0.0 - kernels.squared_l2(query, row),
    };
    let mut hits: Vec<Hit> = (0..index.len() as u32)
        .filter(|&ord| may_be_hit(ord))
        .map(|ord| Hit { ord, score: score(&index.vector(ord)) })
        .filter(|hit| !hit.score.is_nan())
        .collect();
    hits.sort_by(ranking::by_rank);
    hits.truncate(k);
    hits
}

/// Returns the row of each hit and the bits of its score, so that −0 and 0 differ.
fn bits(hits: &[Hit]) -> Vec<(u32, u32)> {
    hits.iter().map(|hit| (hit.ord, hit.score.to_bits())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_search_returns_the_hits_of_scoring_one_pair_at_a_time(
        similarity in prop::sample::select(SIMILARITIES.to_vec()),
        dim in prop_oneof![1usize..40, 40usize..300],
        // The number of rows that are mapped from a file, and of rows that are in memory.
        in_file in 0usize..600,
        in_memory in 0usize..600,
        queries in 1usize..14,
        k in prop::sample::select(vec![0, 1, 10, 100, 1000, 5000]),
        (are_integers, is_corrupt, has_deleted) in any::<(bool, bool, bool)>(),
        divisor in prop::sample::select(vec![0u32, 1, 2, 3, 40]),
        threads in prop::sample::select(vec![1, 2, 5]),
        seed in any::<u64>(),
    ) {
        // With integers, some vectors would be zero vectors, which cosine rejects.
        let are_integers = are_integers && similarity != Similarity::Cosine;
        let vectors = numbers((in_file + in_memory) * dim, are_integers, seed);
        let queries = numbers(queries * dim, are_integers, !seed);
        let (first, second) = vectors.split_at(in_file * dim);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("index");
        let mut index = FlatIndex::new(dim, similarity, Value::Null).expect("a dimension");
        index.add(ids(0..in_file), first).expect("valid rows");
        index.save(&path).expect("writable");
        if is_corrupt {
            corrupt(&path, dim, seed);
        }
        let mut index = FlatIndex::open(&path).expect("a valid structure");
        index.add(ids(in_file..in_file + in_memory), second).expect("valid rows");
        let is_deleted = |ord: u32| has_deleted && ord % 5 == 2;
        let ids: Vec<String> = (0..index.len() as u32).filter(|&ord| is_deleted(ord)).map(|ord| format!("p{ord}")).collect();
        index.delete(&ids).expect("stored ids");

        // The filter allows one in `divisor` rows; 0 means that there is no filter.
        let allows = |ord: u32| ord.is_multiple_of(divisor.max(1));
        let filter: Option<dense::Filter> = if divisor == 0 { None } else { Some(&allows) };
        let control = Control::new();
        let many = index.search_many_filtered(&queries, k, threads, filter, &control).expect("valid queries");
        prop_assert_eq!(many.len(), queries.len() / dim);
        for (query, many) in queries.chunks(dim).zip(&many) {
            let expected = bits(&naive(&index, query, k, |ord| !is_deleted(ord) && allows(ord)));
            prop_assert_eq!(bits(many), expected.clone());
            let alone = index.search_filtered(query, k, filter, &control).expect("a valid query");
            prop_assert_eq!(bits(&alone), expected);
        }
    }
}

#[test]
fn queries_that_need_several_batches_are_all_answered() {
    let (dim, rows) = (700, 40);
    let vectors = numbers(rows * dim, false, 1);
    let mut index = FlatIndex::new(dim, Similarity::Dot, Value::Null).expect("a dimension");
    index.add(ids(0..rows), &vectors).expect("valid rows");
    let count = 2 * kernels::Batch::queries_at_once(Kernels::detect(), dim) + 3;
    let queries = numbers(count * dim, false, 2);
    for threads in [1, 3] {
        let many = index.search_many(&queries, 3, threads, &Control::new()).expect("valid queries");
        assert_eq!(many.len(), count);
        for (query, many) in queries.chunks(dim).zip(&many) {
            assert_eq!(bits(many), bits(&naive(&index, query, 3, |_| true)));
        }
    }
}
