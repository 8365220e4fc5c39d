//! Runs as searches return them. Passage ids are looked up only when they are needed.
//!
//! A search for thousands of queries finds millions of hits, and most of their ids may never be read. Therefore a
//! [`RetrievedRun`] stores ords and scores, and a [`PassageIds`] that looks up ids. A run that was read from a file
//! already has ids. It is converted to a [`RetrievedRun`] by `From<Run>`, so that callers handle only one type.

mod interned;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::{Error, Hit, PassageIds, Run, ScoredId};

/// The hits of many queries. Passage ids are looked up on demand. A clone shares all data.
///
/// Methods address a query by its index: 0 for the first query of the run, 1 for the second, and so on.
#[derive(Clone)]
pub struct RetrievedRun {
    lists: Lists,
}

#[derive(Clone)]
enum Lists {
    /// Hits with ids.
    ById(Arc<Run>),
    /// Hits with ords.
    ByOrd(Arc<OrdLists>),
}

struct OrdLists {
    /// Query ids.
    queries: Vec<String>,
    /// The index of each query id in `queries`.
    query_indexes: HashMap<String, usize>,
    /// `[queries]`: the hits of each query, best first.
    hits: Vec<Vec<Hit>>,
    ids: Arc<dyn PassageIds>,
    /// The run with ids; empty until [`RetrievedRun::to_run`] has looked them up.
    with_ids: OnceLock<Arc<Run>>,
}

impl From<Run> for RetrievedRun {
    fn from(run: Run) -> Self {
        Self { lists: Lists::ById(Arc::new(run)) }
    }
}

impl RetrievedRun {
    /// Makes a run of the given queries, with one list of hits for each query, best first. `ids` looks up the ids of
    /// the hits.
    ///
    /// # Errors
    ///
    /// [`Error::DuplicateQuery`] if two queries have the same id.
    pub fn new(queries: Vec<String>, hits: Vec<Vec<Hit>>, ids: Box<dyn PassageIds>) -> Result<Self, Error> {
        let mut query_indexes = HashMap::with_capacity(queries.len());
        for (index, query) in queries.iter().enumerate() {
            if query_indexes.insert(query.clone(), index).is_some() {
                return Err(Error::DuplicateQuery { query: query.clone() });
            }
        }
        let (ids, with_ids) = (Arc::from(ids), OnceLock::new());
        let lists = OrdLists { queries, query_indexes, hits, ids, with_ids };
        Ok(Self { lists: Lists::ByOrd(Arc::new(lists)) })
    }

    /// Number of queries.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.lists {
            Lists::ById(run) => run.len(),
            Lists::ByOrd(lists) => lists.queries.len(),
        }
    }

    /// Whether there is no query.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the run stores ords and looks up ids on demand.
    #[must_use]
    pub fn is_lazy(&self) -> bool {
        matches!(self.lists, Lists::ByOrd(_))
    }

    /// Query ids, in order.
    #[must_use]
    pub fn query_ids(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        match &self.lists {
            Lists::ById(run) => Box::new(run.iter().map(|(query, _)| query)),
            Lists::ByOrd(lists) => Box::new(lists.queries.iter().map(String::as_str)),
        }
    }

    /// Returns the index of the query with this id, if the run has it.
    #[must_use]
    pub fn query_index(&self, id: &str) -> Option<usize> {
        match &self.lists {
            Lists::ById(run) => run.query_index(id),
            Lists::ByOrd(lists) => lists.query_indexes.get(id).copied(),
        }
    }

    /// Number of hits of the query with index `query`.
    ///
    /// # Panics
    ///
    /// If the run has no query with this index.
    #[must_use]
    pub fn hit_count(&self, query: usize) -> usize {
        match &self.lists {
            Lists::ById(run) => hits_of(run, query).len(),
            Lists::ByOrd(lists) => lists.hits[query].len(),
        }
    }

    /// Returns the first `depth` hits of the query with index `query`; none if the run has no such query.
    /// [`ids`](Self::ids) looks up their ids.
    #[must_use]
    pub fn hits(&self, query: usize, depth: usize) -> Vec<Hit> {
        match &self.lists {
            Lists::ById(run) => {
                let (_, hits) = run.at(query).unwrap_or_default();
                let hits = hits.iter().take(depth).zip(0..);
                hits.map(|(hit, ord)| Hit { ord, score: hit.score }).collect()
            }
            Lists::ByOrd(lists) => {
                lists.hits.get(query).map(|hits| hits[..depth.min(hits.len())].to_vec()).unwrap_or_default()
            }
        }
    }

    /// Returns the scores of all hits of a range of queries, list by list.
    ///
    /// # Panics
    ///
    /// If the range ends after the last query.
    pub fn scores(&self, queries: Range<usize>) -> impl Iterator<Item = f32> + Clone + '_ {
        let (by_ord, by_id) = match &self.lists {
            Lists::ByOrd(lists) => (&lists.hits[queries], None),
            Lists::ById(run) => (&[][..], Some(queries.map(move |query| hits_of(run, query)))),
        };
        let by_id = by_id.into_iter().flatten().flatten().map(|hit: &ScoredId| hit.score);
        by_ord.iter().flatten().map(|hit: &Hit| hit.score).chain(by_id)
    }

    /// Calls `visit` with the id of each hit of a range of queries, list by list.
    ///
    /// # Errors
    ///
    /// Those of [`PassageIds::for_each_id`].
    ///
    /// # Panics
    ///
    /// If the range ends after the last query.
    pub fn for_each_id(&self, queries: Range<usize>, mut visit: impl FnMut(&str)) -> Result<(), Error> {
        match &self.lists {
            Lists::ById(run) => {
                queries.flat_map(|query| hits_of(run, query)).for_each(|hit| visit(&hit.id));
                Ok(())
            }
            Lists::ByOrd(lists) => queries
                .map(|query| (query, &lists.hits[query]))
                .try_for_each(|(list, hits)| lists.ids.for_each_id(list, hits, &mut visit)),
        }
    }

    /// Returns the source of the ids of [`hits`](Self::hits). If the run is lazy, holding the source does not keep the
    /// run's hits in memory.
    #[must_use]
    pub fn ids(&self) -> Arc<dyn PassageIds> {
        match &self.lists {
            Lists::ById(run) => Arc::new(RunIds(Arc::clone(run))),
            Lists::ByOrd(lists) => Arc::clone(&lists.ids),
        }
    }

    /// Returns the run with all ids. The first call looks up all ids, which takes time; later calls return the same
    /// run.
    ///
    /// # Errors
    ///
    /// Those of [`PassageIds::for_each_id`].
    ///
    /// # Panics
    ///
    /// If [`PassageIds::for_each_id`] visits more ids than it was given hits.
    pub fn to_run(&self) -> Result<Arc<Run>, Error> {
        let lists = match &self.lists {
            Lists::ById(run) => return Ok(Arc::clone(run)),
            Lists::ByOrd(lists) => lists,
        };
        if let Some(run) = lists.with_ids.get() {
            return Ok(Arc::clone(run));
        }
        let mut run = Run::new();
        for (list, (query, hits)) in lists.queries.iter().zip(&lists.hits).enumerate() {
            let mut scores = hits.iter().map(|hit| hit.score);
            let mut scored = Vec::with_capacity(hits.len());
            lists.ids.for_each_id(list, hits, &mut |id| {
                let score = scores.next().expect("an id for each hit");
                scored.push(ScoredId { id: id.to_owned(), score });
            })?;
            run.insert(query.as_str(), scored);
        }
        Ok(Arc::clone(lists.with_ids.get_or_init(|| Arc::new(run))))
    }

    /// Number of hits that dropping this value would free: 0 if a clone still shares them.
    #[must_use]
    pub fn owned_hit_count(&self) -> usize {
        match &self.lists {
            Lists::ById(run) if Arc::strong_count(run) == 1 => run.iter().map(|(_, hits)| hits.len()).sum(),
            Lists::ByOrd(lists) if Arc::strong_count(lists) == 1 => lists.hits.iter().map(Vec::len).sum(),
            _ => 0,
        }
    }
}

impl std::fmt::Debug for RetrievedRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RetrievedRun")
            .field("queries", &self.len())
            .field("is_lazy", &self.is_lazy())
            .finish()
    }
}

/// Returns the hits of the query with index `query`.
fn hits_of(run: &Run, query: usize) -> &[ScoredId] {
    run.at(query).map(|(_, hits)| hits).expect("the index of a query of this run")
}

/// Looks up ids in a run that has them. Here the ord of a hit is its index in the list of its query, so each list has
/// its own id space.
struct RunIds(Arc<Run>);

impl PassageIds for RunIds {
    fn id_space(&self, list: usize) -> usize {
        list
    }

    fn for_each_id(&self, list: usize, hits: &[Hit], visit: &mut dyn FnMut(&str)) -> Result<(), Error> {
        let listed = hits_of(&self.0, list);
        hits.iter().for_each(|hit| visit(&listed[hit.ord as usize].id));
        Ok(())
    }
}
