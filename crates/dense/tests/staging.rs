//! Tests of staging: a batch is added in slices, which searches do not find until all of them are published.

mod common;

use std::collections::HashMap;

use common::{clustered, ids, uniform};
use control::Control;
use dense::{Error, FlatIndex, HnswIndex, HnswOptions, Longest, Put, RowSet, Similarity};
use proptest::prelude::*;
use ranking::Hit;
use serde_json::Value;

/// An index of either kind.
#[allow(clippy::large_enum_variant, reason = "a test has only a few of them")]
enum Index {
    Flat(FlatIndex),
    Hnsw(HnswIndex),
}

/// Evaluates `$work` with `$index` bound to the [`FlatIndex`] or [`HnswIndex`] in `$self`.
macro_rules! on {
    ($self:expr, $index:ident => $work:expr) => {
        match $self {
            Index::Flat($index) => $work,
            Index::Hnsw($index) => $work,
        }
    };
}

/// Options of a small graph, which is built quickly.
const OPTIONS: HnswOptions = HnswOptions {
    m: 8,
    ef_construction: 40,
    seed: 42,
    keep_pruned: true,
    inner_product: dense::InnerProduct::AugmentedL2,
    layout: dense::Layout::Fast,
};

impl Index {
    /// Creates an empty index of each kind.
    fn both(dim: usize) -> [Self; 2] {
        [
            Self::Flat(FlatIndex::new(dim, Similarity::Dot, Value::Null).expect("a dimension")),
            Self::Hnsw(HnswIndex::new(dim, Similarity::Dot, OPTIONS, Value::Null).expect("options")),
        ]
    }

    fn add(&mut self, ids: Vec<String>, vectors: &[f32]) -> Result<(), Error> {
        match self {
            Self::Flat(index) => index.add(ids, vectors),
            Self::Hnsw(index) => index.add(ids, vectors, 1, &Control::new()),
        }
    }

    fn stage(&mut self, put: Put, ids: Vec<String>, vectors: &[f32]) -> Result<(), Error> {
        match self {
            Self::Flat(index) => index.stage(put, ids, vectors),
            Self::Hnsw(index) => index.stage(put, ids, vectors, 1, &Control::new()),
        }
    }

    fn search(&self, query: &[f32], k: usize) -> Vec<Hit> {
        let control = Control::new();
        match self {
            Self::Flat(index) => index.search(query, k, &control),
            Self::Hnsw(index) => index.search(query, k, 16, &control),
        }
        .expect("a valid query")
    }

    /// Returns the vectors of all rows that searches find, by id. Checks that other methods of the index agree with
    /// them.
    fn found(&self, dim: usize) -> HashMap<String, Vec<f32>> {
        let hits = self.search(&vec![1.0; dim], usize::MAX);
        let entry =
            |hit: &Hit| on!(self, index => (index.id(hit.ord).to_owned(), index.vector(hit.ord).to_vec()));
        let found: HashMap<_, _> = hits.iter().map(entry).collect();
        assert_eq!(found.len(), hits.len(), "ids are distinct");
        assert_eq!(found.len(), on!(self, index => index.live_len()));
        assert_eq!(found.len(), on!(self, index => index.live()).len());
        for (id, vector) in &found {
            on!(self, index => assert_eq!(index.vector(index.ord(id).expect("a live row"))[..], vector[..]));
        }
        found
    }

    /// Returns the bytes of the index's file.
    fn bytes(&self) -> Vec<u8> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("index");
        on!(self, index => index.save(&path)).expect("writable");
        std::fs::read(path).expect("readable")
    }

    /// Saves the index and opens the file.
    fn reopened(&self) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("index");
        on!(self, index => index.save(&path)).expect("writable");
        match self {
            Self::Flat(_) => Self::Flat(FlatIndex::open(&path).expect("valid")),
            Self::Hnsw(_) => Self::Hnsw(HnswIndex::open(&path).expect("valid")),
        }
    }
}

#[test]
fn publishing_slices_gives_the_same_bytes_as_adding_the_batch_in_one_call() {
    let (dim, rows) = (12, 700);
    let vectors = clustered(rows, dim, 9, 3);
    for (mut at_once, mut sliced) in Index::both(dim).into_iter().zip(Index::both(dim)) {
        at_once.add(ids(0..rows), &vectors).expect("valid rows");
        if let Index::Hnsw(index) = &mut sliced {
            // A graph of augmented vectors depends on the length of the longest vector.
            index.announce_longest(Longest::of(dim, &vectors));
        }
        for start in (0..rows).step_by(90) {
            let end = rows.min(start + 90);
            sliced.stage(Put::Add, ids(start..end), &vectors[start * dim..end * dim]).expect("valid rows");
            assert_eq!(sliced.found(dim).len(), 0);
        }
        assert!(on!(&mut sliced, index => index.publish()).is_empty());
        assert_eq!(sliced.found(dim).len(), rows);
        assert!(sliced.bytes() == at_once.bytes());
    }
}

#[test]
fn staged_rows_are_not_found_in_the_index_or_in_files_saved_before_publishing() {
    for mut index in Index::both(2) {
        index.add(ids(0..2), &[1.0, 0.0, 0.0, 1.0]).expect("valid rows");
        index.stage(Put::Upsert, ids(1..4), &[5.0, 5.0, 6.0, 6.0, 7.0, 7.0]).expect("valid rows");
        let before = index.found(2);
        assert_eq!(before, HashMap::from([("p0".into(), vec![1.0, 0.0]), ("p1".into(), vec![0.0, 1.0])]));
        on!(&index, index => {
            assert_eq!((index.ord("p1"), index.ord("p3"), index.len()), (Some(1), None, 5));
            let row_ids = index.row_ids();
            assert_eq!((row_ids.len(), row_ids.id(4)), (5, "p3"));
        });
        assert_eq!(index.reopened().found(2), before);
        let error = index.add(vec!["x".into()], &[1.0, 1.0]).expect_err("rows are staged");
        assert_eq!(error.to_string(), "add: expected no staged rows, got 3; publish or discard them first");
        assert_eq!(on!(&mut index, index => index.publish()), [(1, 2)]);
        let after = index.found(2);
        assert_eq!((after.len(), &after["p1"], &after["p3"]), (4, &vec![5.0, 5.0], &vec![7.0, 7.0]));
        assert_eq!(index.reopened().found(2), after);
        let compacted = match &index {
            Index::Flat(index) => Index::Flat(index.compacted()),
            Index::Hnsw(index) => Index::Hnsw(index.compacted(1, &Control::new()).expect("not canceled")),
        };
        assert_eq!((compacted.found(2), on!(&compacted, index => index.len())), (after, 4));
    }
}

#[test]
fn discarding_staged_rows_frees_their_ids_and_changes_nothing_else() {
    let dim = 8;
    let vectors = uniform(300, dim, 5);
    for mut index in Index::both(dim) {
        index.add(ids(0..100), &vectors[..100 * dim]).expect("valid rows");
        let before = index.found(dim);
        index.stage(Put::Upsert, ids(50..200), &vectors[50 * dim..200 * dim]).expect("valid rows");
        index.stage(Put::Upsert, ids(200..300), &vectors[200 * dim..]).expect("valid rows");
        on!(&mut index, index => index.discard_staged());
        assert_eq!(index.found(dim), before);
        index.add(ids(100..300), &vectors[100 * dim..]).expect("free ids");
        assert_eq!(index.found(dim).len(), 300);
        assert_eq!(index.reopened().found(dim), index.found(dim));
    }
}

#[test]
fn a_batch_is_rejected_as_a_whole_and_the_error_names_the_operation() {
    for mut index in Index::both(1) {
        index.add(ids(0..3), &[1.0, 2.0, 3.0]).expect("valid rows");
        let valid = vec![1.0; 10_000];
        let mut invalid = valid.clone();
        invalid[9_000] = f32::NAN;
        let cases: [(Put, Vec<String>, &[f32], &str); 8] = [
            (Put::Add, ids(5..7), &[1.0], "add: expected one id for each of 1 vectors, got 2 ids"),
            (
                Put::Add,
                ids(2..3),
                &[1.0],
                "add: expected an id that is new, got \"p2\" at row 0, which is in the index",
            ),
            (
                Put::Upsert,
                vec!["x".into(), "x".into()],
                &[1.0, 1.0],
                "update: expected an id that is new, got \"x\" at row 1, which is also at row 0",
            ),
            (
                Put::Update,
                ids(2..4),
                &[1.0, 1.0],
                "update: expected ids that are in the index, got \"p3\" at row 1",
            ),
            (
                Put::Update,
                vec![String::new()],
                &[1.0],
                "update: expected an id of one character or more, got an empty one at row 0",
            ),
            (
                Put::Add,
                ids(10..10_010),
                &invalid,
                "add: expected finite numbers, got NaN at row 9000, column 0",
            ),
            (
                Put::Upsert,
                ids(0..1),
                &[1e30],
                "update: expected vectors no longer than 4.612e18, got one of length 1.000e30 at row 0",
            ),
            (Put::Upsert, ids(0..1), &[], "update: expected one id for each of 0 vectors, got 1 ids"),
        ];
        for (put, ids, vectors, message) in cases {
            let error = on!(&index, index => index.check_rows(put, &ids, vectors)).expect_err(message);
            assert_eq!(error.to_string(), message);
            assert!(index.stage(put, ids, vectors).is_err(), "{message}");
        }
        on!(&mut index, index => index.discard_staged());
        on!(&index, index => index.check_rows(Put::Upsert, &ids(0..10_000), &valid)).expect("valid");
        assert_eq!(index.found(1).len(), 3);
        // A rejected slice does not discard the slices before it.
        index.stage(Put::Update, ids(0..1), &[9.0]).expect("a stored id");
        assert!(matches!(
            index.stage(Put::Update, ids(0..1), &[9.0]),
            Err(Error::DuplicateId { row: 0, first: None, .. })
        ));
        on!(&mut index, index => index.publish());
        assert_eq!(index.found(1)["p0"], [9.0]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Stages batches of every kind in slices, publishes or discards them, and deletes and compacts in between.
    /// Searches always find the rows of a hash map that is changed in the same way.
    #[test]
    fn behaves_like_a_hash_map(steps in prop::collection::vec((0u8..6, prop::collection::btree_set(0usize..30, 0..12)), 0..25)) {
        for mut index in Index::both(1) {
            let mut map: HashMap<String, Vec<f32>> = HashMap::new();
            for (step, (action, rows)) in steps.iter().enumerate() {
                let ids: Vec<String> = rows.iter().map(|row| format!("p{row}")).collect();
                let value = step as f32 + 1.0;
                let vectors = vec![value; ids.len()];
                // Action 0 deletes, 1 compacts, and 2 to 5 stage a batch.
                match action {
                    0 => {
                        let known: Vec<&String> = ids.iter().filter(|id| map.contains_key(*id)).collect();
                        on!(&mut index, index => index.delete(&known)).expect("stored ids");
                        ids.iter().for_each(|id| { map.remove(id); });
                    }
                    1 => match &mut index {
                        Index::Flat(index) => index.compact(),
                        Index::Hnsw(index) => index.compact(1, &Control::new()).expect("not canceled"),
                    },
                    _ => {
                        let put = [Put::Add, Put::Update, Put::Upsert][usize::from(*action) % 3];
                        let is_valid = ids.iter().all(|id| put == Put::Upsert || map.contains_key(id) == (put == Put::Update));
                        let checked = on!(&index, index => index.check_rows(put, &ids, &vectors));
                        prop_assert_eq!(checked.is_ok(), is_valid);
                        let staged = ids.chunks(5).try_for_each(|ids| index.stage(put, ids.to_vec(), &vectors[..ids.len()]));
                        prop_assert_eq!(staged.is_ok(), is_valid);
                        // Invalid batches are discarded, and so are the batches of every fourth step.
                        if is_valid && step % 4 != 3 {
                            on!(&mut index, index => index.publish());
                            map.extend(ids.into_iter().map(|id| (id, vec![value])));
                        } else {
                            on!(&mut index, index => index.discard_staged());
                        }
                    }
                }
                prop_assert_eq!(&index.found(1), &map);
            }
            prop_assert_eq!(&index.reopened().found(1), &map);
        }
    }
}

#[test]
fn filtered_searches_return_only_allowed_rows_and_none_if_none_is_allowed() {
    let dim = 8;
    let vectors = clustered(3000, dim, 20, 8);
    for mut index in Index::both(dim) {
        index.add(ids(0..3000), &vectors).expect("valid rows");
        for step in [1, 10, 100] {
            let allowed: RowSet = (0..3000).step_by(step).collect();
            let filter = |row: u32| allowed.contains(row);
            let hits = match &index {
                Index::Flat(index) => {
                    index.search_filtered(&vectors[..dim], 10, Some(&filter), &Control::new())
                }
                Index::Hnsw(index) => {
                    index.search_filtered(&vectors[..dim], 10, 64, Some(&filter), &Control::new())
                }
            };
            let hits = hits.expect("a valid query");
            assert_eq!(hits.len(), 10);
            assert!(hits.iter().all(|hit| allowed.contains(hit.ord)));
        }
        let none = RowSet::new();
        let filter = |row: u32| none.contains(row);
        let hits = match &index {
            Index::Flat(index) => index.search_filtered(&vectors[..dim], 10, Some(&filter), &Control::new()),
            Index::Hnsw(index) => {
                index.search_filtered(&vectors[..dim], 10, 64, Some(&filter), &Control::new())
            }
        };
        assert!(hits.expect("a valid query").is_empty());
    }
}
