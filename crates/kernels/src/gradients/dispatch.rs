//! The choice of the instruction set of [`GradientKernels`].

use super::kernels::GradientKernels;
#[cfg(target_arch = "aarch64")]
use super::sets::neon;
use super::sets::scalar;
#[cfg(target_arch = "x86_64")]
use super::sets::{avx2, avx512};

detect_kernels! {
    /// The name of the instruction set: `avx512`, `avx2+fma`, `neon` or `scalar`.
    GradientKernels {
        x86_64 {
            Avx512: avx512 if "avx512f" && "avx512bw" && "avx512dq" && "avx512vl" && "fma",
            Avx2: avx2 if "avx2" && "fma",
        }
        aarch64 {
            Neon: neon if "neon",
        }
        scalar
    }
}
