//! The loop that scores many queries against many rows, which `batch.rs` copies into panels first.
//!
//! A *chunk* of a vector is as many consecutive numbers as a register has lanes. A *panel* holds the chunks of a few
//! vectors. Chunks with the same number are side by side, first all even ones and then all odd ones, so that a loop
//! reads a panel from start to end. For example, a panel of two vectors a and b with five chunks each:
//!
//! ```text
//! even chunks             │ odd chunks
//! a0 b0   a2 b2   a4 b4   │ a1 b1   a3 b3
//! ```
//!
//! A *tile* is all pairs of a query and a row from one panel of queries and one panel of rows: 16 pairs, or 8 with AVX2
//! and in portable code. Each pair has one accumulator register. The result must have the same bits as the result of
//! `tile.rs`, which adds even chunks to one accumulator and odd chunks to another. Here all even chunks come first, so
//! the loop computes the even accumulators of a tile, puts them aside, and then computes the odd ones. A pair therefore
//! needs one register at a time instead of two, and twice as many pairs fit in the registers.
//!
//! At the end of a tile, every pair has a register of partial sums. `horizontal_sums` reduces these registers together
//! by adding shuffled registers. This leaves the sums of all pairs side by side (in four registers with NEON, otherwise
//! in one), ready to be compared with thresholds. The lanes of a pair are added in the same order as in
//! `horizontal_sum`.

/// Defines the module `panels` for an instruction set.
///
/// These must be in scope: the register type `Lanes`, its number of floats `WIDTH`, and the functions `zero`, `load`,
/// `store`, `multiply_add`, `subtract`, `add`, `accumulate`, `horizontal_sums`, which reduces `$queries` × `$rows`
/// accumulators, and `mask_at_least`. The accumulators, one query and `$rows` rows must fit in the registers, and
/// `$queries` × `$rows` must be a multiple of `WIDTH`.
macro_rules! define_panels {
    ($queries:literal x $rows:literal $(, #[$feature:meta])?) => {
        pub(crate) mod panels {
            use super::*;
            use $crate::float::panel_kernels::{PanelKernels, ScoreArgs, SelectArgs};

            pub(crate) static PANELS: PanelKernels = PanelKernels {
                chunk_len: WIDTH,
                queries: $queries,
                rows: $rows,
                pack_query: pack::<$queries>,
                pack_row: pack::<$rows>,
                select_dot: select::<false>,
                select_squared_l2: select::<true>,
                score_dot: score::<false>,
                score_squared_l2: score::<true>,
            };

            /// Number of pairs in a tile. Query `q` and row `r` are pair `q * $rows + r`.
            const PAIRS: usize = $queries * $rows;

            /// Writes `vector` to slot `at` of a panel of `N` vectors. The padding after its last number is not
            /// written, so the panel must have zeros there.
            $(#[$feature])?
            fn pack<const N: usize>(vector: &[f32], at: usize, panel: &mut [f32]) {
                let positions: &mut [[[f32; WIDTH]; N]] = panel.as_chunks_mut().0.as_chunks_mut().0;
                let first_odd = positions.len().div_ceil(2);
                let (chunks, rest) = vector.as_chunks::<WIDTH>();
                for (chunk, values) in chunks.iter().enumerate() {
                    positions[chunk / 2 + chunk % 2 * first_odd][at] = *values;
                }
                if !rest.is_empty() {
                    let position = chunks.len() / 2 + chunks.len() % 2 * first_odd;
                    positions[position][at][..rest.len()].copy_from_slice(rest);
                }
            }

            /// Writes the tiles that have a score at or above its threshold to `args.tiles`, and returns their number.
            $(#[$feature])?
            fn select<const L2: bool>(args: SelectArgs<'_>) -> usize {
                let SelectArgs { chunks, queries, rows, read_next, thresholds, tiles } = args;
                let queries: &[[[f32; WIDTH]; $queries]] = queries.as_chunks().0.as_chunks().0;
                let rows: &[[[f32; WIDTH]; $rows]] = rows.as_chunks().0.as_chunks().0;
                let thresholds: &[[f32; PAIRS]] = thresholds.as_chunks().0;
                let count = (queries.len() / chunks) * (rows.len() / chunks);
                let mut read_next = read_next.chunks(read_next.len().div_ceil(count.max(1)).max(1));
                let (mut even, mut listed) = ([[zero(); $rows]; $queries], 0);
                for (q, (queries, thresholds)) in queries.chunks_exact(chunks).zip(thresholds).enumerate() {
                    for (r, rows) in rows.chunks_exact(chunks).enumerate() {
                        read_next.next().into_iter().for_each($crate::memory::prefetch::prefetch_to_l2);
                        let scores = tile::<L2>(queries, rows, &mut even);
                        let mut selected = 0;
                        // The tile is always written, and the next one overwrites it unless a bit is set. This takes no
                        // branch that could be mispredicted.
                        let tile = &mut tiles[listed];
                        let values = tile.scores.as_chunks_mut().0;
                        for (at, (&scores, thresholds)) in scores.iter().zip(thresholds.as_chunks().0).enumerate() {
                            selected |= mask_at_least(scores, thresholds) << (at * WIDTH);
                            values[at] = store(scores);
                        }
                        tile.selected = selected;
                        tile.query_panel = q as u32;
                        tile.row_panel = r as u32;
                        listed += usize::from(selected != 0);
                    }
                }
                listed
            }

            /// Writes all scores to `args.scores`.
            $(#[$feature])?
            fn score<const L2: bool>(args: ScoreArgs<'_>) {
                let ScoreArgs { chunks, queries, rows, read_next, stride, scores } = args;
                let queries: &[[[f32; WIDTH]; $queries]] = queries.as_chunks().0.as_chunks().0;
                let rows: &[[[f32; WIDTH]; $rows]] = rows.as_chunks().0.as_chunks().0;
                let count = (queries.len() / chunks) * (rows.len() / chunks);
                let mut read_next = read_next.chunks(read_next.len().div_ceil(count.max(1)).max(1));
                let mut even = [[zero(); $rows]; $queries];
                for (q, queries) in queries.chunks_exact(chunks).enumerate() {
                    for (r, rows) in rows.chunks_exact(chunks).enumerate() {
                        read_next.next().into_iter().for_each($crate::memory::prefetch::prefetch_to_l2);
                        let mut values = [0.0; PAIRS];
                        let stores = values.as_chunks_mut().0;
                        for (values, lanes) in stores.iter_mut().zip(tile::<L2>(queries, rows, &mut even)) {
                            *values = store(lanes);
                        }
                        for (at, values) in values.as_chunks::<$rows>().0.iter().enumerate() {
                            scores[(q * $queries + at) * stride + r * $rows..][..$rows].copy_from_slice(values);
                        }
                    }
                }
            }

            /// Returns the scores of all pairs of two panels. `even` is a buffer for the even accumulators.
            $(#[$feature])?
            #[inline]
            fn tile<const L2: bool>(
                queries: &[[[f32; WIDTH]; $queries]],
                rows: &[[[f32; WIDTH]; $rows]],
                even: &mut [[Lanes; $rows]; $queries],
            ) -> [Lanes; PAIRS / WIDTH] {
                let first_odd = rows.len().div_ceil(2);
                accumulate_panels_into::<L2>(&queries[..first_odd], &rows[..first_odd], even);
                let mut totals = accumulate_panels::<L2>(&queries[first_odd..], &rows[first_odd..]);
                for q in 0..$queries {
                    for r in 0..$rows {
                        totals[q][r] = add(even[q][r], totals[q][r]);
                    }
                }
                let mut scores = horizontal_sums(&totals);
                for score in &mut scores {
                    // Both expressions turn −0 into 0.
                    *score = if L2 { subtract(zero(), *score) } else { add(*score, zero()) };
                }
                scores
            }

            /// Accumulates the even chunks. It is never inlined: otherwise the compiler would keep some of these
            /// accumulators in registers during the loop over odd chunks, which needs all registers.
            $(#[$feature])?
            #[inline(never)]
            fn accumulate_panels_into<const L2: bool>(
                queries: &[[[f32; WIDTH]; $queries]],
                rows: &[[[f32; WIDTH]; $rows]],
                sums: &mut [[Lanes; $rows]; $queries],
            ) {
                *sums = accumulate_panels::<L2>(queries, rows);
            }

            /// Returns the accumulators of all pairs for these chunks.
            $(#[$feature])?
            #[inline]
            fn accumulate_panels<const L2: bool>(
                queries: &[[[f32; WIDTH]; $queries]],
                rows: &[[[f32; WIDTH]; $rows]],
            ) -> [[Lanes; $rows]; $queries] {
                let mut sums = [[zero(); $rows]; $queries];
                for (queries, rows) in queries.iter().zip(rows) {
                    let mut row_lanes = [zero(); $rows];
                    for r in 0..$rows {
                        row_lanes[r] = load(&rows[r]);
                    }
                    for q in 0..$queries {
                        let query = load(&queries[q]);
                        for r in 0..$rows {
                            sums[q][r] = accumulate::<L2>(query, row_lanes[r], sums[q][r]);
                        }
                    }
                }
                sums
            }
        }
    };
}
