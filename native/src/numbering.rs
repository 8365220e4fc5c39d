//! Runs by numbers: a passage has the same one in all of them, whatever index it was found in.

use std::collections::HashMap;
use std::hash::BuildHasher;

use hashbrown::HashTable;
use ranking::Hit;
use rustc_hash::FxBuildHasher;

use crate::run::{Names, NativeRun};
use crate::task::Outcome;

/// Passages by number, in order of first appearance. Their ids lie one behind the other: many are looked up while a search
/// is waited for.
#[derive(Default)]
pub struct Numbering {
    ids: String,
    /// Where each id ends.
    ends: Vec<usize>,
    numbers: HashTable<u32>,
    hasher: FxBuildHasher,
}

impl Numbering {
    /// The number of a passage, which is new if it has none yet.
    pub fn number(&mut self, id: &str) -> u32 {
        let Self { ids, ends, numbers, hasher } = self;
        let hash = hasher.hash_one(id);
        if let Some(&number) = numbers.find(hash, |&number| nth(ids, ends, number) == id) {
            return number;
        }
        let number = ends.len() as u32;
        ids.push_str(id);
        ends.push(ids.len());
        numbers.insert_unique(hash, number, |&number| hasher.hash_one(nth(ids, ends, number)));
        number
    }

    /// The id of a number.
    pub fn id(&self, number: u32) -> &str {
        nth(&self.ids, &self.ends, number)
    }

    /// For hits whose ords are numbers.
    pub fn into_names(self) -> Box<dyn Names> {
        Box::new(self)
    }
}

fn nth<'a>(ids: &'a str, ends: &[usize], number: u32) -> &'a str {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] };
    &ids[start..ends[number]]
}

impl Names for Numbering {
    fn for_each_id(&self, _list: usize, hits: &[Hit], with: &mut dyn FnMut(&str)) -> Outcome<()> {
        hits.iter().for_each(|hit| with(self.id(hit.ord)));
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
