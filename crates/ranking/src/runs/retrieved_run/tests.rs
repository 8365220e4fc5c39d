//! Tests of runs whose ids are looked up on demand.

use super::*;
use crate::Interner;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The passage ids of a run over two indexes: lists 0 and 1 come from the first index, lists 2 and 3 from the second.
struct TwoIndexes {
    /// Number of ids that have been looked up.
    lookup_count: Arc<AtomicUsize>,
}

const FIRST_INDEX: [&str; 3] = ["a", "b", "c"];
const SECOND_INDEX: [&str; 3] = ["c", "a", "d"];

impl PassageIds for TwoIndexes {
    fn id_space(&self, list: usize) -> usize {
        list / 2
    }

    fn for_each_id(&self, list: usize, hits: &[Hit], visit: &mut dyn FnMut(&str)) -> Result<(), Error> {
        self.lookup_count.fetch_add(hits.len(), Ordering::Relaxed);
        let ids = if list < 2 { FIRST_INDEX } else { SECOND_INDEX };
        hits.iter().for_each(|hit| visit(ids[hit.ord as usize]));
        Ok(())
    }
}

/// Hits with these ords, best first. Their scores are 0, −1, −2, …
fn hits(ords: &[u32]) -> Vec<Hit> {
    ords.iter().zip(0u16..).map(|(&ord, rank)| Hit { ord, score: -f32::from(rank) }).collect()
}

/// A run of the queries q0 to q3, and a counter of the ids that have been looked up.
fn lazy_run() -> (RetrievedRun, Arc<AtomicUsize>) {
    let lookup_count = Arc::new(AtomicUsize::new(0));
    let queries = (0..4).map(|query| format!("q{query}")).collect();
    let lists = vec![hits(&[0, 1]), hits(&[1, 2]), hits(&[0, 2]), hits(&[])];
    let ids = TwoIndexes { lookup_count: Arc::clone(&lookup_count) };
    (RetrievedRun::new(queries, lists, Box::new(ids)).expect("query ids are distinct"), lookup_count)
}

/// Returns, for each query, the ids of its first `depth` hits, which are looked up through an interner.
fn interned(run: &RetrievedRun, depth: usize) -> Vec<(String, Vec<String>)> {
    let (mut interner, mut lists) = (Interner::default(), Vec::new());
    run.for_each_interned(depth, &mut interner, |query, hits| lists.push((query.to_owned(), hits)))
        .expect("ids are found");
    let ids = |hits: Vec<Hit>| hits.iter().map(|hit| interner.get(hit.ord).to_owned()).collect();
    lists.into_iter().map(|(query, hits)| (query, ids(hits))).collect()
}

/// Pairs the ids of the hits of q0 to q3 with these queries, in the form in which [`interned`] returns them.
fn expected(lists: [&[&str]; 4]) -> Vec<(String, Vec<String>)> {
    let owned = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect();
    (0..).zip(lists).map(|(query, ids)| (format!("q{query}"), owned(ids))).collect()
}

#[test]
fn a_passage_is_looked_up_once_for_all_lists_of_one_id_space() {
    let (run, lookup_count) = lazy_run();
    assert_eq!(interned(&run, 9), expected([&["a", "b"], &["b", "c"], &["c", "d"], &[]]));
    // a, b and c are looked up in the first index, c and d in the second.
    assert_eq!(lookup_count.load(Ordering::Relaxed), 5);
}

#[test]
fn only_the_hits_within_the_depth_are_interned() {
    let (run, lookup_count) = lazy_run();
    assert_eq!(interned(&run, 1), expected([&["a"], &["b"], &["c"], &[]]));
    assert_eq!(lookup_count.load(Ordering::Relaxed), 3);
}

#[test]
fn ids_are_looked_up_once_and_a_run_with_ids_gives_the_same_results() {
    let (run, lookup_count) = lazy_run();
    let with_ids = run.to_run().expect("ids are found");
    assert_eq!(with_ids.get("q2").map(|hits| hits[1].id.as_str()), Some("d"));
    assert!(Arc::ptr_eq(&with_ids, &run.to_run().expect("ids are found")));
    assert_eq!(lookup_count.load(Ordering::Relaxed), 6);

    let eager = RetrievedRun::from((*with_ids).clone());
    assert!(run.is_lazy() && !eager.is_lazy());
    assert_eq!(interned(&eager, 9), interned(&run, 9));
    for run in [&run, &eager] {
        assert_eq!(run.query_ids().collect::<Vec<_>>(), ["q0", "q1", "q2", "q3"]);
        assert_eq!((run.len(), run.query_index("q1"), run.query_index("q9")), (4, Some(1), None));
        assert_eq!((run.hit_count(2), run.hits(2, 1).len(), run.hits(3, 9).len()), (2, 1, 0));
        assert_eq!(run.scores(1..3).collect::<Vec<_>>(), [0.0, -1.0, 0.0, -1.0]);
        let mut ids = Vec::new();
        run.for_each_id(1..3, |id| ids.push(id.to_owned())).expect("ids are found");
        assert_eq!(ids, ["b", "c", "c", "d"]);
        let (source, hits) = (run.ids(), run.hits(2, 9));
        ids.clear();
        source.for_each_id(2, &hits, &mut |id| ids.push(id.to_owned())).expect("ids are found");
        assert_eq!(ids, ["c", "d"]);
    }
}

#[test]
fn queries_with_the_same_id_are_refused() {
    let refused = RetrievedRun::new(
        vec!["q".into(), "q".into()],
        vec![Vec::new(), Vec::new()],
        Box::new(Interner::default()),
    );
    let message = refused.expect_err("a duplicate id").to_string();
    assert_eq!(message, "queries: expected distinct ids, got \"q\" twice");
}

#[test]
fn a_run_owns_its_hits_only_if_no_clone_shares_them() {
    let (run, _) = lazy_run();
    assert_eq!(run.owned_hit_count(), 6);
    let clone = run.clone();
    assert_eq!((run.owned_hit_count(), clone.owned_hit_count()), (0, 0));
    drop(clone);
    assert_eq!(run.owned_hit_count(), 6);
}
