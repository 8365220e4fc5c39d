//! The loop of every instruction set: one query times four rows in registers.

/// Defines `KERNELS` from an instruction set's lanes.
///
/// In scope must be the `Copy` type `Sums`, the constant `WIDTH` (bytes of a chunk, a divisor of a block's), and the
/// functions `zero`, `add_products` (of a chunk of codes with the values that meet its lower and its upper halves) and
/// `totals`.
macro_rules! define_int4 {
    ($name:literal $(, #[$feature:meta])?) => {
        /// The entry points of this instruction set.
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
            let (to_fours, to_rest) = products.as_chunks_mut::<4>();
            for (ords, products) in fours.iter().zip(to_fours) {
                // No closure: it would be code of its own, without the instructions of this.
                let mut of: [&[u8]; 4] = [&[]; 4];
                for r in 0..4 {
                    of[r] = rows.row(ords[r]);
                }
                *products = tile(query, of);
            }
            for (&ord, product) in rest.iter().zip(to_rest) {
                [*product] = tile(query, [rows.row(ord)]);
            }
        }

        $(#[$feature])?
        #[inline]
        fn tile<const R: usize>(query: &$crate::int4::Int4Query, rows: [&[u8]; R]) -> [i32; R] {
            use $crate::int4::{BLOCK_BYTES, BLOCK_DIM};

            let blocks = rows[0].len() / BLOCK_BYTES;
            let query: &[[i8; BLOCK_DIM]] = &query.values().as_chunks().0[..blocks];
            let mut of_rows: [&[[u8; BLOCK_BYTES]]; R] = [&[]; R];
            for r in 0..R {
                of_rows[r] = &rows[r].as_chunks().0[..blocks];
            }
            let mut sums = [zero(); 4];
            for block in 0..blocks {
                for chunk in 0..BLOCK_BYTES / WIDTH {
                    let start = chunk * WIDTH;
                    let low = query[block][start..].first_chunk().expect("a chunk inside the lower half");
                    let high =
                        query[block][BLOCK_BYTES + start..].first_chunk().expect("a chunk inside the upper half");
                    for r in 0..R {
                        let codes = of_rows[r][block][start..].first_chunk().expect("a chunk inside the block");
                        sums[r] = add_products(codes, low, high, sums[r]);
                    }
                }
            }
            let totals = totals(sums);
            let mut found = [0; R];
            found.copy_from_slice(&totals[..R]);
            found
        }
    };
}
