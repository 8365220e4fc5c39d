//! The walk through one layer: Malkov and Yashunin (2018), algorithm 2.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use control::{Cancelled, Control};
use ranking::{Hit, TopK, by_rank};

use super::closeness::Closeness;
use super::graph::Links;
use super::visited::Visited;

/// What a walk needs and the next one can use again.
#[derive(Debug)]
pub(crate) struct Scratch {
    visited: Visited,
    candidates: BinaryHeap<BestFirst>,
    links: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct BestFirst(Hit);

impl Scratch {
    pub fn new() -> Self {
        Self { visited: Visited::new(), candidates: BinaryHeap::new(), links: Vec::new() }
    }
}

/// What a walk looks for what is near to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target<'a> {
    /// A prepared query.
    Query(&'a [f32]),
    /// A row of the index.
    Row(u32),
}

/// A walk towards `target` through `links`.
#[derive(Clone, Copy)]
pub(crate) struct Walk<'a> {
    pub closeness: Closeness<'a>,
    pub links: Links<'a>,
    pub target: Target<'a>,
    pub control: &'a Control,
}

impl Walk<'_> {
    /// Goes down from `entry` to the layer above `layer`, always to the nearest row, and returns the row arrived
    /// at.
    pub fn descend(&self, entry: u32, layer: usize, scratch: &mut Scratch) -> Result<Hit, Cancelled> {
        let mut at = self.hit(entry);
        for above in (layer + 1..=self.links.level(entry)).rev() {
            if let Some(&nearest) = self.layer(&[at], 1, above, |_| true, scratch)?.first() {
                at = nearest;
            }
        }
        Ok(at)
    }

    /// The about `ef` nearest rows of a layer that are `accepted`, best first. The walk also passes through rows
    /// that are not.
    pub fn layer(
        &self,
        entries: &[Hit],
        ef: usize,
        layer: usize,
        accepted: impl Fn(u32) -> bool,
        scratch: &mut Scratch,
    ) -> Result<Vec<Hit>, Cancelled> {
        let Scratch { visited, candidates, links } = scratch;
        visited.clear();
        candidates.clear();
        let mut found = TopK::new(ef);
        for &entry in entries {
            if visited.insert(entry.ord) {
                candidates.push(BestFirst(entry));
                if accepted(entry.ord) {
                    found.push(entry);
                }
            }
        }
        let mut steps = 0u32;
        let mut worst = found.threshold();
        while let Some(BestFirst(nearest)) = candidates.pop() {
            if worst.is_some_and(|worst| by_rank(&nearest, &worst) == Ordering::Greater) {
                break;
            }
            if steps.is_multiple_of(64) {
                self.control.check()?;
            }
            steps += 1;
            self.links.get(nearest.ord, layer, links);
            links.retain(|&row| visited.insert(row));
            links.iter().for_each(|&row| self.closeness.prefetch(row));
            for &row in links.iter() {
                let hit = self.hit(row);
                if worst.is_none_or(|worst| by_rank(&hit, &worst) == Ordering::Less) {
                    candidates.push(BestFirst(hit));
                    if accepted(row) {
                        found.push(hit);
                        worst = found.threshold();
                    }
                }
            }
        }
        Ok(found.into_sorted())
    }

    fn hit(&self, ord: u32) -> Hit {
        let score = match self.target {
            Target::Query(query) => self.closeness.of_query(query, ord),
            Target::Row(row) => self.closeness.between(row, ord),
        };
        Hit { ord, score }
    }
}

impl Ord for BestFirst {
    fn cmp(&self, other: &Self) -> Ordering {
        by_rank(&other.0, &self.0)
    }
}
impl PartialOrd for BestFirst {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for BestFirst {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for BestFirst {}
