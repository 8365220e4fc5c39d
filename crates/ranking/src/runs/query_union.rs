//! Builds a run by taking, for each query, its list of hits from one of several other runs. Passage ids are looked up
//! only for the lists that are selected.

use std::collections::HashMap;
use std::sync::Arc;

use crate::{Error, Hit, PassageIds, RetrievedRun};

/// The queries of several runs, with the index of each query in each run.
#[derive(Debug)]
pub struct QueryUnion {
    /// Query ids in the order of first appearance: all of the first run, then the new ones of the second, and so on.
    pub ids: Vec<String>,
    /// `[queries][runs]`: the index of the query in the run; `None` if the run lacks the query.
    indexes_in_runs: Vec<Vec<Option<usize>>>,
}

impl QueryUnion {
    /// Collects the queries of all `runs`.
    #[must_use]
    pub fn new(runs: &[RetrievedRun]) -> Self {
        let mut ids = Vec::new();
        let mut indexes_in_runs: Vec<Vec<Option<usize>>> = Vec::new();
        let mut union_indexes: HashMap<String, usize> = HashMap::new();
        for (run, queries) in runs.iter().map(RetrievedRun::query_ids).enumerate() {
            for (index_in_run, query) in queries.enumerate() {
                let union_index = union_indexes.get(query).copied().unwrap_or_else(|| {
                    union_indexes.insert(query.to_owned(), ids.len());
                    ids.push(query.to_owned());
                    indexes_in_runs.push(vec![None; runs.len()]);
                    ids.len() - 1
                });
                indexes_in_runs[union_index][run] = Some(index_in_run);
            }
        }
        Self { ids, indexes_in_runs }
    }

    /// Makes a run with all queries of the union. The query with index `q` gets the first `k` hits that it has in
    /// `runs[selected[q]]`, or none if that run lacks it. `runs` must be those that were passed to [`new`](Self::new).
    ///
    /// # Errors
    ///
    /// Does not fail: the queries of a union are distinct.
    pub fn select(self, runs: &[RetrievedRun], selected: &[usize], k: usize) -> Result<RetrievedRun, Error> {
        let ids: Vec<_> = runs.iter().map(RetrievedRun::ids).collect();
        // Different runs may use the same number for different id spaces, so each id space gets a new number.
        let mut id_spaces = HashMap::new();
        let (mut origins, mut hits) =
            (Vec::with_capacity(selected.len()), Vec::with_capacity(selected.len()));
        for (query, &run) in selected.iter().enumerate() {
            let index_in_run = self.indexes_in_runs[query][run];
            let next = id_spaces.len();
            let id_space = index_in_run.map(|index| ids[run].id_space(index));
            let id_space = *id_spaces.entry((run, id_space)).or_insert(next);
            hits.push(index_in_run.map_or_else(Vec::new, |index| runs[run].hits(index, k)));
            origins.push(Origin { run, index_in_run, id_space });
        }
        RetrievedRun::new(self.ids, hits, Box::new(SelectedIds { ids, origins }))
    }
}

/// The source of a selected list.
#[derive(Debug)]
struct Origin {
    /// Index of the run.
    run: usize,
    /// Index of the query in this run; `None` if the run lacks the query.
    index_in_run: Option<usize>,
    /// See [`PassageIds::id_space`].
    id_space: usize,
}

/// Looks up ids in the runs from which the lists were selected.
struct SelectedIds {
    /// `[runs]`: the sources of ids.
    ids: Vec<Arc<dyn PassageIds>>,
    /// `[lists]`: where each list comes from.
    origins: Vec<Origin>,
}

impl PassageIds for SelectedIds {
    fn id_space(&self, list: usize) -> usize {
        self.origins[list].id_space
    }

    fn for_each_id(&self, list: usize, hits: &[Hit], visit: &mut dyn FnMut(&str)) -> Result<(), Error> {
        let Origin { run, index_in_run, .. } = self.origins[list];
        match index_in_run {
            Some(index) => self.ids[run].for_each_id(index, hits, visit),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Interner, Run, ScoredId};

    /// A lazy run, which looks up ids on demand: `ids[ord]` is the id of a passage, and each query has a list of ords.
    fn lazy_run(ids: &[&str], lists: &[(&str, &[u32])]) -> RetrievedRun {
        let mut interner = Interner::default();
        ids.iter().for_each(|id| {
            interner.intern(id);
        });
        let queries = lists.iter().map(|&(query, _)| query.to_owned()).collect();
        let hits = lists.iter().map(|&(_, ords)| ords.iter().map(|&ord| Hit { ord, score: 1.0 }).collect());
        RetrievedRun::new(queries, hits.collect(), Box::new(interner)).expect("queries differ")
    }

    #[test]
    fn each_list_and_its_ids_come_from_the_selected_run() {
        let mut run_with_ids = Run::new();
        run_with_ids.insert("q3", vec![ScoredId { id: "z".into(), score: 3.0 }]);
        let runs = [
            lazy_run(&["a", "b"], &[("q1", &[0, 1]), ("q2", &[1])]),
            lazy_run(&["x", "a"], &[("q2", &[0, 1]), ("q1", &[1])]),
            run_with_ids.into(),
        ];
        let queries = QueryUnion::new(&runs);
        assert_eq!(queries.ids, ["q1", "q2", "q3"]);

        let run =
            queries.select(&runs, &[1, 1, 2], 9).expect("queries differ").to_run().expect("ids are found");
        let ids = |query: &str| -> Vec<&str> {
            run.get(query).expect("the run has the query").iter().map(|hit| hit.id.as_str()).collect()
        };
        assert_eq!([ids("q1"), ids("q2"), ids("q3")], [vec!["a"], vec!["x", "a"], vec!["z"]]);
    }

    #[test]
    fn a_query_that_its_selected_run_lacks_has_no_hits_and_lists_are_truncated_to_k() {
        let runs = [lazy_run(&["a", "b"], &[("q1", &[0, 1])]), lazy_run(&["x"], &[("q2", &[0])])];
        let run = QueryUnion::new(&runs).select(&runs, &[0, 0], 1).expect("queries differ");
        assert_eq!((run.hit_count(0), run.hit_count(1)), (1, 0));
        let run = run.to_run().expect("ids are found");
        assert_eq!(run.get("q2"), Some(&[][..]));
    }

    #[test]
    fn the_same_ord_in_different_runs_stands_for_different_passages() {
        let runs = [
            lazy_run(&["a"], &[("q1", &[0]), ("q2", &[0])]),
            lazy_run(&["x"], &[("q1", &[0]), ("q2", &[0])]),
        ];
        let run = QueryUnion::new(&runs).select(&runs, &[0, 1], 9).expect("queries differ");
        let mut interner = Interner::default();
        let mut ords = Vec::new();
        run.for_each_interned(9, &mut interner, |_, hits| ords.push(hits[0].ord)).expect("ids are found");
        assert_eq!((ords, interner.get(0), interner.get(1)), (vec![0, 1], "a", "x"));
    }
}
