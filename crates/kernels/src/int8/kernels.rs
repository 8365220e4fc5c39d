//! [`Int8Kernels`]: the public functions, which check their arguments.

use super::{BOUND_ROWS, InstructionSet, Int8Bound, Int8Queries, Int8RowBounds, Int8Rows};

/// `(queries, rows, ords, products)` writes the inner products of all queries and the rows `ords` to `products`. For
/// [`Int8Kernels::products`], which multiplies all rows, `ords` is empty.
type ProductsFn = unsafe fn(&Int8Queries, Int8Rows<'_>, &[u32], &mut [i32]);

/// `(products, low_products, rows, bound, threshold)` returns a mask of the rows whose bound is at or above
/// `threshold`.
type BoundsFn = unsafe fn(&[i32], Option<&[i32]>, Int8RowBounds<'_>, &Int8Bound, f32) -> u64;

/// [`Int8Kernels::products_of`] prefetches the row that is this many rows ahead of the one that it multiplies.
pub(super) const PREFETCH_DISTANCE: usize = 12;

/// Inner products of 8-bit codes with one instruction set.
///
/// A value of this type is proof that the running CPU supports that instruction set: [`Int8Kernels::detect`],
/// [`Int8Kernels::available`] and [`Int8Kernels::up_to`] are the only ways to get one, and they check.
#[derive(Debug)]
pub struct Int8Kernels {
    pub(super) name: &'static str,
    pub(super) instruction_set: InstructionSet,
    pub(super) products: ProductsFn,
    pub(super) products_of: ProductsFn,
    pub(super) bounds_at_least: BoundsFn,
}

impl Int8Kernels {
    /// Returns the instruction set of these kernels.
    #[must_use]
    pub fn instruction_set(&self) -> InstructionSet {
        self.instruction_set
    }

    /// Multiplies all queries with all rows: `products[q * n + r]` is the inner product of query `q` and row `r` of the
    /// `n` rows. Rows are read once, from first to last. All queries are read again for each group of a few rows.
    ///
    /// # Panics
    ///
    /// If the dimensions differ, or `products` does not have one element for each product.
    pub fn products(&self, queries: &Int8Queries, rows: Int8Rows<'_>, products: &mut [i32]) {
        check(queries, rows, rows.len(), products);
        // SAFETY: `self` exists, so the CPU has the features that `self.products` needs.
        unsafe { (self.products)(queries, rows, &[], products) }
    }

    /// Multiplies all queries with the rows that `ords` lists: `products[q * n + i]` is the inner product of query `q`
    /// and row `ords[i]`, where `n` is the number of ords. Rows are prefetched before they are multiplied.
    ///
    /// # Panics
    ///
    /// If the dimensions differ, `products` does not have one element for each product, or there is no row for an ord.
    pub fn products_of(&self, queries: &Int8Queries, rows: Int8Rows<'_>, ords: &[u32], products: &mut [i32]) {
        check(queries, rows, ords.len(), products);
        // SAFETY: `self` exists, so the CPU has the features that `self.products_of` needs.
        unsafe { (self.products_of)(queries, rows, ords, products) }
    }

    /// Computes the [bounds](Int8Bound) of up to [`BOUND_ROWS`] rows from their products with a query, and returns a
    /// mask: bit `i` is set if the bound of row `i` is at or above `threshold`. Bits of rows whose bound is NaN are not
    /// set.
    ///
    /// For a query of 14-bit values, `products` are the inner products with its high parts, and `low_products` are
    /// those with its low parts. For a query of 8-bit values, `low_products` is `None`.
    ///
    /// # Panics
    ///
    /// If there are more than [`BOUND_ROWS`] products, or the lengths differ.
    #[must_use]
    pub fn bounds_at_least(
        &self,
        products: &[i32],
        low_products: Option<&[i32]>,
        rows: Int8RowBounds<'_>,
        bound: &Int8Bound,
        threshold: f32,
    ) -> u64 {
        let count = products.len();
        assert!(count <= BOUND_ROWS, "bounds: expected at most {BOUND_ROWS} rows, got {count}");
        let others = [
            rows.scales.len(),
            rows.addends.len(),
            rows.lengths.len(),
            low_products.map_or(count, <[i32]>::len),
        ];
        assert!(
            others.iter().all(|&got| got == count),
            "bounds: expected {count} scales, addends, lengths and low products, got {others:?}"
        );
        // SAFETY: `self` exists, so the CPU has the features that `self.bounds_at_least` needs.
        unsafe { (self.bounds_at_least)(products, low_products, rows, bound, threshold) }
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
    fn rows_of_a_different_dimension_are_refused() {
        let queries = Int8Queries::new(2, vec![1, 2]);
        Int8Kernels::detect().products(&queries, Int8Rows::new(&[1, 2, 3], 3, 3), &mut [0]);
    }

    #[test]
    #[should_panic(expected = "rows: expected 2 bytes in the last row, got 1")]
    fn an_incomplete_last_row_is_refused() {
        let _ = Int8Rows::new(&[1, 2, 3, 4], 2, 3);
    }
}
