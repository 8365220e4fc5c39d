#[cfg(target_arch = "aarch64")]
use super::aarch64::neon;
#[cfg(target_arch = "x86_64")]
use super::x86_64::{avx2, avx512bw, avx512vnni};
use super::{SignQuery, scalar};
use crate::ByteRows;

/// `(query, rows, ords, sums)`
type SumsOf = unsafe fn(&SignQuery, ByteRows<'_>, &[u32], &mut [i32]);

/// Sums by bits with one instruction set.
///
/// A value of this type is proof that the running CPU has that instruction set: [`SignKernels::detect`] and
/// [`SignKernels::available`] are the only ways to get one, and they check.
#[derive(Debug)]
pub struct SignKernels {
    pub(super) name: &'static str,
    pub(super) sums_of: SumsOf,
}

choose_kernels! {
    /// The instruction set: `avx512vnni`, `avx512bw`, `avx2`, `neon` or `scalar`.
    SignKernels {
        x86_64 {
            avx512vnni if "avx512f" && "avx512bw" && "avx512vnni",
            avx512bw if "avx512f" && "avx512bw",
            avx2 if "avx2",
        }
        aarch64 { neon if "neon", }
        scalar
    }
}

impl SignKernels {
    /// Adds the values of a query up by the bits of chosen rows: `sums[i]` is that for row `ords[i]`. They are best
    /// [fetched](crate::prefetch_bytes) before.
    ///
    /// # Panics
    ///
    /// If the rows have fewer bits than the query has words for, there is not room for exactly all sums, or an ord is
    /// that of no row.
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
