//! Vectors for benches.

/// Rows `[rows * dim]` around the centers of clusters, as passages are around topics.
pub fn clustered(rows: usize, dim: usize, clusters: usize) -> Vec<f32> {
    let mut state = 1u64;
    // About normal, of variance 1: the sum of three uniform numbers of −1 to 1.
    let mut normal = || -> f32 {
        let mut uniform = || {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        };
        uniform() + uniform() + uniform()
    };
    let centers: Vec<f32> = (0..clusters * dim).map(|_| normal()).collect();
    (0..rows * dim).map(|at| centers[at / dim * 7919 % clusters * dim + at % dim] + 0.7 * normal()).collect()
}
