//! The one loop of every instruction set: `Q` queries times `R` rows in registers.

/// Defines `KERNELS` from an instruction set's lanes.
///
/// In scope must be what `define_panels` needs, `load_part` and `sum`. `$queries` × `$rows` pairs are worked on at
/// once, each with two accumulators, because one would wait for its own addition most of the time; the product of
/// the three must fit the registers. `panels` are those of `define_panels`.
///
/// The arithmetic of a pair is that of `tile` alone: lane `j` of the even accumulator adds elements `j` of the
/// chunks 0, 2, 4, …, the odd one those of the chunks 1, 3, 5, …; what remains of the vector goes to the
/// accumulator whose turn it is, with zeros behind it. It does not depend on `Q`, `R` or the pair's place.
macro_rules! define_kernels {
    (
        $name:literal, $queries:literal x $rows:literal,
        panels $of_queries:literal x $of_rows:literal $(, #[$feature:meta])?
    ) => {
        define_panels!($of_queries x $of_rows $(, #[$feature])?);

        /// The entry points of this instruction set.
        pub(crate) static KERNELS: $crate::Kernels = $crate::Kernels {
            name: $name,
            dot: pair::<false>,
            squared_l2: pair::<true>,
            dot_block: block::<false>,
            squared_l2_block: block::<true>,
            panels: &panels::PANELS,
        };

        $(#[$feature])?
        fn pair<const L2: bool>(a: &[f32], b: &[f32]) -> f32 {
            let [[value]] = tile::<L2, 1, 1, false>([a], [b]);
            value
        }

        $(#[$feature])?
        fn block<const L2: bool>(dim: usize, queries: &[f32], rows: &[f32], values: &mut [f32]) {
            let n = rows.len() / dim;
            // One query is faster than the memory its rows come from, which is read fastest from first to last. Two
            // accumulators of few lanes would be slower than that.
            let one = queries.len() == dim && WIDTH >= 8;
            let mut row = 0;
            while row < n {
                if one {
                    columns::<L2, 1, true>(dim, queries, rows, values, row);
                    row += 1;
                } else if row + $rows <= n {
                    columns::<L2, $rows, false>(dim, queries, rows, values, row);
                    row += $rows;
                } else {
                    columns::<L2, 1, false>(dim, queries, rows, values, row);
                    row += 1;
                }
            }
        }

        /// All queries against the rows `row..row + R`.
        $(#[$feature])?
        #[inline]
        fn columns<const L2: bool, const R: usize, const FETCH: bool>(
            dim: usize,
            queries: &[f32],
            rows: &[f32],
            values: &mut [f32],
            row: usize,
        ) {
            let n = rows.len() / dim;
            let mut of_rows: [&[f32]; R] = [&[]; R];
            for (r, of_row) in of_rows.iter_mut().enumerate() {
                *of_row = &rows[(row + r) * dim..][..dim];
            }
            let several = queries.chunks_exact($queries * dim);
            let rest = several.remainder();
            let first_of_rest = (queries.len() - rest.len()) / dim;
            for (step, queries) in several.enumerate() {
                let mut of_queries: [&[f32]; $queries] = [&[]; $queries];
                for (q, of_query) in of_queries.iter_mut().enumerate() {
                    *of_query = &queries[q * dim..][..dim];
                }
                let found = tile::<L2, $queries, R, false>(of_queries, of_rows);
                for (q, found) in found.iter().enumerate() {
                    values[(step * $queries + q) * n + row..][..R].copy_from_slice(found);
                }
            }
            for (q, query) in rest.chunks_exact(dim).enumerate() {
                let [found] = tile::<L2, 1, R, FETCH>([query], of_rows);
                values[(first_of_rest + q) * n + row..][..R].copy_from_slice(&found);
            }
        }

        /// The values of `Q` times `R` pairs; all vectors have the length of the first query. `FETCH` says that
        /// what is read after a row follows it in memory.
        $(#[$feature])?
        #[inline]
        fn tile<const L2: bool, const Q: usize, const R: usize, const FETCH: bool>(
            queries: [&[f32]; Q],
            rows: [&[f32]; R],
        ) -> [[f32; R]; Q] {
            let dim = queries[0].len();
            let chunks = dim / WIDTH;
            let mut of_queries: [&[[f32; WIDTH]]; Q] = [&[]; Q];
            for q in 0..Q {
                of_queries[q] = &queries[q].as_chunks().0[..chunks];
            }
            let mut of_rows: [&[[f32; WIDTH]]; R] = [&[]; R];
            for r in 0..R {
                of_rows[r] = &rows[r].as_chunks().0[..chunks];
            }
            let mut even = [[zero(); R]; Q];
            let mut odd = [[zero(); R]; Q];
            let mut at = 0;
            while at + 1 < chunks {
                if FETCH && at * WIDTH % $crate::prefetch::APART == 0 {
                    $crate::prefetch::prefetch_beyond(rows[0], at * WIDTH);
                }
                step::<L2, Q, R>(&mut even, &of_queries, &of_rows, at);
                step::<L2, Q, R>(&mut odd, &of_queries, &of_rows, at + 1);
                at += 2;
            }
            if at < chunks {
                step::<L2, Q, R>(&mut even, &of_queries, &of_rows, at);
            }
            if dim % WIDTH != 0 {
                let last = if chunks % 2 == 0 { &mut even } else { &mut odd };
                let start = chunks * WIDTH;
                for q in 0..Q {
                    let query = load_part(&queries[q][start..dim]);
                    for r in 0..R {
                        let row = load_part(&rows[r][start..dim]);
                        last[q][r] = accumulate::<L2>(query, row, last[q][r]);
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
        fn step<const L2: bool, const Q: usize, const R: usize>(
            accumulators: &mut [[Lanes; R]; Q],
            queries: &[&[[f32; WIDTH]]; Q],
            rows: &[&[[f32; WIDTH]]; R],
            at: usize,
        ) {
            let mut of_rows = [zero(); R];
            for r in 0..R {
                of_rows[r] = load(&rows[r][at]);
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
