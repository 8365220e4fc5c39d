//! Tests of the flat index: its hits are the best rows by the definition of the score, and invalid input is rejected.

mod common;

use common::{SIMILARITIES, fvecs, ids, score, shared, uniform, vecs};
use control::Control;
use dense::{Error, FlatIndex, FlatWriter, Similarity};
use proptest::prelude::*;
use ranking::Hit;
use serde_json::{Value, json};

/// Builds a flat index of the vectors, with the ids `p0`, `p1`, …
fn flat(dim: usize, similarity: Similarity, vectors: &[f32]) -> FlatIndex {
    let mut index = FlatIndex::new(dim, similarity, Value::Null).expect("a dimension");
    index.add(ids(0..vectors.len() / dim), vectors).expect("valid rows");
    index
}

/// Checks hits: each score is within its error bound, the hits are sorted by score and ord, and no row that is not a
/// hit is better than the last hit by more than the error bound.
fn check(
    index: &FlatIndex,
    vectors: &[f32],
    query: &[f32],
    k: usize,
    hits: &[Hit],
) -> Result<(), TestCaseError> {
    let dim = index.dim();
    let rows: Vec<&[f32]> = vectors.chunks(dim).collect();
    prop_assert_eq!(hits.len(), k.min(rows.len()));
    for hit in hits {
        let (expected, error) = score(index.similarity(), query, rows[hit.ord as usize]);
        prop_assert!((f64::from(hit.score) - expected).abs() <= error, "{} for {expected}", hit.score);
    }
    prop_assert!(hits.is_sorted_by(|a, b| ranking::by_rank(a, b).is_lt()));
    if let Some(last) = hits.last() {
        for (ord, row) in rows.iter().enumerate() {
            let (expected, error) = score(index.similarity(), query, row);
            let is_hit = hits.iter().any(|hit| hit.ord as usize == ord);
            prop_assert!(is_hit || expected - error <= f64::from(last.score), "row {ord} is better");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn searches_are_exact(dim in 1usize..40, rows in 1usize..300, k in 0usize..40, seed in any::<u64>()) {
        let vectors = uniform(rows, dim, seed);
        let queries = uniform(3, dim, !seed);
        for similarity in SIMILARITIES {
            let index = flat(dim, similarity, &vectors);
            for query in queries.chunks(dim) {
                let hits = index.search(query, k, &Control::new()).expect("a valid query");
                check(&index, &vectors, query, k, &hits)?;
            }
        }
    }
}

#[test]
fn hits_do_not_depend_on_other_queries_or_on_the_number_of_threads() -> Result<(), Error> {
    let (dim, k) = (19, 20);
    let (vectors, queries) = (uniform(9000, dim, 1), uniform(101, dim, 2));
    for similarity in SIMILARITIES {
        let index = flat(dim, similarity, &vectors);
        let alone: Vec<Vec<Hit>> = queries
            .chunks(dim)
            .map(|query| index.search(query, k, &Control::new()))
            .collect::<Result<_, _>>()?;
        for threads in [0, 1, 2, 5] {
            let control = Control::new();
            assert_eq!(index.search_many(&queries, k, threads, &control)?, alone);
            assert_eq!(control.done(), 101);
            // With few queries, the rows are split among the threads.
            assert_eq!(index.search_many(&queries[..2 * dim], k, threads, &Control::new())?, alone[..2]);
        }
    }
    Ok(())
}

#[test]
fn earlier_rows_come_first_among_equal_scores() -> Result<(), Error> {
    let vectors = [1.0, 0.0].repeat(5000);
    let index = flat(2, Similarity::Dot, &vectors);
    // With three threads, the rows are split into parts.
    for threads in [1, 3] {
        let hits = index.search_many(&[2.0, 1.0], 3, threads, &Control::new())?;
        assert_eq!(hits[0], [0, 1, 2].map(|ord| Hit { ord, score: 2.0 }));
    }
    // 0·(−1) is −0 and 0·1 is 0, which count as equal scores.
    let index = flat(1, Similarity::Dot, &[-1.0, 1.0]);
    assert_eq!(index.search(&[0.0], 2, &Control::new())?, [0, 1].map(|ord| Hit { ord, score: 0.0 }));
    Ok(())
}

#[test]
fn the_nearest_glove_words_equal_those_found_in_double_precision_except_for_ties() -> Result<(), Error> {
    let Some(folder) = shared("data/vectors/glove100-50k") else { return Ok(()) };
    let (dim, base) = fvecs(folder.join("base.fvecs.gz"));
    let (_, queries) = fvecs(folder.join("query.fvecs.gz"));
    let queries = &queries[..50 * dim];
    let files = [("ip", Similarity::Dot), ("cos", Similarity::Cosine), ("l2", Similarity::L2)];
    for (name, similarity) in files {
        // The ground truth, computed in double precision: the rows with the best scores, and these scores.
        let (k, expected) = vecs(folder.join(format!("gt.{name}.ivecs.gz")));
        let (_, scores) = fvecs(folder.join(format!("gt.{name}.score.fvecs.gz")));
        let index = flat(dim, similarity, &base);
        let found = index.search_many(queries, k, 0, &Control::new())?;
        for (at, (hits, query)) in found.iter().zip(queries.chunks(dim)).enumerate() {
            assert_eq!(hits.len(), k);
            let truth = at * k..(at + 1) * k;
            for (hit, (&ord, &exact)) in hits.iter().zip(expected[truth.clone()].iter().zip(&scores[truth])) {
                let exact = f64::from(if similarity == Similarity::L2 { -exact } else { exact });
                // The scores in the file are rounded to single precision.
                let (_, error) = score(similarity, query, &base[hit.ord as usize * dim..][..dim]);
                let error = error + exact.abs() * f64::from(f32::EPSILON);
                assert!((f64::from(hit.score) - exact).abs() <= error, "{name} query {at}: {hit:?}, {exact}");
                // Another row may be at this rank only if its score differs by no more than rounding errors.
                if hit.ord != ord {
                    let expected = score(similarity, query, &base[ord as usize * dim..][..dim]).0;
                    let got = score(similarity, query, &base[hit.ord as usize * dim..][..dim]).0;
                    assert!(
                        (expected - got).abs() <= 2.0 * error,
                        "{name} query {at}: {} for {ord}",
                        hit.ord
                    );
                }
            }
        }
    }
    Ok(())
}

#[test]
fn a_rejected_batch_changes_nothing_and_the_error_says_why() -> Result<(), Error> {
    let mut index = flat(2, Similarity::Cosine, &[1.0, 0.0]);
    let strings = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect::<Vec<_>>();
    let cases: [(&[&str], &[f32], &str); 7] = [
        (&["a"], &[1.0; 3], "add: expected vectors of dimension 2, got 3 values"),
        (&["a"], &[1.0; 4], "add: expected one id for each of 2 vectors, got 1 ids"),
        (&["a", ""], &[1.0; 4], "add: expected an id of one character or more, got an empty one at row 1"),
        (
            &["a", "b", "a"],
            &[1.0; 6],
            "add: expected an id that is new, got \"a\" at row 2, which is also at row 0",
        ),
        (
            &["a", "p0"],
            &[1.0; 4],
            "add: expected an id that is new, got \"p0\" at row 1, which is in the index",
        ),
        (&["a"], &[1.0, f32::INFINITY], "add: expected finite numbers, got inf at row 0, column 1"),
        (&["a"], &[0.0, 0.0], "add: expected nonzero vectors for cosine, got a zero vector at row 0"),
    ];
    for (ids, vectors, message) in cases {
        let error = index.add(strings(ids), vectors).expect_err("invalid");
        assert_eq!(error.to_string(), message);
        assert_eq!((index.len(), index.ord("a"), index.ord("b"), index.ord("p0")), (1, None, None, Some(0)));
    }
    let error = index.search(&[1.0, 2.0, 3.0], 1, &Control::new()).expect_err("invalid").to_string();
    assert_eq!(error, "search: expected vectors of dimension 2, got 3 values");
    assert!(matches!(
        index.search(&[f32::NAN, 1.0], 1, &Control::new()),
        Err(Error::NotFinite { column: 0, .. })
    ));
    assert!(matches!(
        FlatIndex::new(0, Similarity::Dot, Value::Null),
        Err(Error::Option { name: "dim", .. })
    ));
    index.add(strings(&["a", "b"]), &[0.0, 2.0, 3.0, 0.0])?;
    assert_eq!((index.len(), index.ord("b"), index.id(2)), (3, Some(2), "b"));
    Ok(())
}

#[test]
fn deleted_rows_are_never_hits_and_their_ids_can_be_added_again() -> Result<(), Error> {
    let mut index = flat(1, Similarity::Dot, &[1.0, 2.0, 3.0]);
    assert!(matches!(index.delete(&["p1", "nobody"]), Err(Error::UnknownId { .. })));
    assert_eq!(index.live_len(), 3);
    index.delete(&["p2", "p2"])?;
    assert_eq!((index.len(), index.live_len(), index.ord("p2")), (3, 2, None));
    assert_eq!(
        index.search(&[1.0], 9, &Control::new())?,
        [Hit { ord: 1, score: 2.0 }, Hit { ord: 0, score: 1.0 }]
    );
    index.add(vec!["p2".to_owned()], &[0.5])?;
    assert_eq!((index.ord("p2"), index.id(3)), (Some(3), "p2"));

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    index.save(&path)?;
    let mut opened = FlatIndex::open(&path)?;
    assert_eq!((opened.len(), opened.live_len(), opened.ord("p2")), (4, 3, Some(3)));
    opened.compact();
    assert_eq!((opened.len(), opened.ord("p2"), &*opened.vector(2)), (3, Some(2), &[0.5][..]));
    Ok(())
}

#[test]
fn a_filtered_search_returns_the_best_of_the_allowed_rows() -> Result<(), Error> {
    let (dim, k) = (7, 10);
    let (vectors, queries) = (uniform(3000, dim, 3), uniform(4, dim, 4));
    let index = flat(dim, Similarity::L2, &vectors);
    // One in `divisor` rows is allowed. If all or half of the rows are allowed, a search for one query scores whole
    // blocks of rows; if one in 100 is allowed, it scores only the allowed rows.
    for divisor in [1, 2, 100] {
        let allows = |ord: u32| ord.is_multiple_of(divisor);
        let many = index.search_many_filtered(&queries, k, 2, Some(&allows), &Control::new())?;
        for (query, many) in queries.chunks(dim).zip(many) {
            let mut expected = index.search(query, 3000, &Control::new())?;
            expected.retain(|hit| allows(hit.ord));
            expected.truncate(k);
            assert_eq!(many, expected);
            assert_eq!(index.search_filtered(query, k, Some(&allows), &Control::new())?, expected);
        }
    }
    Ok(())
}

#[test]
fn an_opened_index_equals_the_saved_one_and_accepts_more_rows() -> Result<(), Error> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let (dim, k) = (13, 30);
    let (vectors, queries) = (uniform(500, dim, 5), uniform(60, dim, 6));
    for similarity in SIMILARITIES {
        let (first, second) = vectors.split_at(301 * dim);
        let mut index = FlatIndex::new(dim, similarity, json!({"model": "m"}))?;
        index.add(ids(0..301), first)?;
        index.save(&path)?;

        let mut opened = FlatIndex::open(&path)?;
        assert_eq!((opened.len(), opened.dim(), opened.similarity()), (301, dim, similarity));
        assert_eq!(
            (opened.metadata(), opened.id(300), opened.ord("p7")),
            (&json!({"model": "m"}), "p300", Some(7))
        );
        let search = |index: &FlatIndex| index.search_many(&queries, k, 2, &Control::new());
        assert_eq!(search(&opened)?, search(&index)?);

        assert!(matches!(
            opened.add(ids(300..302), &second[..2 * dim]),
            Err(Error::DuplicateId { row: 0, .. })
        ));
        opened.add(ids(301..500), second)?;
        index.add(ids(301..500), second)?;
        assert_eq!(search(&opened)?, search(&index)?);
        assert_eq!((opened.id(300), opened.id(301), opened.ord("p499")), ("p300", "p301", Some(499)));

        // Saving replaces the file that the index is mapped from.
        opened.save(&path)?;
        assert_eq!(search(&opened)?, search(&index)?);
        let bytes = std::fs::read(&path).expect("readable");
        index.save(&path)?;
        assert_eq!(std::fs::read(&path).expect("readable"), bytes, "equal indexes have equal files");
        assert_eq!(search(&FlatIndex::open(&path)?)?, search(&index)?);
    }
    Ok(())
}

#[test]
fn a_flat_writer_writes_the_file_of_an_index_with_the_same_rows() -> Result<(), Error> {
    let folder = tempfile::tempdir().expect("a folder");
    let (streamed, saved) = (folder.path().join("streamed"), folder.path().join("saved"));
    let vectors = uniform(50, 3, 7);
    for similarity in SIMILARITIES {
        let mut writer = FlatWriter::create(&streamed, 3, similarity)?;
        for (at, batch) in vectors.chunks(4 * 3).enumerate() {
            writer.push(&ids(at * 4..at * 4 + batch.len() / 3), batch)?;
            // A batch with an id that was already written is rejected, and none of it is written.
            assert!(matches!(writer.push(&["new", "p0"], &[1.0; 6]), Err(Error::DuplicateId { row: 1, .. })));
        }
        assert_eq!(writer.len(), 50);
        writer.finish(&Value::Null)?;
        flat(3, similarity, &vectors).save(&saved)?;
        assert!(std::fs::read(&streamed).expect("readable") == std::fs::read(&saved).expect("readable"));
    }
    Ok(())
}

#[test]
fn an_empty_index_can_be_searched_saved_and_opened() -> Result<(), Error> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    FlatIndex::new(3, Similarity::Dot, Value::Null)?.save(&path)?;
    let index = FlatIndex::open(&path)?;
    assert!(index.is_empty());
    assert!(index.search(&[1.0; 3], 5, &Control::new())?.is_empty());
    assert_eq!(index.search_many(&[1.0; 6], 5, 2, &Control::new())?, [[], []]);
    assert!(index.search_many(&[], 5, 2, &Control::new())?.is_empty());
    Ok(())
}

#[test]
fn a_canceled_search_stops() {
    let index = flat(1, Similarity::Dot, &[1.0; 100]);
    let control = Control::new();
    control.cancel();
    assert!(matches!(index.search(&[1.0], 1, &control), Err(Error::Canceled(_))));
    assert!(matches!(index.search_many(&[1.0], 1, 2, &control), Err(Error::Canceled(_))));
}
