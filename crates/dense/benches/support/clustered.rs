//! Vectors for benches.

/// Rows `[rows * dim]` around centres, as passages are around subjects.
pub fn clustered(rows: usize, dim: usize, clusters: usize) -> Vec<f32> {
    let mut state = 1u64;
    // Sums of three numbers of −1 to 1, about normal, of variance 1.
    let mut normal = || -> f32 {
        let mut uniform = || {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        };
        uniform() + uniform() + uniform()
    };
    let centres: Vec<f32> = (0..clusters * dim).map(|_| normal()).collect();
    (0..rows * dim).map(|at| centres[at / dim * 7919 % clusters * dim + at % dim] + 0.7 * normal()).collect()
}
