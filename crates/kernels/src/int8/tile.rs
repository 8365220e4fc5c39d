//! The loop that multiplies queries and rows of bytes. It accumulates a *tile* in registers: the inner products of up
//! to four queries and four rows.
//!
//! A *chunk* is as many bytes as a register holds. Each lane of an accumulator adds the products of four neighboring
//! bytes. At the end, `totals` adds the lanes of four accumulators:
//!
//! ```text
//! row     │ b0 b1 b2 b3 │ b4 b5 b6 b7 │ …   bytes, 0 to 255
//! query   │ q0 q1 q2 q3 │ q4 q5 q6 q7 │ …   signed bytes
//!         └──────┬──────┴──────┬──────┘
//! sums         lane 0        lane 1     …   32-bit integers
//! ```
//!
//! NEON without `dotprod` and the portable code add the same products in a different order.

/// Defines `KERNELS` for an instruction set, with the functions that [`define_int8_products`] defines.
macro_rules! define_int8 {
    ($instruction_set:ident, queries: $queries:literal, bounds: $bounds:path $(, #[$feature:meta])?) => {
        pub(in crate::int8) static KERNELS: $crate::int8::Int8Kernels = $crate::int8::Int8Kernels {
            name: $crate::int8::InstructionSet::$instruction_set.name(),
            instruction_set: $crate::int8::InstructionSet::$instruction_set,
            products,
            products_of,
            bounds_at_least: $bounds,
        };

        define_int8_products!(queries: $queries $(, #[$feature])?);
    };
}

/// Defines the functions `products` and `products_of`.
///
/// These must be in scope:
///
/// - The `Copy` types `Row` and `Query`, a chunk of each in registers, and `Sums`, an accumulator.
/// - The constants `WIDTH`, the number of bytes of a chunk, and `UNSIGNED`, which says whether rows are multiplied as
///   bytes 0 to 255 instead of codes −128 to 127.
/// - The functions `zero`; `row` and `query`, which load a chunk; `row_part`, which loads up to `WIDTH` bytes and fills
///   the rest with zeros; `add_products`; and `totals`.
macro_rules! define_int8_products {
    (queries: $queries:literal $(, #[$feature:meta])?) => {
        $(#[$feature])?
        pub(in crate::int8) fn products_of(
            queries: &$crate::int8::Int8Queries,
            rows: $crate::int8::Int8Rows<'_>,
            ords: &[u32],
            out: &mut [i32],
        ) {
            multiply::<true>(queries, rows, ords, out);
        }

        $(#[$feature])?
        pub(in crate::int8) fn products(
            queries: &$crate::int8::Int8Queries,
            rows: $crate::int8::Int8Rows<'_>,
            _: &[u32],
            out: &mut [i32],
        ) {
            multiply::<false>(queries, rows, &[], out);
        }

        /// Multiplies all queries with all rows, or, if `CHOSEN`, with the rows `ords`.
        $(#[$feature])?
        #[inline]
        fn multiply<const CHOSEN: bool>(
            queries: &$crate::int8::Int8Queries,
            rows: $crate::int8::Int8Rows<'_>,
            ords: &[u32],
            out: &mut [i32],
        ) {
            let n = if CHOSEN { ords.len() } else { rows.len() };
            let ord = |at: usize| if CHOSEN { ords[at] as usize } else { at };
            let row = |at: usize| rows.row_and_rest(ord(at));
            if CHOSEN {
                (0..n.min($crate::int8::kernels::PREFETCH_DISTANCE))
                    .for_each(|at| $crate::memory::prefetch::prefetch(rows.row(ord(at))));
            }
            // With one or two queries, memory is the bottleneck. It is read fastest from start to end, so rows are
            // multiplied one at a time.
            let one_by_one = !CHOSEN && queries.len() <= 2;
            let (end_of_fours, fetched_bytes) =
                if one_by_one { (0, rows.stride()) } else { (n / 4 * 4, 4 * rows.stride()) };
            let prefetch_after = |at: usize| {
                if CHOSEN {
                    let next = at + $crate::int8::kernels::PREFETCH_DISTANCE;
                    (next.min(n)..(next + 4).min(n))
                        .for_each(|at| $crate::memory::prefetch::prefetch(rows.row(ord(at))));
                } else {
                    // With few queries, multiplying is faster than reading rows from memory, so rows far ahead are
                    // requested.
                    for offset in (0..fetched_bytes).step_by($crate::memory::prefetch::PREFETCH_INTERVAL) {
                        $crate::memory::prefetch::prefetch_ahead(row(at), offset);
                    }
                }
            };
            for at in (0..end_of_fours).step_by(4) {
                prefetch_after(at);
                row_group(queries, 0, [row(at), row(at + 1), row(at + 2), row(at + 3)], n, at, out);
            }
            for at in end_of_fours..n {
                if one_by_one {
                    prefetch_after(at);
                }
                row_group(queries, 0, [row(at)], n, at, out);
            }
        }

        /// Writes the products of the queries from `first` on and the rows `at..at + R` of `n` rows to `out`, which has
        /// the layout of [`Int8Kernels::products`](crate::int8::Int8Kernels::products). The slices in `rows` may be
        /// longer than a row.
        $(#[$feature])?
        #[inline]
        pub(in crate::int8) fn row_group<const R: usize>(
            queries: &$crate::int8::Int8Queries,
            first: usize,
            rows: [&[u8]; R],
            n: usize,
            at: usize,
            out: &mut [i32],
        ) {
            let mut q = first;
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

        /// Writes the products of the queries `first..first + Q` and the rows `at..at + R` of `n` rows to `out`.
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
            let mut query_chunks: [&[[i8; WIDTH]]; Q] = [&[]; Q];
            for q in 0..Q {
                query_chunks[q] = &queries.values_and_zeros(first + q).as_chunks().0[..chunks];
            }
            let mut row_chunks: [&[[u8; WIDTH]]; R] = [&[]; R];
            for r in 0..R {
                row_chunks[r] = &rows[r].as_chunks().0[..chunks];
            }
            let mut sums = [[zero(); 4]; Q];
            for chunk in 0..chunks {
                let mut query_lanes = [query(&[0; WIDTH]); Q];
                for q in 0..Q {
                    query_lanes[q] = query(&query_chunks[q][chunk]);
                }
                for r in 0..R {
                    let row = row(&row_chunks[r][chunk]);
                    for q in 0..Q {
                        sums[q][r] = add_products(row, query_lanes[q], sums[q][r]);
                    }
                }
            }
            if !dim.is_multiple_of(WIDTH) {
                for q in 0..Q {
                    let query_rest = &queries.values_and_zeros(first + q)[chunks * WIDTH..];
                    let query = query(query_rest.first_chunk().expect("values and zeros of a chunk"));
                    for r in 0..R {
                        // If a whole chunk can be read, that is faster. The query has zeros for the bytes after the row.
                        let rest = &rows[r][chunks * WIDTH..];
                        let row = match rest.first_chunk() {
                            Some(chunk) => row(chunk),
                            None => row_part(&rest[..dim % WIDTH]),
                        };
                        sums[q][r] = add_products(row, query, sums[q][r]);
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
