//! Tests of the storages `int8Rescored` and `f16` of the flat index. With `int8Rescored`, a search first rules out most
//! rows by bounds that it computes from int8 codes; this *prefilter* does not change any bit of a result. An index with
//! `f16` (half precision) has the same hits as a single-precision index of the rounded rows.

mod common;

use common::{SIMILARITIES, clustered, ids, uniform};
use control::Control;
use dense::{Error, FlatIndex, FlatWriter, Similarity, Storage};
use kernels::half::{HalfFormat, HalfKernels};
use numerics::SplitMix64;
use proptest::prelude::*;
use ranking::Hit;
use serde_json::Value;

/// Builds a flat index of the vectors, with the ids `p0`, `p1`, …
fn flat(dim: usize, similarity: Similarity, storage: Storage, vectors: &[f32]) -> FlatIndex {
    let mut index = FlatIndex::with_storage(dim, similarity, storage, Value::Null).expect("a dimension");
    index.add(ids(0..vectors.len() / dim), vectors).expect("valid rows");
    index
}

/// Kinds of rows, most of them with scores that are hard to distinguish or hard to bound.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Uniform,
    Clustered,
    /// Only a few distinct rows, so that many scores are equal.
    Ties,
    /// Copies of one row with a little noise, so that the bounds of all rows overlap.
    NearlyEqual,
    /// Lengths from 1e-40, a subnormal float, to 1e17.
    AllLengths,
    /// Mostly zeros, of both signs.
    Sparse,
    /// Numbers that are subnormal floats.
    Subnormal,
}

const KINDS: [Kind; 7] = [
    Kind::Uniform,
    Kind::Clustered,
    Kind::Ties,
    Kind::NearlyEqual,
    Kind::AllLengths,
    Kind::Sparse,
    Kind::Subnormal,
];

/// Returns random rows `[rows * dim]` of a kind.
fn vectors(kind: Kind, rows: usize, dim: usize, seed: u64) -> Vec<f32> {
    let mut random = SplitMix64::new(seed);
    let plain = uniform(rows, dim, seed);
    match kind {
        Kind::Uniform => plain,
        Kind::Clustered => clustered(rows, dim, 5, seed),
        Kind::Ties => (0..rows)
            .flat_map(|_| plain[random.next_u64() as usize % rows.min(7) * dim..][..dim].to_vec())
            .collect(),
        Kind::NearlyEqual => {
            (0..rows * dim).map(|at| plain[at % dim] * (1.0 + 1e-6 * random.uniform())).collect()
        }
        Kind::AllLengths => {
            let sizes: Vec<f32> =
                (0..rows).map(|_| 10f32.powi((random.next_u64() % 58) as i32 - 40)).collect();
            plain.iter().enumerate().map(|(at, value)| value * sizes[at / dim]).collect()
        }
        Kind::Sparse => plain
            .iter()
            .map(|&value| if random.next_u64().is_multiple_of(8) { value } else { 0.0 * value })
            .collect(),
        Kind::Subnormal => plain.iter().map(|value| value * 1e-42).collect(),
    }
}

/// Returns the row of each hit and the bits of its score, so that −0 and 0 differ.
fn bits(hits: &[Hit]) -> Vec<(u32, u32)> {
    hits.iter().map(|hit| (hit.ord, hit.score.to_bits())).collect()
}

/// Checks that two indexes return the same hits and scores, bit for bit, with several filters, and for one or more
/// queries at a time.
fn check_equal(a: &FlatIndex, b: &FlatIndex, queries: &[f32], k: usize) -> Result<(), TestCaseError> {
    let control = Control::new();
    let dim = a.dim();
    // No filter, and filters that allow half of the rows of each block of 64, few rows of each block, and all rows of
    // one block.
    let filters: [Option<dense::Filter>; 4] =
        [None, Some(&|ord| ord % 2 == 0), Some(&|ord| ord % 16 == 3), Some(&|ord| ord / 64 == 1)];
    for filter in filters {
        for query in queries.chunks(dim) {
            let [a, b] =
                [a, b].map(|index| index.search_filtered(query, k, filter, &control).expect("valid"));
            prop_assert_eq!(bits(&a), bits(&b));
        }
        let first = |count: usize| &queries[..count * dim];
        for (threads, queries) in
            [(1, queries), (3, queries), (2, first(2)), (1, first(3)), (1, first(4)), (1, first(5))]
        {
            let many = |index: &FlatIndex| {
                let found = index.search_many_filtered(queries, k, threads, filter, &control).expect("valid");
                found.iter().map(|hits| bits(hits)).collect::<Vec<_>>()
            };
            prop_assert_eq!(many(a), many(b));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_prefilter_does_not_change_any_bit_of_a_result(
        kind in prop::sample::select(KINDS.to_vec()), query_kind in prop::sample::select(KINDS.to_vec()),
        dim in 1usize..150, rows in 1usize..500, k in prop_oneof![2 => 0usize..5, 1 => 0usize..30],
        deleted in prop::collection::vec(0usize..500, 0..40),
        similarity in prop::sample::select(SIMILARITIES.to_vec()), seed in any::<u64>(),
    ) {
        let without_zeros = |mut vectors: Vec<f32>| {
            if similarity == Similarity::Cosine {
                // Cosine rejects zero vectors.
                vectors.chunks_mut(dim).filter(|row| row.iter().all(|x| *x == 0.0)).for_each(|row| row[0] = 1e-30);
            }
            vectors
        };
        let vectors = without_zeros(vectors(kind, rows, dim, seed));
        let mut queries = without_zeros(self::vectors(query_kind, 9, dim, !seed));
        // The first query equals the first row, so that their distance is 0.
        queries[..dim].copy_from_slice(&vectors[..dim]);
        let mut plain = flat(dim, similarity, Storage::F32, &vectors);
        let mut filtered = flat(dim, similarity, Storage::Int8Rescored, &vectors);
        check_equal(&plain, &filtered, &queries, k)?;
        let deleted: Vec<String> = deleted.into_iter().filter(|&row| row < rows).map(|row| format!("p{row}")).collect();
        plain.delete(&deleted).expect("stored ids");
        filtered.delete(&deleted).expect("stored ids");
        check_equal(&plain, &filtered, &queries, k)?;
        plain.compact();
        filtered.compact();
        check_equal(&plain, &filtered, &queries, k)?;
    }

    #[test]
    fn an_index_in_half_precision_has_the_hits_of_an_index_of_the_rounded_rows(
        kind in prop::sample::select(vec![Kind::Uniform, Kind::Ties, Kind::NearlyEqual, Kind::Sparse]),
        dim in 1usize..150, rows in 1usize..300, k in 0usize..30, seed in any::<u64>(),
        similarity in prop::sample::select(vec![Similarity::Dot, Similarity::L2]),
    ) {
        let vectors = vectors(kind, rows, dim, seed);
        let (mut halves, mut rounded) = (vec![0; vectors.len()], vec![0.0; vectors.len()]);
        HalfKernels::detect().narrow(HalfFormat::F16, &vectors, &mut halves);
        HalfKernels::detect().widen(HalfFormat::F16, &halves, &mut rounded);
        let index = flat(dim, similarity, Storage::F16, &vectors);
        let plain = flat(dim, similarity, Storage::F32, &rounded);
        prop_assert_eq!(&*index.vector(rows as u32 - 1), &*plain.vector(rows as u32 - 1));
        check_equal(&plain, &index, &uniform(9, dim, !seed), k)?;
    }
}

#[test]
fn results_are_right_if_the_prefilter_rules_out_no_row() -> Result<(), Error> {
    // The bounds of all rows overlap. A search for one query therefore exceeds the maximum number of candidates, and
    // scores all rows instead.
    let (dim, rows) = (8, 70_000);
    let row = uniform(1, dim, 1);
    let mut random = SplitMix64::new(2);
    let vectors: Vec<f32> = (0..rows * dim).map(|at| row[at % dim] + 1e-7 * random.uniform()).collect();
    for similarity in SIMILARITIES {
        let plain = flat(dim, similarity, Storage::F32, &vectors);
        let filtered = flat(dim, similarity, Storage::Int8Rescored, &vectors);
        let alone = |index: &FlatIndex| index.search(&row, 50, &Control::new());
        assert_eq!(alone(&plain)?, alone(&filtered)?);
        let queries = [&row[..], &uniform(70, dim, 3)].concat();
        let search = |index: &FlatIndex| index.search_many(&queries, 50, 2, &Control::new());
        assert_eq!(search(&plain)?, search(&filtered)?);
    }
    Ok(())
}

#[test]
fn the_prefilter_changes_no_result_on_any_number_of_threads() -> Result<(), Error> {
    let (dim, rows) = (48, 20_000);
    let vectors = clustered(rows, dim, 50, 4);
    let queries = clustered(150, dim, 50, 4);
    for similarity in SIMILARITIES {
        let plain = flat(dim, similarity, Storage::F32, &vectors);
        let filtered = flat(dim, similarity, Storage::Int8Rescored, &vectors);
        for threads in [1, 2, 7] {
            let search = |index: &FlatIndex| index.search_many(&queries, 100, threads, &Control::new());
            assert_eq!(search(&plain)?, search(&filtered)?);
        }
    }
    Ok(())
}

#[test]
fn indexes_of_every_storage_can_be_saved_opened_extended_and_written_in_batches() -> Result<(), Error> {
    let folder = tempfile::tempdir().expect("a folder");
    let [path, streamed] = ["index", "streamed"].map(|name| folder.path().join(name));
    // `k` is small enough that searches of the 301 rows use the int8 codes.
    let (dim, k) = (13, 4);
    let (vectors, queries) = (uniform(500, dim, 5), uniform(70, dim, 6));
    for storage in [Storage::F32, Storage::F16, Storage::Int8Rescored] {
        for similarity in SIMILARITIES {
            let (first, second) = vectors.split_at(301 * dim);
            let mut index = flat(dim, similarity, storage, first);
            index.save(&path)?;
            let mut opened = FlatIndex::open(&path)?;
            assert_eq!((opened.storage(), opened.len()), (storage, 301));
            let search = |index: &FlatIndex| index.search_many(&queries, k, 2, &Control::new());
            assert_eq!(search(&opened)?, search(&index)?);
            assert!(opened.add(ids(0..1), &second[..dim]).is_err());
            for index in [&mut opened, &mut index] {
                index.add(ids(301..500), second)?;
                index.delete(&["p7", "p400"])?;
            }
            // The opened index has rows in a file and rows in memory; its hits are the same.
            assert_eq!(search(&opened)?, search(&index)?);
            opened.compact();
            index.compact();
            opened.save(&path)?;
            let bytes = std::fs::read(&path).expect("readable");
            index.save(&path)?;
            assert!(std::fs::read(&path).expect("readable") == bytes, "equal indexes have equal files");
            assert_eq!(search(&FlatIndex::open(&path)?)?, search(&index)?);

            let mut writer = FlatWriter::with_storage(&streamed, dim, similarity, storage)?;
            for (at, batch) in vectors.chunks(4 * dim).enumerate() {
                writer.push(&ids(at * 4..at * 4 + batch.len() / dim), batch)?;
            }
            writer.finish(&Value::Null)?;
            flat(dim, similarity, storage, &vectors).save(&path)?;
            assert!(std::fs::read(&streamed).expect("readable") == std::fs::read(&path).expect("readable"));
        }
    }
    Ok(())
}

#[test]
fn rows_that_a_storage_cannot_hold_are_rejected_and_change_nothing() -> Result<(), Error> {
    // Numbers between 65,504 and 65,520 are rounded to 65,504, the largest finite number in half precision.
    let mut index = flat(2, Similarity::Dot, Storage::F16, &[1.0, 65_519.0]);
    assert_eq!(*index.vector(0), [1.0, 65_504.0]);
    let error = index.add(ids(1..3), &[1.0, 2.0, 3.0, -65_520.0]).expect_err("invalid").to_string();
    let expected = "add: expected numbers of at most 65504 in half precision, got -65520 at row 1, column 1";
    assert_eq!(error, expected);
    assert_eq!((index.len(), index.ord("p1")), (1, None));

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let mut writer = FlatWriter::with_storage(&path, 2, Similarity::Dot, Storage::F16)?;
    assert!(matches!(writer.push(&["a"], &[1e6, 0.0]), Err(Error::Range { row: 0, column: 0, .. })));
    writer.push(&["a"], &[1.0, 0.0])?;
    writer.finish(&Value::Null)?;
    assert_eq!(FlatIndex::open(&path)?.len(), 1);

    // The kernels for int8 codes are limited to 65,536 dimensions.
    let error = FlatIndex::with_storage(65_537, Similarity::Dot, Storage::Int8Rescored, Value::Null);
    let error = error.expect_err("invalid").to_string();
    assert_eq!(error, "dim: expected 1 to 65536 with the storage int8Rescored, got 65537");
    Ok(())
}

#[test]
fn a_canceled_search_stops() {
    for storage in [Storage::F16, Storage::Int8Rescored] {
        let index = flat(1, Similarity::Dot, storage, &[1.0; 100]);
        let control = Control::new();
        control.cancel();
        assert!(matches!(index.search(&[1.0], 1, &control), Err(Error::Canceled(_))));
        assert!(matches!(index.search_many(&[1.0], 1, 2, &control), Err(Error::Canceled(_))));
    }
}
