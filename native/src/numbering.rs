//! Runs by numbers: a passage has the same one in all of them, whatever index it was found in.

use std::collections::HashMap;
use std::sync::Arc;

use ranking::Hit;

use crate::run::{Names, NativeRun};
use crate::task::Outcome;

/// Passages by number, in order of first appearance.
#[derive(Default)]
pub struct Numbering {
    ids: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
}

impl Numbering {
    /// The number of a passage, which is new if it has none yet.
    pub fn number(&mut self, id: &str) -> u32 {
        if let Some(&number) = self.numbers.get(id) {
            return number;
        }
        let (id, number): (Arc<str>, u32) = (id.into(), self.ids.len() as u32);
        self.ids.push(Arc::clone(&id));
        self.numbers.insert(id, number);
        number
    }

    pub fn ids(&self) -> &[Arc<str>] {
        &self.ids
    }

    /// For hits whose ords are numbers.
    pub fn into_names(self) -> Box<dyn Names> {
        Box::new(ByNumber(self.ids))
    }
}

struct ByNumber(Vec<Arc<str>>);

impl Names for ByNumber {
    fn for_each_id(&self, _list: usize, hits: &[Hit], with: &mut dyn FnMut(&str)) -> Outcome<()> {
        hits.iter().for_each(|hit| with(&self.0[hit.ord as usize]));
        Ok(())
    }
}

/// Runs of the same queries, list beside list.
pub struct Aligned {
    pub numbering: Numbering,
    /// In order of first appearance, the runs read one after the other.
    pub queries: Vec<String>,
    /// `[runs][queries]`, ords being numbers; empty where a run lacks a query.
    pub lists: Vec<Vec<Vec<Hit>>>,
}

impl Aligned {
    /// Runs, and of each list the first `depth` hits.
    pub fn new(runs: &[NativeRun], depth: usize) -> Outcome<Self> {
        let mut numbering = Numbering::default();
        let mut positions: HashMap<String, usize> = HashMap::new();
        let (mut queries, mut lists) = (Vec::new(), Vec::with_capacity(runs.len()));
        for run in runs {
            let mut aligned: Vec<Vec<Hit>> = Vec::new();
            run.for_each_list(depth, &mut numbering, |query, hits| {
                let at = *positions.entry(query.to_owned()).or_insert_with(|| {
                    queries.push(query.to_owned());
                    queries.len() - 1
                });
                aligned.resize_with(queries.len().max(aligned.len()), Vec::new);
                aligned[at] = hits;
            })?;
            lists.push(aligned);
        }
        lists.iter_mut().for_each(|lists| lists.resize_with(queries.len(), Vec::new));
        Ok(Self { numbering, queries, lists })
    }

    /// The lists of a query, one a run.
    pub fn of(&self, query: usize) -> Vec<&[Hit]> {
        self.lists.iter().map(|lists| lists[query].as_slice()).collect()
    }
}
