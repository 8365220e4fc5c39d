//! Conversions, products and distances of 16-bit floats (*halves*: f16 and bf16) agree with their definitions, with
//! every instruction set.

use kernels::half::{HalfFormat, HalfKernels};
use kernels::{Kernels, reference};
use proptest::prelude::*;

const FORMATS: [HalfFormat; 2] = [HalfFormat::F16, HalfFormat::Bf16];

/// The value of a 16-bit float by definition. Let s be the sign bit, e the exponent field, and m the fraction field,
/// which has p bits. The value is (−1)^s · 2^(e − bias) · (1 + m / 2^p), or, if e is 0, (−1)^s · 2^(1 − bias) · m / 2^p
/// (a subnormal number). If all exponent bits are set, the value is infinite or NaN.
fn value(format: HalfFormat, bits: u16) -> f64 {
    let (fraction_bits, bias) = match format {
        HalfFormat::F16 => (10, 15),
        HalfFormat::Bf16 => (7, 127),
    };
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits & 0x7fff) >> fraction_bits;
    let fraction = f64::from(bits & ((1 << fraction_bits) - 1)) / f64::from(1 << fraction_bits);
    if exponent == (1 << (15 - fraction_bits)) - 1 {
        return if fraction == 0.0 { sign * f64::INFINITY } else { f64::NAN };
    }
    let leading = f64::from(i32::from(exponent > 0));
    sign * 2f64.powi(exponent.max(1) - bias) * (leading + fraction)
}

#[test]
fn all_halves_widen_to_their_values_and_narrow_back() {
    let halves: Vec<u16> = (0..=u16::MAX).collect();
    for (kernels, format) in
        HalfKernels::available().into_iter().flat_map(|kernels| FORMATS.map(|f| (kernels, f)))
    {
        // Without the first number, the last chunk is incomplete.
        for halves in [&halves[..], &halves[1..]] {
            let mut wide = vec![0.0; halves.len()];
            kernels.widen(format, halves, &mut wide);
            let mut back = vec![0; halves.len()];
            kernels.narrow(format, &wide, &mut back);
            for ((&half, &wide), &back) in halves.iter().zip(&wide).zip(&back) {
                let expected = value(format, half);
                if expected.is_nan() {
                    let again = value(format, back);
                    assert!(wide.is_nan() && again.is_nan(), "{} {half:x} {wide}", kernels.name());
                } else {
                    assert_eq!(wide.to_bits(), (expected as f32).to_bits(), "{} {half:x}", kernels.name());
                    assert_eq!(back, half, "{} {wide}", kernels.name());
                }
            }
        }
    }
}

/// Floats with random bits, and floats around the range of f16.
fn floats() -> impl Strategy<Value = Vec<f32>> {
    let value = prop_oneof![
        any::<u32>().prop_map(f32::from_bits),
        -70_000.0f32..70_000.0,
        -1e-4f32..1e-4,
        -1e-7f32..1e-7,
        // Ties: halfway between two 16-bit floats.
        (any::<u16>(), any::<bool>()).prop_map(|(bits, bf16)| {
            let format = FORMATS[usize::from(bf16)];
            let (a, b) = (value(format, bits & 0x7ffe), value(format, (bits & 0x7ffe) + 1));
            ((a + b) / 2.0) as f32
        }),
        prop::sample::select(vec![0.0, -0.0, 65_504.0, 65_519.99, 65_520.0, -65_536.0, f32::INFINITY]),
    ];
    prop::collection::vec(value, 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn floats_narrow_to_the_nearest_half(values in floats()) {
        for (kernels, format) in HalfKernels::available().into_iter().flat_map(|set| FORMATS.map(|f| (set, f))) {
            let mut halves = vec![0; values.len()];
            kernels.narrow(format, &values, &mut halves);
            for (&wide, &half) in values.iter().zip(&halves) {
                let (wide, narrow) = (f64::from(wide), value(format, half));
                if wide.is_nan() {
                    prop_assert!(narrow.is_nan(), "{} {half:x}", kernels.name());
                    continue;
                }
                prop_assert_eq!(wide.is_sign_negative(), half >> 15 == 1);
                // Compares the magnitudes of the result and of the two 16-bit floats next to it. Rounding treats
                // infinity like the number that would follow the largest finite one.
                let infinity = if format == HalfFormat::F16 { 65_536.0 } else { 2f64.powi(128) };
                let finite = |value: f64| if value.is_infinite() { infinity } else { value.abs() };
                let [nearest, below, above] = [half & 0x7fff, (half & 0x7fff).saturating_sub(1), (half & 0x7fff) + 1]
                    .map(|bits| finite(value(format, bits)));
                let distance = |to: f64| (wide.abs().min(infinity) - to).abs();
                if !narrow.is_infinite() {
                    prop_assert!(distance(nearest) <= distance(above), "{} {wide} {half:x}", kernels.name());
                    prop_assert!(distance(nearest) < distance(above) || half & 1 == 0, "{} {wide}", kernels.name());
                }
                prop_assert!(distance(nearest) <= distance(below), "{} {wide} {half:x}", kernels.name());
                let is_even_or_zero = half & 1 == 0 || nearest == below;
                prop_assert!(distance(nearest) < distance(below) || is_even_or_zero, "{} {wide}", kernels.name());
            }
        }
    }

    #[test]
    fn every_instruction_set_agrees_with_the_reference_at_every_position_of_a_block(
        dim in 1usize..150, queries in 0usize..8, rows in 0usize..10,
        // Numbers for the queries and the rows, which are used repeatedly.
        samples in prop::collection::vec((-8.0f32..8.0, any::<u16>()), 1..200),
    ) {
        let mut at = 0;
        let mut next = || { at += 1; samples[at * 7 % samples.len()] };
        let query_values: Vec<f32> = (0..queries * dim).map(|_| next().0).collect();
        for format in FORMATS {
            // Excludes infinities, NaN, and numbers whose products overflow.
            let end = if format == HalfFormat::F16 { 0x7c00 } else { 0x5000 };
            let row_values: Vec<u16> = (0..rows * dim)
                .map(|_| next().1)
                .map(|bits| ((bits & 0x7fff) % end) | (bits & 0x8000))
                .collect();
            for kernels in HalfKernels::available() {
                let f32_kernels = Kernels::available().into_iter().find(|set| kernels.name().starts_with(set.name()));
                let f32_kernels = f32_kernels.expect("`f32` kernels with the same registers");
                let mut wide = vec![0.0; row_values.len()];
                kernels.widen(format, &row_values, &mut wide);
                let mut scores = vec![f32::NAN; queries * rows];
                kernels.score_block(format, dim, &query_values, &row_values, &mut scores);
                let mut distances = vec![f32::NAN; queries * rows];
                kernels.squared_l2_block(format, dim, &query_values, &row_values, &mut distances);
                for (q, query) in query_values.chunks(dim).enumerate() {
                    let mut alone = vec![f32::NAN; rows];
                    kernels.score_rows(format, query, &row_values, &mut alone);
                    for (r, row) in wide.chunks(dim).enumerate() {
                        let (score, distance) = (scores[q * rows + r], distances[q * rows + r]);
                        prop_assert_eq!(score.to_bits(), alone[r].to_bits(), "{}", kernels.name());
                        prop_assert_eq!(score.to_bits(), f32_kernels.dot(query, row).to_bits(), "{}", kernels.name());
                        let expected = f32_kernels.squared_l2(query, row);
                        prop_assert_eq!(distance.to_bits(), expected.to_bits(), "{}", kernels.name());
                        let error = (f64::from(score) - reference::dot(query, row)).abs();
                        prop_assert!(error <= reference::dot_error(query, row), "{}: off by {error}", kernels.name());
                        let error = (f64::from(distance) - reference::squared_l2(query, row)).abs();
                        prop_assert!(error <= reference::squared_l2_error(query, row), "{}: {error}", kernels.name());
                    }
                }
            }
        }
    }
}
