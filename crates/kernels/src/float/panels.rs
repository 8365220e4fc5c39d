//! The loop that scores many queries against many rows, which `batch.rs` copies into panels first.
//!
//! A *chunk* is as many numbers of a vector as a register has lanes. A *panel* has the chunks of a few vectors, those of
//! the same position side by side, so that one loop reads it from start to end: first all even chunks, then all odd ones.
//! A panel of two vectors a and b with five chunks each:
//!
//! ```text
//! even chunks             │ odd chunks
//! a0 b0   a2 b2   a4 b4   │ a1 b1   a3 b3
//! ```
//!
//! A *tile* is all pairs of one panel of queries and one panel of rows, 16 (8 with AVX2) at a time. Each pair has one
//! accumulator register. The result must have the same bits as `tile.rs` computes, which adds even chunks to one
//! accumulator and odd chunks to another. The order of chunks makes it possible to compute them one after the other, so
//! that a pair needs one register at a time instead of two, and twice as many pairs fit.
//!
//! At the end of a tile, every pair has a register of partial sums. `horizontal_sums` reduces them together by adding
//! shuffled registers, which leaves the sums of all pairs side by side in one register, ready to be compared with
//! thresholds. Each pair's additions are those of `horizontal_sum` in the same order.

/// Defines the module `panels` for an instruction set.
///
/// These must be in scope: the register type `Lanes`, its number of floats `WIDTH`, and the functions `zero`, `load`,
/// `store`, `multiply_add`, `subtract`, `add`, `accumulate`, `horizontal_sums`, which reduces `$queries` × `$rows`
/// accumulators, and `mask_at_least`. The accumulators, one query and `$rows` rows must fit the registers, and `$queries`
/// × `$rows` must be a multiple of `WIDTH`.
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

            /// Pairs of a tile. Query `q` and row `r` are pair `q * $rows + r`.
            const PAIRS: usize = $queries * $rows;

            /// Writes `vector` to place `at` of a panel of `N` vectors. Places without a vector are zeros.
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

            /// Lists the tiles that have a score at or above its threshold, and returns how many there are.
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
                        // The tile is always written, and kept only if a bit is set: this has no branch to mispredict.
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

            /// Writes all scores.
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

            /// The scores of all pairs of two panels. `even` is a buffer for accumulators.
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
                    // Both turn −0 into 0.
                    *score = if L2 { subtract(zero(), *score) } else { add(*score, zero()) };
                }
                scores
            }

            /// Never inlined: otherwise the compiler keeps some of these accumulators in registers during the loop over
            /// odd chunks, which needs all of them.
            $(#[$feature])?
            #[inline(never)]
            fn accumulate_panels_into<const L2: bool>(
                queries: &[[[f32; WIDTH]; $queries]],
                rows: &[[[f32; WIDTH]; $rows]],
                sums: &mut [[Lanes; $rows]; $queries],
            ) {
                *sums = accumulate_panels::<L2>(queries, rows);
            }

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
