//! Inserting rows, on several threads: Malkov and Yashunin (2018), algorithm 1.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use control::{Cancelled, Control};
use ranking::{Hit, by_rank};
use rayon::prelude::*;

use super::level::level;
use super::select_neighbors::select;
use crate::Error;
use crate::hnsw::graph::{Graph, Links};
use crate::hnsw::options::HnswOptions;
use crate::hnsw::scorer::{Closeness, Work};
use crate::hnsw::search::beam_search::Walk;
use crate::hnsw::search::scratch::Scratch;

/// A list of links that is too long loses this share of its room besides, so that the next links to the row cost nothing.
/// Choosing links anew is half of the work of building without it; recall is the same.
const SLACK: usize = 8;
/// Rows that one thread inserts alone into a small graph, so that the others find something to link to.
const FIRST_ROWS: u32 = 1024;

/// The links of rows, by row and layer, as they were before.
type Undo = BTreeMap<(u32, usize), Box<[u32]>>;

/// What stays the same while rows are inserted.
pub(crate) struct Job<'a> {
    pub closeness: Closeness<'a>,
    pub options: &'a HnswOptions,
    pub threads: usize,
    pub control: &'a Control,
}

/// Puts the rows `new`, the next ones, in the graph; those that are not `live` without links. Counts each as one
/// unit done. On an error the graph is as it was before.
pub(crate) fn link(
    graph: &mut Graph,
    new: Range<u32>,
    live: impl Fn(u32) -> bool + Sync,
    job: &Job,
) -> Result<(), Error> {
    let levels: Vec<u8> =
        new.clone().map(|row| if live(row) { level(row, job.options) } else { 0 }).collect();
    graph.grow(&levels)?;
    let threads = threads::resolve(job.threads);
    let stripes = if threads == 1 { 1 } else { 256 * threads };
    let builder = Builder {
        job,
        links: graph.view(),
        before: new.start,
        entry: RwLock::new(graph.entry),
        stripes: (0..stripes).map(|_| Mutex::default()).collect(),
    };
    let in_turn = |rows: Range<u32>| -> Result<(), Error> {
        let mut scratch = Scratch::default();
        Ok(rows.filter(|&row| live(row)).try_for_each(|row| builder.insert(row, &mut scratch))?)
    };
    let result = if threads == 1 {
        in_turn(new.clone())
    } else {
        let rest = new.start.max(FIRST_ROWS).min(new.end);
        in_turn(new.start..rest).and_then(|()| {
            threads::install_unless_single(threads, || {
                let rows = (rest..new.end).into_par_iter().filter(|&row| live(row));
                rows.try_for_each_init(Scratch::default, |scratch, row| builder.insert(row, scratch))
            })?
            .map_err(Error::from)
        })
    };
    let Builder { entry, stripes, .. } = builder;
    if result.is_ok() {
        graph.entry = entry.into_inner().unwrap_or_else(PoisonError::into_inner);
    } else {
        for stripe in stripes {
            for ((row, layer), links) in stripe.into_inner().unwrap_or_else(PoisonError::into_inner) {
                graph.view().set(row, layer, &links);
            }
        }
        graph.truncate(new.start as usize);
    }
    result
}

struct Builder<'a> {
    job: &'a Job<'a>,
    links: Links<'a>,
    /// Rows below this were in the graph before.
    before: u32,
    entry: RwLock<Option<u32>>,
    /// A row's links change only under the lock of its stripe, which notes how those of older rows were.
    stripes: Vec<Mutex<Undo>>,
}

impl Builder<'_> {
    fn insert(&self, row: u32, scratch: &mut Scratch) -> Result<(), Cancelled> {
        let entry = *self.entry.read().unwrap_or_else(PoisonError::into_inner);
        let level = self.links.level(row);
        match entry {
            Some(entry) if level <= self.links.level(entry) => self.connect(row, entry, scratch)?,
            // A new top is put up by one thread while no other starts; there are about log(rows) of them.
            _ => {
                let mut entry = self.entry.write().unwrap_or_else(PoisonError::into_inner);
                if let Some(entry) = *entry {
                    self.connect(row, entry, scratch)?;
                }
                if entry.is_none_or(|entry| level > self.links.level(entry)) {
                    *entry = Some(row);
                }
            }
        }
        self.job.control.advance(1);
        Ok(())
    }

    /// Links a row from its level, or that of `entry`, down to layer 0.
    fn connect(&self, row: u32, entry: u32, scratch: &mut Scratch) -> Result<(), Cancelled> {
        let Job { closeness, options, control, .. } = *self.job;
        let walk = Walk { closeness, links: self.links, control };
        let target = closeness.of_row(row);
        let top = self.links.level(row).min(self.links.level(entry));
        let mut entries = vec![walk.descend(&target, entry, top, scratch)];
        for layer in (0..=top).rev() {
            walk.layer(&target, &entries, options.ef_construction, layer, scratch)?;
            // Another thread may have linked to this row in this layer already.
            let found: Vec<Hit> = scratch.found().filter(|found| found.ord != row).collect();
            let chosen = select(&closeness, &found, options.m, options.keep_pruned, &mut scratch.work);
            self.add_links(row, layer, &chosen, &mut scratch.work);
            for other in chosen {
                self.add_links(other, layer, &[row], &mut scratch.work);
            }
            entries = found;
        }
        Ok(())
    }

    /// Adds links to those of a row; if there are too many then, the best are chosen anew.
    fn add_links(&self, row: u32, layer: usize, more: &[u32], work: &mut Work) {
        let Job { closeness, options, .. } = self.job;
        let mut undo = self.lock(row);
        let mut links = Vec::with_capacity(self.links.room(layer) + more.len());
        self.links.get(row, layer, &mut links);
        if row < self.before {
            undo.entry((row, layer)).or_insert_with(|| links.as_slice().into());
        }
        for &link in more {
            if !links.contains(&link) {
                links.push(link);
            }
        }
        if links.len() > self.links.room(layer) {
            closeness.all(&closeness.of_codes(row), &links, work);
            let near = links.iter().zip(&work.closeness);
            let mut candidates: Vec<Hit> = near.map(|(&ord, &score)| Hit { ord, score }).collect();
            candidates.sort_unstable_by(by_rank);
            let room = self.links.room(layer);
            links = select(closeness, &candidates, room - room / SLACK, options.keep_pruned, work);
        }
        self.links.set(row, layer, &links);
    }

    fn lock(&self, row: u32) -> MutexGuard<'_, Undo> {
        let stripe = &self.stripes[row as usize % self.stripes.len()];
        stripe.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
