//! Tests of the growing index, against a flat index of the same vectors. Graphs are built on one thread, so that they
//! are the same in every run.

mod common;

use common::graph::{SMALL, flat, hnsw, recall};
use common::{SIMILARITIES, clustered, ids, uniform};
use control::Control;
use dense::{
    Allow, Error, Filter, FlatIndex, GrowingIndex, HnswIndex, HnswOptions, InnerProduct, OpenOptions, RowSet,
    Similarity,
};
use numerics::SplitMix64;
use ranking::Hit;
use serde_json::json;

/// Creates an index of these vectors, all of them pending.
fn growing(dim: usize, similarity: Similarity, vectors: &[f32]) -> GrowingIndex {
    let mut index = GrowingIndex::new(dim, similarity, SMALL).expect("valid options");
    let rows = vectors.len() / dim;
    assert_eq!(index.append(vectors).expect("valid vectors"), 0..rows as u32);
    assert_eq!((index.len(), index.live_len(), index.pending()), (rows, rows, rows));
    index
}

/// Inserts pending rows on one thread, in slices of up to seven rows, until `remaining` rows are pending.
fn insert_until(index: &mut GrowingIndex, remaining: usize) {
    while index.pending() > remaining {
        let (before, max_rows) = (index.pending(), 7.min(index.pending() - remaining));
        let taken = index.insert_pending(max_rows, 1, &Control::new()).expect("not canceled");
        assert!((1..=max_rows).contains(&taken) && before == index.pending() + taken);
    }
}

/// Searches with each of the queries `[q * dim]` by itself.
fn search_each(
    index: &GrowingIndex,
    queries: &[f32],
    k: usize,
    ef: usize,
    filter: Option<Filter>,
) -> Vec<Vec<Hit>> {
    let search = |query| index.search(query, k, ef, filter, &Control::new()).expect("a valid query");
    queries.chunks_exact(index.dim()).map(search).collect()
}

/// Returns the exact hits of each of the queries `[q * dim]`.
fn exact_hits(
    flat: &FlatIndex,
    queries: &[f32],
    k: usize,
    filter: Option<Filter>,
) -> Result<Vec<Vec<Hit>>, Error> {
    flat.search_many_filtered(queries, k, 1, filter, &Control::new())
}

#[test]
fn few_pending_rows_are_searched_exactly_and_many_with_a_high_recall() -> Result<(), Error> {
    for similarity in SIMILARITIES {
        // Rows of these dimensions have codes of 8 bits, of 4 bits, and of 4 bits with sketches.
        for dim in [7, 100, 150] {
            let (vectors, queries) = (uniform(3000, dim, 1), uniform(20, dim, 2));
            for rows in [1, 63, 250] {
                let vectors = &vectors[..rows * dim];
                let index = growing(dim, similarity, vectors);
                let expected = exact_hits(&flat(dim, similarity, vectors), &queries, 10, None)?;
                assert_eq!(
                    search_each(&index, &queries, 10, 1, None),
                    expected,
                    "{similarity:?} {dim} {rows}"
                );
            }
            let index = growing(dim, similarity, &vectors);
            let expected = exact_hits(&flat(dim, similarity, &vectors), &queries, 10, None)?;
            let recall = recall(&expected, &search_each(&index, &queries, 10, 1, None));
            assert!(recall >= 0.99, "{similarity:?} {dim}: recall@10 {recall}");
            // All rows are scored by their vectors if k is at least a quarter of the number of rows.
            let expected = exact_hits(&flat(dim, similarity, &vectors), &queries, 750, None)?;
            assert_eq!(search_each(&index, &queries, 750, 1, None), expected);
        }
    }
    Ok(())
}

#[test]
fn nearly_all_of_the_best_rows_are_found_however_many_are_in_the_graph() -> Result<(), Error> {
    let dim = 24;
    let all = clustered(8100, dim, 80, 1);
    let (vectors, queries) = all.split_at(8000 * dim);
    for similarity in SIMILARITIES {
        let flat = flat(dim, similarity, vectors);
        let expected = exact_hits(&flat, queries, 10, None)?;
        let mut index = growing(dim, similarity, vectors);
        for remaining in [7990, 4000, 100, 0] {
            insert_until(&mut index, remaining);
            let found = search_each(&index, queries, 10, 128, None);
            let recall = recall(&expected, &found);
            assert!(recall >= 0.95, "{similarity:?}, {remaining} pending: recall@10 {recall}");
            let exact = queries
                .chunks_exact(dim)
                .map(|query| index.search_exact(query, 10, None, &Control::new()))
                .collect::<Result<Vec<_>, _>>()?;
            assert_eq!(exact, expected);
        }
        // Once all rows are in the graph, the graph equals that of an HNSW index.
        let hnsw = hnsw(dim, similarity, SMALL, vectors, 1);
        let search = |query| hnsw.search(query, 10, 128, &Control::new());
        let found = queries.chunks_exact(dim).map(search).collect::<Result<Vec<_>, _>>()?;
        assert!(search_each(&index, queries, 10, 128, None) == found, "{similarity:?}");
    }
    Ok(())
}

#[test]
fn rows_longer_than_all_earlier_ones_are_found_too() -> Result<(), Error> {
    let dim = 16;
    let options = HnswOptions { inner_product: InnerProduct::AugmentedL2, ..SMALL };
    let mut index = GrowingIndex::new(dim, Similarity::Dot, options)?;
    let mut vectors = clustered(6000, dim, 60, 3);
    // The second half of the rows is three times as long as the first.
    vectors[3000 * dim..].iter_mut().for_each(|value| *value *= 3.0);
    for (at, batch) in vectors.chunks(1000 * dim).enumerate() {
        index.append(batch)?;
        insert_until(&mut index, if at == 5 { 0 } else { 300 });
    }
    let queries = clustered(50, dim, 60, 3);
    let expected = exact_hits(&flat(dim, Similarity::Dot, &vectors), &queries, 10, None)?;
    let recall = recall(&expected, &search_each(&index, &queries, 10, 200, None));
    assert!(recall >= 0.95, "recall@10 {recall}");
    Ok(())
}

#[test]
fn an_opened_index_equals_the_saved_one_with_its_pending_rows() -> Result<(), Error> {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, again) = (folder.path().join("index"), folder.path().join("again"));
    let dim = 140;
    let (vectors, queries) = (uniform(2500, dim, 5), uniform(10, dim, 6));
    let (first, second) = vectors.split_at(2000 * dim);
    for similarity in SIMILARITIES {
        let mut index = growing(dim, similarity, first);
        // Row 3 gets no neighbors, because it is deleted when it is inserted into the graph. It is pending again in the
        // opened indexes, in which all rows are live.
        index.set_deleted(RowSet::from_iter([3, 1999]));
        insert_until(&mut index, 600);
        index.save(&path, &json!({"model": "m"}))?;
        index.set_deleted(RowSet::new());
        for in_memory in [false, true] {
            let (mut opened, metadata) =
                GrowingIndex::open_with(&path, OpenOptions { in_memory, verify: true })?;
            assert_eq!(metadata, json!({"model": "m"}));
            assert_eq!((opened.len(), opened.live_len(), opened.pending()), (2000, 2000, 601));
            assert_eq!((opened.dim(), opened.similarity(), opened.options()), (dim, similarity, &SMALL));
            assert!((0..2000).all(|row| opened.vector(row) == index.vector(row)));
            assert!(in_memory || opened.memory_bytes() < index.memory_bytes() / 10);
            let hits = |index: &GrowingIndex| search_each(index, &queries, 10, 30, None);
            assert_eq!(hits(&opened), hits(&index));
            opened.save(&again, &metadata)?;
            assert!(std::fs::read(&again).expect("readable") == std::fs::read(&path).expect("readable"));

            // An index with a copy of the graph in memory grows in the same way as one whose graph is copied later.
            let (mut index, _) = GrowingIndex::open_with(&path, OpenOptions::default())?;
            let mapped = index.mapped_graph().expect("opened, and not changed yet");
            index.use_copy(mapped.copy_to_memory()?);
            assert!(index.mapped_graph().is_none());
            assert_eq!(hits(&index), hits(&opened));
            for index in [&mut index, &mut opened] {
                assert_eq!(index.append(second)?, 2000..2500);
                insert_until(index, 90);
            }
            assert_eq!(hits(&opened), hits(&index));
            // A copy that comes too late, or that belongs to another index, is not used.
            index.use_copy(mapped.copy_to_memory()?);
            assert_eq!((index.len(), index.pending()), (2500, 90));
            let (mut other, _) = GrowingIndex::open_with(&again, OpenOptions::default())?;
            other.use_copy(mapped.copy_to_memory()?);
            assert!(other.mapped_graph().is_some());
            index.reserve(400);
            assert_eq!(hits(&opened), hits(&index));
        }
    }
    Ok(())
}

#[test]
fn deleted_rows_are_hidden_and_found_again_when_they_are_live_again() -> Result<(), Error> {
    let dim = 24;
    let vectors = clustered(7000, dim, 70, 7);
    for similarity in SIMILARITIES {
        let flat = flat(dim, similarity, &vectors);
        let mut index = growing(dim, similarity, &vectors);
        insert_until(&mut index, 4000);
        // Some deleted rows are in the graph, some are inserted while they are deleted, and some stay pending.
        let deleted: RowSet = (0..7000).filter(|row| row % 9 == 0).collect();
        index.set_deleted(deleted.clone());
        assert_eq!(index.live_len(), 7000 - deleted.len());
        let queries: Vec<f32> =
            deleted.iter().step_by(13).flat_map(|row| flat.vector(row).to_vec()).collect();
        let check = |index: &GrowingIndex, deleted: &RowSet| -> Result<(), Error> {
            let is_live = |row: u32| !deleted.contains(row);
            let expected = exact_hits(&flat, &queries, 10, Some(&is_live))?;
            let found = search_each(index, &queries, 10, 100, None);
            assert!(found.iter().flatten().all(|hit| is_live(hit.ord)));
            let recall = recall(&expected, &found);
            assert!(recall >= 0.95, "{similarity:?}, {} pending: recall@10 {recall}", index.pending());
            Ok(())
        };
        check(&index, &deleted)?;
        insert_until(&mut index, 500);
        check(&index, &deleted)?;
        // Three in four deleted rows become live again. Those that were inserted while they were deleted have no
        // neighbors yet, and are pending until they get some.
        let fewer: RowSet = deleted.iter().filter(|row| row % 4 == 0).collect();
        let num_unlinked = (3000..6500).filter(|row| row % 9 == 0 && row % 4 != 0).count();
        index.set_deleted(fewer.clone());
        assert_eq!((index.live_len(), index.pending()), (7000 - fewer.len(), 500 + num_unlinked));
        check(&index, &fewer)?;
        insert_until(&mut index, 500 + num_unlinked / 2);
        check(&index, &fewer)?;
        insert_until(&mut index, 0);
        check(&index, &fewer)?;
        // The same rows are deleted again, and then all rows are live.
        index.set_deleted(deleted.clone());
        check(&index, &deleted)?;
        index.set_deleted(RowSet::new());
        check(&index, &RowSet::new())?;
        insert_until(&mut index, 0);
        check(&index, &RowSet::new())?;
        // A row that is appended after its ord was named as deleted is live.
        index.set_deleted(RowSet::from_iter([7000, 7001]));
        assert_eq!((index.append(&vectors[..dim])?, index.live_len()), (7000..7001, 7001));
    }
    Ok(())
}

#[test]
fn only_rows_that_the_filter_allows_are_found_with_a_high_recall() -> Result<(), Error> {
    let dim = 6;
    let (vectors, queries) = (uniform(6000, dim, 10), uniform(20, dim, 11));
    let flat = flat(dim, Similarity::L2, &vectors);
    for remaining in [6000, 3000, 64, 0] {
        let mut index = growing(dim, Similarity::L2, &vectors);
        insert_until(&mut index, remaining);
        let deleted: RowSet = (0..6000).step_by(11).collect();
        index.set_deleted(deleted.clone());
        // One in `divisor` rows is allowed; with 10,000, none.
        for divisor in [1, 2, 50, 1000, 10_000] {
            let allows = |ord: u32| ord % divisor == divisor - 1;
            let set: RowSet = (0..9000).filter(|&ord| allows(ord)).collect();
            let is_hit = |ord: u32| allows(ord) && !deleted.contains(ord);
            let expected = exact_hits(&flat, &queries, 10, Some(&is_hit))?;
            let found = search_each(&index, &queries, 10, 100, Some(&allows));
            assert_eq!(search_each(&index, &queries, 10, 100, Some(&set)), found);
            assert!(found.iter().flatten().all(|hit| is_hit(hit.ord)));
            if divisor < 10_000 {
                let recall = recall(&expected, &found);
                assert!(recall >= 0.95, "{remaining} pending, one in {divisor}: recall@10 {recall}");
            }
            for (query, expected) in queries.chunks_exact(dim).zip(&expected) {
                assert_eq!(&index.search_exact(query, 10, Some(&set), &Control::new())?, expected);
            }
        }
    }
    Ok(())
}

#[test]
fn a_batch_with_an_invalid_vector_appends_nothing() -> Result<(), Error> {
    for similarity in SIMILARITIES {
        let mut index = growing(2, similarity, &[1.0, 2.0]);
        let append = |index: &mut GrowingIndex, vectors: &[f32]| index.append(vectors).expect_err("invalid");
        assert!(matches!(append(&mut index, &[1.0; 3]), Error::Dimension { expected: 2, got: 3, .. }));
        let error = append(&mut index, &[1.0, 2.0, 3.0, f32::NAN]);
        assert!(matches!(error, Error::NotFinite { row: 1, column: 1, .. }), "{error}");
        let error = if similarity == Similarity::Cosine {
            append(&mut index, &[1.0, 2.0, 0.0, 0.0])
        } else {
            append(&mut index, &[1.0, 2.0, 1e30, 0.0])
        };
        assert!(matches!(error, Error::Zero { row: 1, .. } | Error::Length { row: 1, .. }), "{error}");
        assert_eq!((index.len(), index.pending()), (1, 1));
        assert_eq!(index.append(&[])?, 1..1);
        assert_eq!(index.append(&[2.0, 1.0])?, 1..2);
        assert_eq!(index.search(&[2.0, 1.0], 5, 5, None, &Control::new())?.len(), 2);
        assert!(matches!(
            index.search(&[1.0], 1, 1, None, &Control::new()),
            Err(Error::Dimension { expected: 2, got: 1, .. })
        ));
        assert!(index.search_exact(&[f32::INFINITY, 1.0], 1, None, &Control::new()).is_err());
    }
    let invalid = HnswOptions { m: 1, ..SMALL };
    assert!(matches!(GrowingIndex::new(2, Similarity::L2, invalid), Err(Error::Option { name: "m", .. })));
    assert!(matches!(GrowingIndex::new(0, Similarity::L2, SMALL), Err(Error::Option { name: "dim", .. })));
    Ok(())
}

#[test]
fn a_canceled_insertion_leaves_the_index_as_it_was() -> Result<(), Error> {
    let dim = 5;
    let vectors = uniform(1500, dim, 12);
    let folder = tempfile::tempdir().expect("a folder");
    let bytes = |index: &GrowingIndex| {
        let path = folder.path().join("index");
        index.save(&path, &json!(null)).expect("writable");
        std::fs::read(path).expect("readable")
    };
    let mut index = growing(dim, Similarity::L2, &vectors);
    index.set_deleted((0..1000).step_by(3).collect());
    insert_until(&mut index, 700);
    let before = bytes(&index);
    // In the first iteration, the pending rows are not in the graph yet. In the second one, the first pending rows are
    // revived rows: rows in the graph without neighbors, which were deleted when they were inserted and are live again.
    for deleted in [RowSet::from_iter([0]), RowSet::new()] {
        for threads in [1, 3] {
            let control = Control::new();
            control.cancel();
            let error = index.insert_pending(100, threads, &control).expect_err("canceled");
            assert!(matches!(error, Error::Canceled(_)) && bytes(&index) == before);
        }
        index.set_deleted(deleted);
    }
    Ok(())
}

#[test]
fn a_compacted_copy_has_the_hits_of_the_rows_that_it_keeps() -> Result<(), Error> {
    let dim = 24;
    let (vectors, queries) = (clustered(6000, dim, 60, 13), clustered(30, dim, 60, 13));
    for similarity in SIMILARITIES {
        let mut index = growing(dim, similarity, &vectors);
        insert_until(&mut index, 1000);
        let deleted: RowSet = (0..6000).filter(|row| row % 3 != 1).collect();
        index.set_deleted(deleted.clone());
        let mut kept = RowSet::full(6000).difference(&deleted);
        kept.insert(6001);
        let copy = index.compacted(&kept, 1, &Control::new())?;
        assert_eq!((copy.len(), copy.live_len(), copy.pending()), (2000, 2000, 0));
        assert_eq!((copy.options(), copy.similarity()), (index.options(), similarity));
        // Row r of the copy is row 3r + 1 of the index.
        let expected: Vec<Vec<Hit>> = queries
            .chunks_exact(dim)
            .map(|query| index.search_exact(query, 10, None, &Control::new()))
            .collect::<Result<_, _>>()?;
        let mut found = search_each(&copy, &queries, 10, 100, None);
        found.iter_mut().flatten().for_each(|hit| hit.ord = 3 * hit.ord + 1);
        let recall = recall(&expected, &found);
        assert!(recall >= 0.99, "{similarity:?}: recall@10 {recall}");
        assert!(index.compacted(&RowSet::new(), 1, &Control::new())?.is_empty());
    }
    Ok(())
}

#[test]
fn files_of_other_kinds_and_corrupt_files_are_rejected() -> Result<(), Error> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    hnsw(2, Similarity::Dot, SMALL, &[1.0, 2.0], 1).save(&path)?;
    let error = GrowingIndex::open_with(&path, OpenOptions::default()).expect_err("an HNSW index");
    assert!(error.to_string().contains("expected a growing index file"), "{error}");
    let mut index = growing(2, Similarity::Dot, &uniform(100, 2, 14));
    insert_until(&mut index, 10);
    index.save(&path, &json!(null))?;
    assert!(matches!(HnswIndex::open(&path), Err(Error::Storage(storage::Error::Corrupt { .. }))));
    let mut bytes = std::fs::read(&path).expect("readable");
    bytes.truncate(bytes.len() - 1);
    std::fs::write(&path, &bytes).expect("writable");
    assert!(GrowingIndex::open_with(&path, OpenOptions::default()).is_err());
    Ok(())
}

/// A growing index, with a flat index of the same vectors and the set of deleted rows, from which the expected hits are
/// computed.
struct Model {
    index: GrowingIndex,
    /// The vectors of all rows, as they were appended.
    vectors: Vec<f32>,
    flat: FlatIndex,
    deleted: RowSet,
}

impl Model {
    fn new(dim: usize, similarity: Similarity) -> Self {
        let index = GrowingIndex::new(dim, similarity, SMALL).expect("valid options");
        let flat = flat(dim, similarity, &[]);
        Self { index, vectors: Vec::new(), flat, deleted: RowSet::new() }
    }

    /// Appends vectors to both indexes.
    fn append(&mut self, vectors: &[f32]) -> Result<(), Error> {
        let (before, count) = (self.flat.len(), vectors.len() / self.flat.dim());
        self.flat.add(ids(before..before + count), vectors)?;
        self.vectors.extend(vectors);
        assert_eq!(self.index.append(vectors)?, before as u32..(before + count) as u32);
        Ok(())
    }

    /// Keeps only these rows in the expected contents, as a compacted index does.
    fn keep(&mut self, rows: &RowSet) {
        let dim = self.flat.dim();
        let vector = |row: u32| &self.vectors[row as usize * dim..][..dim];
        self.vectors = rows.iter().flat_map(vector).copied().collect();
        self.flat = flat(dim, self.flat.similarity(), &self.vectors);
        self.deleted = RowSet::new();
    }

    /// Compares searches for one query with those of the flat index. Returns the number of expected hits, and how many
    /// of them the approximate search found.
    fn check(&self, query: &[f32], k: usize, filter: Option<Filter>) -> Result<[usize; 2], Error> {
        let Self { index, flat, deleted, .. } = self;
        assert_eq!((index.len(), index.live_len()), (flat.len(), flat.len() - deleted.len()));
        let is_hit =
            |ord: u32| !deleted.contains(ord) && filter.is_none_or(|filter: Filter| filter.allows(ord));
        let expected = flat.search_filtered(query, k, Some(&is_hit), &Control::new())?;
        assert_eq!(index.search_exact(query, k, filter, &Control::new())?, expected);
        let found = index.search(query, k, 60, filter, &Control::new())?;
        assert!(found.len() == expected.len() && found.iter().all(|hit| is_hit(hit.ord)));
        Ok([expected.len(), expected.iter().filter(|hit| found.contains(hit)).count()])
    }
}

#[test]
fn random_operations_have_the_results_of_a_flat_index() -> Result<(), Error> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let mut random = SplitMix64::new(15);
    for round in 0..24u64 {
        let similarity = SIMILARITIES[round as usize % 3];
        let dim = [3, 70, 130][round as usize / 3 % 3];
        let mut model = Model::new(dim, similarity);
        let mut counts = [0, 0];
        for step in 0..60 {
            let mut below = |limit: usize| (random.next_u64() % limit as u64) as usize;
            match below(6) {
                0 | 1 => {
                    let count = [1, 30, 200][below(3)];
                    model.append(&uniform(count, dim, round << 32 | step))?;
                }
                2 | 3 => {
                    let max_rows = [1, 40, 500][below(3)];
                    let expected = max_rows.min(model.index.pending());
                    let taken = model.index.insert_pending(max_rows, 1, &Control::new())?;
                    assert!(taken <= expected && (taken > 0 || expected == 0));
                }
                4 => {
                    let (divisor, rest) = (1 + below(6) as u32, below(6) as u32);
                    model.deleted =
                        (0..model.flat.len() as u32).filter(|row| row % divisor == rest).collect();
                    model.index.set_deleted(model.deleted.clone());
                }
                _ if below(2) == 0 => {
                    model.index.save(&path, &json!(step))?;
                    let options = OpenOptions { in_memory: below(2) == 0, verify: true };
                    let (opened, metadata) = GrowingIndex::open_with(&path, options)?;
                    assert_eq!(metadata, json!(step));
                    model.index = opened;
                    model.index.set_deleted(model.deleted.clone());
                }
                _ => {
                    let kept = RowSet::full(model.flat.len()).difference(&model.deleted);
                    model.index = model.index.compacted(&kept, 1, &Control::new())?;
                    model.keep(&kept);
                }
            }
            let query = uniform(1, dim, step);
            let divisor = 1 + (step % 5) as u32;
            let allows = |ord: u32| ord.is_multiple_of(divisor);
            let set: RowSet = (0..3000).filter(|&ord| allows(ord)).collect();
            let filters: [Option<&dyn Allow>; 3] = [None, Some(&set), Some(&allows)];
            for filter in filters {
                let [expected, found] = model.check(&query, [1, 10, 1000][step as usize % 3], filter)?;
                counts = [counts[0] + expected, counts[1] + found];
            }
        }
        // With few rows, searches are exact; with more, they score codes or search the graph.
        let share = counts[1] as f64 / counts[0] as f64;
        assert!(share >= 0.99, "round {round}: {share} of {} hits", counts[0]);
    }
    Ok(())
}
