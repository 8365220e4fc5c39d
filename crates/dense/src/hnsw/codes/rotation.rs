use numerics::SplitMix64;

/// A rotation of vectors: it leaves inner products as they are, up to rounding, and spreads what a few numbers of a
/// vector hold over all, so that the same few levels suit each.
///
/// Signs are changed at random and a Hadamard transform is taken, in turns; where the dimension is no power of two, of
/// the numbers at the beginning and at the end by turns, which overlap (Ailon and Chazelle, "The Fast
/// Johnson–Lindenstrauss Transform", 2009).
#[derive(Debug)]
pub(crate) struct Rotation {
    dim: usize,
    /// Numbers that are transformed at once: the greatest power of two that is not above the dimension.
    window: usize,
    /// A factor for each number of each turn: a sign, and what keeps lengths as they are.
    factors: Vec<f32>,
}

impl Rotation {
    pub fn new(dim: usize) -> Self {
        let window = 1 << dim.ilog2();
        let turns = if window == dim { 2 } else { 4 };
        let scale = 1.0 / (window as f32).sqrt();
        let mut random = SplitMix64::new(dim as u64);
        let factor = |_| if random.next_u64() >> 63 == 0 { scale } else { -scale };
        let factors = (0..turns * window).map(factor).collect();
        Self { dim, window, factors }
    }

    /// Rotates a vector in its place.
    pub fn apply(&self, vector: &mut [f32]) {
        for (turn, factors) in self.factors.chunks_exact(self.window).enumerate() {
            let start = if turn % 2 == 0 { 0 } else { self.dim - self.window };
            let part = &mut vector[start..][..self.window];
            part.iter_mut().zip(factors).for_each(|(value, factor)| *value *= factor);
            hadamard(part);
        }
    }
}

/// The Hadamard transform, not scaled.
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
    fn inner_products_stay_and_single_numbers_are_spread() {
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
            let greatest = b.iter().fold(0f32, |greatest, value| greatest.max(value.abs()));
            assert!(dim < 64 || greatest < 5.0, "{dim}: {greatest}");
        }
    }
}
