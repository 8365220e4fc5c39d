//! A hash table from ids to rows that stores no strings.
//!
//! A slot holds the ord of a row. Callers pass a function that returns the id of an ord, so that the table can compare
//! ids. Collisions are resolved by linear probing. A removal moves later rows back into the gap (Knuth, "The Art of
//! Computer Programming", volume 3, algorithm 6.4R), so the table needs no tombstones. The hash is randomly seeded, so
//! that an attacker cannot choose ids that collide.

use std::hash::{BuildHasher, RandomState};

use crate::phrases::passage_of;

/// A hash table of ords, by the ids of their rows.
#[derive(Debug, Default)]
pub(crate) struct IdTable {
    /// The number of slots is a power of two; at most three quarters of them are occupied.
    slots: Vec<u32>,
    occupied: usize,
    /// Whether an id is hashed by its passage only, so that probing for a passage finds all rows of the passage.
    by_passage: bool,
    hasher: RandomState,
}

/// The result of probing for an id.
struct Probe {
    /// The first matching row.
    found: Option<u32>,
    /// The slot of that row, or the free slot where probing ended.
    slot: usize,
}

/// The content of a free slot; no row has this ord.
const FREE: u32 = u32::MAX;

impl IdTable {
    /// Returns an empty table. With `by_passage`, [`for_each`](Self::for_each) finds all rows of a passage.
    pub fn new(by_passage: bool) -> Self {
        Self { by_passage, ..Self::default() }
    }

    /// Makes the table large enough for `count` rows in total. `id_of` returns the id of a row in the table.
    pub fn reserve<'a>(&mut self, count: usize, id_of: impl Fn(u32) -> &'a str) {
        let needed = (count + count / 3 + 1).next_power_of_two().max(16);
        if needed <= self.slots.len() {
            return;
        }
        let old = std::mem::replace(&mut self.slots, vec![FREE; needed]);
        for ord in old.into_iter().filter(|&ord| ord != FREE) {
            let free = self.probe(id_of(ord), |_| false).slot;
            self.slots[free] = ord;
        }
    }

    /// Returns the first row for which `is_match` is true, among the rows that may have this id; `is_match` compares
    /// the ids.
    pub fn find(&self, id: &str, is_match: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() { None } else { self.probe(id, is_match).found }
    }

    /// Calls `visit` with all rows whose ids have the same hash as `id`, and with some other rows.
    pub fn for_each(&self, id: &str, mut visit: impl FnMut(u32)) {
        self.find(id, |ord| {
            visit(ord);
            false
        });
    }

    /// Inserts a row, for which space must be [reserved](Self::reserve). If a row with this id is in the table already,
    /// leaves the table unchanged and returns that row.
    pub fn insert<'a>(&mut self, id: &str, ord: u32, id_of: impl Fn(u32) -> &'a str) -> Option<u32> {
        let Probe { found, slot } = self.probe(id, |ord| id_of(ord) == id);
        if found.is_none() {
            self.occupy(slot, ord);
        }
        found
    }

    /// Inserts a row, for which space must be [reserved](Self::reserve), even if the table has another row with this
    /// id.
    pub fn insert_another(&mut self, id: &str, ord: u32) {
        let free = self.probe(id, |_| false).slot;
        self.occupy(free, ord);
    }

    fn occupy(&mut self, free: usize, ord: u32) {
        self.slots[free] = ord;
        self.occupied += 1;
        debug_assert!(self.occupied < self.slots.len(), "without a free slot, probing would not end");
    }

    /// Removes a row with this id, if it is in the table.
    pub fn remove<'a>(&mut self, id: &str, ord: u32, id_of: impl Fn(u32) -> &'a str) {
        let Probe { found, slot: mut gap } = self.probe(id, |candidate| candidate == ord);
        if found.is_none() {
            return;
        }
        self.occupied -= 1;
        // Probing would end at the gap, so rows after the gap that were displaced by a collision move back into it.
        let mask = self.slots.len() - 1;
        let mut slot = gap;
        loop {
            slot = (slot + 1) & mask;
            let moved = self.slots[slot];
            if moved == FREE {
                break;
            }
            let home = self.home(id_of(moved));
            if (slot.wrapping_sub(home) & mask) >= (slot.wrapping_sub(gap) & mask) {
                self.slots[gap] = moved;
                gap = slot;
            }
        }
        self.slots[gap] = FREE;
    }

    /// Returns the number of bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<u32>()
    }

    /// Probes from the home slot of `id` to the first row for which `is_match` is true, or to a free slot.
    fn probe(&self, id: &str, mut is_match: impl FnMut(u32) -> bool) -> Probe {
        let mask = self.slots.len() - 1;
        let mut slot = self.home(id);
        loop {
            match self.slots[slot] {
                FREE => return Probe { found: None, slot },
                ord if is_match(ord) => return Probe { found: Some(ord), slot },
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// Returns the slot at which probing for an id starts.
    fn home(&self, id: &str) -> usize {
        let hashed = if self.by_passage { passage_of(id) } else { id };
        self.hasher.hash_one(hashed) as usize & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn behaves_like_a_hash_map(steps in prop::collection::vec((any::<bool>(), 0u32..40), 0..400)) {
            // The id of a row is the text `id` and its ord modulo 40, so rows 0, 40, 80, … have the same id.
            let ids: Vec<String> = (0..40).map(|id| format!("id{id}")).collect();
            let id_of = |ord: u32| ids[ord as usize % 40].as_str();
            let (mut table, mut map) = (IdTable::default(), HashMap::new());
            for (step, (insert, id)) in steps.into_iter().enumerate() {
                let name = ids[id as usize].as_str();
                if insert {
                    let ord = id + 40 * step as u32;
                    table.reserve(map.len() + 1, id_of);
                    let before = table.insert(name, ord, id_of);
                    prop_assert_eq!(before, map.get(name).copied());
                    map.entry(name).or_insert(ord);
                } else if let Some(ord) = map.remove(name) {
                    table.remove(name, ord, id_of);
                }
                for id in &ids {
                    prop_assert_eq!(table.find(id, |ord| id_of(ord) == id), map.get(id.as_str()).copied());
                }
            }
        }
    }
}
