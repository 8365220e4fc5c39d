use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use control::{Cancelled, Control};
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

/// A list that overflows is cut to its capacity minus this part of it, so that the next rows can be added without another
/// selection. Selections would be half of the work of building otherwise; recall is the same.
const SLACK_DIVISOR: usize = 8;
/// The first rows of a graph, which one thread inserts: rows inserted at the same time do not find each other.
const SEQUENTIAL_ROWS: u32 = 1024;
/// Lock stripes per thread.
const STRIPES_PER_THREAD: usize = 256;

/// The neighbors that rows had before, by row and layer.
type UndoLog = BTreeMap<(u32, usize), Box<[u32]>>;

/// What stays the same while rows are inserted.
pub(crate) struct BuildContext<'a> {
    pub scorer: Scorer<'a>,
    pub options: &'a HnswOptions,
    pub threads: usize,
    pub control: &'a Control,
}

/// Inserts the rows `new`, which follow those in the graph; rows that are not `live` get no neighbors. Counts each as one
/// unit done. On an error the graph is what it was before.
pub(crate) fn insert_rows(
    graph: &mut Graph,
    new: Range<u32>,
    live: impl Fn(u32) -> bool + Sync,
    context: &BuildContext,
) -> Result<(), Error> {
    let levels: Vec<u8> =
        new.clone().map(|row| if live(row) { level(row, context.options) } else { 0 }).collect();
    graph.append_rows(&levels)?;
    let threads = threads::resolve(context.threads);
    let num_stripes = if threads == 1 { 1 } else { STRIPES_PER_THREAD * threads };
    let builder = Builder {
        context,
        graph: graph.view(),
        first_new: new.start,
        entry_point: RwLock::new(graph.entry_point),
        stripes: (0..num_stripes).map(|_| Mutex::default()).collect(),
    };
    let insert_sequentially = |rows: Range<u32>| -> Result<(), Error> {
        let mut scratch = Scratch::default();
        Ok(rows.filter(|&row| live(row)).try_for_each(|row| builder.insert(row, &mut scratch))?)
    };
    let result = if threads == 1 {
        insert_sequentially(new.clone())
    } else {
        let first_parallel = new.start.max(SEQUENTIAL_ROWS).min(new.end);
        insert_sequentially(new.start..first_parallel).and_then(|()| {
            threads::install_unless_single(threads, || {
                let rows = (first_parallel..new.end).into_par_iter().filter(|&row| live(row));
                rows.try_for_each_init(Scratch::default, |scratch, row| builder.insert(row, scratch))
            })?
            .map_err(Error::from)
        })
    };
    let Builder { entry_point, stripes, .. } = builder;
    if result.is_ok() {
        graph.entry_point = entry_point.into_inner().unwrap_or_else(PoisonError::into_inner);
    } else {
        for stripe in stripes {
            for ((row, layer), neighbors) in stripe.into_inner().unwrap_or_else(PoisonError::into_inner) {
                graph.view().set_neighbors(row, layer, &neighbors);
            }
        }
        graph.truncate(new.start as usize);
    }
    result
}

struct Builder<'a> {
    context: &'a BuildContext<'a>,
    graph: GraphView<'a>,
    /// Rows below this were in the graph before.
    first_new: u32,
    entry_point: RwLock<Option<u32>>,
    /// A row's neighbors change only under the lock of the row's stripe, whose log has what older rows had before.
    stripes: Vec<Mutex<UndoLog>>,
}

impl Builder<'_> {
    fn insert(&self, row: u32, scratch: &mut Scratch) -> Result<(), Cancelled> {
        let entry_point = *self.entry_point.read().unwrap_or_else(PoisonError::into_inner);
        let level = self.graph.level(row);
        match entry_point {
            Some(entry_point) if level <= self.graph.level(entry_point) => {
                self.connect(row, entry_point, scratch)?;
            }
            // A row above all others is inserted while no other insertion starts. About log(rows) rows are.
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

    /// Connects a row in each layer from its own level, or that of the entry point if it is lower, down to layer 0.
    fn connect(&self, row: u32, entry_point: u32, scratch: &mut Scratch) -> Result<(), Cancelled> {
        let BuildContext { scorer, options, control, .. } = *self.context;
        let search = BeamSearch { scorer, graph: self.graph, control };
        let query = scorer.query_from_row(row);
        let top = self.graph.level(row).min(self.graph.level(entry_point));
        let selection = Selection { max_neighbors: options.m, keep_pruned: options.keep_pruned };
        let mut entry_points = vec![search.greedy_descent(&query, entry_point, top, scratch)];
        for layer in (0..=top).rev() {
            search.search_layer(&query, &entry_points, options.ef_construction, layer, scratch)?;
            // Another thread may have added this row to a list of this layer already.
            let found: Vec<Hit> = scratch.found().filter(|found| found.ord != row).collect();
            let selected = select_neighbors(&scorer, &found, selection, &mut scratch.buffers);
            self.add_neighbors(row, layer, &selected, &mut scratch.buffers);
            for neighbor in selected {
                self.add_neighbors(neighbor, layer, &[row], &mut scratch.buffers);
            }
            entry_points = found;
        }
        Ok(())
    }

    /// Adds neighbors to those of a row; if they are too many then, selects anew among all.
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

    fn lock(&self, row: u32) -> MutexGuard<'_, UndoLog> {
        let stripe = &self.stripes[row as usize % self.stripes.len()];
        stripe.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
