//! The union of the passages in several lists, and the hits of each list.
//!
//! Each passage of the union has a *slot*, a number from 0. Slots are assigned in the order of first appearance, where
//! the lists are read one after another. Therefore ties between fused scores are broken by slot.

use std::collections::hash_map::Entry;

use ranking::{Hit, by_rank};
use rustc_hash::FxHashMap;

/// The passages of several lists. The same union is filled again for each query, so that its memory is reused.
pub(crate) struct Union {
    /// `[slots]`: the ord of each passage.
    passages: Vec<u32>,
    /// One column per list.
    columns: Vec<Column>,
    /// The slot of each ord.
    slots: FxHashMap<u32, u32>,
}

/// The hits of one list, best first. No passage occurs twice.
pub(crate) type Column = Vec<ColumnEntry>;

/// A hit of a list.
pub(crate) struct ColumnEntry {
    pub slot: u32,
    pub score: f64,
}

impl Union {
    /// Returns an empty union.
    pub fn new() -> Self {
        Self { passages: Vec::new(), columns: Vec::new(), slots: FxHashMap::default() }
    }

    /// Replaces the content with these lists. If a list has a passage twice, the first hit counts.
    pub fn fill(&mut self, lists: &[&[Hit]]) {
        self.passages.clear();
        self.slots.clear();
        self.columns.resize_with(lists.len(), Column::new);
        for (list, column) in lists.iter().zip(&mut self.columns) {
            column.clear();
            // Slots below `first_new_slot` were assigned by earlier lists. For each such slot, `is_listed` tells
            // whether a hit of this list with that passage has already been read.
            let first_new_slot = self.passages.len();
            let mut is_listed = vec![false; first_new_slot];
            for hit in *list {
                let slot = match self.slots.entry(hit.ord) {
                    Entry::Vacant(entry) => {
                        entry.insert(self.passages.len() as u32);
                        self.passages.push(hit.ord);
                        self.passages.len() - 1
                    }
                    Entry::Occupied(entry) => {
                        let slot = *entry.get() as usize;
                        // An earlier hit of this list has the same passage.
                        if slot >= first_new_slot || std::mem::replace(&mut is_listed[slot], true) {
                            continue;
                        }
                        slot
                    }
                };
                column.push(ColumnEntry { slot: slot as u32, score: f64::from(hit.score) });
            }
        }
    }

    /// Returns the ord of each passage, by slot.
    pub fn passages(&self) -> &[u32] {
        &self.passages
    }

    /// Returns one column per list, in the order of the lists.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Returns the `k` passages with the highest scores, best first. If scores are equal, the passage that appeared
    /// first comes first. `scores` has one entry per slot.
    pub fn top_k(&self, scores: &[f64], k: usize) -> Vec<Hit> {
        // Until they are sorted, hits have slots instead of ords, so that ties are broken by first appearance.
        let mut fused: Vec<Hit> =
            scores.iter().zip(0..).map(|(&score, slot)| Hit { ord: slot, score: score as f32 }).collect();
        if k < fused.len() && k > 0 {
            fused.select_nth_unstable_by(k - 1, by_rank);
        }
        fused.truncate(k);
        fused.sort_unstable_by(by_rank);
        fused.iter_mut().for_each(|hit| hit.ord = self.passages[hit.ord as usize]);
        fused
    }
}
