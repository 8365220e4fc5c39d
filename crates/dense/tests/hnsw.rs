//! Tests of the HNSW index: its recall, measured against the flat index, and its other guarantees.

mod common;

use std::path::Path;

use common::graph::{SMALL, bytes, flat, hnsw, recall};
use common::{SIMILARITIES, clustered, fvecs, ids, shared, uniform};
use control::Control;
use dense::{DEFAULT_EF_SEARCH, Error, FlatIndex, HnswIndex, HnswOptions, InnerProduct, Similarity};
use ranking::Hit;
use serde_json::{Value, json};

/// Searches with the queries in batches of 32: so few queries do not share a scan of all codes, and each query runs a
/// beam search of its own.
fn beam_search_many(index: &HnswIndex, queries: &[f32], k: usize, ef: usize) -> Result<Vec<Vec<Hit>>, Error> {
    let batches = queries.chunks(32 * index.dim());
    let found = batches.map(|batch| index.search_many(batch, k, ef, 0, &Control::new()));
    Ok(found.collect::<Result<Vec<_>, _>>()?.concat())
}

#[test]
fn nearly_all_of_the_ten_best_clustered_rows_are_found() -> Result<(), Error> {
    let dim = 24;
    let vectors_and_queries = clustered(8100, dim, 80, 1);
    let (vectors, queries) = vectors_and_queries.split_at(8000 * dim);
    for similarity in SIMILARITIES {
        let exact = flat(dim, similarity, vectors).search_many(queries, 10, 0, &Control::new())?;
        for inner_product in [InnerProduct::AugmentedL2, InnerProduct::Graph] {
            if similarity != Similarity::Dot && inner_product == InnerProduct::Graph {
                continue; // The option is for inner products only.
            }
            let options = HnswOptions { inner_product, ..SMALL };
            // The recall of graphs that several threads build varies from run to run: by 0.05 for L2, and by less than
            // 0.01 for the other similarities.
            let threads = if similarity == Similarity::L2 { 1 } else { 0 };
            let index = hnsw(dim, similarity, options, vectors, threads);
            let found = beam_search_many(&index, queries, 10, DEFAULT_EF_SEARCH)?;
            let recall = recall(&exact, &found);
            eprintln!("{similarity:?} {inner_product:?}: recall@10 {recall}");
            assert!(recall >= 0.95, "{similarity:?} {inner_product:?}: recall@10 {recall}");
        }
    }
    Ok(())
}

#[test]
fn nearly_all_of_the_nearest_glove_words_are_found() -> Result<(), Error> {
    let Some(folder) = shared("data/vectors/glove100-50k") else { return Ok(()) };
    let (dim, base) = fvecs(folder.join("base.fvecs.gz"));
    let (_, queries) = fvecs(folder.join("query.fvecs.gz"));
    let (base, queries) = (&base[..10_000 * dim], &queries[..100 * dim]);
    let graph = HnswOptions { inner_product: InnerProduct::Graph, ..SMALL };
    for (similarity, options) in [(Similarity::Dot, graph), (Similarity::L2, SMALL)] {
        let exact = flat(dim, similarity, base).search_many(queries, 10, 0, &Control::new())?;
        let index = hnsw(dim, similarity, options, base, 0);
        let found = beam_search_many(&index, queries, 10, DEFAULT_EF_SEARCH)?;
        let recall = recall(&exact, &found);
        eprintln!("{similarity:?}: recall@10 {recall}");
        assert!(recall >= 0.95, "{similarity:?}: recall@10 {recall}");
    }
    Ok(())
}

#[test]
fn one_thread_builds_the_same_graph_from_any_batches_except_with_augmented_vectors() -> Result<(), Error> {
    let dim = 5;
    let vectors = uniform(600, dim, 2);
    for similarity in SIMILARITIES {
        let at_once = hnsw(dim, similarity, SMALL, &vectors, 1);
        let mut batches = HnswIndex::new(dim, similarity, SMALL, Value::Null)?;
        let mut start = 0;
        for size in [1, 2, 300, 297] {
            let batch = &vectors[start * dim..(start + size) * dim];
            batches.add(ids(start..start + size), batch, 1, &Control::new())?;
            start += size;
        }
        // The option `AugmentedL2` applies to inner products only. With it, the maximum length φ grows from batch to
        // batch, so the graphs differ.
        if similarity != Similarity::Dot {
            assert!(bytes(&at_once) == bytes(&batches), "{similarity:?}");
        }
        assert!(bytes(&at_once) == bytes(&hnsw(dim, similarity, SMALL, &vectors, 1)));
        let other_seed = HnswOptions { seed: 43, ..SMALL };
        assert!(bytes(&at_once) != bytes(&hnsw(dim, similarity, other_seed, &vectors, 1)));
    }
    Ok(())
}

#[test]
fn hits_do_not_depend_on_other_queries_or_on_the_number_of_threads() -> Result<(), Error> {
    let dim = 8;
    let (vectors, queries) = (uniform(2000, dim, 3), uniform(40, dim, 4));
    let index = hnsw(dim, Similarity::Dot, SMALL, &vectors, 4);
    let alone: Vec<Vec<Hit>> = queries
        .chunks(dim)
        .map(|query| index.search(query, 5, 20, &Control::new()))
        .collect::<Result<_, _>>()?;
    for threads in [0, 1, 3] {
        let control = Control::new();
        assert_eq!(index.search_many(&queries, 5, 20, threads, &control)?, alone);
        assert_eq!(control.done(), 40);
    }
    Ok(())
}

#[test]
fn an_opened_index_equals_the_saved_one_before_and_after_rows_are_added() -> Result<(), Error> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let dim = 6;
    let (vectors, queries) = (uniform(1500, dim, 5), uniform(20, dim, 6));
    let (first, second) = vectors.split_at(1000 * dim);
    for similarity in SIMILARITIES {
        let mut index = HnswIndex::new(dim, similarity, SMALL, json!({"model": "m"}))?;
        index.add(ids(0..1000), first, 1, &Control::new())?;
        index.save(&path)?;
        let mut opened = HnswIndex::open(&path)?;
        assert_eq!((opened.len(), opened.dim(), opened.similarity()), (1000, dim, similarity));
        assert_eq!((opened.metadata(), opened.options()), (&json!({"model": "m"}), &SMALL));
        let search = |index: &HnswIndex| index.search_many(&queries, 10, 20, 2, &Control::new());
        assert_eq!(search(&opened)?, search(&index)?);
        assert!(opened.memory_bytes() < index.memory_bytes() / 4, "vectors and the graph stay in the file");

        opened.add(ids(1000..1500), second, 1, &Control::new())?;
        index.add(ids(1000..1500), second, 1, &Control::new())?;
        assert_eq!(search(&opened)?, search(&index)?);
        opened.save(&path)?;
        assert!(std::fs::read(&path).expect("readable") == bytes(&index));
    }
    Ok(())
}

#[test]
fn a_graph_can_be_built_from_a_flat_index_in_a_file() -> Result<(), Error> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let vectors = uniform(800, 4, 7);
    let mut index = flat(4, Similarity::Dot, &vectors);
    index.save(&path)?;
    let opened = HnswIndex::from_flat(FlatIndex::open(&path)?, SMALL, 1, &Control::new())?;
    assert!(bytes(&opened) == bytes(&hnsw(4, Similarity::Dot, SMALL, &vectors, 1)));

    // Rows that are deleted before the graph is built get no neighbors. An index that has only such rows can be saved,
    // opened, searched and extended.
    index.delete(&ids(0..800))?;
    let all_deleted = HnswIndex::from_flat(index, SMALL, 2, &Control::new())?;
    all_deleted.save(&path)?;
    let mut opened = HnswIndex::open(&path)?;
    assert!(opened.search(&[1.0; 4], 3, 100, &Control::new())?.is_empty());
    opened.add(ids(0..800), &vectors, 1, &Control::new())?;
    assert_eq!(opened.search(&[1.0; 4], 3, 10, &Control::new())?.len(), 3);
    Ok(())
}

#[test]
fn a_search_returns_k_hits_even_if_rows_are_equal_or_unreachable() -> Result<(), Error> {
    for similarity in SIMILARITIES {
        // 2,000 equal rows and three others.
        let mut vectors = [1.0, 2.0].repeat(2000);
        vectors.extend([5.0, 0.0, 0.0, 5.0, -1.0, -2.0]);
        for threads in [1, 4] {
            let index = hnsw(2, similarity, SMALL, &vectors, threads);
            let query = [1.0, 2.0];
            for k in [1, 10, 100, 2003, 5000] {
                let hits = index.search(&query, k, 10, &Control::new())?;
                assert_eq!(hits.len(), k.min(2003), "{similarity:?} {k}");
            }
            let exact = flat(2, similarity, &vectors).search(&query, 2003, &Control::new())?;
            assert_eq!(index.search(&query, usize::MAX, 10, &Control::new())?, exact);
        }
    }
    Ok(())
}

#[test]
fn a_row_among_many_equal_ones_can_be_found() -> Result<(), Error> {
    // Each point of a 6 × 6 grid has 100 equal rows, except for point 20, at (2, 3), which has only row 2000.
    let mut vectors = Vec::new();
    for point in 0..36 {
        vectors.extend([(point % 6) as f32, (point / 6) as f32].repeat(if point == 20 { 1 } else { 100 }));
    }
    let index = hnsw(2, Similarity::L2, SMALL, &vectors, 1);
    let hits = index.search(&[2.0, 3.0], 1, 40, &Control::new())?;
    assert_eq!((index.id(hits[0].ord), hits[0].score), ("p2000", 0.0));
    Ok(())
}

#[test]
fn deleted_rows_are_never_hits_and_their_ids_can_be_added_again() -> Result<(), Error> {
    let dim = 6;
    let (vectors, queries) = (uniform(3000, dim, 8), uniform(30, dim, 9));
    let (mut index, mut exact) =
        (hnsw(dim, Similarity::Cosine, SMALL, &vectors, 0), flat(dim, Similarity::Cosine, &vectors));
    assert!(matches!(index.delete(&["p1", "nobody"]), Err(Error::UnknownId { .. })));
    // Deletes all rows except those with an even ord, and then all except those with an ord divisible by 100.
    for divisor in [2, 100] {
        let deleted: Vec<String> =
            (0..3000).filter(|row| row % divisor != 0).map(|row| format!("p{row}")).collect();
        let deleted: Vec<String> = deleted.into_iter().filter(|id| index.ord(id).is_some()).collect();
        index.delete(&deleted)?;
        exact.delete(&deleted)?;
        assert_eq!(index.live_len(), 3000 / divisor);
        let expected = exact.search_many(&queries, 10, 1, &Control::new())?;
        let found = index.search_many(&queries, 10, 60, 1, &Control::new())?;
        assert!(found.iter().flatten().all(|hit| hit.ord.is_multiple_of(divisor as u32)));
        assert!(recall(&expected, &found) >= 0.95);
    }
    index.add(vec!["p1".to_owned()], &queries[..dim], 1, &Control::new())?;
    let hits = index.search(&queries[..dim], 1, 60, &Control::new())?;
    assert_eq!((hits[0].ord, index.id(3000), index.ord("p1")), (3000, "p1", Some(3000)));

    index.compact(0, &Control::new())?;
    assert_eq!((index.len(), index.live_len(), index.ord("p1")), (31, 31, Some(30)));
    assert_eq!(index.search(&queries[..dim], 99, 60, &Control::new())?.len(), 31);
    Ok(())
}

#[test]
fn a_canceled_add_leaves_the_index_as_it_was() -> Result<(), Error> {
    let dim = 6;
    let vectors = uniform(3000, dim, 12);
    let (first, second) = vectors.split_at(1000 * dim);
    for threads in [1, 3] {
        let mut index = hnsw(dim, Similarity::Dot, SMALL, first, 1);
        let before = bytes(&index);
        let control = Control::new();
        let canceled = std::thread::scope(|scope| {
            scope.spawn(|| {
                while control.done() < 50 {
                    std::thread::yield_now();
                }
                control.cancel();
            });
            index.add(ids(1000..3000), second, threads, &control)
        });
        assert!(matches!(canceled, Err(Error::Canceled(_))), "{} rows were added", control.done());
        assert_eq!((index.len(), index.ord("p1000")), (1000, None));
        assert!(bytes(&index) == before);
        index.add(ids(1000..3000), second, threads, &Control::new())?;
        assert_eq!(index.len(), 3000);
    }
    Ok(())
}

#[test]
fn recall_stays_high_if_longer_rows_are_added_later() -> Result<(), Error> {
    let dim = 8;
    let (vectors, queries) = (uniform(3000, dim, 13), uniform(50, dim, 14));
    // Rows in the second half are four times as long, so the maximum length φ grows when they are added.
    let vectors: Vec<f32> =
        vectors.iter().enumerate().map(|(at, x)| if at < 1500 * dim { *x } else { 4.0 * x }).collect();
    let mut index = HnswIndex::new(dim, Similarity::Dot, SMALL, Value::Null)?;
    for (at, batch) in vectors.chunks(500 * dim).enumerate() {
        index.add(ids(at * 500..(at + 1) * 500), batch, 1, &Control::new())?;
    }
    let exact = flat(dim, Similarity::Dot, &vectors).search_many(&queries, 10, 1, &Control::new())?;
    let recall = recall(&exact, &index.search_many(&queries, 10, 60, 1, &Control::new())?);
    assert!(recall >= 0.95, "recall@10 {recall}");
    Ok(())
}

#[test]
fn invalid_options_and_rows_are_rejected() -> Result<(), Error> {
    let options = |m, ef_construction| HnswOptions { m, ef_construction, ..SMALL };
    for (options, name) in
        [(options(1, 10), "m"), (options(2000, 10), "m"), (options(8, 0), "ef_construction")]
    {
        let error = HnswIndex::new(2, Similarity::Dot, options, Value::Null).expect_err("invalid");
        assert!(error.to_string().starts_with(&format!("{name}: expected ")), "{error}");
    }
    let mut index = hnsw(2, Similarity::Dot, SMALL, &[1.0, 2.0], 1);
    let before = bytes(&index);
    let add = |index: &mut HnswIndex, id: &str, vector: &[f32]| {
        index.add(vec![id.to_owned()], vector, 1, &Control::new()).expect_err("invalid")
    };
    assert!(matches!(add(&mut index, "a", &[1.0]), Error::Dimension { .. }));
    assert!(matches!(add(&mut index, "a", &[1.0, f32::NAN]), Error::NotFinite { column: 1, .. }));
    assert!(matches!(add(&mut index, "p0", &[1.0, 2.0]), Error::DuplicateId { first: None, .. }));
    assert!(bytes(&index) == before);
    assert!(matches!(index.search(&[1.0], 1, 10, &Control::new()), Err(Error::Dimension { .. })));
    Ok(())
}

#[test]
fn a_file_of_another_kind_of_index_is_rejected() -> Result<(), Error> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    flat(2, Similarity::Dot, &[1.0, 2.0]).save(&path)?;
    let error = HnswIndex::open(&path).expect_err("a flat index");
    assert!(matches!(error, Error::Storage(storage::Error::Corrupt { .. })));
    assert!(error.to_string().contains("expected a HNSW index file"), "{error}");
    assert!(error.to_string().contains("PKFLAT"), "{error}");
    hnsw(2, Similarity::Dot, SMALL, &[1.0, 2.0], 1).save(&path)?;
    assert!(matches!(FlatIndex::open(&path), Err(Error::Storage(storage::Error::Corrupt { .. }))));
    assert!(matches!(
        HnswIndex::open(Path::new("no such file")),
        Err(Error::Storage(storage::Error::Io { .. }))
    ));
    Ok(())
}
