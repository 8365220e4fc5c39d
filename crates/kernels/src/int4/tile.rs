//! The loop that multiplies one query with the chosen rows. It handles four rows at a time, with an accumulator
//! register for each. The [module](super) draws the layout of rows.

/// Defines `KERNELS` for an instruction set.
///
/// The loop reads a block in *chunks*: as many bytes as a register holds. These must be in scope:
///
/// - The `Copy` type `Sums`, an accumulator.
/// - The constant `WIDTH`, the number of bytes of a chunk, which must divide the number of bytes of a block.
/// - The functions `zero`; `add_products`, which multiplies the lower nibbles of a chunk of a row with one chunk of
///   query values and the upper nibbles with another, and adds the products to an accumulator; and `totals`, which
///   adds the lanes of each of four accumulators.
macro_rules! define_int4 {
    ($name:literal $(, #[$feature:meta])?) => {
        pub(in crate::int4) static KERNELS: $crate::int4::Int4Kernels =
            $crate::int4::Int4Kernels { name: $name, products_of };

        $(#[$feature])?
        fn products_of(
            query: &$crate::int4::Int4Query,
            rows: $crate::ByteRows<'_>,
            ords: &[u32],
            products: &mut [i32],
        ) {
            let (fours, rest) = ords.as_chunks::<4>();
            let (product_fours, product_rest) = products.as_chunks_mut::<4>();
            for (ords, products) in fours.iter().zip(product_fours) {
                // Not `ords.map`: `map` is compiled without this function's CPU features, so the closure, which has
                // them, could not be inlined into it.
                let mut tile_rows: [&[u8]; 4] = [&[]; 4];
                for r in 0..4 {
                    tile_rows[r] = rows.row(ords[r]);
                }
                *products = tile(query, tile_rows);
            }
            for (&ord, product) in rest.iter().zip(product_rest) {
                [*product] = tile(query, [rows.row(ord)]);
            }
        }

        $(#[$feature])?
        #[inline]
        fn tile<const R: usize>(query: &$crate::int4::Int4Query, rows: [&[u8]; R]) -> [i32; R] {
            use $crate::int4::{BLOCK_BYTES, BLOCK_DIM};

            let blocks = rows[0].len() / BLOCK_BYTES;
            let query: &[[i8; BLOCK_DIM]] = &query.values().as_chunks().0[..blocks];
            let mut row_blocks: [&[[u8; BLOCK_BYTES]]; R] = [&[]; R];
            for r in 0..R {
                row_blocks[r] = &rows[r].as_chunks().0[..blocks];
            }
            let mut sums = [zero(); 4];
            for block in 0..blocks {
                for chunk in 0..BLOCK_BYTES / WIDTH {
                    let start = chunk * WIDTH;
                    let low = query[block][start..].first_chunk().expect("a chunk of the block's first half");
                    let high =
                        query[block][BLOCK_BYTES + start..].first_chunk().expect("a chunk of the block's second half");
                    for r in 0..R {
                        let codes = row_blocks[r][block][start..].first_chunk().expect("a chunk of the block");
                        sums[r] = add_products(codes, low, high, sums[r]);
                    }
                }
            }
            let totals = totals(sums);
            let mut products = [0; R];
            products.copy_from_slice(&totals[..R]);
            products
        }
    };
}
