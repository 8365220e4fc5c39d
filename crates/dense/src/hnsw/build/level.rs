//! Draws the random level of each row: the highest layer of the graph that the row is in.

use numerics::SplitMix64;

use crate::hnsw::graph::MAX_LEVEL;
use crate::hnsw::options::HnswOptions;

/// Draws the level of a row: ⌊−ln(U) / ln(m)⌋ with U uniform in (0, 1] (Malkov and Yashunin, 2018, algorithm 1). The
/// level depends only on the seed and on the row's ord, so that a graph does not depend on how its rows were split into
/// batches.
pub(super) fn level(row: u32, options: &HnswOptions) -> u8 {
    let mix = |seed| SplitMix64::new(seed).next_u64();
    let random = mix(mix(options.seed) ^ u64::from(row));
    // The highest 53 bits, plus one, divided by 2⁵³.
    let uniform = ((random >> 11) + 1) as f64 / (1u64 << 53) as f64;
    let level = -uniform.ln() / (options.m as f64).ln();
    level.min(MAX_LEVEL as f64) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_layer_has_one_mth_of_the_rows_of_the_layer_below() {
        let options = HnswOptions { m: 16, ..HnswOptions::default() };
        let mut level_counts = [0f64; MAX_LEVEL + 1];
        (0..100_000).for_each(|row| level_counts[usize::from(level(row, &options))] += 1.0);
        // P(level ≥ 1) = 1/16, P(level ≥ 2) = 1/256. The counts are binomial; four standard deviations are allowed.
        for (min_level, p) in [(1, 1.0 / 16.0), (2, 1.0 / 256.0)] {
            let got: f64 = level_counts[min_level..].iter().sum();
            let deviation = (1e5 * p * (1.0f64 - p)).sqrt();
            assert!((got - 1e5 * p).abs() < 4.0 * deviation, "{got} rows of level {min_level} or more");
        }
    }
}
