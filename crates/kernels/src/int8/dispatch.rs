//! The choice of the instruction set of [`Int8Kernels`].

#[cfg(target_arch = "aarch64")]
use super::aarch64::{dotprod, neon};
#[cfg(target_arch = "aarch64")]
use super::i8mm;
use super::kernels::Int8Kernels;
// The kernels of `packed_rows` have the functions of `x86_64`, but faster products.
#[cfg(target_arch = "x86_64")]
use super::packed_rows::{avx2, avx512 as avx512vnni, avx512bw};
use super::scalar;
#[cfg(target_arch = "x86_64")]
use super::x86_64::avxvnni;

detect_kernels! {
    /// The name of the instruction set: `avx512vnni`, `avxvnni`, `avx512bw`, `avx2`, `neon+i8mm`, `neon+dotprod`,
    /// `neon` or `scalar`.
    Int8Kernels {
        x86_64 {
            Avx512: avx512vnni if "avx512f" && "avx512bw" && "avx512vnni",
            AvxVnni: avxvnni if "avx2" && "avxvnni",
            Avx512: avx512bw if "avx512f" && "avx512bw" && "avx2",
            Avx2: avx2 if "avx2",
        }
        aarch64 {
            I8mm: i8mm if "neon" && "dotprod" && "i8mm",
            Dotprod: dotprod if "neon" && "dotprod",
            Neon: neon if "neon",
        }
        scalar
    }
}
