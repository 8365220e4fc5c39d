use ranking::Hit;

/// Keeps the `k` best hits of those offered in ascending order of ords.
///
/// Hits are gathered as they come and sorted out when there are many: the least of a thousand costs more to know at
/// any time than to find out now and then.
#[derive(Debug, Clone)]
pub(crate) struct Best {
    k: usize,
    /// The [rank keys](Hit::rank_key) of hits.
    keys: Vec<u64>,
    least: f32,
}

/// The fewest hits gathered beyond `k` before the best are kept.
const SPARE: usize = 32;

impl Best {
    /// Keeps `k` hits, of which there may be 0.
    pub fn new(k: usize) -> Self {
        let least = if k == 0 { f32::NAN } else { f32::NEG_INFINITY };
        Self { k, keys: Vec::new(), least }
    }

    /// A hit with this score or a higher one may be kept; NaN if none can.
    pub fn least(&self) -> f32 {
        self.least
    }

    /// Offers the hit of a later ord than all before it. Scores below [`least`](Self::least) and NaN are dropped.
    pub fn offer(&mut self, hit: Hit) {
        // False for NaN on either side.
        if hit.score >= self.least {
            self.keys.push(hit.rank_key());
            if self.keys.len() >= 2 * self.k.max(SPARE) {
                self.settle();
            }
        }
    }

    /// The kept hits, best first.
    pub fn into_sorted(mut self) -> Vec<Hit> {
        self.settle();
        // Keys differ, so an unstable sort has one outcome.
        self.keys.sort_unstable();
        self.keys.into_iter().map(Hit::from_rank_key).collect()
    }

    /// Drops what is not among the `k` best.
    fn settle(&mut self) {
        if self.keys.len() < self.k || self.k == 0 {
            return;
        }
        let (_, &mut last, _) = self.keys.select_nth_unstable(self.k - 1);
        self.keys.truncate(self.k);
        // A later row with the score of the last ranks behind it.
        let last = Hit::from_rank_key(last).score;
        self.least = if last < f32::INFINITY { last.next_up() } else { f32::NAN };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Few distinct scores, so that there are many ties.
    fn score() -> impl Strategy<Value = f32> {
        let rare = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN, 1e-45, -1e-45];
        prop_oneof![4 => (-4i8..4).prop_map(f32::from), 1 => prop::sample::select(rare.to_vec())]
    }

    proptest! {
        #[test]
        fn keeps_what_a_full_sort_would_keep(scores in prop::collection::vec(score(), 0..400), k in 0usize..90) {
            let mut best = Best::new(k);
            let hits: Vec<Hit> =
                scores.iter().zip(0..).map(|(&score, ord)| Hit { ord, score }).collect();
            hits.iter().for_each(|&hit| best.offer(hit));

            let mut expected = hits;
            expected.retain(|hit| !hit.score.is_nan());
            expected.sort_by(ranking::by_rank);
            expected.truncate(k);
            prop_assert_eq!(best.into_sorted(), expected);
        }
    }

    #[test]
    fn only_what_ranks_before_the_last_can_enter() {
        let mut best = Best::new(2);
        (0..64).for_each(|ord| best.offer(Hit { ord, score: 1.0 }));
        assert_eq!(best.least(), 1.0f32.next_up());
        (64..128).for_each(|ord| best.offer(Hit { ord, score: f32::INFINITY }));
        assert!(best.least().is_nan());
        best.offer(Hit { ord: 128, score: f32::INFINITY });
        assert_eq!(best.into_sorted(), [64, 65].map(|ord| Hit { ord, score: f32::INFINITY }));
    }
}
