//! The loop that adds up, for each chosen row, the query values whose bits are set in that row. It handles four rows at
//! a time, with an accumulator register for each. The [module](super) draws the layout of rows.

/// Defines `KERNELS` for an instruction set.
///
/// These must be in scope:
///
/// - The `Copy` type `Sums`, an accumulator.
/// - The functions `zero`; `add_selected`, which takes 64 query values and a word of a row and adds the values whose
///   bits are set; and `totals`, which adds the lanes of each of four accumulators.
macro_rules! define_signs {
    ($name:literal $(, #[$feature:meta])?) => {
        pub(in crate::signs) static KERNELS: $crate::signs::SignKernels =
            $crate::signs::SignKernels { name: $name, sums_of };

        $(#[$feature])?
        fn sums_of(
            query: &$crate::signs::SignQuery,
            rows: $crate::ByteRows<'_>,
            ords: &[u32],
            sums: &mut [i32],
        ) {
            let (fours, rest) = ords.as_chunks::<4>();
            let (sum_fours, sum_rest) = sums.as_chunks_mut::<4>();
            for (ords, sums) in fours.iter().zip(sum_fours) {
                // Not `ords.map`: a closure would be compiled without this function's CPU features.
                let mut tile_rows: [&[u8]; 4] = [&[]; 4];
                for r in 0..4 {
                    tile_rows[r] = rows.row(ords[r]);
                }
                *sums = tile(query, tile_rows);
            }
            for (&ord, sum) in rest.iter().zip(sum_rest) {
                [*sum] = tile(query, [rows.row(ord)]);
            }
        }

        $(#[$feature])?
        #[inline]
        fn tile<const R: usize>(query: &$crate::signs::SignQuery, rows: [&[u8]; R]) -> [i32; R] {
            let words = query.words();
            let mut row_words: [&[[u8; 8]]; R] = [&[]; R];
            for r in 0..R {
                row_words[r] = &rows[r].as_chunks().0[..words.len()];
            }
            let mut sums = [zero(); 4];
            for (at, values) in words.iter().enumerate() {
                for r in 0..R {
                    sums[r] = add_selected(u64::from_le_bytes(row_words[r][at]), values, sums[r]);
                }
            }
            let totals = totals(sums);
            let mut row_sums = [0; R];
            row_sums.copy_from_slice(&totals[..R]);
            row_sums
        }
    };
}
