//! Softmax sums and counts of logits agree with the definition, with every instruction set.

use kernels::logits::{LogitKernels, SoftmaxSum};
use proptest::prelude::*;

/// A logit, which usually is of ordinary size. Some are extreme, and some are integers, so that ties occur.
fn logit() -> impl Strategy<Value = f32> {
    prop_oneof![
        6 => -20.0f32..20.0,
        1 => -300.0f32..300.0,
        1 => (-3i8..3).prop_map(f32::from),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sums_of_exponentials_agree_with_the_definition(
        pairs in prop::collection::vec((logit(), -1.0f32..1.0), 1..700),
        block in 1usize..200,
    ) {
        let (products, bias): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
        let expected: Vec<f32> = products.iter().zip(&bias).map(|(product, bias)| product + bias).collect();
        let max_logit = expected.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let total: f64 = expected.iter().map(|&logit| (f64::from(logit) - f64::from(max_logit)).exp()).sum();
        let logarithm = f64::from(max_logit) + total.ln();
        for kernels in LogitKernels::available() {
            let mut logits = products.clone();
            let (mut sum, mut parts) = (SoftmaxSum::new(), SoftmaxSum::new());
            let mut max = f32::NEG_INFINITY;
            for (logits, bias) in logits.chunks_mut(block).zip(bias.chunks(block)) {
                let mut part = SoftmaxSum::new();
                kernels.accumulate(&mut logits.to_vec(), bias, &mut part);
                parts.add(&part);
                max = max.max(kernels.accumulate(logits, bias, &mut sum));
            }
            prop_assert_eq!(&logits, &expected, "{}", kernels.name());
            prop_assert_eq!(max, max_logit, "{}", kernels.name());
            // Allows each exponential a relative error of 2⁻²¹ (twice the documented bound), plus the rounding of a
            // difference of up to 87. A sum of eight has seven roundings. Exponentials of logits more than 87 below the
            // largest are 0.
            let max_error = 1.0 / 2_097_152.0 + (87.0 + 8.0) / 16_777_216.0 + 700.0 * (-87f64).exp();
            for got in [sum.logarithm(), parts.logarithm()] {
                prop_assert!((got - logarithm).abs() <= max_error, "{}: {got} is not {logarithm}", kernels.name());
            }
        }
    }

    #[test]
    fn counts_of_logits_agree_with_the_definition(
        logits in prop::collection::vec(logit(), 0..300),
        scores in prop::collection::vec(logit(), 0..9),
    ) {
        for kernels in LogitKernels::available() {
            // Counts are added to those of earlier blocks, here 7 and 9.
            let (mut above, mut at_least) = (vec![7; scores.len()], vec![9; scores.len()]);
            kernels.count_above(&logits, &scores, &mut above);
            kernels.count_at_least(&logits, &scores, &mut at_least);
            for (at, score) in scores.iter().enumerate() {
                prop_assert_eq!(above[at] as usize, 7 + logits.iter().filter(|&logit| logit > score).count());
                prop_assert_eq!(at_least[at] as usize, 9 + logits.iter().filter(|&logit| logit >= score).count());
            }
        }
    }
}

#[test]
fn a_nan_logit_makes_the_sum_nan() {
    for kernels in LogitKernels::available() {
        // Logits 0 and 5 are in a whole chunk of 16, logit 20 is in the rest.
        for at in [0, 5, 20] {
            let mut logits = [1.0; 21];
            logits[at] = f32::NAN;
            let mut sum = SoftmaxSum::new();
            kernels.accumulate(&mut logits, &[0.0; 21], &mut sum);
            assert!(sum.logarithm().is_nan(), "{} at {at}", kernels.name());
        }
    }
}
