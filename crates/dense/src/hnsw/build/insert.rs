//! Inserts rows into the graph, on several threads, and undoes all insertions if one fails.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use control::{Canceled, Control};
use ranking::{Hit, by_rank};
use rayon::prelude::*;

use super::level::level;
use super::select_neighbors::{Selection, select_neighbors};
use crate::Error;
use crate::hnsw::graph::{Graph, GraphView};
use crate::hnsw::options::HnswOptions;
use crate::hnsw::scorer::{ScoreBuffers, Scorer};
use crate::hnsw::search::beam_search::BeamSearch;
use crate::hnsw::search::scratch::Scratch;

/// When an adjacency list overflows, its neighbors are selected again, and 1/`SLACK_DIVISOR` of its capacity is left
/// free, so that the next neighbors can be added without another selection. Without this slack, selections would take
/// half of the build time. Recall is the same with and without it.
const SLACK_DIVISOR: usize = 8;
/// The first rows of a graph, up to this number, are inserted by one thread. Rows that are inserted at the same time do
/// not find each other, which would lower recall in a small graph.
const SEQUENTIAL_ROWS: u32 = 1024;
/// Number of lock stripes per thread. A stripe is the set of rows that share a lock: those with the same ord modulo the
/// number of stripes.
const STRIPES_PER_THREAD: usize = 256;

/// The neighbors that rows had before the insertions, by row and layer.
type UndoLog = BTreeMap<(u32, usize), Box<[u32]>>;

/// The parameters of [`insert_rows`] and [`insert_revived_rows`] that do not depend on the row.
pub(crate) struct BuildContext<'a> {
    pub scorer: Scorer<'a>,
    pub options: &'a HnswOptions,
    pub threads: usize,
    pub control: &'a Control,
}

/// Inserts the rows `new`, which follow those in the graph. Rows that are not live (deleted, for example) get no
/// neighbors. Counts each inserted row as one unit of progress. On an error, the graph is what it was before.
pub(crate) fn insert_rows(
    graph: &mut Graph,
    new: Range<u32>,
    is_live: impl Fn(u32) -> bool + Sync,
    context: &BuildContext,
) -> Result<(), Error> {
    let levels: Vec<u8> =
        new.clone().map(|row| if is_live(row) { level(row, context.options) } else { 0 }).collect();
    graph.append_rows(&levels)?;
    let first_parallel = new.start.max(SEQUENTIAL_ROWS).min(new.end);
    let result = change_graph(graph, new.start, context, |builder| {
        if builder.is_sequential() {
            return builder.insert_in_order(new.clone().filter(|&row| is_live(row)));
        }
        builder.insert_in_order((new.start..first_parallel).filter(|&row| is_live(row)))?;
        let rows = (first_parallel..new.end).into_par_iter().filter(|&row| is_live(row));
        builder.insert_in_parallel(rows)
    });
    if result.is_err() {
        graph.truncate(new.start as usize);
    }
    result
}

/// Gives neighbors to rows that are in the graph, but have none because they were not live when they were inserted.
/// They stay in layer 0 only. Counts each of them as one unit of progress. On an error, the graph is what it was
/// before.
pub(crate) fn insert_revived_rows(
    graph: &mut Graph,
    rows: &[u32],
    context: &BuildContext,
) -> Result<(), Error> {
    // Copies a mapped graph to memory.
    graph.reserve(0);
    let num_rows = graph.num_rows() as u32;
    change_graph(graph, num_rows, context, |builder| {
        if builder.is_sequential() || num_rows < SEQUENTIAL_ROWS {
            builder.insert_in_order(rows.iter().copied())
        } else {
            builder.insert_in_parallel(rows.par_iter().copied())
        }
    })
}

/// Calls `change` with a builder of the graph. If `change` fails, undoes all changes to rows below `first_new`.
fn change_graph(
    graph: &mut Graph,
    first_new: u32,
    context: &BuildContext,
    change: impl FnOnce(&Builder) -> Result<(), Error>,
) -> Result<(), Error> {
    let threads = threads::resolve(context.threads);
    let num_stripes = if threads == 1 { 1 } else { STRIPES_PER_THREAD * threads };
    let builder = Builder {
        context,
        threads,
        graph: graph.view(),
        first_new,
        entry_point: RwLock::new(graph.entry_point),
        stripes: (0..num_stripes).map(|_| Mutex::default()).collect(),
    };
    let result = change(&builder);
    let Builder { entry_point, stripes, .. } = builder;
    if result.is_ok() {
        graph.entry_point = entry_point.into_inner().unwrap_or_else(PoisonError::into_inner);
    } else {
        for stripe in stripes {
            for ((row, layer), neighbors) in stripe.into_inner().unwrap_or_else(PoisonError::into_inner) {
                graph.view().set_neighbors(row, layer, &neighbors);
            }
        }
    }
    result
}

/// The state that the inserting threads share.
struct Builder<'a> {
    context: &'a BuildContext<'a>,
    /// The number of threads, at least 1.
    threads: usize,
    graph: GraphView<'a>,
    /// Rows below this one were in the graph before the insertions.
    first_new: u32,
    entry_point: RwLock<Option<u32>>,
    /// The locks of the stripes: the neighbors of a row change only under the lock of its stripe. If a row below
    /// `first_new` was changed, the log of its stripe has the neighbors that it had before the insertions.
    stripes: Vec<Mutex<UndoLog>>,
}

impl Builder<'_> {
    fn is_sequential(&self) -> bool {
        self.threads == 1
    }

    fn insert_in_order(&self, mut rows: impl Iterator<Item = u32>) -> Result<(), Error> {
        let mut scratch = Scratch::default();
        Ok(rows.try_for_each(|row| self.insert(row, &mut scratch))?)
    }

    fn insert_in_parallel(&self, rows: impl ParallelIterator<Item = u32>) -> Result<(), Error> {
        let inserted = threads::install_unless_single(self.threads, || {
            rows.try_for_each_init(Scratch::default, |scratch, row| self.insert(row, scratch))
        })?;
        Ok(inserted?)
    }

    /// Inserts a row, and makes it the entry point if its level is above that of the current one.
    fn insert(&self, row: u32, scratch: &mut Scratch) -> Result<(), Canceled> {
        let entry_point = *self.entry_point.read().unwrap_or_else(PoisonError::into_inner);
        let level = self.graph.level(row);
        match entry_point {
            Some(entry_point) if level <= self.graph.level(entry_point) => {
                self.connect(row, entry_point, scratch)?;
            }
            // While a row with a higher level than all others is inserted, no other insertion can start. There are only
            // about log(n) such rows in a graph of n rows.
            _ => {
                let mut entry_point = self.entry_point.write().unwrap_or_else(PoisonError::into_inner);
                if let Some(entry_point) = *entry_point {
                    self.connect(row, entry_point, scratch)?;
                }
                if entry_point.is_none_or(|entry_point| level > self.graph.level(entry_point)) {
                    *entry_point = Some(row);
                }
            }
        }
        self.context.control.advance(1);
        Ok(())
    }

    /// Connects a row to neighbors in each layer, from the lower of its own level and that of the entry point down to
    /// layer 0.
    fn connect(&self, row: u32, entry_point: u32, scratch: &mut Scratch) -> Result<(), Canceled> {
        let BuildContext { scorer, options, control, .. } = *self.context;
        let search = BeamSearch { scorer, graph: self.graph, control };
        let query = scorer.query_from_row(row);
        let top = self.graph.level(row).min(self.graph.level(entry_point));
        let selection = Selection { max_neighbors: options.m, keep_pruned: options.keep_pruned };
        let mut entry_points = vec![search.greedy_descent(&query, entry_point, top, scratch)];
        // The neighbors of the row in each layer, from layer `top` down.
        let mut selected = Vec::with_capacity(top + 1);
        for layer in (0..=top).rev() {
            search.search_layer(&query, &entry_points, options.ef_construction, layer, scratch)?;
            entry_points = scratch.found().collect();
            selected.push(select_neighbors(&scorer, &entry_points, selection, &mut scratch.buffers));
        }
        for (layer, selected) in selected.into_iter().rev().enumerate() {
            self.add_neighbors(row, layer, &selected, &mut scratch.buffers);
            for neighbor in selected {
                self.add_neighbors(neighbor, layer, &[row], &mut scratch.buffers);
            }
        }
        Ok(())
    }

    /// Adds neighbors to the adjacency list of a row in a layer. If the list overflows, selects from all of its
    /// neighbors.
    fn add_neighbors(&self, row: u32, layer: usize, added: &[u32], buffers: &mut ScoreBuffers) {
        let BuildContext { scorer, options, .. } = self.context;
        let mut undo_log = self.lock(row);
        let capacity = self.graph.max_neighbors(layer);
        let mut neighbors = Vec::with_capacity(capacity + added.len());
        self.graph.read_neighbors(row, layer, &mut neighbors);
        if row < self.first_new {
            undo_log.entry((row, layer)).or_insert_with(|| neighbors.as_slice().into());
        }
        for &neighbor in added {
            if !neighbors.contains(&neighbor) {
                neighbors.push(neighbor);
            }
        }
        if neighbors.len() > capacity {
            scorer.score(&scorer.query_from_codes(row), &neighbors, buffers);
            let scored = neighbors.iter().zip(&buffers.scores);
            let mut candidates: Vec<Hit> = scored.map(|(&ord, &score)| Hit { ord, score }).collect();
            candidates.sort_unstable_by(by_rank);
            let max_neighbors = capacity - capacity / SLACK_DIVISOR;
            let selection = Selection { max_neighbors, keep_pruned: options.keep_pruned };
            neighbors = select_neighbors(scorer, &candidates, selection, buffers);
        }
        self.graph.set_neighbors(row, layer, &neighbors);
    }

    /// Locks the stripe of a row.
    fn lock(&self, row: u32) -> MutexGuard<'_, UndoLog> {
        let stripe = &self.stripes[row as usize % self.stripes.len()];
        stripe.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
