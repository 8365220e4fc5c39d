use std::sync::PoisonError;

use control::{Cancelled, Control};
use ranking::Hit;
use rayon::prelude::*;

use super::HnswIndex;
use crate::exact::scan::scan;
use crate::filter::Filter;
use crate::hnsw::planner::{Plan, Strategy, max_lists_read};
use crate::hnsw::scorer::Scorer;
use crate::hnsw::search::beam_search::{BeamSearch, BeamSize};
use crate::hnsw::search::code_scan::scan_codes;
use crate::hnsw::search::code_scan_batch::{MAX_BATCH_QUERIES, scan_codes_batch};
use crate::hnsw::search::filtered::FilteredLimits;
use crate::hnsw::search::interleaved::{MAX_INTERLEAVED, search_interleaved};
use crate::hnsw::search::rescore::rescore;
use crate::hnsw::search::scratch::Scratch;
use crate::{Error, RowSet};

/// How many queries a thread takes at a time, except for batch code scans.
const QUERIES_PER_TASK: usize = 32;

impl HnswIndex {
    /// Returns about the `k` best rows for `query` `[dim]`, best first; fewer only if the index has fewer.
    ///
    /// `ef` is how many candidates the beam search expands: the higher, the fewer of the best rows are missed. It may be
    /// less than `k`, because each expansion leads to many rows. Where scoring the codes of all rows is faster, as in an
    /// index of some thousands of rows, that is done instead.
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
        let plan = Plan::new(&self.rows.view(), self.options.m, k, ef, filter);
        Ok(self.search_group(&query, &plan, filter, control)?.pop().unwrap_or_default())
    }

    /// [`search`](Self::search) for each of the queries `[q * dim]`, row-major, on `threads` threads (0: one for each CPU).
    /// Where it is faster, many queries share a scan over all codes, which misses hardly any of the best rows. Counts each
    /// query as one unit done.
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
        let threads = threads::resolve(threads);
        let num_queries = queries.len() / dim;
        let plan = Plan::for_batch(num_queries, &self.rows.view(), self.options.m, k, ef, filter);
        let queries_per_task = if matches!(plan.strategy, Strategy::BatchCodeScan) {
            num_queries.div_ceil(threads).min(MAX_BATCH_QUERIES)
        } else {
            QUERIES_PER_TASK
        };
        let search = |queries: &[f32]| {
            let hits = self.search_group(queries, &plan, filter, control)?;
            control.advance(hits.len() as u64);
            Ok(hits)
        };
        let found: Result<Vec<Vec<Vec<Hit>>>, Cancelled> = threads::install_unless_single(threads, || {
            if threads == 1 {
                queries.chunks(queries_per_task * dim).map(search).collect()
            } else {
                queries.par_chunks(queries_per_task * dim).map(search).collect()
            }
        })?;
        Ok(found?.into_iter().flatten().collect())
    }

    /// The hits of each of the prepared queries, in order, on the caller's thread.
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
        let scan_exactly = |query: &[f32]| scan(&view, query, plan.k, filter, control);
        let is_exact = matches!(plan.strategy, Strategy::ExactScan);
        let (Some(entry_point), 1.., false) = (self.graph.entry_point, plan.k, is_exact) else {
            return queries.chunks_exact(dim).map(scan_exactly).collect();
        };
        let scorer = Scorer::new(view, self.codes.view(), self.squared_lengths.as_ref());
        let search = BeamSearch { scorer, graph: self.graph.view(), control };
        let found = match &plan.strategy {
            Strategy::FilteredBeamSearch(allowed)
            | Strategy::CodeScan(allowed)
            | Strategy::ScoreAllowed(allowed) => {
                let mut scratches = self.take_scratches(1);
                let search_one = |query: &[f32]| {
                    search_allowed(&search, entry_point, query, plan, allowed, &mut scratches[0])
                };
                let found = queries.chunks_exact(dim).map(search_one).collect();
                self.return_scratches(scratches);
                return found;
            }
            Strategy::BatchCodeScan => {
                scan_codes_batch(&scorer, queries, plan.k, |row| view.is_live(row), control)?
            }
            Strategy::BeamSearch | Strategy::ExactScan => {
                let mut scratches = self.take_scratches(MAX_INTERLEAVED.min(queries.len() / dim));
                let size = BeamSize { num_candidates: plan.num_candidates, ef: plan.ef };
                let live = |row| view.is_live(row);
                let found =
                    search_interleaved(&search, entry_point, queries, size, plan.k, live, &mut scratches)?;
                self.return_scratches(scratches);
                found
            }
        };
        // Not every row can be reached in the graph: only an exact scan knows whether there are no more hits.
        let complete = |(query, hits): (&[f32], Vec<Hit>)| {
            if hits.len() < plan.k { scan_exactly(query) } else { Ok(hits) }
        };
        queries.chunks_exact(dim).zip(found).map(complete).collect()
    }

    fn take_scratches(&self, count: usize) -> Vec<Scratch> {
        let mut idle = self.scratches.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = idle.len().saturating_sub(count);
        let mut taken = idle.split_off(kept);
        drop(idle);
        taken.resize_with(count, Scratch::default);
        taken
    }

    fn return_scratches(&self, scratches: Vec<Scratch>) {
        self.scratches.lock().unwrap_or_else(PoisonError::into_inner).extend(scratches);
    }
}

/// The hits of a prepared query among the `allowed` rows.
fn search_allowed(
    search: &BeamSearch,
    entry_point: u32,
    vector: &[f32],
    plan: &Plan,
    allowed: &RowSet,
    scratch: &mut Scratch,
) -> Result<Vec<Hit>, Cancelled> {
    let BeamSearch { scorer, control, .. } = *search;
    let query = scorer.query(vector);
    let found = match plan.strategy {
        Strategy::FilteredBeamSearch(_) => {
            let ef = plan.num_candidates;
            let max_lists_read = max_lists_read(ef, allowed, scorer.view().len());
            let limits = FilteredLimits { allowed, ef, max_lists_read };
            search.search_filtered(&query, entry_point, limits, scratch)?
        }
        _ => None,
    };
    let candidates = match (found, &plan.strategy) {
        (Some(found), _) => found,
        // With infinite scores, none is left out by `rescore`.
        (None, Strategy::ScoreAllowed(_)) => {
            allowed.iter().map(|ord| Hit { ord, score: f32::INFINITY }).collect()
        }
        _ => scan_codes(&scorer, &query, allowed, plan.k, control, &mut scratch.buffers)?,
    };
    Ok(rescore(&scorer, vector, &query, &candidates, plan.k))
}
