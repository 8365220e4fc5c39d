//! The candidate queue of a beam search: the best rows found so far, and which of them were expanded, that is, had
//! their neighbors read.
//!
//! One sorted array of integers replaces the two heaps in algorithm 2 of Malkov and Yashunin (2018). A step of a search
//! inserts tens of rows among a few hundred; at these sizes, a sorted array is faster than heaps.
//!
//! ```text
//! bits  63 … 32                     31        30 … 0
//!       score, so that higher       is it     row
//!       scores are smaller numbers  expanded?
//! ```
//!
//! An entry is the [rank key](Hit::rank_key) of a hit. The highest bit of its lower half is free because ords are below
//! 2³¹.

use ranking::Hit;

/// The best rows found so far, best first.
#[derive(Debug, Default)]
pub(crate) struct CandidateQueue {
    /// In ascending order of their upper halves, so that the highest scores come first.
    entries: Vec<u64>,
    /// Buffers of [`insert_all`](Self::insert_all): the new entries, and the position among the old entries at which
    /// each new one is inserted.
    new: Vec<u64>,
    places: Vec<usize>,
    /// The maximum number of candidates.
    capacity: usize,
    /// Candidates after the `ef` best ones are expanded only while the queue is not full.
    ef: usize,
    /// A position in `entries`: all entries before it are expanded.
    next: usize,
}

/// The bit that is set in expanded entries.
const EXPANDED: u64 = 1 << 31;
/// The maximum number of rows of an HNSW or growing index: the bit [`EXPANDED`] must be free in all ords.
pub(crate) const MAX_GRAPH_ROWS: usize = EXPANDED as usize;

impl CandidateQueue {
    /// Empties the queue and sets its limits.
    pub fn clear(&mut self, capacity: usize, ef: usize) {
        self.entries.clear();
        self.capacity = capacity;
        self.ef = ef;
        self.next = 0;
    }

    /// Inserts rows with their scores. If the queue is full, only rows with a higher score than the worst candidate are
    /// inserted. Among equal scores, rows of earlier calls come first; rows of one call are in the order of their ords.
    /// No row may be inserted twice. Returns the best unexpanded candidate if it is one of `rows`.
    pub fn insert_all(&mut self, rows: &[u32], scores: &[f32]) -> Option<u32> {
        let Self { entries, capacity, new, places, next, .. } = self;
        *next += entries[*next..].iter().take_while(|&entry| entry & EXPANDED != 0).count();
        // An entry below this limit has a higher score than the worst candidate.
        let limit = if entries.len() == *capacity {
            entries.last().map_or(0, |&last| last >> 32 << 32)
        } else {
            u64::MAX
        };
        new.resize(rows.len(), 0);
        let mut count = 0;
        for (&row, &score) in rows.iter().zip(scores) {
            // A branch would often be mispredicted.
            let entry = Hit { ord: row, score }.rank_key();
            new[count] = entry;
            count += usize::from(entry < limit);
        }
        new.truncate(count);
        new.sort_unstable();
        places.clear();
        // All binary searches are done before any entry is moved, so that the CPU can run them in parallel.
        places.extend(new.iter().map(|&entry| {
            let last_of_equal_score = entry | u64::from(u32::MAX);
            entries.partition_point(|&kept| kept <= last_of_equal_score)
        }));
        let old = entries.len();
        entries.resize(old + new.len(), 0);
        let mut end = old;
        // Moves each old entry once: back by the number of new entries that come before it.
        for (num_before, (&entry, &place)) in new.iter().zip(&*places).enumerate().rev() {
            entries.copy_within(place..end, place + num_before + 1);
            entries[place + num_before] = entry;
            end = place;
        }
        entries.truncate(*capacity);
        if new.is_empty() || end > *next {
            return None;
        }
        *next = end;
        entries.get(end).map(|&entry| entry as u32)
    }

    /// Returns the score that a row must exceed to be inserted; `None` while the queue is not full.
    pub fn worst_score(&self) -> Option<f32> {
        if self.entries.len() == self.capacity {
            self.entries.last().map(|&last| Hit::from_rank_key(last).score)
        } else {
            None
        }
    }

    /// Marks the best unexpanded candidate as expanded and returns it. Returns `None` if the search is over: all
    /// candidates are expanded, or the queue is full and its `ef` best candidates are expanded.
    pub fn expand_next(&mut self) -> Option<u32> {
        let at = self.next + self.entries[self.next..].iter().position(|entry| entry & EXPANDED == 0)?;
        if at >= self.ef && self.entries.len() == self.capacity {
            return None;
        }
        self.next = at + 1;
        let row = self.entries[at] as u32;
        self.entries[at] |= EXPANDED;
        Some(row)
    }

    /// Returns the best unexpanded candidate, without marking it as expanded.
    pub fn peek_next(&self) -> Option<u32> {
        let entry = self.entries[self.next..].iter().find(|&entry| entry & EXPANDED == 0);
        entry.map(|&entry| entry as u32)
    }

    /// Returns all candidates with their scores, best first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Hit> {
        self.entries.iter().map(|&entry| Hit::from_rank_key(entry & !EXPANDED))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keeps_the_best_rows_and_expands_each_once(
            steps in prop::collection::vec(prop::collection::vec(0i8..20, 0..5), 0..100),
            capacity in 1usize..12,
            ef in 1usize..12,
        ) {
            let mut queue = CandidateQueue::default();
            queue.clear(capacity, ef);
            let (mut kept, mut expanded): (Vec<(u32, f32)>, Vec<u32>) = (Vec::new(), Vec::new());
            let mut next_row = 0;
            // An empty step expands the next candidate. Any other step inserts one row per number; the row's score is
            // the number minus 10.
            for step in steps {
                let expected = kept.iter().map(|kept| kept.0).find(|row| !expanded.contains(row));
                if step.is_empty() {
                    prop_assert_eq!(queue.peek_next(), expected);
                    let is_in_beam = |row| kept[..ef.min(capacity)].iter().any(|kept| kept.0 == row);
                    let expected = expected.filter(|&row| kept.len() < capacity || is_in_beam(row));
                    prop_assert_eq!(queue.expand_next(), expected);
                    expanded.extend(expected);
                } else {
                    let rows: Vec<u32> = (next_row..).take(step.len()).collect();
                    next_row += step.len() as u32;
                    let scores: Vec<f32> = step.iter().map(|&score| f32::from(score - 10)).collect();
                    let first = queue.insert_all(&rows, &scores);
                    kept.extend(rows.iter().copied().zip(scores));
                    kept.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                    kept.truncate(capacity);
                    let next = kept.iter().map(|kept| kept.0).find(|row| !expanded.contains(row));
                    prop_assert_eq!(first, next.filter(|row| rows.contains(row)));
                }
                prop_assert_eq!(queue.worst_score(), kept.get(capacity - 1).map(|kept| kept.1));
                let found: Vec<_> = queue.iter().map(|hit| (hit.ord, hit.score)).collect();
                prop_assert_eq!(found, kept.clone());
            }
        }
    }
}
