use kernels::int4::Int4Query;
use kernels::int8::Int8Queries;
use kernels::signs::SignQuery;

/// What rows are compared with: a vector in bytes, and what makes a closeness of its products with codes.
#[derive(Debug)]
pub(crate) struct Target {
    pub(super) values: Values,
    /// For the signs of rows, where they have any.
    pub(super) signs: Option<SignQuery>,
    /// What a product is worth, but for the row's own scale.
    pub(super) scale: f32,
    /// For every row.
    pub(super) offset: f32,
    /// Whether the bias of a row belongs to its closeness.
    pub(super) biased: bool,
    /// Length of the vector.
    pub(super) length: f32,
    /// √(φ² − |x|²), where rows are augmented and the target is one.
    pub augmented: f32,
}

impl Target {
    /// Length of the vector; 0 for a row by its codes.
    pub fn length(&self) -> f32 {
        self.length
    }
}

#[derive(Debug)]
pub(super) enum Values {
    Four(Int4Query),
    Eight(Int8Queries),
}

/// A vector in signed bytes, of which one step is worth the number returned.
pub(super) fn to_bytes(vector: &[f32], bytes: &mut Vec<i8>) -> f32 {
    let greatest = vector.iter().fold(0f32, |greatest, value| greatest.max(value.abs()));
    let scale = if greatest > 0.0 { greatest / 127.0 } else { 1.0 };
    let inverse = 1.0 / scale;
    bytes.clear();
    bytes.extend(vector.iter().map(|value| round(value * inverse) as i8));
    scale
}

/// The nearest whole number, of two the even one, for numbers below 2²² in size. Adding 1.5 · 2²³ leaves no bits for a
/// fraction; unlike the library's function this takes no call.
pub(super) fn round(value: f32) -> f32 {
    const MAGIC: f32 = 12_582_912.0;
    (value + MAGIC) - MAGIC
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
    fn the_greatest_number_is_127_steps() {
        let mut bytes = Vec::new();
        assert_eq!(to_bytes(&[1.27, -0.635, 0.0], &mut bytes), 0.01);
        assert_eq!(bytes, [127, -64, 0]);
        assert_eq!(to_bytes(&[0.0, -0.0], &mut bytes), 1.0);
        assert_eq!(bytes, [0, 0]);
    }
}
