//! The choice of the instruction set of [`NetworkKernels`].

#[cfg(target_arch = "aarch64")]
use super::aarch64::{dotprod, neon};
use super::kernels::NetworkKernels;
use super::scalar;
#[cfg(target_arch = "x86_64")]
use super::x86_64::{avx2, avx512bw, avx512vnni, avxvnni};

detect_kernels! {
    /// The name of the instruction set: `avx512vnni`, `avxvnni`, `avx512bw`, `avx2+fma`, `neon+dotprod`, `neon` or
    /// `scalar`.
    NetworkKernels {
        x86_64 {
            Avx512: avx512vnni if "avx512f" && "avx512bw" && "avx512vnni" && "fma",
            AvxVnni: avxvnni if "avx2" && "fma" && "avxvnni",
            Avx512: avx512bw if "avx512f" && "avx512bw" && "fma",
            Avx2: avx2 if "avx2" && "fma",
        }
        aarch64 {
            Dotprod: dotprod if "neon" && "dotprod",
            Neon: neon if "neon",
        }
        scalar
    }
}
