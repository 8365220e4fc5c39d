/// A format of 16-bit floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HalfFormat {
    /// IEEE 754 binary16: 11 bits of precision, from 2⁻²⁴ to 65,504.
    F16,
    /// The upper half of an `f32`: 8 bits of precision, the range of `f32`.
    Bf16,
}

/// Infinity in binary16. The largest finite number is 65,504; numbers from 65,520 on round to infinity.
const F16_INFINITY: u16 = 0x7c00;
const NAN: u16 = 0x7e00;

/// The `f32` of the same value; NaN for NaN.
#[inline]
pub(super) fn widen<const BF16: bool>(bits: u16) -> f32 {
    if BF16 {
        return f32::from_bits(u32::from(bits) << 16);
    }
    let sign = u32::from(bits & 0x8000) << 16;
    let magnitude = bits & 0x7fff;
    let magnitude = if magnitude >= F16_INFINITY {
        0x7f80_0000 | u32::from(magnitude & 0x3ff) << 13
    } else {
        // The exponent bits are in place, but binary16 has a bias of 15 and `f32` one of 127. Multiplying by 2¹¹² corrects
        // that, for subnormal numbers too.
        (f32::from_bits(u32::from(magnitude) << 13) * f32::from_bits((127 + 112) << 23)).to_bits()
    };
    f32::from_bits(sign | magnitude)
}

/// The nearest 16-bit float, rounding ties to even; NaN for NaN.
#[inline]
pub(super) fn narrow<const BF16: bool>(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | if BF16 { 0x7fc0 } else { NAN };
    }
    if BF16 {
        return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16;
    }
    let magnitude = if magnitude >= 0x4780_0000 {
        // The number is 65,536 or larger.
        F16_INFINITY
    } else if magnitude < 0x3880_0000 {
        // The result is subnormal, with a last bit of 2⁻²⁴. The last bit of the `f32` 0.5 is 2⁻²⁴ too, so adding 0.5 rounds
        // as needed.
        ((f32::from_bits(magnitude) + 0.5).to_bits() - 0.5f32.to_bits()) as u16
    } else {
        ((magnitude - (112 << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13) as u16
    };
    sign | magnitude
}
