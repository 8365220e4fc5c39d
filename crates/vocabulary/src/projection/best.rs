use ranking::Hit;

/// The fewest hits gathered beyond those wanted before the best are told from the others.
const SPARE: usize = 48;

/// The `k` best of hits that come in ascending order of tokens.
#[derive(Debug, Clone)]
pub(crate) struct Best {
    k: usize,
    /// Rank keys of what may be among the best.
    keys: Vec<u64>,
    /// A score below this is not among the best.
    least: f32,
}

impl Best {
    pub fn new(k: usize) -> Self {
        Self { k, keys: Vec::new(), least: if k == 0 { f32::NAN } else { f32::NEG_INFINITY } }
    }

    /// Takes the scores of the tokens from `first` on, of which `most` is the greatest.
    pub fn offer(&mut self, first: u32, scores: &[f32], most: f32) {
        // NaN, the least of no hits wanted, is reached by none.
        if most < self.least || self.k == 0 {
            return;
        }
        for (ord, &score) in (first..).zip(scores) {
            if score >= self.least {
                self.keys.push(Hit { ord, score }.rank_key());
                if self.keys.len() >= self.k + self.k.max(SPARE) {
                    self.settle();
                }
            }
        }
    }

    /// Takes the hits of the tokens that follow.
    pub fn merge(&mut self, next: Self) {
        self.keys.extend(next.keys);
        self.settle();
    }

    /// The best, the very best first.
    pub fn into_sorted(mut self) -> Vec<Hit> {
        self.settle();
        // No two keys are the same: an unstable sort has one outcome.
        self.keys.sort_unstable();
        self.keys.into_iter().map(Hit::from_rank_key).collect()
    }

    /// Drops what is not among the best.
    fn settle(&mut self) {
        if self.k == 0 || self.keys.len() < self.k {
            return;
        }
        let (_, &mut last, _) = self.keys.select_nth_unstable(self.k - 1);
        self.keys.truncate(self.k);
        // What follows has higher ids: with the score of the last it ranks behind it.
        self.least = Hit::from_rank_key(last).score.next_up();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keeps_what_a_full_sort_would_keep(
            scores in prop::collection::vec((-4i8..4).prop_map(f32::from), 0..400),
            k in 0usize..90,
            block in 1usize..50,
            cut in 0usize..400,
        ) {
            let (mut best, mut next) = (Best::new(k), Best::new(k));
            for (at, scores) in scores.chunks(block).enumerate() {
                let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let first = at * block;
                if first < cut { &mut best } else { &mut next }.offer(first as u32, scores, most);
            }
            best.merge(next);

            let mut expected: Vec<Hit> = (0..).zip(&scores).map(|(ord, &score)| Hit { ord, score }).collect();
            expected.sort_by(ranking::by_rank);
            expected.truncate(k);
            prop_assert_eq!(best.into_sorted(), expected);
        }
    }
}
