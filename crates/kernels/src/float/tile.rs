//! The loop that scores blocks of rows, `f32` or 16-bit floats, against queries.
//!
//! A *chunk* of a vector is as many consecutive numbers as a register has lanes. A *tile* is all pairs of a few queries
//! and a few rows whose products are accumulated in registers, so that each loaded chunk is used for several pairs.
//! Each pair has two accumulators; with one, every addition would wait for the previous one:
//!
//! ```text
//! query   │ chunk 0 │ chunk 1 │ chunk 2 │ chunk 3 │ rest, padded with zeros
//!   ×     │         │         │         │         │
//! row     │ chunk 0 │ chunk 1 │ chunk 2 │ chunk 3 │ rest, padded with zeros
//!              │         │         │         │         │
//! even    ─────┴─────────┼─────────┴─────────┼─────────┴──►  even + odd,
//! odd     ───────────────┴───────────────────┴────────────►  then the horizontal sum
//! ```
//!
//! Lane j of the even accumulator adds the products of elements j of chunks 0, 2, 4, …; the odd accumulator adds the
//! products of chunks 1, 3, 5, …. The rest is treated as one more chunk. The arithmetic of a pair does not depend on
//! the size of the tile or the position of the pair in the tile, so a score always has the same bits.

/// Defines `KERNELS` for an instruction set.
///
/// Everything that `define_tiles` and `define_panels` need must be in scope. The first two sizes are the maximum
/// numbers of queries and of rows of a tile in `define_tiles`. The other two sizes are the number of queries in a panel
/// of queries and the number of rows in a panel of rows.
macro_rules! define_kernels {
    (
        $name:literal, $queries:literal x $rows:literal,
        panels $panel_queries:literal x $panel_rows:literal $(, #[$feature:meta])?
    ) => {
        define_tiles!(f32: load, load_part; $queries x $rows $(, #[$feature])?);
        define_panels!($panel_queries x $panel_rows $(, #[$feature])?);

        pub(crate) static KERNELS: $crate::Kernels = $crate::Kernels {
            name: $name,
            dot: pair::<false>,
            squared_l2: pair::<true>,
            dot_block: block::<false>,
            squared_l2_block: block::<true>,
            panels: &panels::PANELS,
        };

        /// Returns the inner product of two vectors, or their squared distance if `L2`.
        $(#[$feature])?
        fn pair<const L2: bool>(a: &[f32], b: &[f32]) -> f32 {
            let [[value]] = tile::<L2, 1, 1, false>([a], [b]);
            value
        }
    };
}

/// Defines `block` and `tile` for rows of numbers of type `$row`.
///
/// These must be in scope: the register type `Lanes`, its number of floats `WIDTH`, and the functions `zero`, `load`,
/// `load_part`, `multiply_add`, `subtract`, `add` and `horizontal_sum`. `$load` and `$load_part` load numbers of a row.
/// 2 × `$queries` × `$rows` accumulators, `$rows` rows and one query must fit in the registers.
macro_rules! define_tiles {
    ($row:ty: $load:ident, $load_part:ident; $queries:literal x $rows:literal $(, #[$feature:meta])?) => {
        /// Writes the inner product, or the squared distance if `L2`, of every query and row to `values`, query by
        /// query.
        $(#[$feature])?
        pub(super) fn block<const L2: bool>(dim: usize, queries: &[f32], rows: &[$row], values: &mut [f32]) {
            // With one query, memory is the bottleneck, and it is read fastest from start to end: one row at a time.
            // This does not hold for narrow registers, where computing one pair at a time would be slower than memory.
            if queries.len() == dim && WIDTH >= 8 {
                for (row, value) in rows.chunks_exact(dim).zip(values) {
                    [[*value]] = tile::<L2, 1, 1, true>([queries], [row]);
                }
                return;
            }
            let n = rows.len() / dim;
            let mut row = 0;
            while row < n {
                if n - row >= $rows {
                    row_group::<L2, $rows>(dim, queries, rows, values, row);
                    row += $rows;
                } else {
                    row_group::<L2, 1>(dim, queries, rows, values, row);
                    row += 1;
                }
            }
        }

        /// Writes the values of all queries and the rows `row..row + R`.
        $(#[$feature])?
        #[inline]
        fn row_group<const L2: bool, const R: usize>(
            dim: usize,
            queries: &[f32],
            rows: &[$row],
            values: &mut [f32],
            row: usize,
        ) {
            let (n, count) = (rows.len() / dim, queries.len() / dim);
            let mut group: [&[$row]; R] = [&[]; R];
            for (r, slice) in group.iter_mut().enumerate() {
                *slice = &rows[(row + r) * dim..][..dim];
            }
            let mut q = 0;
            while q < count {
                if count - q >= $queries {
                    let mut tile_queries: [&[f32]; $queries] = [&[]; $queries];
                    for (at, query) in tile_queries.iter_mut().enumerate() {
                        *query = &queries[(q + at) * dim..][..dim];
                    }
                    let tile_values = tile::<L2, $queries, R, false>(tile_queries, group);
                    for (at, query_values) in tile_values.iter().enumerate() {
                        values[(q + at) * n + row..][..R].copy_from_slice(query_values);
                    }
                    q += $queries;
                } else {
                    let [query_values] = tile::<L2, 1, R, false>([&queries[q * dim..][..dim]], group);
                    values[q * n + row..][..R].copy_from_slice(&query_values);
                    q += 1;
                }
            }
        }

        /// Returns the values of `Q` × `R` pairs of vectors, which all have the same length. With `PREFETCH`, memory
        /// after the first row is prefetched, because the next rows follow it.
        $(#[$feature])?
        #[inline]
        fn tile<const L2: bool, const Q: usize, const R: usize, const PREFETCH: bool>(
            queries: [&[f32]; Q],
            rows: [&[$row]; R],
        ) -> [[f32; R]; Q] {
            let dim = queries[0].len();
            let (chunks, chunk_pairs) = (dim / WIDTH, dim / WIDTH / 2);
            let mut query_pairs: [&[[[f32; WIDTH]; 2]]; Q] = [&[]; Q];
            for q in 0..Q {
                query_pairs[q] = &queries[q].as_chunks().0.as_chunks().0[..chunk_pairs];
            }
            let mut row_pairs: [&[[[$row; WIDTH]; 2]]; R] = [&[]; R];
            for r in 0..R {
                row_pairs[r] = &rows[r].as_chunks().0.as_chunks().0[..chunk_pairs];
            }
            let mut even = [[zero(); R]; Q];
            let mut odd = [[zero(); R]; Q];
            for at in 0..chunk_pairs {
                let offset = at * size_of::<[[$row; WIDTH]; 2]>();
                if PREFETCH && offset.is_multiple_of($crate::memory::prefetch::PREFETCH_INTERVAL) {
                    $crate::memory::prefetch::prefetch_ahead(rows[0], offset);
                }
                add_chunk::<L2, Q, R>(&mut even, |q| &query_pairs[q][at][0], |r| &row_pairs[r][at][0]);
                add_chunk::<L2, Q, R>(&mut odd, |q| &query_pairs[q][at][1], |r| &row_pairs[r][at][1]);
            }
            if chunks % 2 == 1 {
                let start = 2 * chunk_pairs * WIDTH;
                add_chunk::<L2, Q, R>(
                    &mut even,
                    |q| queries[q][start..].first_chunk().expect("a whole chunk"),
                    |r| rows[r][start..].first_chunk().expect("a whole chunk"),
                );
                // The rest follows an even chunk, so it belongs to the odd accumulator. The code below adds it to
                // `even`, so both are swapped, which does not change the bits of even + odd.
                std::mem::swap(&mut even, &mut odd);
            }
            if dim % WIDTH != 0 {
                let start = chunks * WIDTH;
                let mut row_lanes = [zero(); R];
                for r in 0..R {
                    row_lanes[r] = $load_part(&rows[r][start..dim]);
                }
                for q in 0..Q {
                    let query = load_part(&queries[q][start..dim]);
                    for r in 0..R {
                        even[q][r] = accumulate::<L2>(query, row_lanes[r], even[q][r]);
                    }
                }
            }
            let mut totals = [[zero(); R]; Q];
            for q in 0..Q {
                for r in 0..R {
                    totals[q][r] = add(even[q][r], odd[q][r]);
                }
            }
            if Q * R == 1 {
                return [[horizontal_sum(totals[0][0]); R]; Q];
            }
            sum_each(&totals)
        }

        /// Returns the horizontal sum of every pair. It is never inlined: otherwise it would take registers that the
        /// loop over chunks needs, and the compiler would spill accumulators to the stack.
        $(#[$feature])?
        #[inline(never)]
        fn sum_each<const Q: usize, const R: usize>(totals: &[[Lanes; R]; Q]) -> [[f32; R]; Q] {
            let mut values = [[0.0; R]; Q];
            for q in 0..Q {
                for r in 0..R {
                    values[q][r] = horizontal_sum(totals[q][r]);
                }
            }
            values
        }

        /// Adds one chunk to the accumulators of all pairs.
        $(#[$feature])?
        #[inline]
        fn add_chunk<'a, const L2: bool, const Q: usize, const R: usize>(
            accumulators: &mut [[Lanes; R]; Q],
            queries: impl Fn(usize) -> &'a [f32; WIDTH],
            rows: impl Fn(usize) -> &'a [$row; WIDTH],
        ) {
            let mut row_lanes = [zero(); R];
            for r in 0..R {
                row_lanes[r] = $load(rows(r));
            }
            for q in 0..Q {
                let query = load(queries(q));
                for r in 0..R {
                    accumulators[q][r] = accumulate::<L2>(query, row_lanes[r], accumulators[q][r]);
                }
            }
        }

        /// Adds the products of the lanes of `a` and `b`, or their squared differences if `L2`, to `sum`.
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
