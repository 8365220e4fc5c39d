//! Biases of the attention by relative positions: [`RelativePositions`].

/// All differences of at least this number of tokens have the last bucket of their direction.
const MAX_DISTANCE: usize = 128;

/// Biases of the scores of the attention that depend on the difference between the positions of key and query (Raffel et
/// al., 2020, §2.1). MPNet has them in addition to embeddings of positions (Song et al., 2020).
///
/// The differences are divided into buckets, one half for keys after the query, the other for keys before it and for the
/// query itself. In each half, one half of the buckets has a distance each: 0, 1, 2 and so on. The others have ranges of
/// distances that grow exponentially, up to 128.
#[derive(Debug, Clone, PartialEq)]
pub struct RelativePositions {
    /// Number of attention heads, which is the same in all layers.
    pub heads: usize,
    /// Number of buckets: an even number from 4 to 256.
    pub buckets: usize,
    /// The biases, row-major: a row for each bucket, with a value for each head.
    pub biases: Vec<f32>,
}

impl RelativePositions {
    /// The numbers of buckets that models may have.
    pub(crate) const BUCKET_COUNTS: std::ops::RangeInclusive<usize> = 4..=2 * MAX_DISTANCE;

    /// The bucket of the position of a key minus that of the query, among `buckets` ones.
    #[must_use]
    pub fn bucket(buckets: usize, difference: isize) -> usize {
        let half = buckets / 2;
        let exact = half / 2;
        let first = if difference > 0 { half } else { 0 };
        let distance = difference.unsigned_abs();
        if distance < exact {
            return first + distance;
        }
        let log = |distance: usize| (distance as f64 / exact as f64).ln();
        let share = log(distance.min(MAX_DISTANCE)) / log(MAX_DISTANCE);
        // The small addend makes up for rounding where the bucket changes: in `f64`, a logarithm may be too small by far
        // less than that.
        let step = (share * (half - exact) as f64 + 1e-9) as usize;
        first + (exact + step).min(half - 1)
    }

    /// The biases of all differences from −(`tokens` − 1) to `tokens` − 1, head by head.
    #[must_use]
    pub fn by_difference(&self, tokens: usize) -> Vec<f32> {
        let last = tokens as isize - 1;
        let of_head = |head: usize| {
            (-last..=last).map(move |difference| {
                self.biases[Self::bucket(self.buckets, difference) * self.heads + head]
            })
        };
        (0..self.heads).flat_map(of_head).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The buckets of MPNet in `transformers` 5.23 with PyTorch 2.15: `MPNetEncoder.relative_position_bucket`, for keys
    /// before the query. Each bucket has the distances from this number on.
    const FIRST_DISTANCES: [usize; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91];

    #[test]
    fn differences_have_the_buckets_of_mpnet() {
        for distance in 0..600 {
            let expected = FIRST_DISTANCES.iter().rposition(|&first| first <= distance).expect("a bucket");
            let difference = distance as isize;
            assert_eq!(RelativePositions::bucket(32, -difference), expected, "{distance}");
            let after = if distance == 0 { 0 } else { 16 + expected };
            assert_eq!(RelativePositions::bucket(32, difference), after, "{distance}");
        }
    }

    #[test]
    fn the_last_bucket_is_never_exceeded() {
        for buckets in RelativePositions::BUCKET_COUNTS.step_by(2) {
            let all = (-2048..=2048).map(|difference| RelativePositions::bucket(buckets, difference));
            assert_eq!(all.max(), Some(buckets - 1), "{buckets}");
        }
    }

    #[test]
    fn biases_are_sorted_by_difference() {
        // Buckets for 0, for keys before, for the query's own position after (unused), and for keys after.
        let table = RelativePositions {
            heads: 2,
            buckets: 4,
            biases: vec![0.0, 10.0, 1.0, 11.0, 2.0, 12.0, 3.0, 13.0],
        };
        assert_eq!(table.by_difference(3), [1.0, 1.0, 0.0, 3.0, 3.0, 11.0, 11.0, 10.0, 13.0, 13.0]);
    }
}
