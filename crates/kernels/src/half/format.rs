/// A format of 16-bit floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HalfFormat {
    /// IEEE 754 binary16: 11 bits of precision, from 2⁻²⁴ to 65,504.
    F16,
    /// The upper half of an `f32`: 8 bits of precision, the range of `f32`.
    Bf16,
}

/// The greatest finite binary16 is 65,504; from 65,520 on numbers round to infinity.
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
        // With the exponent in place it lacks 127 − 15, in denormals too.
        (f32::from_bits(u32::from(magnitude) << 13) * f32::from_bits((127 + 112) << 23)).to_bits()
    };
    f32::from_bits(sign | magnitude)
}

/// The nearest 16-bit float, of two as near the even one; NaN for NaN.
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
        // 65,536 and above.
        F16_INFINITY
    } else if magnitude < 0x3880_0000 {
        // Below 2⁻¹⁴ the last place is 2⁻²⁴, as that of a half in f32: adding one rounds to it.
        ((f32::from_bits(magnitude) + 0.5).to_bits() - 0.5f32.to_bits()) as u16
    } else {
        ((magnitude - (112 << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13) as u16
    };
    sign | magnitude
}
