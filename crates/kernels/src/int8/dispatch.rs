use std::sync::OnceLock;

#[cfg(target_arch = "aarch64")]
use super::aarch64::{dotprod, neon};
#[cfg(target_arch = "x86_64")]
use super::x86_64::{avx2, avx512bw, avx512vnni, avxvnni};
use super::{Int8Queries, Int8Rows, scalar};

/// `(queries, rows, ords, products)`
type Products = unsafe fn(&Int8Queries, Int8Rows<'_>, &[u32], &mut [i32]);

/// Chosen rows that are fetched before they are multiplied.
pub(super) const AHEAD: usize = 12;

/// Inner products of bytes with one instruction set.
///
/// A value of this type is proof that the running CPU has that instruction set: [`Int8Kernels::detect`] and
/// [`Int8Kernels::available`] are the only ways to get one, and they check.
#[derive(Debug)]
pub struct Int8Kernels {
    pub(super) name: &'static str,
    pub(super) fast: bool,
    pub(super) products: Products,
    pub(super) products_of: Products,
}

impl Int8Kernels {
    /// The fastest set that the running CPU has; found out once.
    #[must_use]
    pub fn detect() -> &'static Self {
        static FASTEST: OnceLock<&'static Int8Kernels> = OnceLock::new();
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
            let has_avx2 = std::is_x86_feature_detected!("avx2");
            if has_avx2 && std::is_x86_feature_detected!("avxvnni") {
                available.push(&avxvnni::KERNELS);
            }
            if has_avx512 {
                available.push(&avx512bw::KERNELS);
            }
            if has_avx2 {
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

    /// The instruction set: `avx512vnni`, `avxvnni`, `avx512bw`, `avx2`, `neon+dotprod`, `neon` or `scalar`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether it has instructions made for this, which multiply four times as many bytes as those for `f32` do
    /// floats; without them it is about as many.
    #[must_use]
    pub fn is_fast(&self) -> bool {
        self.fast
    }

    /// Multiplies many queries with many rows: `products[q * n + r]` is that of query `q` and row `r` of `n`. Rows are
    /// read once from first to last, queries once for every few rows.
    ///
    /// # Panics
    ///
    /// If the dimensions differ or there is not room for exactly all products.
    pub fn products(&self, queries: &Int8Queries, rows: Int8Rows<'_>, products: &mut [i32]) {
        check(queries, rows, rows.len(), products);
        // SAFETY: `self` exists, so the CPU has the features that `self.products` needs.
        unsafe { (self.products)(queries, rows, &[], products) }
    }

    /// Multiplies queries with chosen rows, which are fetched a few ahead: `products[q * n + i]` is that of query `q`
    /// and row `ords[i]`, `n` the length of `ords`.
    ///
    /// # Panics
    ///
    /// If the dimensions differ, there is not room for exactly all products, or an ord is that of no row.
    pub fn products_of(&self, queries: &Int8Queries, rows: Int8Rows<'_>, ords: &[u32], products: &mut [i32]) {
        check(queries, rows, ords.len(), products);
        // SAFETY: `self` exists, so the CPU has the features that `self.products_of` needs.
        unsafe { (self.products_of)(queries, rows, ords, products) }
    }
}

fn check(queries: &Int8Queries, rows: Int8Rows<'_>, count: usize, products: &[i32]) {
    let (expected, got) = (queries.dim(), rows.dim());
    assert!(expected == got, "products: expected rows of dimension {expected}, got {got}");
    let (queries, got) = (queries.len(), products.len());
    assert!(
        queries.checked_mul(count) == Some(got),
        "products: expected room for {queries} times {count} products, got {got}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scalar_set_is_always_there_and_comes_last() {
        let names: Vec<_> = Int8Kernels::available().iter().map(|kernels| kernels.name()).collect();
        assert_eq!(names.last(), Some(&"scalar"));
        assert_eq!(Int8Kernels::detect().name(), names[0]);
    }

    #[test]
    #[should_panic(expected = "products: expected rows of dimension 2, got 3")]
    fn rows_of_another_dimension_are_refused() {
        let queries = Int8Queries::new(2, vec![1, 2]);
        Int8Kernels::detect().products(&queries, Int8Rows::new(&[1, 2, 3], 3, 3), &mut [0]);
    }

    #[test]
    #[should_panic(expected = "rows: expected 2 bytes in the last row, got 1")]
    fn a_row_that_is_cut_off_is_refused() {
        let _ = Int8Rows::new(&[1, 2, 3, 4], 2, 3);
    }
}
