//! The union of the passages in several lists, with each list as a column over that union.
//!
//! A passage's position in the union is its *slot*. Slots are assigned in order of first appearance, with the lists read
//! one after another, so that ties between fused scores are resolved by comparing slots.

use std::collections::hash_map::Entry;

use ranking::{Hit, by_rank};
use rustc_hash::FxHashMap;

/// The passages of several lists. Its memory is reused from query to query.
pub(crate) struct Union {
    /// Ords by slot.
    passages: Vec<u32>,
    columns: Vec<Column>,
    /// The slot of each ord.
    slots: FxHashMap<u32, u32>,
}

/// The hits of one list, best first.
pub(crate) type Column = Vec<ColumnEntry>;

/// A hit of a list.
pub(crate) struct ColumnEntry {
    pub slot: u32,
    pub score: f64,
}

impl Union {
    /// A union of no lists.
    pub fn new() -> Self {
        Self { passages: Vec::new(), columns: Vec::new(), slots: FxHashMap::default() }
    }

    /// Replaces the content by these lists. If a list has a passage twice, the first hit counts.
    pub fn fill(&mut self, lists: &[&[Hit]]) {
        self.passages.clear();
        self.slots.clear();
        self.columns.resize_with(lists.len(), Column::new);
        for (list, column) in lists.iter().zip(&mut self.columns) {
            column.clear();
            // Slots below this were assigned by earlier lists.
            let known = self.passages.len();
            let mut is_repeated = vec![false; known];
            for hit in *list {
                let slot = match self.slots.entry(hit.ord) {
                    Entry::Vacant(entry) => {
                        entry.insert(self.passages.len() as u32);
                        self.passages.push(hit.ord);
                        self.passages.len() - 1
                    }
                    Entry::Occupied(entry) => {
                        let slot = *entry.get() as usize;
                        if slot >= known || std::mem::replace(&mut is_repeated[slot], true) {
                            continue;
                        }
                        slot
                    }
                };
                column.push(ColumnEntry { slot: slot as u32, score: f64::from(hit.score) });
            }
        }
    }

    /// The ords of all passages, by slot.
    pub fn passages(&self) -> &[u32] {
        &self.passages
    }

    /// The lists, in their order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The `k` passages with the highest scores, best first; of equal scores, the passage that appeared first.
    /// `scores` has one entry per slot.
    pub fn top_k(&self, scores: &[f64], k: usize) -> Vec<Hit> {
        // Hits are compared by slot instead of ord, so that ties are resolved by first appearance.
        let mut fused: Vec<Hit> =
            scores.iter().zip(0..).map(|(&score, ord)| Hit { ord, score: score as f32 }).collect();
        if k < fused.len() && k > 0 {
            fused.select_nth_unstable_by(k - 1, by_rank);
        }
        fused.truncate(k);
        fused.sort_unstable_by(by_rank);
        fused.iter_mut().for_each(|hit| hit.ord = self.passages[hit.ord as usize]);
        fused
    }
}
