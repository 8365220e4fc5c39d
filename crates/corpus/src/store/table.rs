//! A hash table of ids that is built once, written as it is, and looked up where it lies.
//!
//! Open addressing with linear probing over a power of two of `u64` slots, at most 3/4 full. A slot holds the
//! upper half of the id's hash and the ord; all ones is free. The home slot comes from the hash's lower half,
//! so an id is compared in full only when the other half agrees too: 1 in 4 billion times for nothing.

const FREE: u64 = u64::MAX;

/// The most passages a store holds; the ord `u32::MAX` would make a slot look free.
pub(super) const MAX_PASSAGES: u32 = u32::MAX;

/// The table being built: insertion in the order of ords gives the same slots whatever growth came between.
#[derive(Debug)]
pub(super) struct Table {
    slots: Vec<u64>,
    /// Hashes of the ids, by ord.
    hashes: Vec<u64>,
}

impl Table {
    pub fn new() -> Self {
        Self { slots: vec![FREE; 16], hashes: Vec::new() }
    }

    /// The ord of an id; `same` tells whether the id of an ord is the one looked for.
    pub fn find(&self, hash: u64, same: impl FnMut(u32) -> bool) -> Option<u32> {
        find(&self.slots, hash, same)
    }

    /// Adds an id that is not there; its ord is the number of those before.
    pub fn push(&mut self, hash: u64) {
        self.hashes.push(hash);
        if self.hashes.len() > self.slots.len() / 4 * 3 {
            self.slots = vec![FREE; self.slots.len() * 2];
            for (ord, &hash) in (0..).zip(&self.hashes) {
                place(&mut self.slots, hash, ord);
            }
        } else {
            let ord = (self.hashes.len() - 1) as u32;
            place(&mut self.slots, hash, ord);
        }
    }

    pub fn slots(&self) -> &[u64] {
        &self.slots
    }
}

/// Looks an id up in slots, which may come from a broken file: the search always ends.
pub(super) fn find(slots: &[u64], hash: u64, mut same: impl FnMut(u32) -> bool) -> Option<u32> {
    let mask = slots.len().checked_sub(1)?;
    let mut at = hash as usize & mask;
    for _ in 0..slots.len() {
        let slot = slots[at];
        if slot == FREE {
            return None;
        }
        if slot >> 32 == hash >> 32 && same(slot as u32) {
            return Some(slot as u32);
        }
        at = (at + 1) & mask;
    }
    None
}

/// Whether as many slots can be a table of `passages`.
pub(super) fn fits(slots: usize, passages: usize) -> bool {
    slots.is_power_of_two() && passages <= slots / 4 * 3
}

/// Hash of an id: FNV-1a (64 bits), then the finalizer of MurmurHash3, so that both halves are well mixed.
/// Part of the file format.
pub(super) fn hash(id: &[u8]) -> u64 {
    let fnv = id.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let mixed = (fnv ^ (fnv >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    mixed ^ (mixed >> 33)
}

fn place(slots: &mut [u64], hash: u64, ord: u32) {
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
    fn every_id_is_found_and_no_other() {
        let ids: Vec<String> = (0..10_000).map(|number| format!("id {number}")).collect();
        let mut table = Table::new();
        for id in &ids {
            table.push(hash(id.as_bytes()));
        }
        assert!(fits(table.slots().len(), ids.len()));
        let find = |id: &str| table.find(hash(id.as_bytes()), |ord| ids[ord as usize] == id);
        assert!((0..).zip(&ids).all(|(ord, id)| find(id) == Some(ord)));
        assert_eq!(find("id 10000"), None);
    }

    #[test]
    fn a_full_or_empty_table_ends_the_search() {
        assert_eq!(find(&[], 7, |_| true), None);
        assert_eq!(find(&[0, 0], 7 << 32, |_| false), None);
    }

    #[test]
    fn the_hash_is_part_of_the_format_and_stays() {
        // Reckoned from the definition with Python's integers.
        assert_eq!(hash(b""), 0xefd01f60ba992926);
        assert_eq!(hash(b"Super_Bowl_50#0"), 0x6647ab351009693c);
    }
}
