//! [`SignKernels`]: the choice of the instruction set, and the public functions, which check their arguments.

#[cfg(target_arch = "aarch64")]
use super::aarch64::neon;
#[cfg(target_arch = "x86_64")]
use super::x86_64::{avx2, avx512bw, avx512vnni};
use super::{SignQuery, scalar};
use crate::ByteRows;

/// `(query, rows, ords, sums)` writes the sum for row `ords[i]` to `sums[i]`.
type SumsFn = unsafe fn(&SignQuery, ByteRows<'_>, &[u32], &mut [i32]);

/// Sums of the query values whose bits are set in a row, with one instruction set.
///
/// A value of this type is proof that the running CPU supports that instruction set: [`SignKernels::detect`],
/// [`SignKernels::available`] and [`SignKernels::up_to`] are the only ways to get one, and they check.
#[derive(Debug)]
pub struct SignKernels {
    pub(super) name: &'static str,
    pub(super) sums_of: SumsFn,
}

detect_kernels! {
    /// The name of the instruction set: `avx512vnni`, `avx512bw`, `avx2`, `neon` or `scalar`.
    SignKernels {
        x86_64 {
            Avx512: avx512vnni if "avx512f" && "avx512bw" && "avx512vnni",
            Avx512: avx512bw if "avx512f" && "avx512bw",
            Avx2: avx2 if "avx2",
        }
        aarch64 { Neon: neon if "neon", }
        scalar
    }
}

impl SignKernels {
    /// For each chosen row, adds the values of a query whose bits are set in the row: `sums[i]` is the sum for row
    /// `ords[i]`. The caller should [prefetch](crate::prefetch()) the rows.
    ///
    /// # Panics
    ///
    /// If the rows have fewer than [`SignQuery::bit_bytes`] bytes, `sums` does not have one element for each ord, or
    /// there is no row for an ord.
    #[inline]
    pub fn sums_of(&self, query: &SignQuery, rows: ByteRows<'_>, ords: &[u32], sums: &mut [i32]) {
        let (expected, got) = (query.bit_bytes(), rows.row_bytes());
        assert!(got >= expected, "sums: expected rows of at least {expected} bytes, got {got}");
        let (expected, got) = (ords.len(), sums.len());
        assert!(expected == got, "sums: expected room for {expected} sums, got {got}");
        // SAFETY: `self` exists, so the CPU has the features that `self.sums_of` needs.
        unsafe { (self.sums_of)(query, rows, ords, sums) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "sums: expected rows of at least 16 bytes, got 8")]
    fn rows_with_too_few_bits_are_refused() {
        let rows = ByteRows::new(&[0; 8], 8);
        SignKernels::detect().sums_of(&SignQuery::new(&[1; 65]), rows, &[0], &mut [0]);
    }
}
