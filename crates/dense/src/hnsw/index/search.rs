use std::sync::PoisonError;

use control::{Cancelled, Control};
use ranking::Hit;
use rayon::prelude::*;

use super::HnswIndex;
use crate::exact::scan::scan;
use crate::filter::Filter;
use crate::hnsw::planner::{Plan, Way, most_reads};
use crate::hnsw::scorer::Closeness;
use crate::hnsw::search::beam_search::Walk;
use crate::hnsw::search::code_scan::sweep;
use crate::hnsw::search::code_scan_batch::{GROUP_QUERIES as TOGETHER, sweep_many};
use crate::hnsw::search::interleaved::{INTERLEAVED, interleaved};
use crate::hnsw::search::rescore::rescore;
use crate::hnsw::search::scratch::Scratch;
use crate::{Error, RowSet};

/// Queries that one thread takes at a time.
const GROUP_QUERIES: usize = 32;

impl HnswIndex {
    /// About the `k` best rows for `query` `[dim]`, best first; fewer only if there are fewer. `ef` is how many
    /// rows the walk goes to, the nearest that it finds: the more, the fewer of the best rows are missing. It may be less
    /// than `k`, for a row leads to many. Where that takes longer than comparing all, as in an index of some thousands of
    /// rows, all are compared.
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

    /// [`search`](Self::search) for each of the queries `[q * dim]`, row-major, on `threads` threads (0: one for
    /// each CPU). Where there are many queries and the index is not large for `ef`, all codes are compared with all
    /// queries, which is faster and finds nearly all of the best rows. Counts each query as one unit done.
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
        let count = queries.len() / dim;
        let plan = Plan::of_many(count, &self.rows.view(), self.options.m, k, ef, filter);
        // Each thread has some.
        let together = count.div_ceil(threads).min(TOGETHER);
        let count = if matches!(plan.way, Way::Together) { together } else { GROUP_QUERIES };
        let search = |queries: &[f32]| {
            let hits = self.search_group(queries, &plan, filter, control)?;
            control.advance(hits.len() as u64);
            Ok(hits)
        };
        let found: Result<Vec<Vec<Vec<Hit>>>, Cancelled> = threads::install_unless_single(threads, || {
            if threads == 1 {
                queries.chunks(count * dim).map(search).collect()
            } else {
                queries.par_chunks(count * dim).map(search).collect()
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
        let scanned = |query: &[f32]| scan(&view, query, plan.k, filter, control);
        let (Some(entry), 1.., false) = (self.graph.entry, plan.k, matches!(plan.way, Way::Scan)) else {
            return queries.chunks_exact(dim).map(scanned).collect();
        };
        let closeness = Closeness::new(view, self.codes.view(), self.lengths.as_ref());
        let walk = Walk { closeness, links: self.graph.view(), control };
        let found = match &plan.way {
            Way::Among(allowed) | Way::Sweep(allowed) | Way::Score(allowed) => {
                let mut scratches = self.take_scratches(1);
                let search =
                    |query: &[f32]| search_among(&walk, entry, query, plan, allowed, &mut scratches[0]);
                let found = queries.chunks_exact(dim).map(search).collect();
                self.keep_scratches(scratches);
                return found;
            }
            Way::Together => sweep_many(&closeness, queries, plan.k, |row| view.is_live(row), control)?,
            Way::Walk | Way::Scan => {
                let mut scratches = self.take_scratches(INTERLEAVED.min(queries.len() / dim));
                let live = |row| view.is_live(row);
                let found = interleaved(&walk, entry, queries, plan, live, &mut scratches)?;
                self.keep_scratches(scratches);
                found
            }
        };
        // Links do not lead everywhere: only a scan knows whether there are no more.
        let complete =
            |(query, hits): (&[f32], Vec<Hit>)| if hits.len() < plan.k { scanned(query) } else { Ok(hits) };
        queries.chunks_exact(dim).zip(found).map(complete).collect()
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

/// The hits of a prepared query among the `allowed` rows.
fn search_among(
    walk: &Walk,
    entry: u32,
    query: &[f32],
    plan: &Plan,
    allowed: &RowSet,
    scratch: &mut Scratch,
) -> Result<Vec<Hit>, Cancelled> {
    let Walk { closeness, control, .. } = *walk;
    let target = closeness.of_query(query);
    let walked = match plan.way {
        Way::Among(_) => {
            let most = most_reads(plan.kept, allowed, closeness.view().len());
            walk.among(&target, entry, plan.kept, allowed, most, scratch)?
        }
        _ => None,
    };
    let candidates = match (walked, &plan.way) {
        (Some(found), _) => found,
        // None of them is too far behind.
        (None, Way::Score(_)) => allowed.iter().map(|ord| Hit { ord, score: f32::INFINITY }).collect(),
        _ => sweep(&closeness, &target, allowed, plan.k, control, &mut scratch.work)?,
    };
    Ok(rescore(&closeness, query, &target, &candidates, plan.k))
}
