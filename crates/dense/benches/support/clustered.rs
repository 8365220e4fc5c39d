//! Makes clustered vectors for benchmarks.

/// Returns `rows` vectors of dimension `dim`, row-major. They lie around `clusters` random centers, as embeddings of
/// passages lie around topics. The same arguments always give the same vectors.
pub fn clustered(rows: usize, dim: usize, clusters: usize) -> Vec<f32> {
    let mut state = 1u64;
    // The sum of three uniform numbers from −1 to 1 is approximately normally distributed with variance 1.
    let mut normal = || -> f32 {
        let mut uniform = || {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        };
        uniform() + uniform() + uniform()
    };
    let centers: Vec<f32> = (0..clusters * dim).map(|_| normal()).collect();
    // Row r is in cluster 7919 r mod `clusters`. 7919 is a prime that does not divide `clusters`, so the clusters have
    // nearly equal sizes.
    (0..rows * dim).map(|at| centers[at / dim * 7919 % clusters * dim + at % dim] + 0.7 * normal()).collect()
}
