//! Vectors in the form in which they are compared with codes.

use kernels::int4::Int4Query;
use kernels::int8::Int8Queries;
use kernels::signs::SignQuery;

/// A query quantized to signed bytes, and what turns its integer products with codes into scores.
///
/// `score = offset + product · scale · (row's scale) + (row's bias, if it is biased)`.
#[derive(Debug)]
pub(crate) struct QuantizedQuery {
    pub(super) values: QueryValues,
    /// For the rows' sketches, where rows have any and the query is made of a vector.
    pub(super) signs: Option<SignQuery>,
    /// The query's quantization scale, divided by 2 or 4 where products with codes are multiples.
    pub(super) scale: f32,
    /// Added to the score of every row.
    pub(super) offset: f32,
    /// Whether the score of a row includes the row's bias.
    pub(super) is_biased: bool,
    /// The length of the vector; 0 for a query made of codes.
    pub(super) length: f32,
    /// The query's augmented coordinate √(φ² − |x|²) (see `scorer.rs`); 0 if it has none.
    pub augmented: f32,
}

impl QuantizedQuery {
    /// The length of the vector; 0 for a query made of codes.
    pub fn length(&self) -> f32 {
        self.length
    }
}

/// The query's values, in the layout of the codes that they are compared with.
#[derive(Debug)]
pub(super) enum QueryValues {
    FourBit(Int4Query),
    EightBit(Int8Queries),
}

/// Quantizes a vector to signed bytes and returns the quantization scale: the number with the largest size becomes ±127.
pub(super) fn quantize(vector: &[f32], bytes: &mut Vec<i8>) -> f32 {
    let max = vector.iter().fold(0f32, |max, value| max.max(value.abs()));
    let scale = if max > 0.0 { max / 127.0 } else { 1.0 };
    let inverse = 1.0 / scale;
    bytes.clear();
    bytes.extend(vector.iter().map(|value| round(value * inverse) as i8));
    scale
}

/// Rounds to the nearest integer, ties to even, for numbers below 2²² in size. Adding 1.5 · 2²³ leaves no bits for a
/// fraction. Unlike `f32::round_ties_even`, this never calls a function of the C library.
pub(super) fn round(value: f32) -> f32 {
    const SHIFT: f32 = 12_582_912.0;
    (value + SHIFT) - SHIFT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_to_nearest() {
        for (value, expected) in
            [(0.0, 0.0), (0.49, 0.0), (0.5, 0.0), (1.5, 2.0), (-2.6, -3.0), (126.9, 127.0)]
        {
            assert_eq!(round(value), expected);
        }
    }

    #[test]
    fn the_largest_number_is_127_steps() {
        let mut bytes = Vec::new();
        assert_eq!(quantize(&[1.27, -0.635, 0.0], &mut bytes), 0.01);
        assert_eq!(bytes, [127, -64, 0]);
        assert_eq!(quantize(&[0.0, -0.0], &mut bytes), 1.0);
        assert_eq!(bytes, [0, 0]);
    }
}
