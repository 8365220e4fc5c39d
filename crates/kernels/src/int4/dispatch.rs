use std::sync::OnceLock;

#[cfg(target_arch = "aarch64")]
use super::aarch64::{dotprod, neon};
#[cfg(target_arch = "x86_64")]
use super::x86_64::{avx2, avx512bw, avx512vnni};
use super::{Int4Query, Int4Rows, scalar};

/// `(query, rows, ords, products)`
type ProductsOf = unsafe fn(&Int4Query, Int4Rows<'_>, &[u32], &mut [i32]);

/// Inner products of half bytes with one instruction set.
///
/// A value of this type is proof that the running CPU has that instruction set: [`Int4Kernels::detect`] and
/// [`Int4Kernels::available`] are the only ways to get one, and they check.
#[derive(Debug)]
pub struct Int4Kernels {
    pub(super) name: &'static str,
    pub(super) products_of: ProductsOf,
}

impl Int4Kernels {
    /// The fastest set that the running CPU has; found out once.
    #[must_use]
    pub fn detect() -> &'static Self {
        static FASTEST: OnceLock<&'static Int4Kernels> = OnceLock::new();
        FASTEST.get_or_init(|| Self::available()[0])
    }

    /// Every set that the running CPU has, the fastest first. The last is `scalar`, which every CPU has.
    #[must_use]
    pub fn available() -> Vec<&'static Self> {
        let mut available = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let has_avx512 =
                std::is_x86_feature_detected!("avx512f") && std::is_x86_feature_detected!("avx512bw");
            if has_avx512 && std::is_x86_feature_detected!("avx512vnni") {
                available.push(&avx512vnni::KERNELS);
            }
            if has_avx512 {
                available.push(&avx512bw::KERNELS);
            }
            if std::is_x86_feature_detected!("avx2") {
                available.push(&avx2::KERNELS);
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            if std::arch::is_aarch64_feature_detected!("dotprod") {
                available.push(&dotprod::KERNELS);
            }
            available.push(&neon::KERNELS);
        }
        available.push(&scalar::KERNELS);
        available
    }

    /// The instruction set: `avx512vnni`, `avx512bw`, `avx2`, `neon+dotprod`, `neon` or `scalar`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Multiplies a query with chosen rows: `products[i]` is that with the codes of row `ords[i]`. They are best
    /// [fetched](crate::prefetch) before.
    ///
    /// # Panics
    ///
    /// If the rows are not of the query's length, there is not room for exactly all products, or an ord is that of no
    /// row.
    #[inline]
    pub fn products_of(&self, query: &Int4Query, rows: Int4Rows<'_>, ords: &[u32], products: &mut [i32]) {
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
    fn the_scalar_set_is_always_there_and_comes_last() {
        let names: Vec<_> = Int4Kernels::available().iter().map(|kernels| kernels.name()).collect();
        assert_eq!(names.last(), Some(&"scalar"));
        assert_eq!(Int4Kernels::detect().name(), names[0]);
    }

    #[test]
    #[should_panic(expected = "products: expected rows of 64 bytes, got 128")]
    fn rows_of_another_length_are_refused() {
        let rows = Int4Rows::new(&[0; 128], 128);
        Int4Kernels::detect().products_of(&Int4Query::new(&[1, 2]), rows, &[0], &mut [0]);
    }

    #[test]
    #[should_panic(expected = "rows: expected rows of 64 bytes, got 100")]
    fn a_row_that_is_cut_off_is_refused() {
        let _ = Int4Rows::new(&[0; 100], 64);
    }
}
