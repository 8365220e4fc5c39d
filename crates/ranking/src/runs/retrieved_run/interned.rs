//! Replaces the ords of a run with the numbers of an [`Interner`], so that the passages of several runs can be
//! compared.

use super::{Lists, RetrievedRun};
use crate::{Error, Hit, Interner};

impl RetrievedRun {
    /// Calls `visit` with each query and the first `depth` of its hits. The ords of these hits are numbers of
    /// `interner`. If consecutive queries found the same passage in the same index, its id is looked up only once.
    ///
    /// # Errors
    ///
    /// Those of [`PassageIds::for_each_id`](crate::PassageIds::for_each_id).
    ///
    /// # Panics
    ///
    /// If [`PassageIds::for_each_id`](crate::PassageIds::for_each_id) visits more ids than it was given hits.
    pub fn for_each_interned(
        &self,
        depth: usize,
        interner: &mut Interner,
        mut visit: impl FnMut(&str, Vec<Hit>),
    ) -> Result<(), Error> {
        /// The entry in `numbers` of a passage whose number is not known yet.
        const UNKNOWN: u32 = u32::MAX;

        let lists = match &self.lists {
            Lists::ById(run) => {
                for (query, hits) in run.iter() {
                    let hits = hits.iter().take(depth);
                    visit(
                        query,
                        hits.map(|hit| Hit { ord: interner.intern(&hit.id), score: hit.score }).collect(),
                    );
                }
                return Ok(());
            }
            Lists::ByOrd(lists) => lists,
        };
        // `numbers[ord]` is the number of a passage in `interner`. These numbers are valid only for lists of the
        // current id space. Before the first list, there is no current id space.
        let (mut id_space, mut numbers) = (usize::MAX, Vec::new());
        for (list, (query, hits)) in lists.queries.iter().zip(&lists.hits).enumerate() {
            if lists.ids.id_space(list) != id_space {
                id_space = lists.ids.id_space(list);
                numbers.clear();
            }
            let hits = &hits[..hits.len().min(depth)];
            let ord_count = hits.iter().map(|hit| hit.ord as usize + 1).max().unwrap_or(0);
            numbers.resize(ord_count.max(numbers.len()), UNKNOWN);
            let is_new = |hit: &&Hit| numbers[hit.ord as usize] == UNKNOWN;
            let new: Vec<Hit> = hits.iter().filter(is_new).copied().collect();
            let mut new_hits = new.iter();
            lists.ids.for_each_id(list, &new, &mut |id| {
                let hit = new_hits.next().expect("an id for each hit");
                numbers[hit.ord as usize] = interner.intern(id);
            })?;
            let interned = hits.iter().map(|hit| Hit { ord: numbers[hit.ord as usize], score: hit.score });
            visit(query, interned.collect());
        }
        Ok(())
    }
}
