//! Quantized queries, in the form that is multiplied with the codes of rows.

use kernels::int4::Int4Query;
use kernels::int8::{Int8Queries, MAX_GROUP_SUM, largest_group_sum};
use kernels::signs::SignQuery;

/// A query quantized to signed bytes, with the numbers that turn its integer products with codes into scores:
///
/// ```text
/// score = offset + product · scale · (row's scale) + (row's bias, if the query is biased)
/// ```
#[derive(Debug)]
pub(crate) struct QuantizedQuery {
    pub(super) values: QueryValues,
    /// The query in the form that sketches need; `None` if rows have no sketches or the query was made from codes.
    pub(super) signs: Option<SignQuery>,
    /// The query's quantization scale. It is divided by 2 for four-bit codes, because the kernels multiply the query
    /// with the integers `2·(ℓ − 7.5)`. A query made from such codes also has doubled values, so its scale is divided
    /// by 4.
    pub(super) scale: f32,
    /// Added to the score of every row.
    pub(super) offset: f32,
    /// Whether the score of a row includes the row's bias, as for L2.
    pub(super) is_biased: bool,
    /// The length of the vector; 0 for a query made from codes.
    pub(super) length: f32,
    /// For a query made from a row x: its augmented coordinate √(φ² − |x|²), with φ the maximum length of a row (see
    /// `scorer.rs`). Otherwise 0.
    pub augmented: f32,
}

impl QuantizedQuery {
    /// Returns the length of the vector; 0 for a query made from codes.
    pub fn length(&self) -> f32 {
        self.length
    }
}

/// The query's values, in the layout that the kernels for four-bit or eight-bit codes expect.
#[derive(Debug)]
pub(super) enum QueryValues {
    FourBit(Int4Query),
    EightBit(Int8Queries),
}

/// Quantizes a vector to signed bytes, so that the largest absolute value becomes ±127, and returns the quantization
/// scale.
pub(super) fn quantize(vector: &[f32], bytes: &mut Vec<i8>) -> f32 {
    let max = vector.iter().fold(0f32, |max, value| max.max(value.abs()));
    let scale = if max > 0.0 { max / 127.0 } else { 1.0 };
    let inverse = 1.0 / scale;
    bytes.clear();
    bytes.extend(vector.iter().map(|value| round(value * inverse) as i8));
    scale
}

/// Divides the values by the same number, and rounds them, so that they have [small groups](MAX_GROUP_SUM). Returns the
/// number, which is 1 if they have small groups already.
pub(super) fn reduce_to_small_groups(values: &mut [i8]) -> f32 {
    let original = values.to_vec();
    let mut divisor = 1.0;
    loop {
        let sum = largest_group_sum(values);
        if sum <= MAX_GROUP_SUM {
            return divisor;
        }
        // Each time, the divisor becomes at least 129/128 times as large. The loop ends at the latest when all values
        // are at most 32.
        divisor *= sum as f32 / MAX_GROUP_SUM as f32;
        let reduced = original.iter().map(|&value| round(f32::from(value) / divisor) as i8);
        values.iter_mut().zip(reduced).for_each(|(value, reduced)| *value = reduced);
    }
}

/// Rounds to the nearest integer, ties to even, for absolute values below 2²². A float near 1.5 · 2²³ has no bits for a
/// fraction, so adding 1.5 · 2²³ rounds. Unlike `f32::round_ties_even`, this never calls a function of the C library.
pub(super) fn round(value: f32) -> f32 {
    const SHIFT: f32 = 12_582_912.0;
    (value + SHIFT) - SHIFT
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_rounded_to_the_nearest_integer_and_ties_to_even() {
        for (value, expected) in
            [(0.0, 0.0), (0.49, 0.0), (0.5, 0.0), (1.5, 2.0), (-2.6, -3.0), (126.9, 127.0)]
        {
            assert_eq!(round(value), expected);
        }
    }

    proptest! {
        #[test]
        fn reduced_values_have_small_groups_and_are_rounded_quotients(
            original in prop::collection::vec(-127i8..=127, 1..200),
        ) {
            let mut values = original.clone();
            let divisor = reduce_to_small_groups(&mut values);
            prop_assert!(largest_group_sum(&values) <= MAX_GROUP_SUM);
            prop_assert!((1.0..=4.1).contains(&divisor));
            for (&original, &value) in original.iter().zip(&values) {
                prop_assert!((f32::from(original) / divisor - f32::from(value)).abs() <= 0.5);
            }
            let mut again = values.clone();
            prop_assert_eq!(reduce_to_small_groups(&mut again), 1.0);
            prop_assert_eq!(again, values);
        }
    }

    #[test]
    fn the_largest_absolute_value_becomes_127_and_zeros_stay_zeros() {
        let mut bytes = Vec::new();
        assert_eq!(quantize(&[1.27, -0.635, 0.0], &mut bytes), 0.01);
        assert_eq!(bytes, [127, -64, 0]);
        assert_eq!(quantize(&[0.0, -0.0], &mut bytes), 1.0);
        assert_eq!(bytes, [0, 0]);
    }
}
