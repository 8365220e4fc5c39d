/// The SplitMix64 generator (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
///
/// Its sequences must never change, because file formats depend on them: the levels of the rows of an HNSW graph and
/// the rotation of quantized codes are drawn from this generator.
///
/// ```
/// use numerics::SplitMix64;
///
/// let mut random = SplitMix64::new(0);
/// assert_eq!(random.next_u64(), 0xE220_A839_7B1D_CDAF);
/// assert_eq!(random.next_u64(), 0x6E78_9E6A_A1B9_65F4);
/// assert!((-1.0..1.0).contains(&random.uniform()));
/// assert!(random.below(6) < 6);
/// ```
#[derive(Debug, Clone)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// Returns a generator whose sequence depends only on `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns an integer below `limit`, nearly uniform: the relative bias of the modulo is below `limit` / 2⁶⁴.
    ///
    /// # Panics
    ///
    /// If `limit` is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next_u64() % limit
    }

    /// Draws from the uniform distribution over [−1, 1), in steps of 2⁻²³.
    pub fn uniform(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    /// Draws from a distribution that is close to the standard normal: the sum of three uniform numbers, which has mean
    /// 0 and variance 1 and lies in [−3, 3).
    pub fn roughly_normal(&mut self) -> f32 {
        (0..3).map(|_| self.uniform()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_the_reference_implementation() {
        // The output of the C reference implementation (splitmix64.c, Vigna, 2015) for the seed 1234567.
        let mut random = SplitMix64::new(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(expected.map(|_| random.next_u64()), expected);
    }

    #[test]
    fn uniform_and_roughly_normal_numbers_have_the_documented_mean_and_variance() {
        let mut random = SplitMix64::new(7);
        let count = 100_000;
        let mut check = |variance: f64, draw: fn(&mut SplitMix64) -> f32| {
            let values: Vec<f64> = (0..count).map(|_| f64::from(draw(&mut random))).collect();
            let mean = values.iter().sum::<f64>() / f64::from(count);
            let mean_square = values.iter().map(|value| value * value).sum::<f64>() / f64::from(count);
            // The mean of 100,000 numbers with variance 1 has a standard deviation of 0.0032. The mean of their squares
            // has a standard deviation of at most 0.0045. So the limits are 5 and more than 6 standard deviations.
            assert!(mean.abs() < 0.016 && (mean_square - variance).abs() < 0.03, "{mean}, {mean_square}");
        };
        check(1.0 / 3.0, SplitMix64::uniform);
        check(1.0, SplitMix64::roughly_normal);
    }
}
