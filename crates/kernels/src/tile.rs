//! The one loop of every instruction set, over rows of `f32` and of 16-bit floats: `Q` queries times `R` rows in
//! registers.

/// Defines `KERNELS` from an instruction set's lanes.
///
/// In scope must be what `define_tiles` and `define_panels` need; `panels` are those of the latter.
macro_rules! define_kernels {
    (
        $name:literal, $queries:literal x $rows:literal,
        panels $of_queries:literal x $of_rows:literal $(, #[$feature:meta])?
    ) => {
        define_tiles!(f32: load, load_part; $queries x $rows $(, #[$feature])?);
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
    };
}

/// Defines `block` and `tile`, the values of queries and rows of numbers of type `$row`.
///
/// In scope must be `Lanes`, `WIDTH` and the functions `zero`, `load`, `load_part`, `multiply_add`, `subtract`, `add`
/// and `sum`; `$load` and `$load_part` are what loads numbers of a row. `$queries` × `$rows` pairs are worked on at
/// once, each with two accumulators, because one would wait for its own addition most of the time; the product of
/// the three must fit the registers.
///
/// The arithmetic of a pair is that of `tile` alone: lane `j` of the even accumulator adds elements `j` of the
/// chunks 0, 2, 4, …, the odd one those of the chunks 1, 3, 5, …; what remains of the vector goes to the
/// accumulator whose turn it is, with zeros behind it. It does not depend on `Q`, `R` or the pair's place.
macro_rules! define_tiles {
    ($row:ty: $load:ident, $load_part:ident; $queries:literal x $rows:literal $(, #[$feature:meta])?) => {
        /// All queries against all rows.
        $(#[$feature])?
        pub(super) fn block<const L2: bool>(dim: usize, queries: &[f32], rows: &[$row], values: &mut [f32]) {
            // One query is faster than the memory its rows come from, which is read fastest from first to last. Two
            // accumulators of few lanes would be slower than that.
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
                    columns::<L2, $rows>(dim, queries, rows, values, row);
                    row += $rows;
                } else {
                    columns::<L2, 1>(dim, queries, rows, values, row);
                    row += 1;
                }
            }
        }

        /// All queries against the rows `row..row + R`.
        $(#[$feature])?
        #[inline]
        fn columns<const L2: bool, const R: usize>(
            dim: usize,
            queries: &[f32],
            rows: &[$row],
            values: &mut [f32],
            row: usize,
        ) {
            let (n, count) = (rows.len() / dim, queries.len() / dim);
            let mut of_rows: [&[$row]; R] = [&[]; R];
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
                    let found = tile::<L2, $queries, R, false>(several, of_rows);
                    for (at, found) in found.iter().enumerate() {
                        values[(q + at) * n + row..][..R].copy_from_slice(found);
                    }
                    q += $queries;
                } else {
                    let [found] = tile::<L2, 1, R, false>([&queries[q * dim..][..dim]], of_rows);
                    values[q * n + row..][..R].copy_from_slice(&found);
                    q += 1;
                }
            }
        }

        /// The values of `Q` times `R` pairs; all vectors have the length of the first query. `FETCH` says that
        /// what is read after a row follows it in memory.
        $(#[$feature])?
        #[inline]
        fn tile<const L2: bool, const Q: usize, const R: usize, const FETCH: bool>(
            queries: [&[f32]; Q],
            rows: [&[$row]; R],
        ) -> [[f32; R]; Q] {
            let dim = queries[0].len();
            let (chunks, pairs) = (dim / WIDTH, dim / WIDTH / 2);
            let mut of_queries: [&[[[f32; WIDTH]; 2]]; Q] = [&[]; Q];
            for q in 0..Q {
                of_queries[q] = &queries[q].as_chunks().0.as_chunks().0[..pairs];
            }
            let mut of_rows: [&[[[$row; WIDTH]; 2]]; R] = [&[]; R];
            for r in 0..R {
                of_rows[r] = &rows[r].as_chunks().0.as_chunks().0[..pairs];
            }
            let mut even = [[zero(); R]; Q];
            let mut odd = [[zero(); R]; Q];
            for at in 0..pairs {
                let offset = at * size_of::<[[$row; WIDTH]; 2]>();
                if FETCH && offset.is_multiple_of($crate::prefetch::APART) {
                    $crate::prefetch::prefetch_beyond(rows[0], offset);
                }
                step::<L2, Q, R>(&mut even, |q| &of_queries[q][at][0], |r| &of_rows[r][at][0]);
                step::<L2, Q, R>(&mut odd, |q| &of_queries[q][at][1], |r| &of_rows[r][at][1]);
            }
            if chunks % 2 == 1 {
                let start = 2 * pairs * WIDTH;
                step::<L2, Q, R>(
                    &mut even,
                    |q| queries[q][start..].first_chunk().expect("a whole chunk"),
                    |r| rows[r][start..].first_chunk().expect("a whole chunk"),
                );
                // `even` is again the one whose turn it is; their sum is the same.
                std::mem::swap(&mut even, &mut odd);
            }
            if dim % WIDTH != 0 {
                let start = chunks * WIDTH;
                let mut of_rows = [zero(); R];
                for r in 0..R {
                    of_rows[r] = $load_part(&rows[r][start..dim]);
                }
                for q in 0..Q {
                    let query = load_part(&queries[q][start..dim]);
                    for r in 0..R {
                        even[q][r] = accumulate::<L2>(query, of_rows[r], even[q][r]);
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
                return [[sum(totals[0][0]); R]; Q];
            }
            lane_sums(&totals)
        }

        /// The sum of every pair's lanes. A function apart: in line it takes registers that the loop needs, and the
        /// compiler keeps what they held on the stack.
        $(#[$feature])?
        #[inline(never)]
        fn lane_sums<const Q: usize, const R: usize>(totals: &[[Lanes; R]; Q]) -> [[f32; R]; Q] {
            let mut values = [[0.0; R]; Q];
            for q in 0..Q {
                for r in 0..R {
                    values[q][r] = sum(totals[q][r]);
                }
            }
            values
        }

        /// Adds a chunk of every pair.
        $(#[$feature])?
        #[inline]
        fn step<'a, const L2: bool, const Q: usize, const R: usize>(
            accumulators: &mut [[Lanes; R]; Q],
            queries: impl Fn(usize) -> &'a [f32; WIDTH],
            rows: impl Fn(usize) -> &'a [$row; WIDTH],
        ) {
            let mut of_rows = [zero(); R];
            for r in 0..R {
                of_rows[r] = $load(rows(r));
            }
            for q in 0..Q {
                let query = load(queries(q));
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
