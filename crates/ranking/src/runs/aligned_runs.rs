//! Aligns several runs query by query. Fusion needs the lists of one query side by side. Evaluation searches a passage
//! for the answers to a question only once, even if several runs return the passage, because the passage has the same
//! ord in all aligned runs.

use std::collections::HashMap;

use crate::{Error, Hit, Interner, RetrievedRun};

/// Several runs, query by query. A passage has the same ord in all of them: the number that `interner` assigned to its
/// id.
#[derive(Debug)]
pub struct AlignedRuns {
    /// Finds the id of a passage by its ord.
    pub interner: Interner,
    /// Query ids in the order of first appearance: all of the first run, then the new ones of the second, and so on.
    pub queries: Vec<String>,
    /// `[runs][queries]`: lists of hits, whose ords were assigned by `interner`. A list is empty if the run lacks the
    /// query.
    pub lists: Vec<Vec<Vec<Hit>>>,
}

impl AlignedRuns {
    /// Aligns runs. Keeps the first `depth` hits of each list.
    ///
    /// # Errors
    ///
    /// If the [`PassageIds`](crate::PassageIds) of a run cannot read its ids.
    pub fn new(runs: &[RetrievedRun], depth: usize) -> Result<Self, Error> {
        let mut interner = Interner::default();
        let mut query_indexes: HashMap<String, usize> = HashMap::new();
        let (mut queries, mut lists) = (Vec::new(), Vec::with_capacity(runs.len()));
        for run in runs {
            let mut aligned: Vec<Vec<Hit>> = Vec::new();
            run.for_each_interned(depth, &mut interner, |query, hits| {
                let index = *query_indexes.entry(query.to_owned()).or_insert_with(|| {
                    queries.push(query.to_owned());
                    queries.len() - 1
                });
                aligned.resize_with(queries.len(), Vec::new);
                aligned[index] = hits;
            })?;
            lists.push(aligned);
        }
        // Later runs may have added queries.
        lists.iter_mut().for_each(|aligned| aligned.resize_with(queries.len(), Vec::new));
        Ok(Self { interner, queries, lists })
    }

    /// Returns the lists of one query, one per run. `query` is an index into `queries`.
    #[must_use]
    pub fn lists_of(&self, query: usize) -> Vec<&[Hit]> {
        self.lists.iter().map(|lists| lists[query].as_slice()).collect()
    }

    /// Returns for each query id its index in `queries`, or `None` if no run has the query.
    #[must_use]
    pub fn query_indexes<'a>(&self, ids: impl IntoIterator<Item = &'a str>) -> Vec<Option<usize>> {
        let indexes: HashMap<&str, usize> =
            self.queries.iter().enumerate().map(|(index, query)| (query.as_str(), index)).collect();
        ids.into_iter().map(|id| indexes.get(id).copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Run, ScoredId};

    /// A run with the given passage ids for each query id.
    fn run(lists: &[(&str, &[&str])]) -> RetrievedRun {
        let mut run = Run::new();
        for &(query, ids) in lists {
            run.insert(query, ids.iter().map(|&id| ScoredId { id: id.into(), score: 1.0 }).collect());
        }
        run.into()
    }

    #[test]
    fn a_passage_has_one_ord_in_all_runs_and_a_missing_query_has_an_empty_list() {
        let runs = [run(&[("q1", &["a", "b"])]), run(&[("q2", &["c"]), ("q1", &["b", "c", "d"])])];
        let aligned = AlignedRuns::new(&runs, 2).expect("ids are found");

        assert_eq!(aligned.queries, ["q1", "q2"]);
        let ids = |query: usize| -> Vec<Vec<&str>> {
            let ids = |list: &&[Hit]| list.iter().map(|hit| aligned.interner.get(hit.ord)).collect();
            aligned.lists_of(query).iter().map(ids).collect()
        };
        assert_eq!(ids(0), [vec!["a", "b"], vec!["b", "c"]]);
        assert_eq!(ids(1), [vec![], vec!["c"]]);
        assert_eq!(aligned.lists[0][0][1].ord, aligned.lists[1][0][0].ord);
        assert_eq!(aligned.query_indexes(["q2", "q3", "q1"]), [Some(1), None, Some(0)]);
    }
}
