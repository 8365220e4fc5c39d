//! Tests of the search strategies and the layouts of HNSW indexes: all of them have a high recall. Graphs are built on
//! one thread, so that they are the same in every run.
//!
//! The recall of each index is measured against a flat index of the same vectors, called `exact`.

mod common;

use common::graph::{SMALL, bytes, flat, hnsw, recall};
use common::{clustered, uniform};
use control::Control;
use dense::calibration::SearchCosts;
use dense::{Error, FlatIndex, HnswIndex, HnswOptions, InnerProduct, Layout, RowSet, Similarity};

#[test]
fn a_compact_index_is_smaller_by_the_size_of_the_sketches_and_has_a_high_recall_too() -> Result<(), Error> {
    let dim = 200;
    let (vectors, queries) = (clustered(8000, dim, 100, 31), clustered(50, dim, 100, 31));
    let exact = flat(dim, Similarity::Dot, &vectors).search_many(&queries, 10, 0, &Control::new())?;
    let [fast, compact] = [Layout::Fast, Layout::Compact].map(|layout| {
        // With `AugmentedL2`, whether a search reaches the cluster of a query depends on the order in which rows are
        // inserted, and on the seed.
        let options = HnswOptions { layout, inner_product: InnerProduct::Graph, ..SMALL };
        let index = hnsw(dim, Similarity::Dot, options, &vectors, 1);
        let found = index.search_many(&queries, 10, 150, 1, &Control::new()).expect("hits");
        (recall(&exact, &found), bytes(&index))
    });
    assert!(fast.0 >= 0.99 && compact.0 >= 0.99, "{} and {}", fast.0, compact.0);
    let saved = fast.1.len() - compact.1.len();
    // 64 bytes per row, and some bytes in the file's table of sections.
    assert!((8000 * 64..8000 * 64 + 1000).contains(&saved), "{saved} bytes");
    // The file records the layout of the index, so the index can be opened and extended.
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    std::fs::write(&path, &compact.1).expect("writable");
    let mut opened = HnswIndex::open(&path)?;
    opened.verify()?;
    opened.add(vec!["new".to_owned()], &queries[..dim], 1, &Control::new())?;
    assert_eq!(opened.search(&queries[..dim], 1, 50, &Control::new())?.len(), 1);
    Ok(())
}

/// Builds an HNSW and a flat index of the vectors, and deletes these ids from both.
fn build_without(
    deleted: &[&str],
    dim: usize,
    similarity: Similarity,
    vectors: &[f32],
) -> Result<(HnswIndex, FlatIndex), Error> {
    let (mut index, mut exact) = (hnsw(dim, similarity, SMALL, vectors, 1), flat(dim, similarity, vectors));
    index.delete(deleted)?;
    exact.delete(deleted)?;
    Ok((index, exact))
}

#[test]
fn a_large_batch_has_at_least_the_recall_of_a_small_one() -> Result<(), Error> {
    // Rows have codes of 8 bits, of 4 bits, and of 4 bits with biases and sketches. The queries of the small batch run
    // beam searches. The queries of the large batch share a scan of all codes.
    for (dim, similarity, have_sketches) in
        [(6, Similarity::Cosine, false), (70, Similarity::Dot, false), (130, Similarity::L2, true)]
    {
        // Kernels that score few rows at a time share a scan only if beam searches expand more candidates.
        let costs = SearchCosts::detect(have_sketches);
        let ef = (60..).find(|&ef| costs.prefer_batch_code_scan(4000, ef)).expect("an `ef`");
        let (vectors, queries) = (uniform(4000, dim, 21), uniform(100, dim, 22));
        let (index, exact) = build_without(&["p7", "p77", "p777"], dim, similarity, &vectors)?;
        let expected = exact.search_many(&queries, 20, 1, &Control::new())?;
        let search = |count: usize, threads| {
            index.search_many(&queries[..count * dim], 20, ef, threads, &Control::new())
        };
        let (small, large) = (search(50, 1)?, search(100, 1)?);
        assert_eq!(search(100, 3)?, large);
        let recalls = [recall(&expected[..50], &small), recall(&expected[..50], &large[..50])];
        assert!(recalls[1] >= recalls[0] && recall(&expected, &large) >= 0.98, "{dim}: {recalls:?}");
    }
    Ok(())
}

#[test]
fn the_recall_of_a_large_batch_rises_with_ef() -> Result<(), Error> {
    // The quantization errors are large in relation to the differences of scores, so that many candidates are needed.
    let (vectors, queries) = (uniform(4000, 70, 51), uniform(100, 70, 52));
    let (index, exact) = (hnsw(70, Similarity::Dot, SMALL, &vectors, 1), flat(70, Similarity::Dot, &vectors));
    assert!(SearchCosts::detect(false).prefer_batch_code_scan(4000, 250), "the batch shares a scan");
    let expected = exact.search_many(&queries, 100, 1, &Control::new())?;
    let recall_of =
        |ef| Ok::<_, Error>(recall(&expected, &index.search_many(&queries, 100, ef, 1, &Control::new())?));
    let (low, high) = (recall_of(250)?, recall_of(2000)?);
    assert!(low < 0.9985 && high > 0.999, "{low} and {high}");
    Ok(())
}

#[test]
fn codes_are_scanned_if_a_beam_search_would_take_longer() -> Result<(), Error> {
    // Rows have codes of 4 bits with sketches, of 4 bits, and of 8 bits.
    for (dim, similarity, have_sketches) in
        [(200, Similarity::Dot, true), (100, Similarity::L2, false), (20, Similarity::Cosine, false)]
    {
        let costs = SearchCosts::detect(have_sketches);
        let ef = (200..).find(|&ef| costs.prefer_code_scan(3000, 20, ef, SMALL.m)).expect("an `ef`");
        let (vectors, queries) = (uniform(3000, dim, 41), uniform(30, dim, 42));
        let (index, exact) = build_without(&["p0", "p1234"], dim, similarity, &vectors)?;
        let expected = exact.search_many(&queries, 20, 1, &Control::new())?;
        let search = |ef| index.search_many(&queries, 20, ef, 1, &Control::new());
        let recalls = [recall(&expected, &search(20)?), recall(&expected, &search(ef)?)];
        // The recall shows which strategy was chosen. Uniform vectors are all about equally far from a query, so a beam
        // search misses many of the best rows, while a code scan finds nearly all of them.
        assert!(recalls[0] < 0.9 && recalls[1] >= 0.99, "{dim}: {recalls:?}");
    }
    Ok(())
}

#[test]
fn filtered_searches_have_a_high_recall_for_any_share_of_allowed_rows() -> Result<(), Error> {
    let dim = 6;
    let (vectors, queries) = (uniform(4000, dim, 10), uniform(20, dim, 11));
    let (index, exact) = (hnsw(dim, Similarity::L2, SMALL, &vectors, 1), flat(dim, Similarity::L2, &vectors));
    // One in `divisor` rows is allowed; with 5000, none.
    for divisor in [1, 2, 5, 50, 1000, 5000] {
        let allows = |ord: u32| ord % divisor == divisor - 1;
        let expected = exact.search_many_filtered(&queries, 10, 1, Some(&allows), &Control::new())?;
        let found = index.search_many_filtered(&queries, 10, 60, 1, Some(&allows), &Control::new())?;
        if divisor <= 1000 {
            let recall = recall(&expected, &found);
            assert!(recall >= 0.95, "one in {divisor}: recall@10 {recall}");
        }
        assert!(found.iter().flatten().all(|hit| allows(hit.ord)));
    }
    // A filter that is a set returns the same hits as one that is a function.
    let set: RowSet = (0..4000).filter(|ord| ord % 2 == 1).collect();
    let allows = |ord: u32| ord % 2 == 1;
    let search = |filter| index.search_many_filtered(&queries, 10, 20, 1, Some(filter), &Control::new());
    assert_eq!(search(&set)?, search(&allows)?);
    // A filter that allows four consecutive rows.
    let allows = |ord: u32| (1001..1005).contains(&ord);
    assert_eq!(index.search_filtered(&queries[..dim], 10, 60, Some(&allows), &Control::new())?.len(), 4);
    Ok(())
}

#[test]
fn filtered_searches_find_allowed_rows_that_are_far_from_the_query() -> Result<(), Error> {
    let dim = 6;
    let (vectors, queries) = (uniform(12_000, dim, 15), uniform(20, dim, 16));
    let (index, exact) = (hnsw(dim, Similarity::L2, SMALL, &vectors, 1), flat(dim, Similarity::L2, &vectors));
    for divisor in [2, 4] {
        for query in queries.chunks_exact(dim) {
            // Only the farthest half or quarter of the rows is allowed, so that the graph leads a search away from
            // them.
            let ranked = exact.search(query, 12_000, &Control::new())?;
            let allowed: RowSet = ranked[12_000 - 12_000 / divisor..].iter().map(|hit| hit.ord).collect();
            let expected = exact.search_filtered(query, 10, Some(&allowed), &Control::new())?;
            let found = index.search_filtered(query, 10, 20, Some(&allowed), &Control::new())?;
            let recall = recall(&[expected], &[found]);
            assert!(recall >= 0.9, "one in {divisor}: recall@10 {recall}");
        }
    }
    Ok(())
}
