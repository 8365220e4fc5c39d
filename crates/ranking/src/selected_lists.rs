//! Makes a run from lists of other runs, without looking up the ids of lists that were not selected.

use std::collections::HashMap;
use std::sync::Arc;

use crate::{Error, Hit, PassageIds, RetrievedRun};

/// The queries of several runs, with their positions in each run.
#[derive(Debug)]
pub struct QueryUnion {
    /// Query ids in the order of first appearance: all of the first run, then the new ones of the second, and so on.
    pub ids: Vec<String>,
    /// `[queries][runs]`: the position of the query in the run.
    positions: Vec<Vec<Option<usize>>>,
}

impl QueryUnion {
    /// Collects the queries of all `runs`.
    #[must_use]
    pub fn new(runs: &[RetrievedRun]) -> Self {
        let (mut ids, mut positions): (Vec<String>, Vec<Vec<Option<usize>>>) = (Vec::new(), Vec::new());
        let mut known: HashMap<String, usize> = HashMap::new();
        for (run, queries) in runs.iter().map(RetrievedRun::query_ids).enumerate() {
            for (position, query) in queries.enumerate() {
                let at = known.get(query).copied().unwrap_or_else(|| {
                    known.insert(query.to_owned(), ids.len());
                    ids.push(query.to_owned());
                    positions.push(vec![None; runs.len()]);
                    ids.len() - 1
                });
                positions[at][run] = Some(position);
            }
        }
        Self { ids, positions }
    }

    /// Makes the run that has, for each query, the first `k` hits of the run `selected[query]`. `runs` are those of which this is
    /// the union.
    ///
    /// # Errors
    ///
    /// None: the queries of a union are distinct.
    pub fn select(self, runs: &[RetrievedRun], selected: &[usize], k: usize) -> Result<RetrievedRun, Error> {
        let ids: Vec<_> = runs.iter().map(RetrievedRun::ids).collect();
        // One number for each id space of each run.
        let mut id_spaces = HashMap::new();
        let (mut origins, mut hits) =
            (Vec::with_capacity(selected.len()), Vec::with_capacity(selected.len()));
        for (query, &run) in selected.iter().enumerate() {
            let position = self.positions[query][run];
            let next = id_spaces.len();
            let id_space = position.map(|position| ids[run].id_space(position));
            let id_space = *id_spaces.entry((run, id_space)).or_insert(next);
            hits.push(position.map_or_else(Vec::new, |position| runs[run].hits(position, k)));
            origins.push(Origin { run, position, id_space });
        }
        RetrievedRun::new(self.ids, hits, Box::new(SelectedIds { ids, origins }))
    }
}

/// The source of a selected list.
#[derive(Debug)]
struct Origin {
    run: usize,
    /// Position of the query in its run; `None` if the run lacks the query.
    position: Option<usize>,
    /// See [`PassageIds::id_space`].
    id_space: usize,
}

/// Looks up ids in the runs from which the lists were selected.
struct SelectedIds {
    /// `[runs]`
    ids: Vec<Arc<dyn PassageIds>>,
    /// `[lists]`
    origins: Vec<Origin>,
}

impl PassageIds for SelectedIds {
    fn id_space(&self, list: usize) -> usize {
        self.origins[list].id_space
    }

    fn for_each_id(&self, list: usize, hits: &[Hit], visit: &mut dyn FnMut(&str)) -> Result<(), Error> {
        let Origin { run, position, .. } = self.origins[list];
        match position {
            Some(position) => self.ids[run].for_each_id(position, hits, visit),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{IdInterner, Run, ScoredId};

    /// A run whose lists have the given ords.
    fn lazy(ids: &[&str], lists: &[(&str, &[u32])]) -> RetrievedRun {
        let mut interner = IdInterner::default();
        ids.iter().for_each(|id| {
            interner.intern(id);
        });
        let queries = lists.iter().map(|&(query, _)| query.to_owned()).collect();
        let hits = lists.iter().map(|&(_, ords)| ords.iter().map(|&ord| Hit { ord, score: 1.0 }).collect());
        RetrievedRun::new(queries, hits.collect(), Box::new(interner)).expect("queries differ")
    }

    #[test]
    fn each_list_and_its_ids_come_from_the_selected_run() {
        let mut named = Run::new();
        named.insert("q3", vec![ScoredId { id: "z".into(), score: 3.0 }]);
        let runs = [
            lazy(&["a", "b"], &[("q1", &[0, 1]), ("q2", &[1])]),
            lazy(&["x", "a"], &[("q2", &[0, 1]), ("q1", &[1])]),
            named.into(),
        ];
        let queries = QueryUnion::new(&runs);
        assert_eq!(queries.ids, ["q1", "q2", "q3"]);

        let run =
            queries.select(&runs, &[1, 1, 2], 9).expect("queries differ").to_run().expect("ids are there");
        let ids = |query: &str| -> Vec<&str> {
            run.get(query).expect("a query of the run").iter().map(|hit| hit.id.as_str()).collect()
        };
        assert_eq!([ids("q1"), ids("q2"), ids("q3")], [vec!["a"], vec!["x", "a"], vec!["z"]]);
    }

    #[test]
    fn a_query_that_the_selected_run_lacks_has_no_hits_and_lists_are_truncated_to_k() {
        let runs = [lazy(&["a", "b"], &[("q1", &[0, 1])]), lazy(&["x"], &[("q2", &[0])])];
        let run = QueryUnion::new(&runs).select(&runs, &[0, 0], 1).expect("queries differ");
        assert_eq!((run.hit_count(0), run.hit_count(1)), (1, 0));
        let named = run.to_run().expect("ids are there");
        assert_eq!(named.get("q2"), Some(&[][..]));
    }

    #[test]
    fn lists_of_different_runs_do_not_share_ords() {
        let runs = [lazy(&["a"], &[("q1", &[0]), ("q2", &[0])]), lazy(&["x"], &[("q1", &[0]), ("q2", &[0])])];
        let run = QueryUnion::new(&runs).select(&runs, &[0, 1], 9).expect("queries differ");
        let mut interner = IdInterner::default();
        let mut ords = Vec::new();
        run.for_each_interned(9, &mut interner, |_, hits| ords.push(hits[0].ord)).expect("ids are there");
        assert_eq!((ords, interner.id(0), interner.id(1)), (vec![0, 1], "a", "x"));
    }
}
