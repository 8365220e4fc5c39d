#[cfg(target_arch = "aarch64")]
use super::aarch64::{dotprod, neon};
#[cfg(target_arch = "x86_64")]
use super::x86_64::{avx2, avx512bw, avx512vnni, avxvnni};
use super::{BOUND_ROWS, Int8Bound, Int8Queries, Int8RowBounds, Int8Rows, scalar};

/// `(queries, rows, ords, products)`
type Products = unsafe fn(&Int8Queries, Int8Rows<'_>, &[u32], &mut [i32]);

/// `(products, fine, rows, bound, least)`
type Reaching = unsafe fn(&[i32], Option<&[i32]>, Int8RowBounds<'_>, &Int8Bound, f32) -> u64;

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
    pub(super) reaching: Reaching,
}

choose_kernels! {
    /// The instruction set: `avx512vnni`, `avxvnni`, `avx512bw`, `avx2`, `neon+dotprod`, `neon` or `scalar`.
    Int8Kernels {
        x86_64 {
            avx512vnni if "avx512f" && "avx512bw" && "avx512vnni",
            avxvnni if "avx2" && "avxvnni",
            avx512bw if "avx512f" && "avx512bw",
            avx2 if "avx2",
        }
        aarch64 {
            dotprod if "neon" && "dotprod",
            neon if "neon",
        }
        scalar
    }
}

impl Int8Kernels {
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

    /// Of up to [`BOUND_ROWS`] rows a bit for each whose [bound](Int8Bound) is not below `least`, from their products
    /// with a query; `fine` are those with the lower part of a query of 16 bits. A row whose bound is NaN has no bit.
    ///
    /// # Panics
    ///
    /// If there are more products, or not as many of everything.
    #[must_use]
    pub fn reaching(
        &self,
        products: &[i32],
        fine: Option<&[i32]>,
        rows: Int8RowBounds<'_>,
        bound: &Int8Bound,
        least: f32,
    ) -> u64 {
        let count = products.len();
        assert!(count <= BOUND_ROWS, "reaching: expected at most {BOUND_ROWS} rows, got {count}");
        let others =
            [rows.scales.len(), rows.errors.len(), rows.lengths.len(), fine.map_or(count, <[i32]>::len)];
        assert!(
            others.iter().all(|&got| got == count),
            "reaching: expected {count} of everything, got {others:?}"
        );
        // SAFETY: `self` exists, so the CPU has the features that `self.reaching` needs.
        unsafe { (self.reaching)(products, fine, rows, bound, least) }
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
