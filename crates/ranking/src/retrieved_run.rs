//! Runs as searches return them: hits by their positions in an index, whose ids are looked up when they are needed.
//!
//! A search for thousands of queries finds millions of hits, and most of their ids may never be read. A [`RetrievedRun`] therefore
//! keeps ords and scores, and a [`PassageIds`] that looks up ids. Runs from files, which come with ids, have the same type.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::{Error, Hit, IdInterner, PassageIds, Run, ScoredId};

/// The hits of many queries, whose ids are looked up on demand. A clone shares all data.
#[derive(Clone)]
pub struct RetrievedRun {
    lists: Lists,
}

#[derive(Clone)]
enum Lists {
    /// Hits with ids.
    Named(Arc<Run>),
    /// Hits with ords.
    Ranked(Arc<RankedLists>),
}

struct RankedLists {
    queries: Vec<String>,
    positions: HashMap<String, usize>,
    hits: Vec<Vec<Hit>>,
    ids: Arc<dyn PassageIds>,
    /// The run with ids, once they have been looked up.
    named: OnceLock<Arc<Run>>,
}

impl From<Run> for RetrievedRun {
    fn from(run: Run) -> Self {
        Self { lists: Lists::Named(Arc::new(run)) }
    }
}

impl RetrievedRun {
    /// A list of hits, best first, for each query.
    ///
    /// # Errors
    ///
    /// [`Error::DuplicateQuery`] if two queries have the same id.
    pub fn new(queries: Vec<String>, hits: Vec<Vec<Hit>>, ids: Box<dyn PassageIds>) -> Result<Self, Error> {
        let mut positions = HashMap::with_capacity(queries.len());
        for (at, query) in queries.iter().enumerate() {
            if positions.insert(query.clone(), at).is_some() {
                return Err(Error::DuplicateQuery { query: query.clone() });
            }
        }
        let lists = RankedLists { queries, positions, hits, ids: Arc::from(ids), named: OnceLock::new() };
        Ok(Self { lists: Lists::Ranked(Arc::new(lists)) })
    }

    /// Number of queries.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.lists {
            Lists::Named(run) => run.len(),
            Lists::Ranked(ranked) => ranked.queries.len(),
        }
    }

    /// Whether there is no query.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether hits have ords, and their ids are looked up on demand.
    #[must_use]
    pub fn is_lazy(&self) -> bool {
        matches!(self.lists, Lists::Ranked(_))
    }

    /// Query ids, in order.
    #[must_use]
    pub fn query_ids(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        match &self.lists {
            Lists::Named(run) => Box::new(run.iter().map(|(query, _)| query)),
            Lists::Ranked(ranked) => Box::new(ranked.queries.iter().map(String::as_str)),
        }
    }

    /// Position of a query.
    #[must_use]
    pub fn position(&self, query: &str) -> Option<usize> {
        match &self.lists {
            Lists::Named(run) => run.position(query),
            Lists::Ranked(ranked) => ranked.positions.get(query).copied(),
        }
    }

    /// Number of hits of the query at a position.
    ///
    /// # Panics
    ///
    /// If there is no such position.
    #[must_use]
    pub fn hit_count(&self, position: usize) -> usize {
        match &self.lists {
            Lists::Named(run) => list_at(run, position).len(),
            Lists::Ranked(ranked) => ranked.hits[position].len(),
        }
    }

    /// The first `depth` hits of the query at a position; none if there is no such position. [`ids`](Self::ids) looks up their
    /// ids.
    #[must_use]
    pub fn hits(&self, position: usize, depth: usize) -> Vec<Hit> {
        match &self.lists {
            Lists::Named(run) => {
                let (_, hits) = run.at(position).unwrap_or_default();
                let hits = hits.iter().take(depth).zip(0..);
                hits.map(|(hit, ord)| Hit { ord, score: hit.score }).collect()
            }
            Lists::Ranked(ranked) => ranked
                .hits
                .get(position)
                .map(|hits| hits[..depth.min(hits.len())].to_vec())
                .unwrap_or_default(),
        }
    }

    /// The scores of all hits of the queries at some positions, one list after another.
    ///
    /// # Panics
    ///
    /// If there are no such positions.
    pub fn scores(&self, positions: Range<usize>) -> impl Iterator<Item = f32> + Clone + '_ {
        let (ranked, named) = match &self.lists {
            Lists::Ranked(ranked) => (&ranked.hits[positions], None),
            Lists::Named(run) => (&[][..], Some(positions.map(move |at| list_at(run, at)))),
        };
        let named = named.into_iter().flatten().flatten().map(|hit: &ScoredId| hit.score);
        ranked.iter().flatten().map(|hit: &Hit| hit.score).chain(named)
    }

    /// Calls `visit` with the id of each hit of the queries at some positions, one list after another.
    ///
    /// # Errors
    ///
    /// As [`PassageIds::for_each_id`].
    ///
    /// # Panics
    ///
    /// If there are no such positions.
    pub fn for_each_id(&self, positions: Range<usize>, mut visit: impl FnMut(&str)) -> Result<(), Error> {
        match &self.lists {
            Lists::Named(run) => {
                positions.flat_map(|at| list_at(run, at)).for_each(|hit| visit(&hit.id));
                Ok(())
            }
            Lists::Ranked(ranked) => positions
                .map(|at| (at, &ranked.hits[at]))
                .try_for_each(|(list, hits)| ranked.ids.for_each_id(list, hits, &mut visit)),
        }
    }

    /// Looks up the ids of [`hits`](Self::hits). Holding it does not keep the hits of a lazy run in memory.
    #[must_use]
    pub fn ids(&self) -> Arc<dyn PassageIds> {
        match &self.lists {
            Lists::Named(run) => Arc::new(PlaceInList(Arc::clone(run))),
            Lists::Ranked(ranked) => Arc::clone(&ranked.ids),
        }
    }

    /// The run with all ids. The first call looks up all of them, which takes time.
    ///
    /// # Errors
    ///
    /// As [`PassageIds::for_each_id`].
    ///
    /// # Panics
    ///
    /// If [`PassageIds`] does not name every hit.
    pub fn to_run(&self) -> Result<Arc<Run>, Error> {
        let ranked = match &self.lists {
            Lists::Named(run) => return Ok(Arc::clone(run)),
            Lists::Ranked(ranked) => ranked,
        };
        if let Some(run) = ranked.named.get() {
            return Ok(Arc::clone(run));
        }
        let mut run = Run::new();
        for (list, (query, hits)) in ranked.queries.iter().zip(&ranked.hits).enumerate() {
            let mut scores = hits.iter().map(|hit| hit.score);
            let mut scored = Vec::with_capacity(hits.len());
            ranked.ids.for_each_id(list, hits, &mut |id| {
                let score = scores.next().expect("an id for each hit");
                scored.push(ScoredId { id: id.to_owned(), score });
            })?;
            run.insert(query.as_str(), scored);
        }
        Ok(Arc::clone(ranked.named.get_or_init(|| Arc::new(run))))
    }

    /// Calls `visit` with each query and the first `depth` of its hits, whose ords are numbers of `interner`. The id of a passage
    /// that many queries found is looked up once.
    ///
    /// # Errors
    ///
    /// As [`PassageIds::for_each_id`].
    ///
    /// # Panics
    ///
    /// If [`PassageIds`] does not name every hit.
    pub fn for_each_interned(
        &self,
        depth: usize,
        interner: &mut IdInterner,
        mut visit: impl FnMut(&str, Vec<Hit>),
    ) -> Result<(), Error> {
        /// Stands for a number that is not known yet.
        const UNKNOWN: u32 = u32::MAX;

        let ranked = match &self.lists {
            Lists::Named(run) => {
                for (query, hits) in run.iter() {
                    let hits = hits.iter().take(depth);
                    visit(
                        query,
                        hits.map(|hit| Hit { ord: interner.intern(&hit.id), score: hit.score }).collect(),
                    );
                }
                return Ok(());
            }
            Lists::Ranked(ranked) => ranked,
        };
        // `numbers[ord]`: valid only for lists of one id space.
        let (mut id_space, mut numbers) = (usize::MAX, Vec::new());
        for (list, (query, hits)) in ranked.queries.iter().zip(&ranked.hits).enumerate() {
            if ranked.ids.id_space(list) != id_space {
                id_space = ranked.ids.id_space(list);
                numbers.clear();
            }
            let hits = &hits[..hits.len().min(depth)];
            let ord_count = hits.iter().map(|hit| hit.ord as usize + 1).max().unwrap_or(0);
            numbers.resize(ord_count.max(numbers.len()), UNKNOWN);
            let unknown = |hit: &&Hit| numbers[hit.ord as usize] == UNKNOWN;
            let new: Vec<Hit> = hits.iter().filter(unknown).copied().collect();
            let mut new_hits = new.iter();
            ranked.ids.for_each_id(list, &new, &mut |id| {
                let hit = new_hits.next().expect("an id for each hit");
                numbers[hit.ord as usize] = interner.intern(id);
            })?;
            let interned = hits.iter().map(|hit| Hit { ord: numbers[hit.ord as usize], score: hit.score });
            visit(query, interned.collect());
        }
        Ok(())
    }

    /// Number of hits that are freed if this value is dropped: 0 if another clone shares them.
    #[must_use]
    pub fn owned_hit_count(&self) -> usize {
        match &self.lists {
            Lists::Named(run) if Arc::strong_count(run) == 1 => run.iter().map(|(_, hits)| hits.len()).sum(),
            Lists::Ranked(ranked) if Arc::strong_count(ranked) == 1 => ranked.hits.iter().map(Vec::len).sum(),
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

fn list_at(run: &Run, position: usize) -> &[ScoredId] {
    run.at(position).map(|(_, hits)| hits).expect("a position of this run")
}

/// Looks up the ids of a run that has ids; an ord is a position in its list.
struct PlaceInList(Arc<Run>);

impl PassageIds for PlaceInList {
    fn id_space(&self, list: usize) -> usize {
        list
    }

    fn for_each_id(&self, list: usize, hits: &[Hit], visit: &mut dyn FnMut(&str)) -> Result<(), Error> {
        let named = list_at(&self.0, list);
        hits.iter().for_each(|hit| visit(&named[hit.ord as usize].id));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// The ids of two indexes: lists from 2 on come from the second.
    struct TwoIndexes {
        looked_up: Arc<AtomicUsize>,
    }

    const FIRST: [&str; 3] = ["a", "b", "c"];
    const SECOND: [&str; 3] = ["c", "a", "d"];

    impl PassageIds for TwoIndexes {
        fn id_space(&self, list: usize) -> usize {
            list / 2
        }

        fn for_each_id(&self, list: usize, hits: &[Hit], visit: &mut dyn FnMut(&str)) -> Result<(), Error> {
            self.looked_up.fetch_add(hits.len(), Ordering::Relaxed);
            let ids = if list < 2 { FIRST } else { SECOND };
            hits.iter().for_each(|hit| visit(ids[hit.ord as usize]));
            Ok(())
        }
    }

    fn hits(ords: &[u32]) -> Vec<Hit> {
        ords.iter().zip(0u16..).map(|(&ord, rank)| Hit { ord, score: -f32::from(rank) }).collect()
    }

    /// A run of queries q0 to q3, and a count of the ids that were looked up.
    fn lazy() -> (RetrievedRun, Arc<AtomicUsize>) {
        let looked_up = Arc::new(AtomicUsize::new(0));
        let queries = (0..4).map(|query| format!("q{query}")).collect();
        let lists = vec![hits(&[0, 1]), hits(&[1, 2]), hits(&[0, 2]), hits(&[])];
        let ids = TwoIndexes { looked_up: Arc::clone(&looked_up) };
        (RetrievedRun::new(queries, lists, Box::new(ids)).expect("queries differ"), looked_up)
    }

    fn interned(run: &RetrievedRun, depth: usize) -> Vec<(String, Vec<String>)> {
        let (mut interner, mut lists) = (IdInterner::default(), Vec::new());
        run.for_each_interned(depth, &mut interner, |query, hits| lists.push((query.to_owned(), hits)))
            .expect("ids are there");
        let name = |hits: Vec<Hit>| hits.iter().map(|hit| interner.id(hit.ord).to_owned()).collect();
        lists.into_iter().map(|(query, hits)| (query, name(hits))).collect()
    }

    fn expected(lists: [&[&str]; 4]) -> Vec<(String, Vec<String>)> {
        let own = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect();
        (0..).zip(lists).map(|(query, ids)| (format!("q{query}"), own(ids))).collect()
    }

    #[test]
    fn a_passage_is_looked_up_once_for_all_lists_of_one_id_space() {
        let (run, looked_up) = lazy();
        assert_eq!(interned(&run, 9), expected([&["a", "b"], &["b", "c"], &["c", "d"], &[]]));
        // a, b and c in the first index, c and d in the second.
        assert_eq!(looked_up.load(Ordering::Relaxed), 5);
    }

    #[test]
    fn only_the_first_hits_are_interned() {
        let (run, looked_up) = lazy();
        assert_eq!(interned(&run, 1), expected([&["a"], &["b"], &["c"], &[]]));
        assert_eq!(looked_up.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn ids_are_looked_up_once_and_results_stay_the_same() {
        let (run, looked_up) = lazy();
        let named = run.to_run().expect("ids are there");
        assert_eq!(named.get("q2").map(|hits| hits[1].id.as_str()), Some("d"));
        assert!(Arc::ptr_eq(&named, &run.to_run().expect("ids are there")));
        assert_eq!(looked_up.load(Ordering::Relaxed), 6);

        let eager = RetrievedRun::from((*named).clone());
        assert!(run.is_lazy() && !eager.is_lazy());
        assert_eq!(interned(&eager, 9), interned(&run, 9));
        for run in [&run, &eager] {
            assert_eq!(run.query_ids().collect::<Vec<_>>(), ["q0", "q1", "q2", "q3"]);
            assert_eq!((run.len(), run.position("q1"), run.position("q9")), (4, Some(1), None));
            assert_eq!((run.hit_count(2), run.hits(2, 1).len(), run.hits(3, 9).len()), (2, 1, 0));
            assert_eq!(run.scores(1..3).collect::<Vec<_>>(), [0.0, -1.0, 0.0, -1.0]);
            let mut ids = Vec::new();
            run.for_each_id(1..3, |id| ids.push(id.to_owned())).expect("ids are there");
            assert_eq!(ids, ["b", "c", "c", "d"]);
            let (names, hits) = (run.ids(), run.hits(2, 9));
            ids.clear();
            names.for_each_id(2, &hits, &mut |id| ids.push(id.to_owned())).expect("ids are there");
            assert_eq!(ids, ["c", "d"]);
        }
    }

    #[test]
    fn queries_with_the_same_id_are_refused() {
        let refused = RetrievedRun::new(
            vec!["q".into(), "q".into()],
            vec![Vec::new(), Vec::new()],
            Box::new(IdInterner::default()),
        );
        assert_eq!(
            refused.expect_err("twice").to_string(),
            "queries: expected distinct ids, got \"q\" twice"
        );
    }

    #[test]
    fn only_the_last_owner_counts_the_hits_that_it_frees() {
        let (run, _) = lazy();
        assert_eq!(run.owned_hit_count(), 6);
        let other = run.clone();
        assert_eq!((run.owned_hit_count(), other.owned_hit_count()), (0, 0));
        drop(other);
        assert_eq!(run.owned_hit_count(), 6);
    }
}
