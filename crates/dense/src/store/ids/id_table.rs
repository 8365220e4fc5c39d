use std::hash::{BuildHasher, RandomState};

use crate::phrases::passage_of;

/// Finds the row of an id without keeping the id a second time: a table of rows by the hash of their ids, with
/// linear probing. The hash is seeded anew for each table, so nobody can choose ids that collide.
#[derive(Debug, Default)]
pub(crate) struct IdTable {
    /// A power of two, at most three quarters taken.
    slots: Vec<u32>,
    taken: usize,
    /// Rows of one passage have one hash, so that all of them are found on its way.
    by_passage: bool,
    hasher: RandomState,
}

/// A slot without a row; no row has this ord.
const FREE: u32 = u32::MAX;

impl IdTable {
    /// An empty one, which with `by_passage` finds [all rows of a passage](Self::for_each).
    pub fn new(by_passage: bool) -> Self {
        Self { by_passage, ..Self::default() }
    }

    /// Makes room for `count` ids in all. `id_of` gives the id of a row of the table.
    pub fn reserve<'a>(&mut self, count: usize, id_of: impl Fn(u32) -> &'a str) {
        let needed = (count + count / 3 + 1).next_power_of_two().max(16);
        if needed <= self.slots.len() {
            return;
        }
        let old = std::mem::replace(&mut self.slots, vec![FREE; needed]);
        for ord in old.into_iter().filter(|&ord| ord != FREE) {
            let free = self.probe(id_of(ord), |_| false).1;
            self.slots[free] = ord;
        }
    }

    /// The first row of `id`, of those whose ids have its hash, that `is_it`: which has this id, that is.
    pub fn find(&self, id: &str, is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() { None } else { self.probe(id, is_it).0 }
    }

    /// Calls `with` for all rows whose ids have the hash of `id`, and for others.
    pub fn for_each(&self, id: &str, mut with: impl FnMut(u32)) {
        self.find(id, |ord| {
            with(ord);
            false
        });
    }

    /// Takes `ord` in under `id`, for which there must be room; the row that has this id already, if any, stays
    /// and is returned.
    pub fn insert<'a>(&mut self, id: &str, ord: u32, id_of: impl Fn(u32) -> &'a str) -> Option<u32> {
        let (found, free) = self.probe(id, |ord| id_of(ord) == id);
        if found.is_none() {
            self.take(free, ord);
        }
        found
    }

    /// Takes `ord` in under `id`, for which there must be room, beside another row of this id.
    pub fn insert_beside(&mut self, id: &str, ord: u32) {
        let free = self.probe(id, |_| false).1;
        self.take(free, ord);
    }

    fn take(&mut self, free: usize, ord: u32) {
        self.slots[free] = ord;
        self.taken += 1;
        debug_assert!(self.taken < self.slots.len(), "a free slot ends every search");
    }

    /// Takes `ord`, which is in the table under `id`, out of it.
    pub fn remove<'a>(&mut self, id: &str, ord: u32, id_of: impl Fn(u32) -> &'a str) {
        let (found, mut gap) = self.probe(id, |candidate| candidate == ord);
        if found.is_none() {
            return;
        }
        self.taken -= 1;
        // Rows that were put behind because of this one move up, or searches would end at the gap.
        let mask = self.slots.len() - 1;
        let mut at = gap;
        loop {
            at = (at + 1) & mask;
            let moved = self.slots[at];
            if moved == FREE {
                break;
            }
            let home = self.home(id_of(moved));
            if (at.wrapping_sub(home) & mask) >= (at.wrapping_sub(gap) & mask) {
                self.slots[gap] = moved;
                gap = at;
            }
        }
        self.slots[gap] = FREE;
    }

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<u32>()
    }

    /// The first row on the way of `id` that `is_it`, with its slot; else the free slot at the end of the way.
    fn probe(&self, id: &str, mut is_it: impl FnMut(u32) -> bool) -> (Option<u32>, usize) {
        let mask = self.slots.len() - 1;
        let mut at = self.home(id);
        loop {
            match self.slots[at] {
                FREE => return (None, at),
                ord if is_it(ord) => return (Some(ord), at),
                _ => at = (at + 1) & mask,
            }
        }
    }

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
