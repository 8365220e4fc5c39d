//! [`InstructionSet`]: the instruction sets of the int8 kernels, their names, and which of them multiply bytes fast.

/// The instruction set of an [`Int8Kernels`](super::Int8Kernels).
///
/// Code that depends on the speed of the kernels has a `match` on this type without a default case. If an instruction
/// set is added, such code does not compile until it handles the new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstructionSet {
    /// x86-64: AVX-512 with its dot-product instructions (VNNI).
    Avx512Vnni,
    /// x86-64: AVX2 with the dot-product instructions of AVX-VNNI.
    AvxVnni,
    /// x86-64: AVX-512 with its byte and word instructions (BW), without VNNI.
    Avx512Bw,
    /// x86-64: AVX2.
    Avx2,
    /// AArch64: NEON with its dot-product and matrix instructions for bytes.
    NeonI8mm,
    /// AArch64: NEON with its dot-product instructions.
    NeonDotprod,
    /// AArch64: NEON.
    Neon,
    /// Portable code for every CPU.
    Scalar,
}

impl InstructionSet {
    /// All instruction sets, of all architectures.
    pub const ALL: [Self; 8] = [
        Self::Avx512Vnni,
        Self::AvxVnni,
        Self::Avx512Bw,
        Self::Avx2,
        Self::NeonI8mm,
        Self::NeonDotprod,
        Self::Neon,
        Self::Scalar,
    ];

    /// Returns the name: `avx512vnni`, `avxvnni`, `avx512bw`, `avx2`, `neon+i8mm`, `neon+dotprod`, `neon` or
    /// `scalar`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Avx512Vnni => "avx512vnni",
            Self::AvxVnni => "avxvnni",
            Self::Avx512Bw => "avx512bw",
            Self::Avx2 => "avx2",
            Self::NeonI8mm => "neon+i8mm",
            Self::NeonDotprod => "neon+dotprod",
            Self::Neon => "neon",
            Self::Scalar => "scalar",
        }
    }

    /// Returns whether there are instructions for dot products of bytes (VNNI, `dotprod`). With them, the kernels
    /// multiply four times as many bytes as floats in the same time; without them, about as many bytes as floats, or
    /// twice as many if the kernels [prefer small groups](Self::prefers_small_groups) and queries have them.
    #[must_use]
    pub const fn has_dot_products(self) -> bool {
        match self {
            Self::Avx512Vnni | Self::AvxVnni | Self::NeonI8mm | Self::NeonDotprod => true,
            Self::Avx512Bw | Self::Avx2 | Self::Neon | Self::Scalar => false,
        }
    }

    /// Returns whether the kernels are faster for queries with small groups
    /// ([`MAX_GROUP_SUM`](super::MAX_GROUP_SUM)).
    #[must_use]
    pub const fn prefers_small_groups(self) -> bool {
        match self {
            Self::Avx512Bw | Self::Avx2 => true,
            Self::Avx512Vnni
            | Self::AvxVnni
            | Self::NeonI8mm
            | Self::NeonDotprod
            | Self::Neon
            | Self::Scalar => false,
        }
    }
}
