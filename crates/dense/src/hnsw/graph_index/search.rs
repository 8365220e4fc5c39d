//! Searches of a [`GraphIndex`]: plans each search and runs it with the chosen strategy.

use std::sync::PoisonError;

use control::{Canceled, Control};
use ranking::{Hit, TopKBuffer};
use rayon::prelude::*;

use super::GraphIndex;
use crate::exact::scan::scan;
use crate::filter::Filter;
use crate::hnsw::planner::{Plan, Planner, Strategy, max_rows_scored};
use crate::hnsw::search::beam_search::{BeamSearch, BeamSize};
use crate::hnsw::search::code_scan::{RowWords, scan_codes};
use crate::hnsw::search::code_scan_batch::{MAX_BATCH_QUERIES, scan_codes_batch};
use crate::hnsw::search::filtered::FilteredLimits;
use crate::hnsw::search::interleaved::{MAX_INTERLEAVED, search_interleaved};
use crate::hnsw::search::rescore::rescore;
use crate::hnsw::search::scratch::Scratch;
use crate::store::rows_view::RowsView;
use crate::{Error, RowSet};

/// Number of queries in each task of the thread pool, except for batch code scans.
const QUERIES_PER_TASK: usize = 32;

/// The parameters of a search.
#[derive(Clone, Copy)]
pub(crate) struct SearchParams<'a> {
    /// The number of hits.
    pub k: usize,
    /// The number of candidates that a beam search expands. If `k` is near `ef` or larger, a filtered beam search
    /// expands more (see [`Plan::num_candidates`]).
    pub ef: usize,
    pub filter: Option<Filter<'a>>,
}

impl GraphIndex {
    /// Returns approximately the `params.k` best rows of the view for a query that is already
    /// [prepared](crate::Similarity::prepare), best first. The view must have exactly the rows in the graph.
    pub fn search(
        &self,
        view: &RowsView,
        query: &[f32],
        params: SearchParams,
        control: &Control,
    ) -> Result<Vec<Hit>, Canceled> {
        let SearchParams { k, ef, filter } = params;
        let plan = self.planner().plan(view, k, ef, filter);
        Ok(self.search_with_plan(view, query, &plan, filter, control)?.pop().unwrap_or_default())
    }

    /// [Searches](Self::search) with each of the prepared queries `[q * dim]` on `threads` threads (0: one per CPU).
    /// Counts each query as one unit of progress.
    pub fn search_many(
        &self,
        view: &RowsView,
        queries: &[f32],
        params: SearchParams,
        threads: usize,
        control: &Control,
    ) -> Result<Vec<Vec<Hit>>, Error> {
        let SearchParams { k, ef, filter } = params;
        let threads = threads::resolve(threads);
        let num_queries = queries.len() / view.dim;
        let plan = self.planner().plan_batch(num_queries, view, k, ef, filter);
        let queries_per_task = if matches!(plan.strategy, Strategy::BatchCodeScan) {
            num_queries.div_ceil(threads).min(MAX_BATCH_QUERIES)
        } else {
            QUERIES_PER_TASK
        };
        let search = |queries: &[f32]| {
            let hits = self.search_with_plan(view, queries, &plan, filter, control)?;
            control.advance(hits.len() as u64);
            Ok(hits)
        };
        let found: Result<Vec<Vec<Vec<Hit>>>, Canceled> = threads::install_unless_single(threads, || {
            if threads == 1 {
                queries.chunks(queries_per_task * view.dim).map(search).collect()
            } else {
                queries.par_chunks(queries_per_task * view.dim).map(search).collect()
            }
        })?;
        Ok(found?.into_iter().flatten().collect())
    }

    /// Returns the `k` best rows of a set for a prepared query, best first, without using the graph. Scores the rows of
    /// a small set by their vectors; in a larger set, chooses candidates by their codes first. The set has `num_rows`
    /// rows, which need not be in the graph.
    pub fn scan_set(
        &self,
        view: &RowsView,
        query: &[f32],
        k: usize,
        set: RowWords,
        num_rows: usize,
        control: &Control,
    ) -> Result<Vec<Hit>, Canceled> {
        control.check()?;
        let k = k.min(num_rows);
        if num_rows <= max_rows_scored(k) {
            let mut best = TopKBuffer::new(k);
            set.iter().for_each(|ord| best.push(Hit { ord, score: view.score(query, ord) }));
            return Ok(best.into_sorted());
        }
        let scorer = self.scorer(view);
        let quantized = scorer.query(query);
        let mut scratches = self.take_scratches(1);
        let candidates = scan_codes(&scorer, &quantized, set, k, control, &mut scratches[0].buffers)?;
        self.return_scratches(scratches);
        Ok(rescore(&scorer, query, &quantized, &candidates, k))
    }

    /// Returns the hits of each of the queries `[q * dim]`, which are already [prepared](crate::Similarity::prepare),
    /// in the order of the queries. Runs on the caller's thread.
    pub fn search_with_plan(
        &self,
        view: &RowsView,
        queries: &[f32],
        plan: &Plan,
        filter: Option<Filter>,
        control: &Control,
    ) -> Result<Vec<Vec<Hit>>, Canceled> {
        control.check()?;
        let dim = view.dim;
        let scan_exactly = |query: &[f32]| scan(view, query, plan.k, filter, control);
        // An empty graph and k = 0 are left to the exact scan too.
        let is_exact = matches!(plan.strategy, Strategy::ExactScan);
        let (Some(entry_point), 1.., false) = (self.graph.entry_point, plan.k, is_exact) else {
            return queries.chunks_exact(dim).map(scan_exactly).collect();
        };
        let scorer = self.scorer(view);
        let search = BeamSearch { scorer, graph: self.graph.view(), control };
        let found = match &plan.strategy {
            Strategy::FilteredBeamSearch(allowed)
            | Strategy::CodeScan(allowed)
            | Strategy::ScoreAllowed(allowed) => {
                let (mut scratches, planner) = (self.take_scratches(1), self.planner());
                let search_one = |query: &[f32]| {
                    search_allowed(&search, &planner, entry_point, query, plan, allowed, &mut scratches[0])
                };
                let found = queries.chunks_exact(dim).map(search_one).collect();
                self.return_scratches(scratches);
                return found;
            }
            Strategy::BatchCodeScan => {
                scan_codes_batch(&scorer, queries, plan.k, plan.ef, |row| view.is_live(row), control)?
            }
            // `ExactScan` was handled above.
            Strategy::BeamSearch | Strategy::ExactScan => {
                let mut scratches = self.take_scratches(MAX_INTERLEAVED.min(queries.len() / dim));
                let size = BeamSize { num_candidates: plan.num_candidates, ef: plan.ef };
                let is_live = |row| view.is_live(row);
                let found =
                    search_interleaved(&search, entry_point, queries, size, plan.k, is_live, &mut scratches)?;
                self.return_scratches(scratches);
                found
            }
        };
        // Some rows may be unreachable in the graph. If a query has fewer than `k` hits, the hits of an exact scan of
        // all rows replace them.
        let complete = |(query, hits): (&[f32], Vec<Hit>)| {
            if hits.len() < plan.k { scan_exactly(query) } else { Ok(hits) }
        };
        queries.chunks_exact(dim).zip(found).map(complete).collect()
    }

    /// Returns the buffers for `count` concurrent searches: idle ones, and new ones if there are too few.
    fn take_scratches(&self, count: usize) -> Vec<Scratch> {
        let mut idle = self.scratches.lock().unwrap_or_else(PoisonError::into_inner);
        let num_remaining = idle.len().saturating_sub(count);
        let mut taken = idle.split_off(num_remaining);
        drop(idle);
        taken.resize_with(count, Scratch::default);
        taken
    }

    /// Keeps the buffers of finished searches for later searches.
    fn return_scratches(&self, scratches: Vec<Scratch>) {
        self.scratches.lock().unwrap_or_else(PoisonError::into_inner).extend(scratches);
    }
}

/// Returns the hits of a [prepared](crate::Similarity::prepare) query among the `allowed` rows.
fn search_allowed(
    search: &BeamSearch,
    planner: &Planner,
    entry_point: u32,
    vector: &[f32],
    plan: &Plan,
    allowed: &RowSet,
    scratch: &mut Scratch,
) -> Result<Vec<Hit>, Canceled> {
    let BeamSearch { scorer, control, .. } = *search;
    let query = scorer.query(vector);
    let found = match plan.strategy {
        Strategy::FilteredBeamSearch(_) => {
            let ef = plan.num_candidates;
            let max_lists_read = planner.max_lists_read(ef, allowed, scorer.view().len());
            let limits = FilteredLimits { allowed, ef, max_lists_read };
            search.search_filtered(&query, entry_point, limits, scratch)?
        }
        _ => None,
    };
    let candidates = match (found, &plan.strategy) {
        (Some(found), _) => found,
        // `rescore` prunes no candidate with an infinite score, so it scores every row by its vector.
        (None, Strategy::ScoreAllowed(_)) => {
            allowed.iter().map(|ord| Hit { ord, score: f32::INFINITY }).collect()
        }
        // A `CodeScan`, or a filtered beam search that gave up.
        _ => scan_codes(&scorer, &query, allowed.into(), plan.k, control, &mut scratch.buffers)?,
    };
    Ok(rescore(&scorer, vector, &query, &candidates, plan.k))
}
