//! A fast random rotation (Ailon and Chazelle, "The Fast Johnson–Lindenstrauss Transform and Approximate Nearest
//! Neighbors", 2009).
//!
//! A rotation keeps inner products, and spreads large values over all numbers of a vector, so that the same
//! quantization levels suit every number. The rotation consists of rounds. Each round changes signs at random and
//! applies a Hadamard transform, which takes `d·log d` additions.
//!
//! The size of a Hadamard transform is a power of two. If the dimension is a power of two, there are two rounds, which
//! transform all numbers. Otherwise, there are four rounds, and each transforms a window, whose size is the largest
//! power of two below the dimension. Even rounds transform the window at the start of the vector, odd rounds the window
//! at its end. The two windows overlap:
//!
//! ```text
//! dimension 6, window 4     rounds 0 and 2: [0 1 2 3] 4 5      rounds 1 and 3: 0 1 [2 3 4 5]
//! ```

use numerics::SplitMix64;

/// The rotation of vectors of one dimension. It depends only on the dimension.
#[derive(Debug)]
pub(crate) struct Rotation {
    dim: usize,
    /// The size of the transform: the largest power of two that is not above the dimension.
    window: usize,
    /// `[rounds, window]`: random signs times `1 / √window`, a factor that makes the transform keep lengths.
    factors: Vec<f32>,
}

impl Rotation {
    pub fn new(dim: usize) -> Self {
        let window = 1 << dim.ilog2();
        let num_rounds = if window == dim { 2 } else { 4 };
        let scale = 1.0 / (window as f32).sqrt();
        let mut random = SplitMix64::new(dim as u64);
        let factor = |_| if random.next_u64() >> 63 == 0 { scale } else { -scale };
        let factors = (0..num_rounds * window).map(factor).collect();
        Self { dim, window, factors }
    }

    /// Rotates a vector in place.
    pub fn apply(&self, vector: &mut [f32]) {
        for (round, factors) in self.factors.chunks_exact(self.window).enumerate() {
            let start = if round % 2 == 0 { 0 } else { self.dim - self.window };
            let window = &mut vector[start..][..self.window];
            window.iter_mut().zip(factors).for_each(|(value, factor)| *value *= factor);
            hadamard(window);
        }
    }
}

/// Applies an unscaled Hadamard transform, which multiplies the length of the vector by the square root of its
/// dimension.
fn hadamard(values: &mut [f32]) {
    let mut half = 1;
    while half < values.len() {
        for pair in values.chunks_exact_mut(2 * half) {
            let (low, high) = pair.split_at_mut(half);
            for (a, b) in low.iter_mut().zip(high) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotations_keep_inner_products_and_spread_single_values() {
        for dim in [1, 2, 3, 64, 100, 384, 1000] {
            let rotation = Rotation::new(dim);
            let mut a: Vec<f32> = (0..dim).map(|at| ((at * 37) % 11) as f32 - 5.0).collect();
            let mut b: Vec<f32> = (0..dim).map(|at| if at == dim / 3 { 10.0 } else { 0.0 }).collect();
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
            let (before, length) = (dot(&a, &b), dot(&a, &a));
            rotation.apply(&mut a);
            rotation.apply(&mut b);
            assert!((dot(&a, &b) - before).abs() <= 1e-4 * length.max(1.0), "{dim}");
            assert!((dot(&a, &a) - length).abs() <= 1e-4 * length.max(1.0), "{dim}");
            // `b` has a single value, 10. From dimension 64, there are enough numbers to spread it over.
            let max = b.iter().fold(0f32, |max, value| max.max(value.abs()));
            assert!(dim < 64 || max < 5.0, "{dim}: {max}");
        }
    }
}
