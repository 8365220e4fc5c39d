//! A hash table of rows by id, which does not store the ids again.
//!
//! Slots hold rows; ids are looked up in the rows' own list. Collisions go to the next free slot (linear probing), and a
//! removal moves rows back into the gap (Knuth, "The Art of Computer Programming", volume 3, algorithm 6.4R), so there are
//! no tombstones. The hash is seeded at random, so that nobody can choose ids that collide.

use std::hash::{BuildHasher, RandomState};

use crate::phrases::passage_of;

/// Rows by the hashes of their ids.
#[derive(Debug, Default)]
pub(crate) struct IdTable {
    /// A power of two, at most three quarters of them occupied.
    slots: Vec<u32>,
    occupied: usize,
    /// Whether the hash is that of an id's passage, so that probing for one row of a passage meets all.
    by_passage: bool,
    hasher: RandomState,
}

/// The result of probing for an id.
struct Probe {
    /// The row that was looked for.
    found: Option<u32>,
    /// The slot of that row, or the free slot where probing ended.
    slot: usize,
}

/// A free slot; no row has this ord.
const FREE: u32 = u32::MAX;

impl IdTable {
    /// An empty table. With `by_passage` it finds [all rows of a passage](Self::for_each).
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

    /// Finds the first row for which `is_match` is true, among rows that may have the id. `is_match` compares ids.
    pub fn find(&self, id: &str, is_match: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() { None } else { self.probe(id, is_match).found }
    }

    /// Calls `with` for all rows whose ids have the hash of `id`, and for some others.
    pub fn for_each(&self, id: &str, mut with: impl FnMut(u32)) {
        self.find(id, |ord| {
            with(ord);
            false
        });
    }

    /// Inserts a row, for which space must be [reserved](Self::reserve). If a row with this id is there already, leaves it and
    /// returns it.
    pub fn insert<'a>(&mut self, id: &str, ord: u32, id_of: impl Fn(u32) -> &'a str) -> Option<u32> {
        let Probe { found, slot } = self.probe(id, |ord| id_of(ord) == id);
        if found.is_none() {
            self.occupy(slot, ord);
        }
        found
    }

    /// Inserts a row, for which space must be [reserved](Self::reserve), even if there is another with this id.
    pub fn insert_another(&mut self, id: &str, ord: u32) {
        let free = self.probe(id, |_| false).slot;
        self.occupy(free, ord);
    }

    fn occupy(&mut self, free: usize, ord: u32) {
        self.slots[free] = ord;
        self.occupied += 1;
        debug_assert!(self.occupied < self.slots.len(), "probing ends at a free slot");
    }

    /// Removes a row with this id, if it is in the table.
    pub fn remove<'a>(&mut self, id: &str, ord: u32, id_of: impl Fn(u32) -> &'a str) {
        let Probe { found, slot: mut gap } = self.probe(id, |candidate| candidate == ord);
        if found.is_none() {
            return;
        }
        self.occupied -= 1;
        // Probing would end at the gap, so rows that are behind it because of a collision move up.
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

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<u32>()
    }

    /// Probes from the home slot of `id` until `is_match` or a free slot.
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

    /// The slot where probing starts.
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
        fn behaves_as_a_map(steps in prop::collection::vec((any::<bool>(), 0u32..40), 0..400)) {
            // The id of a row is its number modulo 40: rows 0, 40, 80, … share one.
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
