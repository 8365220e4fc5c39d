//! The walk among the rows that a filter allows.
//!
//! It goes from one allowed row to the next and compares no others. Where a row has few neighbours that are allowed, those
//! that are not lead on to theirs (Patel, Kraft, Guestrin and Zaharia, "ACORN: Performant and Predicate-Agnostic Search Over
//! Vector Embeddings and Structured Data", 2024). To ask of a link whether it is allowed costs little beside comparing it,
//! so that such a walk compares no more rows than one without a filter, and misses no more.

use control::Cancelled;
use ranking::Hit;

use super::beam_search::Walk;
use super::scratch::{Among, Scratch};
use crate::RowSet;
use crate::hnsw::codes::{ROUGH_DEVIATIONS, Reach, Target};

/// Steps between two looks at whether the work was cancelled.
const STEPS_A_CHECK: u32 = 16;
/// The nearest rows at which a walk begins, found without the filter: what is allowed near to them would otherwise be
/// missed where the way to it leads over rows that are not.
const STARTS: usize = 8;
/// Where of the rows about the starts less than this part is allowed of what is allowed of all, the nearest allowed rows are
/// somewhere else, and a walk that sees no others would find no way to them.
const LEAST_NEAR: f64 = 0.5;
/// Allowed neighbours that a row is to have, those of its neighbours counted.
const NEIGHBOURS: usize = 48;

impl Walk<'_> {
    /// The about `ef` nearest rows of layer 0 that are `allowed`, the nearest first; none where few about the query are,
    /// where it finds no way to so many, or would read the links of more than `most` rows.
    pub fn among(
        &self,
        target: &Target,
        entry: u32,
        ef: usize,
        allowed: &RowSet,
        most: usize,
        scratch: &mut Scratch,
    ) -> Result<Option<Vec<Hit>>, Cancelled> {
        let entry = self.descend(target, entry, 0, scratch);
        self.layer(target, &[entry], STARTS, 0, scratch)?;
        let nearest: Vec<Hit> = scratch.found().collect();
        let Scratch { among, work, .. } = scratch;
        among.begin(&nearest, ef, allowed, self.links.rows());
        let share = allowed.share(self.links.rows()).max(f64::MIN_POSITIVE);
        let (mut steps, mut read) = (0u32, 0);
        let (mut seen, mut seen_allowed) = (0, 0);
        let count = |links: &[u32]| links.iter().filter(|&&link| allowed.contains(link)).count();
        while let Some(row) = among.starts.pop().or_else(|| among.pool.go()) {
            if steps.is_multiple_of(STEPS_A_CHECK) {
                self.control.check()?;
            }
            steps += 1;
            self.links.get(row, 0, &mut among.links);
            let Among { pool, fresh, unread, links, next, through, .. } = among;
            fresh.take(links, next);
            let met = count(links);
            // As many as lead to the others that are wanted, if among their links is the same share allowed.
            let wanted = NEIGHBOURS.saturating_sub(met) as f64 / (share * links.len().max(1) as f64);
            through.clear();
            unread.take(links, through);
            let (now, later) = through.split_at((wanted.ceil() as usize).min(through.len()));
            later.iter().for_each(|&row| unread.insert(row));
            now.iter().for_each(|&row| self.links.prefetch(row, 0));
            let near = steps as usize <= STARTS;
            if near {
                (seen, seen_allowed) = (seen + links.len(), seen_allowed + met);
            }
            for &row in now {
                self.links.get(row, 0, links);
                fresh.take(links, next);
                if near {
                    (seen, seen_allowed) = (seen + links.len(), seen_allowed + count(links));
                }
            }
            read += 1 + now.len();
            let lost = steps as usize == STARTS && (seen_allowed as f64) < LEAST_NEAR * share * seen as f64;
            if lost || read > most {
                return Ok(None);
            }
            if let Some(least) = pool.least() {
                next.iter().for_each(|&row| _ = self.closeness.codes().prefetch_rough(row));
                self.closeness.reaching(target, next, Reach { least, deviations: ROUGH_DEVIATIONS }, work);
            }
            next.iter().for_each(|&row| self.closeness.codes().prefetch(row));
            self.closeness.all(target, next, work);
            if let Some(nearest) = pool.extend(next, &work.closeness) {
                self.links.prefetch(nearest, 0);
            }
            next.clear();
        }
        let found: Vec<Hit> = among.pool.iter().collect();
        Ok((found.len() == ef).then_some(found))
    }
}

impl Among {
    /// To walk from the `nearest` rows, of which those that are not allowed come first.
    fn begin(&mut self, nearest: &[Hit], ef: usize, allowed: &RowSet, rows: usize) {
        let Self { pool, fresh, unread, next, starts, .. } = self;
        fresh.set_to(allowed.words(), rows, false);
        unread.set_to(allowed.words(), rows, true);
        pool.clear(ef, ef);
        next.clear();
        starts.clear();
        for &Hit { ord, score } in nearest {
            if allowed.contains(ord) {
                fresh.remove(ord);
                pool.extend(&[ord], &[score]);
            } else {
                unread.remove(ord);
                starts.push(ord);
            }
        }
        // The nearest is the first to be taken.
        starts.reverse();
    }
}
