//! The choice of the instruction set of [`ImpactKernels`].

use super::kernels::ImpactKernels;
#[cfg(target_arch = "aarch64")]
use super::neon;
use super::scalar;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};

detect_kernels! {
    /// The name of the instruction set: `avx512vbmi2`, `avx2`, `neon` or `scalar`.
    ImpactKernels {
        x86_64 {
            Avx512: avx512 if "avx2" && "bmi1" && "popcnt" && "avx512f" && "avx512bw" && "avx512vbmi" && "avx512vbmi2"
                && "avx512vpopcntdq",
            Avx2: avx2 if "avx2" && "bmi1" && "popcnt",
        }
        aarch64 { Neon: neon if "neon", }
        scalar
    }
}
