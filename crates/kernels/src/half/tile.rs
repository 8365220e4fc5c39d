//! The loop of every instruction set: `Q` queries times `R` rows in registers.

/// Defines `KERNELS` from an instruction set's lanes.
///
/// In scope must be `Lanes`, `WIDTH` and the functions `zero`, `load`, `load_part`, `widened` and `narrowed` (of
/// `WIDTH` halves), `store`, `multiply_add`, `subtract`, `add` and `sum`. The arithmetic of a pair is that of `tile`
/// alone and does not depend on `Q`, `R` or the pair's place: two accumulators take chunks by turns.
macro_rules! define_half {
    ($name:literal, $queries:literal x $rows:literal $(, #[$feature:meta])?) => {
        /// The entry points of this instruction set.
        pub(in crate::half) static KERNELS: $crate::half::HalfKernels = $crate::half::HalfKernels {
            name: $name,
            dot: [block::<false, false>, block::<true, false>],
            squared_l2: [block::<false, true>, block::<true, true>],
            widen: [widen::<false>, widen::<true>],
            narrow: [narrow::<false>, narrow::<true>],
        };

        $(#[$feature])?
        fn widen<const BF16: bool>(halves: &[u16], values: &mut [f32]) {
            let (chunks, rest) = halves.as_chunks::<WIDTH>();
            let (into, last) = values.as_chunks_mut::<WIDTH>();
            for (chunk, into) in chunks.iter().zip(into) {
                store(into, widened::<BF16>(chunk));
            }
            for (&half, value) in rest.iter().zip(last) {
                *value = $crate::half::format::widen::<BF16>(half);
            }
        }

        $(#[$feature])?
        fn narrow<const BF16: bool>(values: &[f32], halves: &mut [u16]) {
            let (chunks, rest) = values.as_chunks::<WIDTH>();
            let (into, last) = halves.as_chunks_mut::<WIDTH>();
            for (chunk, into) in chunks.iter().zip(into) {
                *into = narrowed::<BF16>(chunk);
            }
            for (&value, half) in rest.iter().zip(last) {
                *half = $crate::half::format::narrow::<BF16>(value);
            }
        }

        $(#[$feature])?
        fn block<const BF16: bool, const L2: bool>(dim: usize, queries: &[f32], rows: &[u16], values: &mut [f32]) {
            let n = rows.len() / dim;
            let mut row = 0;
            while row < n {
                if n - row >= $rows {
                    columns::<BF16, L2, $rows>(dim, queries, rows, values, row);
                    row += $rows;
                } else {
                    columns::<BF16, L2, 1>(dim, queries, rows, values, row);
                    row += 1;
                }
            }
        }

        /// All queries against the rows `row..row + R`.
        $(#[$feature])?
        #[inline]
        fn columns<const BF16: bool, const L2: bool, const R: usize>(
            dim: usize,
            queries: &[f32],
            rows: &[u16],
            values: &mut [f32],
            row: usize,
        ) {
            let (n, count) = (rows.len() / dim, queries.len() / dim);
            let mut of_rows: [&[u16]; R] = [&[]; R];
            for (r, of_row) in of_rows.iter_mut().enumerate() {
                *of_row = &rows[(row + r) * dim..][..dim];
            }
            let mut q = 0;
            while q < count {
                if count - q >= $queries {
                    let mut several: [&[f32]; $queries] = [&[]; $queries];
                    for (at, query) in several.iter_mut().enumerate() {
                        *query = &queries[(q + at) * dim..][..dim];
                    }
                    let found = tile::<BF16, L2, $queries, R>(several, of_rows);
                    for (at, found) in found.iter().enumerate() {
                        values[(q + at) * n + row..][..R].copy_from_slice(found);
                    }
                    q += $queries;
                } else {
                    let [found] = tile::<BF16, L2, 1, R>([&queries[q * dim..][..dim]], of_rows);
                    values[q * n + row..][..R].copy_from_slice(&found);
                    q += 1;
                }
            }
        }

        $(#[$feature])?
        #[inline]
        fn tile<const BF16: bool, const L2: bool, const Q: usize, const R: usize>(
            queries: [&[f32]; Q],
            rows: [&[u16]; R],
        ) -> [[f32; R]; Q] {
            let dim = queries[0].len();
            let chunks = dim / WIDTH;
            let mut of_queries: [&[[f32; WIDTH]]; Q] = [&[]; Q];
            for q in 0..Q {
                of_queries[q] = &queries[q].as_chunks().0[..chunks];
            }
            let mut of_rows: [&[[u16; WIDTH]]; R] = [&[]; R];
            for r in 0..R {
                of_rows[r] = &rows[r].as_chunks().0[..chunks];
            }
            let mut even = [[zero(); R]; Q];
            let mut odd = [[zero(); R]; Q];
            let mut at = 0;
            while at + 1 < chunks {
                step::<BF16, L2, Q, R>(&mut even, &of_queries, &of_rows, at);
                step::<BF16, L2, Q, R>(&mut odd, &of_queries, &of_rows, at + 1);
                at += 2;
            }
            if at < chunks {
                step::<BF16, L2, Q, R>(&mut even, &of_queries, &of_rows, at);
            }
            if !dim.is_multiple_of(WIDTH) {
                let start = chunks * WIDTH;
                for r in 0..R {
                    let mut last = [0; WIDTH];
                    last[..dim - start].copy_from_slice(&rows[r][start..dim]);
                    let row = widened::<BF16>(&last);
                    for q in 0..Q {
                        odd[q][r] = accumulate::<L2>(load_part(&queries[q][start..dim]), row, odd[q][r]);
                    }
                }
            }
            let mut values = [[0.0; R]; Q];
            for q in 0..Q {
                for r in 0..R {
                    values[q][r] = sum(add(even[q][r], odd[q][r]));
                }
            }
            values
        }

        /// Adds chunk `at` of every pair.
        $(#[$feature])?
        #[inline]
        fn step<const BF16: bool, const L2: bool, const Q: usize, const R: usize>(
            accumulators: &mut [[Lanes; R]; Q],
            queries: &[&[[f32; WIDTH]]; Q],
            rows: &[&[[u16; WIDTH]]; R],
            at: usize,
        ) {
            let mut of_rows = [zero(); R];
            for r in 0..R {
                of_rows[r] = widened::<BF16>(&rows[r][at]);
            }
            for q in 0..Q {
                let query = load(&queries[q][at]);
                for r in 0..R {
                    accumulators[q][r] = accumulate::<L2>(query, of_rows[r], accumulators[q][r]);
                }
            }
        }

        $(#[$feature])?
        #[inline]
        fn accumulate<const L2: bool>(a: Lanes, b: Lanes, sum: Lanes) -> Lanes {
            if L2 {
                let difference = subtract(a, b);
                multiply_add(difference, difference, sum)
            } else {
                multiply_add(a, b, sum)
            }
        }
    };
}
