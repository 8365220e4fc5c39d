/// The nodes that a walk has seen: a hash set that is emptied at no cost and is as large as the longest walk,
/// not as the index.
#[derive(Debug)]
pub(crate) struct Visited {
    /// The walk's number above, the ord below. A power of two, at most half taken by one walk.
    slots: Vec<u64>,
    walk: u32,
    taken: usize,
}

impl Visited {
    pub fn new() -> Self {
        Self { slots: vec![0; 1024], walk: 1, taken: 0 }
    }

    pub fn clear(&mut self) {
        self.taken = 0;
        self.walk = self.walk.wrapping_add(1);
        if self.walk == 0 {
            self.slots.fill(0);
            self.walk = 1;
        }
    }

    /// Whether `ord` was not in the set.
    pub fn insert(&mut self, ord: u32) -> bool {
        if 2 * self.taken >= self.slots.len() {
            self.grow();
        }
        let new = place(&mut self.slots, self.walk, ord);
        self.taken += usize::from(new);
        new
    }

    fn grow(&mut self) {
        let mut slots = vec![0; 2 * self.slots.len()];
        for slot in self.slots.iter().filter(|&slot| (slot >> 32) as u32 == self.walk) {
            place(&mut slots, self.walk, *slot as u32);
        }
        self.slots = slots;
    }
}

/// Slots of earlier walks count as free.
fn place(slots: &mut [u64], walk: u32, ord: u32) -> bool {
    let mask = slots.len() - 1;
    let entry = u64::from(walk) << 32 | u64::from(ord);
    // Multiplicative hashing (Knuth, volume 3, §6.4): the upper half of the product is well mixed.
    let mut at = (u64::from(ord).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & mask;
    loop {
        if slots[at] == entry {
            return false;
        }
        if (slots[at] >> 32) as u32 != walk {
            slots[at] = entry;
            return true;
        }
        at = (at + 1) & mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        #[test]
        fn behaves_as_a_set(walks in prop::collection::vec(prop::collection::vec(0u32..3000, 0..2000), 1..4)) {
            let mut visited = Visited::new();
            visited.walk = u32::MAX - 1; // so that the number of walks overflows
            for walk in walks {
                visited.clear();
                let mut set = HashSet::new();
                for ord in walk {
                    prop_assert_eq!(visited.insert(ord), set.insert(ord));
                }
            }
        }
    }
}
