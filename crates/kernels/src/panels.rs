//! The loop of many queries times many rows of every instruction set, over vectors laid out in panels.

/// Defines the module `panels` from an instruction set's lanes.
///
/// In scope must be `Lanes`, `WIDTH` and the functions `zero`, `load`, `store`, `multiply_add`, `subtract`, `add`,
/// `sums`, which reduces the lanes of `$queries` × `$rows` accumulators, and `reaching`, which compares lanes.
/// Accumulators, a query and the rows must fit the registers, and `$queries` × `$rows` must be a multiple of
/// `WIDTH`.
///
/// A panel has the chunks of `$queries` queries or `$rows` rows side by side, first the chunks 0, 2, 4, … and then
/// 1, 3, 5, …: the two accumulators of a pair (`tile.rs`) are worked on one after the other, which leaves registers
/// for twice as many pairs. All pairs of a tile are reduced at once. The additions of a pair are those that it has
/// alone.
macro_rules! define_panels {
    ($queries:literal x $rows:literal $(, #[$feature:meta])?) => {
        /// Many queries times many rows with this instruction set.
        pub(crate) mod panels {
            use super::*;
            use crate::batch::{Fill, Panels, Work};

            pub(crate) static PANELS: Panels = Panels {
                width: WIDTH,
                queries: $queries,
                rows: $rows,
                pack_queries: pack::<$queries>,
                pack_rows: pack::<$rows>,
                dot: reach::<false>,
                squared_l2: reach::<true>,
                fill_dot: fill::<false>,
                fill_squared_l2: fill::<true>,
            };

            /// Pairs of a tile; query `q` and row `r` are pair `q * $rows + r`.
            const PAIRS: usize = $queries * $rows;

            /// Puts `vector` at place `at` of a panel of `N`. The panel has zeros where no vector has been.
            $(#[$feature])?
            fn pack<const N: usize>(vector: &[f32], at: usize, panel: &mut [f32]) {
                let slots: &mut [[[f32; WIDTH]; N]] = panel.as_chunks_mut().0.as_chunks_mut().0;
                let odd = slots.len().div_ceil(2);
                let (chunks, rest) = vector.as_chunks::<WIDTH>();
                for (chunk, values) in chunks.iter().enumerate() {
                    slots[chunk / 2 + chunk % 2 * odd][at] = *values;
                }
                if !rest.is_empty() {
                    slots[chunks.len() / 2 + chunks.len() % 2 * odd][at][..rest.len()].copy_from_slice(rest);
                }
            }

            /// Lists the tiles with a pair that reaches; returns how many there are.
            $(#[$feature])?
            fn reach<const L2: bool>(work: Work<'_>) -> usize {
                let Work { chunks, queries, rows, ahead, least, tiles } = work;
                let queries: &[[[f32; WIDTH]; $queries]] = queries.as_chunks().0.as_chunks().0;
                let rows: &[[[f32; WIDTH]; $rows]] = rows.as_chunks().0.as_chunks().0;
                let least: &[[f32; PAIRS]] = least.as_chunks().0;
                let count = (queries.len() / chunks) * (rows.len() / chunks);
                let mut ahead = ahead.chunks(ahead.len().div_ceil(count.max(1)).max(1));
                let (mut even, mut listed) = ([[zero(); $rows]; $queries], 0);
                for (q, (queries, least)) in queries.chunks_exact(chunks).zip(least).enumerate() {
                    for (r, rows) in rows.chunks_exact(chunks).enumerate() {
                        ahead.next().into_iter().for_each($crate::prefetch::prefetch_far);
                        let scores = tile::<L2>(queries, rows, &mut even);
                        let mut reached = 0;
                        // Written in any case and kept if it counts: no branch for the CPU to guess wrong.
                        let listing = &mut tiles[listed];
                        let values = listing.scores.as_chunks_mut().0;
                        for (at, (&scores, least)) in scores.iter().zip(least.as_chunks().0).enumerate() {
                            reached |= reaching(scores, least) << (at * WIDTH);
                            values[at] = store(scores);
                        }
                        listing.reached = reached;
                        listing.place = (q as u32, r as u32);
                        listed += usize::from(reached != 0);
                    }
                }
                listed
            }

            /// Writes the scores of all pairs.
            $(#[$feature])?
            fn fill<const L2: bool>(work: Fill<'_>) {
                let Fill { chunks, queries, rows, ahead, stride, scores } = work;
                let queries: &[[[f32; WIDTH]; $queries]] = queries.as_chunks().0.as_chunks().0;
                let rows: &[[[f32; WIDTH]; $rows]] = rows.as_chunks().0.as_chunks().0;
                let count = (queries.len() / chunks) * (rows.len() / chunks);
                let mut ahead = ahead.chunks(ahead.len().div_ceil(count.max(1)).max(1));
                let mut even = [[zero(); $rows]; $queries];
                for (q, queries) in queries.chunks_exact(chunks).enumerate() {
                    for (r, rows) in rows.chunks_exact(chunks).enumerate() {
                        ahead.next().into_iter().for_each($crate::prefetch::prefetch_far);
                        let mut values = [0.0; PAIRS];
                        let lanes = values.as_chunks_mut().0;
                        for (lanes, found) in lanes.iter_mut().zip(tile::<L2>(queries, rows, &mut even)) {
                            *lanes = store(found);
                        }
                        for (at, values) in values.as_chunks::<$rows>().0.iter().enumerate() {
                            scores[(q * $queries + at) * stride + r * $rows..][..$rows].copy_from_slice(values);
                        }
                    }
                }
            }

            /// The scores of all pairs of two panels. `even` is room.
            $(#[$feature])?
            #[inline]
            fn tile<const L2: bool>(
                queries: &[[[f32; WIDTH]; $queries]],
                rows: &[[[f32; WIDTH]; $rows]],
                even: &mut [[Lanes; $rows]; $queries],
            ) -> [Lanes; PAIRS / WIDTH] {
                let odd = rows.len().div_ceil(2);
                accumulate_into::<L2>(&queries[..odd], &rows[..odd], even);
                let mut totals = accumulated::<L2>(&queries[odd..], &rows[odd..]);
                for q in 0..$queries {
                    for r in 0..$rows {
                        totals[q][r] = add(even[q][r], totals[q][r]);
                    }
                }
                let mut scores = sums(&totals);
                for score in &mut scores {
                    *score = if L2 { subtract(zero(), *score) } else { add(*score, zero()) };
                }
                scores
            }

            /// A function apart: in line, the compiler keeps some of these sums in registers that the others need.
            $(#[$feature])?
            #[inline(never)]
            fn accumulate_into<const L2: bool>(
                queries: &[[[f32; WIDTH]; $queries]],
                rows: &[[[f32; WIDTH]; $rows]],
                sums: &mut [[Lanes; $rows]; $queries],
            ) {
                *sums = accumulated::<L2>(queries, rows);
            }

            $(#[$feature])?
            #[inline]
            fn accumulated<const L2: bool>(
                queries: &[[[f32; WIDTH]; $queries]],
                rows: &[[[f32; WIDTH]; $rows]],
            ) -> [[Lanes; $rows]; $queries] {
                let mut sums = [[zero(); $rows]; $queries];
                for (queries, rows) in queries.iter().zip(rows) {
                    let mut of_rows = [zero(); $rows];
                    for r in 0..$rows {
                        of_rows[r] = load(&rows[r]);
                    }
                    for q in 0..$queries {
                        let query = load(&queries[q]);
                        for r in 0..$rows {
                            sums[q][r] = accumulate::<L2>(query, of_rows[r], sums[q][r]);
                        }
                    }
                }
                sums
            }
        }
    };
}
