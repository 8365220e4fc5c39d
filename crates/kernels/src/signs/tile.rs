//! The loop of every instruction set: one query and four rows in registers.

/// Defines `KERNELS` from an instruction set's lanes.
///
/// In scope must be the `Copy` type `Sums` and the functions `zero`, `add_chosen` (adds the values of 64 where bits are
/// set) and `totals`.
macro_rules! define_signs {
    ($name:literal $(, #[$feature:meta])?) => {
        /// The entry points of this instruction set.
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
            let (to_fours, to_rest) = sums.as_chunks_mut::<4>();
            for (ords, sums) in fours.iter().zip(to_fours) {
                // No closure: it would be code of its own, without the instructions of this.
                let mut of: [&[u8]; 4] = [&[]; 4];
                for r in 0..4 {
                    of[r] = rows.row(ords[r]);
                }
                *sums = tile(query, of);
            }
            for (&ord, sum) in rest.iter().zip(to_rest) {
                [*sum] = tile(query, [rows.row(ord)]);
            }
        }

        $(#[$feature])?
        #[inline]
        fn tile<const R: usize>(query: &$crate::signs::SignQuery, rows: [&[u8]; R]) -> [i32; R] {
            let words = query.words();
            let mut of_rows: [&[[u8; 8]]; R] = [&[]; R];
            for r in 0..R {
                of_rows[r] = &rows[r].as_chunks().0[..words.len()];
            }
            let mut sums = [zero(); 4];
            for (at, values) in words.iter().enumerate() {
                for r in 0..R {
                    sums[r] = add_chosen(u64::from_le_bytes(of_rows[r][at]), values, sums[r]);
                }
            }
            let totals = totals(sums);
            let mut found = [0; R];
            found.copy_from_slice(&totals[..R]);
            found
        }
    };
}
