//! A hash table from ids to ords. It is built in memory, written to the store as it is, and searched in the mapped
//! file.
//!
//! The table has `u64` slots; their number is a power of two, and at most 3/4 of them are in use. A slot contains the
//! upper 32 bits of the hash of an id, and in its lower 32 bits the ord. All bits of a free slot are 1. The lower bits
//! of the hash select the slot at which a search begins; it continues with the next slots until it finds the id or a
//! free slot (linear probing). The ids themselves are compared only if the upper bits of the hashes are equal. For two
//! different ids, this happens once in 4 billion comparisons.

const FREE: u64 = u64::MAX;

/// Maximum number of passages of a store. The ord `u32::MAX` is not used, because its slot could look like a free one.
pub(super) const MAX_PASSAGES: u32 = u32::MAX;

/// A table that is being built. When it grows, all ids are inserted again in the order of their ords, so the slots
/// depend only on the ids.
#[derive(Debug)]
pub(super) struct IdTable {
    slots: Vec<u64>,
    /// Hashes of the ids, by ord.
    hashes: Vec<u64>,
}

impl IdTable {
    pub fn new() -> Self {
        Self { slots: vec![FREE; 16], hashes: Vec::new() }
    }

    /// Returns the ord of the id with this hash, or `None`. `is_match` says whether an ord has the id that is searched
    /// for.
    pub fn find(&self, hash: u64, is_match: impl FnMut(u32) -> bool) -> Option<u32> {
        find(&self.slots, hash, is_match)
    }

    /// Adds the hash of a new id. Its ord is the number of ids that were added before it.
    pub fn push(&mut self, hash: u64) {
        self.hashes.push(hash);
        if self.hashes.len() > self.slots.len() / 4 * 3 {
            self.slots = vec![FREE; self.slots.len() * 2];
            for (ord, &hash) in (0..).zip(&self.hashes) {
                insert(&mut self.slots, hash, ord);
            }
        } else {
            let ord = (self.hashes.len() - 1) as u32;
            insert(&mut self.slots, hash, ord);
        }
    }

    pub fn slots(&self) -> &[u64] {
        &self.slots
    }
}

/// Searches slots like [`IdTable::find`]. The slots may come from a corrupt file: the search ends even if none is free.
pub(super) fn find(slots: &[u64], hash: u64, mut is_match: impl FnMut(u32) -> bool) -> Option<u32> {
    let mask = slots.len().checked_sub(1)?;
    let mut at = hash as usize & mask;
    for _ in 0..slots.len() {
        let slot = slots[at];
        if slot == FREE {
            return None;
        }
        if slot >> 32 == hash >> 32 && is_match(slot as u32) {
            return Some(slot as u32);
        }
        at = (at + 1) & mask;
    }
    None
}

/// Whether a table of `passages` ids can have this number of slots.
pub(super) fn fits(slots: usize, passages: usize) -> bool {
    slots.is_power_of_two() && passages <= slots / 4 * 3
}

/// Hashes an id with FNV-1a (64 bits), followed by the finalizer of MurmurHash3, which mixes all bits. The hash is part
/// of the file format.
pub(super) fn hash(id: &[u8]) -> u64 {
    let fnv = id.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let mixed = (fnv ^ (fnv >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    mixed ^ (mixed >> 33)
}

/// Writes the slot of an id to the first free slot.
fn insert(slots: &mut [u64], hash: u64, ord: u32) {
    let mask = slots.len() - 1;
    let mut at = hash as usize & mask;
    while slots[at] != FREE {
        at = (at + 1) & mask;
    }
    slots[at] = hash >> 32 << 32 | u64::from(ord);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_the_table_are_found_and_others_are_not() {
        let ids: Vec<String> = (0..10_000).map(|number| format!("id {number}")).collect();
        let mut table = IdTable::new();
        for id in &ids {
            table.push(hash(id.as_bytes()));
        }
        assert!(fits(table.slots().len(), ids.len()));
        let find = |id: &str| table.find(hash(id.as_bytes()), |ord| ids[ord as usize] == id);
        assert!((0..).zip(&ids).all(|(ord, id)| find(id) == Some(ord)));
        assert_eq!(find("id 10000"), None);
    }

    #[test]
    fn a_search_of_a_full_or_empty_table_ends() {
        assert_eq!(find(&[], 7, |_| true), None);
        assert_eq!(find(&[0, 0], 7 << 32, |_| false), None);
    }

    #[test]
    fn the_hash_is_part_of_the_format_and_does_not_change() {
        // Computed from the definition in Python.
        assert_eq!(hash(b""), 0xefd01f60ba992926);
        assert_eq!(hash(b"Super_Bowl_50#0"), 0x6647ab351009693c);
    }
}
