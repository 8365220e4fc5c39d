//! [`Int4Kernels`]: the choice of the instruction set, and the public functions, which check their arguments.

#[cfg(target_arch = "aarch64")]
use super::aarch64::{dotprod, neon};
#[cfg(target_arch = "x86_64")]
use super::x86_64::{avx2, avx512bw, avx512vnni};
use super::{Int4Query, scalar};
use crate::ByteRows;

/// `(query, rows, ords, products)` writes the inner product of `query` and row `ords[i]` to `products[i]`.
type ProductsFn = unsafe fn(&Int4Query, ByteRows<'_>, &[u32], &mut [i32]);

/// Inner products of 4-bit codes with one instruction set.
///
/// A value of this type is proof that the running CPU supports that instruction set: [`Int4Kernels::detect`],
/// [`Int4Kernels::available`] and [`Int4Kernels::up_to`] are the only ways to get one, and they check.
#[derive(Debug)]
pub struct Int4Kernels {
    pub(super) name: &'static str,
    pub(super) products_of: ProductsFn,
}

detect_kernels! {
    /// The name of the instruction set: `avx512vnni`, `avx512bw`, `avx2`, `neon+dotprod`, `neon` or `scalar`.
    Int4Kernels {
        x86_64 {
            Avx512: avx512vnni if "avx512f" && "avx512bw" && "avx512vnni",
            Avx512: avx512bw if "avx512f" && "avx512bw",
            Avx2: avx2 if "avx2",
        }
        aarch64 {
            Dotprod: dotprod if "neon" && "dotprod",
            Neon: neon if "neon",
        }
        scalar
    }
}

impl Int4Kernels {
    /// Multiplies a query by the rows that `ords` lists: `products[i]` is the inner product of the query and the codes
    /// of row `ords[i]`. The caller should [prefetch](crate::prefetch()) the rows.
    ///
    /// # Panics
    ///
    /// If the rows do not have the query's [number of bytes](Int4Query::row_bytes), `products` does not have one
    /// element for each ord, or there is no row for an ord.
    #[inline]
    pub fn products_of(&self, query: &Int4Query, rows: ByteRows<'_>, ords: &[u32], products: &mut [i32]) {
        let (expected, got) = (query.row_bytes(), rows.row_bytes());
        assert!(expected == got, "products: expected rows of {expected} bytes, got {got}");
        let (expected, got) = (ords.len(), products.len());
        assert!(expected == got, "products: expected room for {expected} products, got {got}");
        // SAFETY: `self` exists, so the CPU has the features that `self.products_of` needs.
        unsafe { (self.products_of)(query, rows, ords, products) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "products: expected rows of 64 bytes, got 128")]
    fn rows_of_a_different_length_are_refused() {
        let rows = ByteRows::new(&[0; 128], 128);
        Int4Kernels::detect().products_of(&Int4Query::new(&[1, 2]), rows, &[0], &mut [0]);
    }
}
