//! The walk through one layer: Malkov and Yashunin (2018), algorithm 2.

use control::{Cancelled, Control};
use ranking::Hit;

use super::scratch::Scratch;
use crate::hnsw::codes::{ROUGH_DEVIATIONS, Reach, Target};
use crate::hnsw::graph::Links;
use crate::hnsw::scorer::Closeness;

/// Steps between two looks at whether the work was cancelled.
const STEPS_A_CHECK: u32 = 64;

/// A walk through `links`.
#[derive(Clone, Copy)]
pub(crate) struct Walk<'a> {
    pub closeness: Closeness<'a>,
    pub links: Links<'a>,
    pub control: &'a Control,
}

impl Walk<'_> {
    /// Goes down from `entry` to the layer above `layer`, always to the nearest row, and returns the row arrived at.
    pub fn descend(&self, target: &Target, entry: u32, layer: usize, scratch: &mut Scratch) -> Hit {
        let Scratch { links, work, .. } = scratch;
        let codes = self.closeness.codes();
        self.closeness.all(target, &[entry], work);
        let mut at = Hit { ord: entry, score: work.closeness[0] };
        for above in (layer + 1..=self.links.level(entry)).rev() {
            loop {
                self.links.get(at.ord, above, links);
                if links.iter().all(|&row| codes.prefetch_rough(row)) {
                    self.closeness.reaching(
                        target,
                        links,
                        Reach { least: at.score, deviations: ROUGH_DEVIATIONS },
                        work,
                    );
                }
                links.iter().for_each(|&row| codes.prefetch(row));
                self.closeness.all(target, links, work);
                let near = links.iter().zip(&work.closeness);
                let nearest = near.max_by(|a, b| a.1.total_cmp(b.1));
                match nearest {
                    Some((&ord, &score)) if score > at.score => at = Hit { ord, score },
                    _ => break,
                }
            }
        }
        at
    }

    /// The about `ef` nearest rows of a layer, the nearest first.
    pub fn layer(
        &self,
        target: &Target,
        entries: &[Hit],
        ef: usize,
        layer: usize,
        scratch: &mut Scratch,
    ) -> Result<(), Cancelled> {
        self.start(entries, (ef, ef), scratch);
        let mut went = self.go(layer, scratch);
        let mut steps = 0u32;
        while went {
            if steps.is_multiple_of(STEPS_A_CHECK) {
                self.control.check()?;
            }
            steps += 1;
            self.sift(target, scratch);
            went = self.go(layer, scratch);
            self.arrive(target, layer, scratch);
            went = went || self.go(layer, scratch);
        }
        Ok(())
    }

    /// Begins a walk that keeps the `kept` nearest rows and goes to the `width` nearest of them. Its steps are
    /// [`go`](Self::go), [`sift`](Self::sift) and [`arrive`](Self::arrive); the next step goes before this one arrives,
    /// so that neither waits for what it has asked for.
    pub fn start(&self, entries: &[Hit], (kept, width): (usize, usize), scratch: &mut Scratch) {
        let Scratch { visited, pool, left, .. } = scratch;
        visited.clear(self.links.rows());
        left.clear();
        pool.clear(kept, width);
        for entry in entries {
            if visited.insert(entry.ord) {
                pool.extend(&[entry.ord], &[entry.score]);
            }
        }
    }

    /// Goes to the nearest row where the walk has not been, and asks for the rows that it leads to; false if there is
    /// none.
    pub fn go(&self, layer: usize, scratch: &mut Scratch) -> bool {
        let Scratch { visited, pool, fresh, .. } = scratch;
        let Some(row) = pool.go() else { return false };
        fresh.resize(self.links.room(layer), 0);
        let count = visited.insert_all(self.links.of(row, layer), fresh);
        fresh.truncate(count);
        let codes = self.closeness.codes();
        if pool.least().is_none() || !fresh.iter().all(|&row| codes.prefetch_rough(row)) {
            fresh.iter().for_each(|&row| codes.prefetch(row));
        }
        // Where the walk goes next unless one of these is nearer.
        if let Some(next) = pool.peek() {
            self.links.prefetch(next, layer);
        }
        true
    }

    /// Rules out most of the rows that the last step leads to, and asks for the others.
    pub fn sift(&self, target: &Target, scratch: &mut Scratch) {
        let Scratch { pool, fresh, left, work, .. } = scratch;
        std::mem::swap(fresh, left);
        if let Some(least) = pool.least() {
            self.closeness.reaching(target, left, Reach { least, deviations: ROUGH_DEVIATIONS }, work);
            left.iter().for_each(|&row| self.closeness.codes().prefetch(row));
        }
    }

    /// Compares the rows that are left.
    pub fn arrive(&self, target: &Target, layer: usize, scratch: &mut Scratch) {
        let Scratch { pool, left, work, .. } = scratch;
        self.closeness.all(target, left, work);
        if let Some(next) = pool.extend(left, &work.closeness) {
            self.links.prefetch(next, layer);
        }
    }
}
