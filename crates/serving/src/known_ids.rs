//! The passage ids that the caller of an index already has as strings of its own language.
//!
//! Looking up 100 ids and making strings of them takes a caller as long as a quick search. The caller therefore keeps
//! the strings of recent hits in an array. A *slot* is a position in this array, and [`KnownIds`] is our list of what
//! each slot has. For each hit, the caller gets its slot, and as text only the ids that it does not have yet.

use ranking::Hit;

/// Maximum number of slots. The strings of all slots take a JavaScript program about 6 MB if the ids have 16
/// characters, and at most 20 MB.
const MAX_SLOTS: usize = 1 << 17;
/// What an empty slot has instead of an ord. No hit has this ord.
const EMPTY: u32 = u32::MAX;

/// Records which passage's id is in each slot. The slot of a passage is the lower bits of its ord. Of several passages
/// with the same slot, the one that was found last has it.
#[derive(Debug, Default)]
pub struct KnownIds {
    /// The ord of the passage whose id is in each slot.
    ords: Vec<u32>,
    /// The argument `space` of the last call.
    space: u64,
}

impl KnownIds {
    /// Added to the slot of a hit whose id is new.
    pub const IS_NEW: u32 = 1 << 31;
    /// Maximum length in bytes of an id that the caller must keep. Longer ones must be [forgotten](Self::forget); the
    /// caller must keep them only until it has gone through all hits of the call, which may include a passage twice.
    pub const MAX_BYTES: usize = 64;

    /// Records that the caller has none of the ids.
    pub fn clear(&mut self) {
        self.ords.clear();
    }

    /// Records that the caller does not have the id of this passage.
    pub fn forget(&mut self, ord: u32) {
        let mask = self.ords.len().wrapping_sub(1);
        if let Some(known) = self.ords.get_mut(ord as usize & mask).filter(|known| **known == ord) {
            *known = EMPTY;
        }
    }

    /// Writes the slot of each hit to `slots`, plus [`IS_NEW`](Self::IS_NEW) if the id of the hit is new. Returns the
    /// hits with new ids, in order. The caller must go through the hits in order, storing new ids and reading known
    /// ones, because a later hit may replace the id in a slot. `size` is the number of passages of the index. `space`
    /// is a number that changes when ords get new meanings; all ids are then new.
    ///
    /// # Panics
    ///
    /// If `slots` is shorter than `hits`.
    #[must_use]
    pub fn record(&mut self, space: u64, size: usize, hits: &[Hit], slots: &mut [u32]) -> Vec<Hit> {
        if self.space != space {
            self.clear();
            self.space = space;
        }
        self.grow(size);
        let mask = self.ords.len() - 1;
        let mut new = Vec::new();
        for (hit, slot) in hits.iter().zip(&mut slots[..hits.len()]) {
            let at = hit.ord as usize & mask;
            *slot = at as u32;
            if self.ords[at] != hit.ord {
                self.ords[at] = hit.ord;
                *slot |= Self::IS_NEW;
                new.push(*hit);
            }
        }
        new
    }

    /// Makes as many slots as the index has passages, rounded up to a power of two, up to [`MAX_SLOTS`]. If there were
    /// fewer, all ids are new again.
    fn grow(&mut self, size: usize) {
        let wanted = size.clamp(1, MAX_SLOTS).next_power_of_two();
        if self.ords.len() < wanted {
            self.ords.clear();
            self.ords.resize(wanted, EMPTY);
        }
    }
}

#[cfg(test)]
mod tests {
    use numerics::SplitMix64;

    use super::*;

    const NEW: u32 = KnownIds::IS_NEW;

    fn hits(ords: &[u32]) -> Vec<Hit> {
        ords.iter().map(|&ord| Hit { ord, score: 1.0 }).collect()
    }

    /// Returns the slots of hits with these ords.
    fn slots_in(space: u64, known: &mut KnownIds, size: usize, ords: &[u32]) -> Vec<u32> {
        let mut slots = vec![0; ords.len()];
        let new = known.record(space, size, &hits(ords), &mut slots);
        assert_eq!(new.len(), slots.iter().filter(|&slot| slot & NEW != 0).count());
        slots
    }

    fn slots(known: &mut KnownIds, size: usize, ords: &[u32]) -> Vec<u32> {
        slots_in(1, known, size, ords)
    }

    #[test]
    fn an_id_is_new_until_it_was_returned_and_again_after_another_id_took_its_slot() {
        let mut known = KnownIds::default();
        assert_eq!(slots(&mut known, 4, &[2, 0]), [NEW | 2, NEW]);
        assert_eq!(slots(&mut known, 4, &[0, 2, 1]), [0, 2, NEW | 1]);
        // Ords may be larger than the number of passages, because the ords of deleted passages are not used again.
        assert_eq!(slots(&mut known, 4, &[6, 2, 6]), [NEW | 2, NEW | 2, NEW | 2]);
        assert_eq!(slots(&mut known, 4, &[6, 0]), [2, 0]);
        known.forget(0);
        // The slot of this ord has another id.
        known.forget(2);
        assert_eq!(slots(&mut known, 4, &[6, 0]), [2, NEW]);
    }

    #[test]
    fn all_ids_are_new_again_when_there_are_more_slots_or_ords_have_new_meanings() {
        let mut known = KnownIds::default();
        assert_eq!(slots(&mut known, 3, &[3]), [NEW | 3]);
        assert_eq!(slots(&mut known, 5, &[3]), [NEW | 3]);
        assert_eq!(slots(&mut known, 8, &[3]), [3]);
        assert_eq!(slots(&mut known, 1 << 30, &[1 << 30]), [NEW]);
        assert_eq!(known.ords.len(), MAX_SLOTS);
        assert_eq!(slots_in(2, &mut known, 8, &[1 << 30]), [NEW]);
        assert_eq!(slots_in(2, &mut known, 8, &[1 << 30]), [0]);
    }

    #[test]
    fn a_caller_that_stores_new_ids_in_their_slots_has_the_id_of_every_hit() {
        let (mut random, mut known) = (SplitMix64::new(5), KnownIds::default());
        let mut size = 1;
        let mut strings = vec![String::new(); MAX_SLOTS];
        // The ids of these passages count as too long to be kept.
        let is_long = |ord: u32| ord.is_multiple_of(7);
        for _ in 0..2000 {
            size += random.below(300) as usize;
            // The same ord may occur several times, because a call may have the hits of several lists.
            let range = if random.below(2) == 0 { 3 * size as u64 } else { 30 };
            let ords: Vec<u32> = (0..40).map(|_| random.below(range) as u32).collect();
            let mut slots = vec![0; 50];
            let new = known.record(1, size, &hits(&ords), &mut slots);
            new.iter().filter(|hit| is_long(hit.ord)).for_each(|hit| known.forget(hit.ord));
            let mut new_ids = new.iter().map(|hit| hit.ord.to_string());
            for (ord, &slot) in ords.iter().zip(&slots) {
                let at = (slot & !NEW) as usize;
                if slot & NEW != 0 {
                    strings[at] = new_ids.next().expect("an id for each new hit");
                }
                assert_eq!(strings[at], ord.to_string());
            }
            assert_eq!(new_ids.next(), None);
            // A later hit may have replaced a long id.
            for slot in slots.iter().take(ords.len()) {
                let kept = &mut strings[(slot & !NEW) as usize];
                if kept.parse().is_ok_and(is_long) {
                    kept.clear();
                }
            }
        }
    }
}
