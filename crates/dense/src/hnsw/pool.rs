/// The nearest rows that a walk has found, the nearest first, and which of them it has been at.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    closeness: Vec<f32>,
    /// The ord, and [`DONE`].
    rows: Vec<u32>,
    most: usize,
    /// No row before this one is left to go to.
    next: usize,
}

/// Marks rows that the walk has been at.
const DONE: u32 = 1 << 31;
/// Ords are below this.
pub(crate) const MOST_ROWS: usize = DONE as usize;

impl Pool {
    /// Empties it; it will keep up to `most` rows.
    pub fn clear(&mut self, most: usize) {
        self.closeness.clear();
        self.rows.clear();
        self.most = most;
        self.next = 0;
    }

    /// Nearness that a row has to surpass to be kept.
    pub fn bound(&self) -> f32 {
        if self.rows.len() < self.most { f32::NEG_INFINITY } else { self.closeness[self.most - 1] }
    }

    /// Keeps a row if it is nearer than the farthest, or there is room; of rows that are as near the earlier stays
    /// before the later. A row must not come twice.
    pub fn push(&mut self, row: u32, closeness: f32) {
        let full = self.rows.len() == self.most;
        if full && closeness <= self.closeness[self.most - 1] {
            return;
        }
        let at = self.closeness.partition_point(|&kept| kept >= closeness);
        if full {
            self.closeness.pop();
            self.rows.pop();
        }
        self.closeness.insert(at, closeness);
        self.rows.insert(at, row);
        self.next = self.next.min(at);
    }

    /// The nearest row where the walk has not been, which it goes to now.
    pub fn go(&mut self) -> Option<u32> {
        let ahead = self.rows[self.next..].iter().position(|row| row & DONE == 0);
        let at = self.next + ahead?;
        self.next = at + 1;
        let row = self.rows[at];
        self.rows[at] |= DONE;
        Some(row)
    }

    /// The row that [`go`](Self::go) would give now.
    pub fn peek(&self) -> Option<u32> {
        self.rows[self.next..].iter().copied().find(|row| row & DONE == 0)
    }

    /// All rows with their closeness, the nearest first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, f32)> {
        self.rows.iter().zip(&self.closeness).map(|(&row, &closeness)| (row & !DONE, closeness))
    }
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
                let bound = if kept.len() == most { kept[most - 1].1 } else { f32::NEG_INFINITY };
                prop_assert_eq!(pool.bound(), bound);
            }
        }
    }
}
