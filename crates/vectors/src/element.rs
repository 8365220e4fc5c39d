//! The number types of vector files, and their conversion to `f32`.

use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};

/// A little-endian floating point type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    F16,
    Bf16,
    F32,
    F64,
}

/// The supported types, for error messages.
pub(crate) const ELEMENTS: &str = "16-, 32- or 64-bit floating point numbers";

impl Element {
    /// Returns the number of bytes per number.
    pub fn width(self) -> usize {
        match self {
            Self::F16 | Self::Bf16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// Converts the numbers in `bytes` to the nearest `f32` and appends them to `numbers`. Numbers beyond the range of
    /// `f32` become infinite. The length of `bytes` must be a multiple of the width.
    pub fn append(self, bytes: &[u8], numbers: &mut Vec<f32>) {
        debug_assert!(bytes.len().is_multiple_of(self.width()));
        let start = numbers.len();
        numbers.resize(start + bytes.len() / self.width(), 0.0);
        let numbers = &mut numbers[start..];
        match self {
            Self::F16 => {
                let halves: Vec<f16> =
                    bytes.as_chunks().0.iter().map(|&pair| f16::from_le_bytes(pair)).collect();
                halves.convert_to_f32_slice(numbers);
            }
            Self::Bf16 => {
                let halves: Vec<bf16> =
                    bytes.as_chunks().0.iter().map(|&pair| bf16::from_le_bytes(pair)).collect();
                halves.convert_to_f32_slice(numbers);
            }
            Self::F32 => bytemuck::cast_slice_mut(numbers).copy_from_slice(bytes),
            Self::F64 => {
                for (number, &chunk) in numbers.iter_mut().zip(bytes.as_chunks().0) {
                    *number = f64::from_le_bytes(chunk) as f32;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_converted_to_the_nearest_f32() {
        let read = |element: Element, bytes: &[u8]| {
            let mut numbers = vec![9.0];
            element.append(bytes, &mut numbers);
            numbers
        };
        assert_eq!(
            read(Element::F32, &[1.5f32.to_le_bytes(), (-2.0f32).to_le_bytes()].concat()),
            [9.0, 1.5, -2.0]
        );
        assert_eq!(
            read(Element::F64, &[0.1f64.to_le_bytes(), 1e300f64.to_le_bytes()].concat()),
            [9.0, 0.1, f32::INFINITY]
        );
        // 1.5 is 0x3e00 in binary16 and 0x3fc0 in bfloat16; 2⁻²⁴ is the smallest positive number of binary16.
        assert_eq!(read(Element::F16, &[0x00, 0x3e, 0x01, 0x00]), [9.0, 1.5, (-24f32).exp2()]);
        assert_eq!(read(Element::Bf16, &[0xc0, 0x3f]), [9.0, 1.5]);
    }
}
