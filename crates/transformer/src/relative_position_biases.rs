//! [`RelativePositionBiases`].

/// Number of buckets. `transformers` computes them with this number, whatever the configuration of an MPNet says.
const BUCKETS: usize = 32;
/// Number of distances that have a bucket of their own: 0 to 7.
const EXACT: usize = BUCKETS / 4;
/// Distances of at least this many tokens fall into the last bucket of their direction.
const MAX_DISTANCE: usize = 128;

/// Biases that are added to the attention scores and depend on the difference between the positions of key and query
/// (Raffel et al., 2020, §2.1). MPNet has them in addition to position embeddings (Song et al., 2020).
///
/// There are 32 buckets of differences: 16 for keys before the query and for the query itself, and 16 for keys after it. In
/// each direction, the distances 0 to 7 have one bucket each. The other eight have ranges of distances that grow
/// exponentially, up to 128.
#[derive(Debug, Clone, PartialEq)]
pub struct RelativePositionBiases {
    /// Number of attention heads, which is the same in all layers.
    pub heads: usize,
    /// The biases, row-major: a row for each bucket, with a value for each head.
    pub values: Vec<f32>,
}

impl RelativePositionBiases {
    /// Number of buckets.
    pub const BUCKETS: usize = BUCKETS;

    /// The bucket of the position of a key minus that of the query.
    #[must_use]
    pub fn bucket(difference: isize) -> usize {
        let half = BUCKETS / 2;
        let first = if difference > 0 { half } else { 0 };
        let distance = difference.unsigned_abs();
        if distance < EXACT {
            return first + distance;
        }
        let log = |distance: usize| (distance as f64 / EXACT as f64).ln();
        let share = log(distance.min(MAX_DISTANCE)) / log(MAX_DISTANCE);
        // The added 1e-9 compensates for rounding at bucket boundaries; it is far larger than the error of the logarithms.
        let step = (share * (half - EXACT) as f64 + 1e-9) as usize;
        first + (EXACT + step).min(half - 1)
    }

    /// The biases of all differences from −(`tokens` − 1) to `tokens` − 1, head by head.
    #[must_use]
    pub fn by_difference(&self, tokens: usize) -> Vec<f32> {
        let last = tokens as isize - 1;
        let head_biases = |head: usize| {
            (-last..=last).map(move |difference| self.values[Self::bucket(difference) * self.heads + head])
        };
        (0..self.heads).flat_map(head_biases).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first distance of each bucket of keys before the query, from `MPNetEncoder.relative_position_bucket` of
    /// `transformers` 5.23 with PyTorch 2.15.
    const FIRST_DISTANCES: [usize; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91];

    #[test]
    fn differences_have_the_buckets_of_mpnet() {
        for distance in 0..600 {
            let expected = FIRST_DISTANCES.iter().rposition(|&first| first <= distance).expect("a bucket");
            let difference = distance as isize;
            assert_eq!(RelativePositionBiases::bucket(-difference), expected, "{distance}");
            let after = if distance == 0 { 0 } else { 16 + expected };
            assert_eq!(RelativePositionBiases::bucket(difference), after, "{distance}");
        }
    }

    #[test]
    fn biases_are_sorted_by_difference() {
        let values = (0..BUCKETS).flat_map(|bucket| [bucket as f32, 100.0 + bucket as f32]).collect();
        let biases = RelativePositionBiases { heads: 2, values };
        assert_eq!(biases.by_difference(3), [2.0, 1.0, 0.0, 17.0, 18.0, 102.0, 101.0, 100.0, 117.0, 118.0]);
    }
}
