//! The choice of the instruction set of [`AsciiKernels`].

#[cfg(target_arch = "x86_64")]
use super::avx2;
use super::kernels::AsciiKernels;
#[cfg(target_arch = "aarch64")]
use super::neon;
use super::scalar;

detect_kernels! {
    /// The name of the instruction set: `avx2`, `neon` or `scalar`.
    AsciiKernels {
        x86_64 {
            Avx2: avx2 if "avx2",
        }
        aarch64 {
            Neon: neon if "neon",
        }
        scalar
    }
}
