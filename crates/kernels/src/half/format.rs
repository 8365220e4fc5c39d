//! The formats of 16-bit floats, and portable conversions from and to `f32`.

/// A format of 16-bit floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HalfFormat {
    /// IEEE 754 binary16: 11 bits of precision, magnitudes from 2⁻²⁴ to 65,504.
    F16,
    /// bfloat16, the upper half of an `f32`: 8 bits of precision, the range of `f32`.
    Bf16,
}

/// Infinity in binary16. The largest finite number is 65,504; numbers of 65,520 or more are rounded to infinity.
const F16_INFINITY: u16 = 0x7c00;
/// A NaN in binary16.
const F16_NAN: u16 = 0x7e00;
/// A NaN in bfloat16.
const BF16_NAN: u16 = 0x7fc0;

/// Returns the `f32` with the same value, or NaN for NaN.
#[inline]
pub(crate) fn widen<const BF16: bool>(bits: u16) -> f32 {
    if BF16 {
        return f32::from_bits(u32::from(bits) << 16);
    }
    let sign = u32::from(bits & 0x8000) << 16;
    let magnitude = bits & 0x7fff;
    let magnitude = if magnitude >= F16_INFINITY {
        0x7f80_0000 | u32::from(magnitude & 0x3ff) << 13
    } else {
        // Shifted by 13, the exponent and fraction bits are in their places, but the exponent bias of binary16 is 15
        // and that of `f32` is 127. Multiplying by 2¹²⁷⁻¹⁵ = 2¹¹² corrects this, also for subnormal numbers.
        (f32::from_bits(u32::from(magnitude) << 13) * f32::from_bits((127 + 112) << 23)).to_bits()
    };
    f32::from_bits(sign | magnitude)
}

/// Returns the nearest 16-bit float, or NaN for NaN. Ties are rounded to even.
#[inline]
pub(crate) fn narrow<const BF16: bool>(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | if BF16 { BF16_NAN } else { F16_NAN };
    }
    if BF16 {
        // Rounds ties to even: adds almost half of the last bit that remains, or exactly half if that bit is 1.
        return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16;
    }
    let magnitude = if magnitude >= 0x4780_0000 {
        // The number is 65,536 or larger.
        F16_INFINITY
    } else if magnitude < 0x3880_0000 {
        // The result is subnormal: a multiple of 2⁻²⁴. The `f32` numbers from 0.5 to 1 are also multiples of 2⁻²⁴, so
        // adding 0.5 rounds to the right multiple.
        ((f32::from_bits(magnitude) + 0.5).to_bits() - 0.5f32.to_bits()) as u16
    } else {
        // The exponent bias of `f32` is 127 − 15 = 112 larger than that of binary16. Ties are rounded as above.
        ((magnitude - (112 << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13) as u16
    };
    sign | magnitude
}
