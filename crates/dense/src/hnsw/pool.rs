/// The nearest rows that a walk has found, the nearest first, and which of them it has been at.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    /// Ascending: how far a row is, then [`DONE`] and its ord.
    entries: Vec<u64>,
    most: usize,
    /// No entry before this one is left to go to.
    next: usize,
}

/// Marks rows that the walk has been at.
const DONE: u64 = 1 << 31;
/// Ords are below this.
pub(crate) const MOST_ROWS: usize = DONE as usize;

impl Pool {
    /// Empties it; it will keep up to `most` rows.
    pub fn clear(&mut self, most: usize) {
        self.entries.clear();
        self.most = most;
        self.next = 0;
    }

    /// Keeps a row if it is nearer than the farthest, or there is room; of rows that are as near the earlier stays
    /// before the later. A row must not come twice. Returns whether it is where the walk goes next.
    pub fn push(&mut self, row: u32, closeness: f32) -> bool {
        let entry = u64::from(farness(closeness)) << 32 | u64::from(row);
        // Rows as far as this one stay before it.
        let behind = entry | u64::from(u32::MAX);
        if self.entries.len() == self.most {
            if self.entries.last().is_none_or(|&last| last <= behind) {
                return false;
            }
            self.entries.pop();
        }
        let at = self.entries.partition_point(|&kept| kept <= behind);
        self.entries.insert(at, entry);
        let first = at <= self.next;
        self.next = self.next.min(at);
        first
    }

    /// The nearest row where the walk has not been, which it goes to now.
    pub fn go(&mut self) -> Option<u32> {
        let at = self.next + self.entries[self.next..].iter().position(|entry| entry & DONE == 0)?;
        self.next = at + 1;
        let row = self.entries[at] as u32;
        self.entries[at] |= DONE;
        Some(row)
    }

    /// The row that [`go`](Self::go) would give now.
    pub fn peek(&self) -> Option<u32> {
        let entry = self.entries[self.next..].iter().find(|&entry| entry & DONE == 0);
        entry.map(|&entry| entry as u32)
    }

    /// All rows with their closeness, the nearest first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, f32)> {
        self.entries.iter().map(|&entry| ((entry & !DONE) as u32, closeness(entry)))
    }
}

/// Orders as closeness does, the nearest lowest. −0 comes right behind 0.
fn farness(closeness: f32) -> u32 {
    let bits = closeness.to_bits();
    // Negative numbers grow with their bits, the others fall.
    if bits >> 31 == 1 { bits } else { !bits & !(1 << 31) }
}

fn closeness(entry: u64) -> f32 {
    let far = (entry >> 32) as u32;
    f32::from_bits(if far >> 31 == 1 { far } else { !far & !(1 << 31) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keeps_the_nearest_and_goes_to_each_once(steps in prop::collection::vec((any::<bool>(), 0i8..20), 0..200), most in 1usize..12) {
            let mut pool = Pool::default();
            pool.clear(most);
            let (mut kept, mut gone): (Vec<(u32, f32)>, Vec<u32>) = (Vec::new(), Vec::new());
            for (row, (push, closeness)) in (0u32..).zip(steps) {
                let closeness = closeness - 10;
                if push {
                    pool.push(row, f32::from(closeness));
                    kept.push((row, f32::from(closeness)));
                    kept.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                    kept.truncate(most);
                } else {
                    let expected = kept.iter().map(|kept| kept.0).find(|row| !gone.contains(row));
                    prop_assert_eq!(pool.peek(), expected);
                    prop_assert_eq!(pool.go(), expected);
                    gone.extend(expected);
                }
                prop_assert_eq!(pool.iter().collect::<Vec<_>>(), kept.clone());
            }
        }
    }
}
