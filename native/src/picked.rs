//! A run whose lists are those of other runs, each as it is there.

use std::collections::HashMap;
use std::sync::Arc;

use ranking::Hit;

use crate::run::{Names, NativeRun};
use crate::task::Outcome;

/// No list.
const NONE: usize = usize::MAX;

/// Queries of several runs, and where each run has them.
pub struct Queries {
    /// In order of first appearance, the runs read one after the other.
    pub ids: Vec<String>,
    /// `[queries][runs]`
    places: Vec<Vec<usize>>,
}

impl Queries {
    pub fn of(runs: &[NativeRun]) -> Self {
        let (mut ids, mut places): (_, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
        let mut positions: HashMap<String, usize> = HashMap::new();
        for (run, of_run) in runs.iter().enumerate() {
            for (place, query) in of_run.query_ids().enumerate() {
                let at = positions.get(query).copied().unwrap_or_else(|| {
                    positions.insert(query.to_owned(), ids.len());
                    ids.push(query.to_owned());
                    places.push(vec![NONE; runs.len()]);
                    ids.len() - 1
                });
                places[at][run] = place;
            }
        }
        Self { ids, places }
    }

    /// The first `depth` hits that a run has for a query; none if it lacks the query.
    pub fn list(&self, runs: &[NativeRun], query: usize, run: usize, depth: usize) -> Vec<Hit> {
        match self.places[query][run] {
            NONE => Vec::new(),
            place => runs[run].list(place, depth),
        }
    }
}

/// Names hits as the runs do that their lists come from.
struct Picked {
    names: Vec<Arc<dyn Names>>,
    /// Of each list: its run, its place there, and its naming here.
    lists: Vec<(usize, usize, usize)>,
}

impl Names for Picked {
    fn naming(&self, list: usize) -> usize {
        let (_, _, naming) = self.lists[list];
        naming
    }

    fn for_each_id(&self, list: usize, hits: &[Hit], with: &mut dyn FnMut(&str)) -> Outcome<()> {
        match self.lists[list] {
            (_, NONE, _) => Ok(()),
            (run, place, _) => self.names[run].for_each_id(place, hits, with),
        }
    }
}

/// The run that has of each query the first `k` hits of `from[query]`, one of the runs.
pub fn picked(runs: &[NativeRun], queries: Queries, from: &[usize], k: usize) -> Outcome<NativeRun> {
    let names: Vec<_> = runs.iter().map(NativeRun::names).collect();
    let mut namings = HashMap::new();
    let (mut lists, mut hits) = (Vec::with_capacity(from.len()), Vec::with_capacity(from.len()));
    for (query, &run) in from.iter().enumerate() {
        let place = queries.places[query][run];
        let naming = if place == NONE { NONE } else { names[run].naming(place) };
        let new = namings.len();
        lists.push((run, place, *namings.entry((run, naming)).or_insert(new)));
        hits.push(queries.list(runs, query, run, k));
    }
    NativeRun::ranked(queries.ids, hits, Box::new(Picked { names, lists }))
}
