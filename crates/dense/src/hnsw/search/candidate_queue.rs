use ranking::Hit;

/// The nearest rows that a walk has found, the nearest first, and which of them it has been at.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    /// Ascending: [rank keys](Hit::rank_key) of rows and their closeness, with [`DONE`] beside the ord.
    entries: Vec<u64>,
    /// Room for those that come in, and for where they come.
    new: Vec<u64>,
    places: Vec<usize>,
    most: usize,
    /// How many of the nearest the walk may go to; more only as long as there are fewer than `most`.
    width: usize,
    /// No entry before this one is left to go to.
    next: usize,
}

/// Marks rows that the walk has been at.
const DONE: u64 = 1 << 31;
/// Ords are below this.
pub(crate) const MOST_ROWS: usize = DONE as usize;

impl Pool {
    /// Empties it; it will keep up to `most` rows, and lead to the `width` nearest of them, or to as many as it takes to
    /// fill it.
    pub fn clear(&mut self, most: usize, width: usize) {
        self.entries.clear();
        self.most = most;
        self.width = width;
        self.next = 0;
    }

    /// Keeps those of `rows` that are nearer than the farthest, or for which there is room; of rows that are as near the
    /// earlier stay before the later. A row must not come twice. Returns the row where the walk goes next, if it is one
    /// of these.
    pub fn extend(&mut self, rows: &[u32], closeness: &[f32]) -> Option<u32> {
        let Self { entries, most, new, places, next, .. } = self;
        *next += entries[*next..].iter().take_while(|&entry| entry & DONE != 0).count();
        // Rows as far as the last stay out, and one as far as another comes behind it.
        let last = if entries.len() == *most {
            entries.last().map_or(0, |&last| last >> 32 << 32)
        } else {
            u64::MAX
        };
        new.resize(rows.len(), 0);
        let mut count = 0;
        for (&row, &near) in rows.iter().zip(closeness) {
            // Which of them come in nobody can guess: this has no branch.
            let entry = Hit { ord: row, score: near }.rank_key();
            new[count] = entry;
            count += usize::from(entry < last);
        }
        new.truncate(count);
        new.sort_unstable();
        places.clear();
        // One after another, before anything moves: so no search waits for the one before.
        places.extend(new.iter().map(|&entry| {
            let behind = entry | u64::from(u32::MAX);
            entries.partition_point(|&kept| kept <= behind)
        }));
        let old = entries.len();
        entries.resize(old + new.len(), 0);
        let mut end = old;
        for (before, (&entry, &at)) in new.iter().zip(&*places).enumerate().rev() {
            entries.copy_within(at..end, at + before + 1);
            entries[at + before] = entry;
            end = at;
        }
        entries.truncate(*most);
        if new.is_empty() || end > *next {
            return None;
        }
        *next = end;
        entries.get(end).map(|&entry| entry as u32)
    }

    /// The closeness that a row must exceed to be kept, once there is no room left.
    pub fn least(&self) -> Option<f32> {
        if self.entries.len() == self.most {
            self.entries.last().map(|&last| Hit::from_rank_key(last).score)
        } else {
            None
        }
    }

    /// The nearest row where the walk has not been, which it goes to now.
    pub fn go(&mut self) -> Option<u32> {
        let at = self.next + self.entries[self.next..].iter().position(|entry| entry & DONE == 0)?;
        if at >= self.width && self.entries.len() == self.most {
            return None;
        }
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
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Hit> {
        self.entries.iter().map(|&entry| Hit::from_rank_key(entry & !DONE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keeps_the_nearest_and_goes_to_each_once(steps in prop::collection::vec(prop::collection::vec(0i8..20, 0..5), 0..100), most in 1usize..12, width in 1usize..12) {
            let mut pool = Pool::default();
            pool.clear(most, width);
            let (mut kept, mut gone): (Vec<(u32, f32)>, Vec<u32>) = (Vec::new(), Vec::new());
            let mut next_row = 0;
            for step in steps {
                let expected = kept.iter().map(|kept| kept.0).find(|row| !gone.contains(row));
                if step.is_empty() {
                    prop_assert_eq!(pool.peek(), expected);
                    let near = kept.len() < most || expected.is_some_and(|row| kept[..width.min(most)].iter().any(|kept| kept.0 == row));
                    let expected = expected.filter(|_| near);
                    prop_assert_eq!(pool.go(), expected);
                    gone.extend(expected);
                } else {
                    let rows: Vec<u32> = (next_row..).take(step.len()).collect();
                    next_row += step.len() as u32;
                    let closeness: Vec<f32> = step.iter().map(|&closeness| f32::from(closeness - 10)).collect();
                    let first = pool.extend(&rows, &closeness);
                    kept.extend(rows.iter().copied().zip(closeness));
                    kept.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                    kept.truncate(most);
                    let next = kept.iter().map(|kept| kept.0).find(|row| !gone.contains(row));
                    prop_assert_eq!(first, next.filter(|row| rows.contains(row)));
                }
                prop_assert_eq!(pool.least(), kept.get(most - 1).map(|kept| kept.1));
                let found: Vec<_> = pool.iter().map(|hit| (hit.ord, hit.score)).collect();
                prop_assert_eq!(found, kept.clone());
            }
        }
    }
}
