use std::sync::PoisonError;

use control::{Cancelled, Control};
use ranking::Hit;
use rayon::prelude::*;

use super::HnswIndex;
use crate::hnsw::closeness::Closeness;
use crate::hnsw::interleave::{INTERLEAVED, interleaved};
use crate::hnsw::plan::Plan;
use crate::hnsw::rescore::rescore;
use crate::hnsw::walk::{Scratch, Walk};
use crate::scan::{Filter, scan};
use crate::{Error, pool};

/// Queries that one thread takes at a time.
const GROUP_QUERIES: usize = 32;

impl HnswIndex {
    /// About the `k` best rows for `query` `[dim]`, best first; fewer only if there are fewer. `ef` is how many
    /// rows the walk goes to, the nearest that it finds: the more, the fewer of the best rows are missing. It may be less
    /// than `k`, for a row leads to many.
    ///
    /// # Errors
    ///
    /// [`Error::Dimension`], [`Error::NotFinite`], [`Error::Length`], [`Error::Zero`] or [`Error::Cancelled`].
    pub fn search(&self, query: &[f32], k: usize, ef: usize, control: &Control) -> Result<Vec<Hit>, Error> {
        self.search_filtered(query, k, ef, None, control)
    }

    /// [`search`](Self::search) among the rows that `filter` allows; fewer than `k` hits only if it allows fewer.
    ///
    /// # Errors
    ///
    /// As [`search`](Self::search).
    pub fn search_filtered(
        &self,
        query: &[f32],
        k: usize,
        ef: usize,
        filter: Option<Filter>,
        control: &Control,
    ) -> Result<Vec<Hit>, Error> {
        let query = self.rows.similarity().prepare_query(self.rows.dim(), query)?;
        let plan = Plan::new(&self.rows.view(), k, ef, filter);
        Ok(self.search_group(&query, &plan, filter, control)?.pop().unwrap_or_default())
    }

    /// [`search`](Self::search) for each of the queries `[q * dim]`, row-major, on `threads` threads (0: one for
    /// each CPU). Counts each query as one unit done.
    ///
    /// # Errors
    ///
    /// As [`search`](Self::search); [`Error::Threads`].
    pub fn search_many(
        &self,
        queries: &[f32],
        k: usize,
        ef: usize,
        threads: usize,
        control: &Control,
    ) -> Result<Vec<Vec<Hit>>, Error> {
        self.search_many_filtered(queries, k, ef, threads, None, control)
    }

    /// [`search_many`](Self::search_many) among the rows that `filter` allows.
    ///
    /// # Errors
    ///
    /// As [`search_many`](Self::search_many).
    pub fn search_many_filtered(
        &self,
        queries: &[f32],
        k: usize,
        ef: usize,
        threads: usize,
        filter: Option<Filter>,
        control: &Control,
    ) -> Result<Vec<Vec<Hit>>, Error> {
        let dim = self.rows.dim();
        let queries = self.rows.similarity().prepare("search", dim, queries)?;
        let plan = Plan::new(&self.rows.view(), k, ef, filter);
        let search = |queries: &[f32]| {
            let hits = self.search_group(queries, &plan, filter, control)?;
            control.advance(hits.len() as u64);
            Ok(hits)
        };
        let threads = pool::resolve(threads);
        let found: Result<Vec<Vec<Vec<Hit>>>, Cancelled> = pool::run(threads, || {
            if threads == 1 {
                queries.chunks(GROUP_QUERIES * dim).map(search).collect()
            } else {
                queries.par_chunks(GROUP_QUERIES * dim).map(search).collect()
            }
        })?;
        Ok(found?.into_iter().flatten().collect())
    }

    /// The hits of each of the prepared queries, in order.
    fn search_group(
        &self,
        queries: &[f32],
        plan: &Plan,
        filter: Option<Filter>,
        control: &Control,
    ) -> Result<Vec<Vec<Hit>>, Cancelled> {
        control.check()?;
        let dim = self.rows.dim();
        let view = self.rows.view();
        let Some(entry) = self.graph.entry.filter(|_| plan.walks && plan.k > 0) else {
            return queries
                .chunks_exact(dim)
                .map(|query| scan(&view, query, plan.k, filter, control))
                .collect();
        };
        let closeness = Closeness::new(view, self.codes.view(), self.lengths.as_ref());
        let walk = Walk { closeness, links: self.graph.view(), control };
        // Links do not lead everywhere, and a filter may allow fewer than `k`: only a scan knows.
        let complete = |query: &[f32], hits: Vec<Hit>| {
            if hits.len() < plan.k { scan(&view, query, plan.k, filter, control) } else { Ok(hits) }
        };
        let live = |row| view.is_live(row);
        if filter.is_none() && view.live_len() >= view.len() / 10 * 9 {
            let mut scratches = self.take_scratches(INTERLEAVED.min(queries.len() / dim));
            let found = interleaved(&walk, entry, queries, plan, live, &mut scratches)?;
            self.keep_scratches(scratches);
            return queries.chunks_exact(dim).zip(found).map(|(query, hits)| complete(query, hits)).collect();
        }
        let allowed = |row| live(row) && filter.is_none_or(|allows| allows(row));
        let mut scratches = self.take_scratches(1);
        let search = |query: &[f32]| {
            let target = closeness.of_query(query);
            let entry = walk.descend(&target, entry, 0, &mut scratches[0]);
            let candidates = walk.accepted(&target, entry, plan.kept, allowed, &mut scratches[0])?;
            complete(query, rescore(&closeness, query, &target, &candidates, plan.k))
        };
        let found = queries.chunks_exact(dim).map(search).collect();
        self.keep_scratches(scratches);
        found
    }

    fn take_scratches(&self, count: usize) -> Vec<Scratch> {
        let mut left = self.scratches.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = left.len().saturating_sub(count);
        let mut taken = left.split_off(kept);
        drop(left);
        taken.resize_with(count, Scratch::default);
        taken
    }

    fn keep_scratches(&self, scratches: Vec<Scratch>) {
        self.scratches.lock().unwrap_or_else(PoisonError::into_inner).extend(scratches);
    }
}
