//! The loop of every instruction set: up to four queries times four rows in registers.

/// Defines `KERNELS` from an instruction set's lanes.
///
/// In scope must be the `Copy` types `Row`, `Query` and `Sums`, the constants `WIDTH` (bytes of a chunk) and `UNSIGNED`
/// (whether products are those of bytes, not of codes), and the functions `zero`, `row`, `query`, `row_part` and
/// `query_part` (up to `WIDTH` bytes; what is behind them adds nothing), `add_products` and `totals`. `$all` multiplies
/// with all rows, which the `products` defined here does too.
macro_rules! define_int8 {
    ($name:literal, fast: $fast:literal, queries: $queries:literal, all: $all:path, reaching: $reaching:path
     $(, #[$feature:meta])?) => {
        /// The entry points of this instruction set.
        pub(in crate::int8) static KERNELS: $crate::int8::Int8Kernels = $crate::int8::Int8Kernels {
            name: $name,
            fast: $fast,
            products: $all,
            products_of,
            reaching: $reaching,
        };

        $(#[$feature])?
        fn products_of(
            queries: &$crate::int8::Int8Queries,
            rows: $crate::int8::Int8Rows<'_>,
            ords: &[u32],
            out: &mut [i32],
        ) {
            multiply::<true>(queries, rows, ords, out);
        }

        #[allow(dead_code, reason = "a set may have its own")]
        $(#[$feature])?
        pub(in crate::int8) fn products(
            queries: &$crate::int8::Int8Queries,
            rows: $crate::int8::Int8Rows<'_>,
            _: &[u32],
            out: &mut [i32],
        ) {
            multiply::<false>(queries, rows, &[], out);
        }

        $(#[$feature])?
        #[inline]
        fn multiply<const CHOSEN: bool>(
            queries: &$crate::int8::Int8Queries,
            rows: $crate::int8::Int8Rows<'_>,
            ords: &[u32],
            out: &mut [i32],
        ) {
            let n = if CHOSEN { ords.len() } else { rows.len() };
            let row = |at: usize| rows.row(if CHOSEN { ords[at] as usize } else { at });
            if CHOSEN {
                (0..n.min($crate::int8::dispatch::AHEAD)).for_each(|at| $crate::prefetch::prefetch_bytes(row(at)));
            }
            // What one query or two multiply with comes from memory, which is fastest in order.
            let in_order = !CHOSEN && queries.len() <= 2;
            let (fours, ahead) = if in_order { (0, rows.stride()) } else { (n / 4 * 4, 4 * rows.stride()) };
            let fetch = |at: usize| {
                if CHOSEN {
                    let ahead = at + $crate::int8::dispatch::AHEAD;
                    (ahead.min(n)..(ahead + 4).min(n)).for_each(|at| $crate::prefetch::prefetch_bytes(row(at)));
                } else {
                    // A few queries are faster than the memory their rows come from.
                    for offset in (0..ahead).step_by($crate::prefetch::APART) {
                        $crate::prefetch::prefetch_beyond(row(at), offset);
                    }
                }
            };
            for at in (0..fours).step_by(4) {
                fetch(at);
                columns(queries, [row(at), row(at + 1), row(at + 2), row(at + 3)], n, at, out);
            }
            for at in fours..n {
                if in_order {
                    fetch(at);
                }
                columns(queries, [row(at)], n, at, out);
            }
        }

        /// All queries against the rows that are `at..at + R` of `n`.
        $(#[$feature])?
        #[inline]
        pub(in crate::int8) fn columns<const R: usize>(
            queries: &$crate::int8::Int8Queries,
            rows: [&[u8]; R],
            n: usize,
            at: usize,
            out: &mut [i32],
        ) {
            let mut q = 0;
            while queries.len() - q >= $queries {
                tile::<$queries, R>(queries, q, rows, n, at, out);
                q += $queries;
            }
            if q + 2 <= queries.len() && $queries > 2 {
                tile::<2, R>(queries, q, rows, n, at, out);
                q += 2;
            }
            while q < queries.len() {
                tile::<1, R>(queries, q, rows, n, at, out);
                q += 1;
            }
        }

        $(#[$feature])?
        #[inline]
        fn tile<const Q: usize, const R: usize>(
            queries: &$crate::int8::Int8Queries,
            first: usize,
            rows: [&[u8]; R],
            n: usize,
            at: usize,
            out: &mut [i32],
        ) {
            let dim = queries.dim();
            let chunks = dim / WIDTH;
            let mut of_queries: [&[[i8; WIDTH]]; Q] = [&[]; Q];
            for q in 0..Q {
                of_queries[q] = &queries.query(first + q).as_chunks().0[..chunks];
            }
            let mut of_rows: [&[[u8; WIDTH]]; R] = [&[]; R];
            for r in 0..R {
                of_rows[r] = &rows[r].as_chunks().0[..chunks];
            }
            let mut sums = [[zero(); 4]; Q];
            for chunk in 0..chunks {
                let mut now = [query(&[0; WIDTH]); Q];
                for q in 0..Q {
                    now[q] = query(&of_queries[q][chunk]);
                }
                for r in 0..R {
                    let row = row(&of_rows[r][chunk]);
                    for q in 0..Q {
                        sums[q][r] = add_products(row, now[q], sums[q][r]);
                    }
                }
            }
            if !dim.is_multiple_of(WIDTH) {
                for q in 0..Q {
                    let query = query_part(&queries.query(first + q)[chunks * WIDTH..]);
                    for r in 0..R {
                        sums[q][r] = add_products(row_part(&rows[r][chunks * WIDTH..]), query, sums[q][r]);
                    }
                }
            }
            for q in 0..Q {
                let excess = if UNSIGNED { queries.excess(first + q) } else { 0 };
                let totals = totals(sums[q]).map(|total| total - excess);
                out[(first + q) * n + at..][..R].copy_from_slice(&totals[..R]);
            }
        }
    };
}
