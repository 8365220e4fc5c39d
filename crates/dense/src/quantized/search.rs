//! Searches in two passes: the first rules out most rows by their int8 copies (see the [parent module](super)):
//! [`search`] for one query, [`search_many`] for many. Queries are already [prepared](crate::Similarity::prepare).

use std::ops::Range;

use control::{Canceled, Control};
use kernels::int8::{BOUND_ROWS, InstructionSet, Int8Bound, Int8Kernels, Int8RowBounds};
use ranking::Hit;

use super::QuantizedRows;
use super::candidates::{Candidate, Candidates};
use super::quantized_rows::QuantizedBlock;
use super::score_bounds::{Bits, Precision, QuantizedQueries};
use crate::Error;
use crate::exact::scan::{MAX_UNBATCHED_QUERIES, scan, scan_many, scan_one};
use crate::exact::work_partition::{Partition, search_partitioned};
use crate::filter::Filter;
use crate::store::rows_view::RowsView;

/// The maximum number of queries in a group, all of which are multiplied by one block of rows before the next block is
/// read. This many queries fit in the L2 cache together with the block. Larger groups save at most 3% of the time, and
/// with several threads, the rows would have to be split into more parts.
const QUERIES_PER_GROUP: usize = 256;
/// Up to this many queries are quantized to 14 bits per number, more queries to 8 bits. With so few queries, reading
/// the codes of rows takes longer than multiplying them, so tighter bounds take little time.
const MAX_FOURTEEN_BIT_QUERIES: usize = 4;

/// Returns the minimum number of live rows per hit for a number of queries. With fewer rows, the first pass would rule
/// out too few of them, and is left out. The minimum is lowest for four to eight queries, for which a scan takes
/// longest per query: copying rows into panels takes as long as scoring them for several queries.
///
/// The numbers were measured with 500 to 50,000 rows of 384 dimensions, for 10 and 100 hits, on an AMD EPYC (Zen 4)
/// with AVX-512 VNNI and AVX2. `cargo bench -p dense --bench flat -- few_rows` compares both ways near the minimums.
const fn min_rows_per_hit(num_queries: usize) -> usize {
    if num_queries <= MAX_UNBATCHED_QUERIES {
        40
    } else if num_queries <= 8 {
        10
    } else {
        64
    }
}

/// Returns the maximum number of queries in one search for which two passes are faster than a scan of all vectors.
///
/// `cargo bench -p dense --bench flat` times both, for one query at a time and for a thousand at once. The end-to-end
/// benchmarks are `npm run bench -- qps NAME` with the names `flat-50k-384` and `flat-100k-768` (`avx512vnni`) and
/// `flat-50k-384-avx2` (`avx2`); their records are in `benches/qps/record`. `avx512bw` was not measured: it multiplies
/// batches as `avx2` does, 36 products per cycle by the pipeline model of Skylake, where the scan can do at most 32.
fn max_first_pass_queries(instruction_set: InstructionSet) -> usize {
    match instruction_set {
        // With dot products of bytes, or sums of small groups in 16 bits, two passes are always faster.
        InstructionSet::Avx512Vnni
        | InstructionSet::AvxVnni
        | InstructionSet::Avx512Bw
        | InstructionSet::Avx2
        | InstructionSet::NeonI8mm
        | InstructionSet::NeonDotprod => usize::MAX,
        // Otherwise they are faster only for so few queries that both ways wait for memory.
        InstructionSet::Neon | InstructionSet::Scalar => 12,
    }
}

/// Returns the precision of `count` queries that are multiplied together.
fn precision(count: usize, instruction_set: InstructionSet) -> Precision {
    Precision {
        bits: if count <= MAX_FOURTEEN_BIT_QUERIES { Bits::Fourteen } else { Bits::Eight },
        has_small_groups: instruction_set.prefers_small_groups(),
    }
}

/// The vectors of an index and their int8 copy.
#[derive(Clone, Copy)]
pub(crate) struct RowsWithCodes<'a> {
    pub view: RowsView<'a>,
    pub quantized: &'a QuantizedRows,
}

/// The parameters that all queries of a search share.
#[derive(Clone, Copy)]
struct Search<'a> {
    rows: RowsWithCodes<'a>,
    k: usize,
    filter: Option<Filter<'a>>,
    control: &'a Control,
}

/// Returns the `k` best of the live rows that the filter allows for one prepared query, best first.
pub(crate) fn search(
    rows: RowsWithCodes<'_>,
    query: &[f32],
    k: usize,
    filter: Option<Filter>,
    control: &Control,
) -> Result<Vec<Hit>, Error> {
    if !is_worthwhile(&rows.view, 1, k) {
        return Ok(scan(&rows.view, query, k, filter, control)?);
    }
    let mut found = Search { rows, k, filter, control }.search_range(0..rows.view.len(), query)?;
    Ok(found.pop().unwrap_or_default())
}

/// Returns the `k` best of the live rows that the filter allows for each of the prepared queries `[q * dim]`, best
/// first. Runs on `threads` threads (0: one per CPU), and counts each query as one unit of progress.
pub(crate) fn search_many(
    rows: RowsWithCodes<'_>,
    queries: &[f32],
    k: usize,
    threads: usize,
    filter: Option<Filter>,
    control: &Control,
) -> Result<Vec<Vec<Hit>>, Error> {
    let view = rows.view;
    if !is_worthwhile(&view, queries.len() / view.dim, k) {
        return scan_many(&view, queries, k, threads, filter, control);
    }
    let search = Search { rows, k, filter, control };
    let partition =
        Partition { dim: view.dim, queries_per_group: QUERIES_PER_GROUP, num_rows: view.len(), k };
    search_partitioned(queries, partition, threads, control, |rows, queries| {
        search.search_range(rows, queries)
    })
}

/// Returns whether the first pass is expected to save time.
fn is_worthwhile(view: &RowsView, num_queries: usize, k: usize) -> bool {
    let has_many_rows = k.saturating_mul(min_rows_per_hit(num_queries)) <= view.live_len();
    k > 0 && has_many_rows && num_queries <= max_first_pass_queries(Int8Kernels::detect().instruction_set())
}

impl Search<'_> {
    /// Returns the `k` best rows of a range for each query of a group, best first.
    fn search_range(&self, rows: Range<usize>, queries: &[f32]) -> Result<Vec<Vec<Hit>>, Canceled> {
        let Self { rows: RowsWithCodes { view, .. }, filter, control, .. } = *self;
        let k = self.k.min(rows.len());
        let (quantized, candidates) = self.collect_candidates(rows.clone(), queries)?;
        let candidates = candidates.into_iter().zip(&quantized.bounds).zip(queries.chunks_exact(view.dim));
        let scored = candidates.map(|((candidates, bounds), query)| {
            if candidates.has_overflowed {
                return Ok(scan_one(&view, rows.clone(), query, k, filter, control)?.into_sorted());
            }
            control.check()?;
            Ok(candidates.score(&view, query, bounds).into_sorted())
        });
        scored.collect()
    }

    /// Quantizes the queries of a group, and collects for each query the rows of a range that the query's bounds do not
    /// rule out.
    fn collect_candidates(
        &self,
        rows: Range<usize>,
        queries: &[f32],
    ) -> Result<(QuantizedQueries, Vec<Candidates>), Canceled> {
        let Self { rows: RowsWithCodes { view, quantized }, filter, control, .. } = *self;
        let count = queries.len() / view.dim;
        let precision = precision(count, Int8Kernels::detect().instruction_set());
        let queries = QuantizedQueries::new(view.similarity, view.dim, queries, precision);
        let mut candidates: Vec<Candidates> =
            (0..count).map(|_| Candidates::new(self.k.min(rows.len()))).collect();
        let mut scratch = BlockScratch::new(queries.vectors.len());
        let all_allowed = filter.is_none() && view.live_len() == view.len();
        let mut start = rows.start;
        while start < rows.end {
            control.check()?;
            let block = quantized.block(start, BOUND_ROWS.min(rows.end - start));
            let first = start as u32;
            start += block.codes.len();
            let is_allowed =
                |at: u32| view.is_live(first + at) && filter.is_none_or(|filter| filter.allows(first + at));
            let allowed = if all_allowed {
                u64::MAX
            } else {
                (0..block.codes.len() as u32).fold(0, |bits, at| bits | u64::from(is_allowed(at)) << at)
            };
            if allowed != 0 {
                scratch.multiply(&queries, block, allowed);
                scratch.add_candidates(&queries, block, first, &mut candidates);
            }
        }
        Ok((queries, candidates))
    }
}

/// Buffers for one block of up to [`BOUND_ROWS`] rows.
///
/// *Allowed* rows are the rows that may be hits: the live rows that the filter allows. If more than half of the rows of
/// the block are allowed, all rows are multiplied with the queries, and a bit mask says which rows are allowed.
/// Otherwise only the allowed rows, then called the *gathered* rows, are multiplied.
struct BlockScratch {
    products: Vec<i32>,
    /// The positions in the block of the gathered rows; empty if all rows were multiplied.
    gathered: Vec<u32>,
    /// The scales, errors and lengths of the gathered rows.
    gathered_bounds: [[f32; BOUND_ROWS]; 3],
    /// One bit per row that was multiplied, set if the row is allowed.
    allowed: u64,
}

impl BlockScratch {
    fn new(num_queries: usize) -> Self {
        Self {
            products: vec![0; num_queries * BOUND_ROWS],
            gathered: Vec::new(),
            gathered_bounds: [[0.0; BOUND_ROWS]; 3],
            allowed: 0,
        }
    }

    /// Multiplies all queries with all rows of a block, or with only the allowed rows if these are at most half of the
    /// block.
    fn multiply(&mut self, queries: &QuantizedQueries, block: QuantizedBlock<'_>, allowed: u64) {
        let num_rows = block.codes.len();
        let kernels = Int8Kernels::detect();
        self.gathered.clear();
        self.allowed = allowed;
        if allowed.count_ones() as usize * 2 > num_rows {
            let products = &mut self.products[..queries.vectors.len() * num_rows];
            kernels.products(&queries.vectors, block.codes, products);
            return;
        }
        self.gathered.extend(set_bits(allowed).map(|at| at as u32));
        self.allowed = u64::MAX;
        let Int8RowBounds { scales, addends: errors, lengths } = block.bounds;
        for (gathered, all) in self.gathered_bounds.iter_mut().zip([scales, errors, lengths]) {
            for (gathered, &at) in gathered.iter_mut().zip(&self.gathered) {
                *gathered = all[at as usize];
            }
        }
        let products = &mut self.products[..queries.vectors.len() * self.gathered.len()];
        kernels.products_of(&queries.vectors, block.codes, &self.gathered, products);
    }

    /// Adds the allowed rows that were multiplied to the candidates of each query, except the rows that the query's
    /// bounds rule out. `first` is the ord of the block's first row.
    fn add_candidates(
        &self,
        queries: &QuantizedQueries,
        block: QuantizedBlock<'_>,
        first: u32,
        candidates: &mut [Candidates],
    ) {
        let kernels = Int8Kernels::detect();
        let gathered = (!self.gathered.is_empty()).then_some(&self.gathered);
        let num_rows = gathered.map_or(block.codes.len(), Vec::len);
        let [scales, errors, lengths] = self.gathered_bounds.each_ref().map(|bounds| &bounds[..num_rows]);
        let row_bounds = if gathered.is_some() {
            Int8RowBounds { scales, addends: errors, lengths }
        } else {
            block.bounds
        };
        // A 14-bit query has two vectors: its high and its low parts.
        let has_low = queries.precision.bits == Bits::Fourteen;
        let vectors_per_query = 1 + usize::from(has_low);
        let products = self.products.chunks_exact(vectors_per_query * num_rows);
        for ((candidates, bounds), products) in candidates.iter_mut().zip(&queries.bounds).zip(products) {
            let (high, low) = products.split_at(num_rows);
            let low = has_low.then_some(low);
            let min_upper_bound = candidates.min_upper_bound;
            // One bit per row, set if its upper bound is at least `min_upper_bound`.
            let not_ruled_out =
                kernels.bounds_at_least(high, low, row_bounds, &bounds.upper, min_upper_bound);
            for at in set_bits(not_ruled_out & self.allowed) {
                let (scale, error, length) =
                    (row_bounds.scales[at], row_bounds.addends[at], row_bounds.lengths[at]);
                let low = low.map(|low| low[at]);
                let bound = |bound: &Int8Bound| bound.of(high[at], low, scale, error, length);
                let ord = first + gathered.map_or(at as u32, |gathered| gathered[at]);
                let upper_bound = bound(&bounds.upper);
                candidates.push(Candidate { upper_bound, ord }, bound(&bounds.lower));
            }
        }
    }
}

/// Returns the positions of the set bits of a word, in ascending order.
fn set_bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (at < 64).then_some(at as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Similarity;
    use crate::store::rows::Rows;

    #[test]
    fn with_dot_products_or_small_groups_any_number_of_queries_searches_in_two_passes() {
        for set in InstructionSet::ALL {
            let is_fast = set.has_dot_products() || set.prefers_small_groups();
            let expected = if is_fast { usize::MAX } else { 12 };
            assert_eq!(max_first_pass_queries(set), expected, "{}", set.name());
        }
    }

    #[test]
    fn the_first_pass_is_left_out_if_there_are_few_rows_per_hit() {
        let mut index = Rows::new(1, Similarity::Dot, serde_json::Value::Null).expect("a dimension");
        let ids: Vec<String> = (0..640).map(|row| row.to_string()).collect();
        index.append(&ids, &vec![1.0; 640]).expect("valid rows");
        for (num_queries, max_k) in [(1, 16), (3, 16), (4, 64), (8, 64), (9, 10), (12, 10)] {
            assert!(is_worthwhile(&index.view(), num_queries, max_k), "{num_queries} queries");
            assert!(!is_worthwhile(&index.view(), num_queries, max_k + 1), "{num_queries} queries");
        }
        assert!(!is_worthwhile(&index.view(), 1, 0));
    }

    #[test]
    fn bounds_rule_out_most_random_rows() {
        let (dim, rows, k) = (64, 8000, 10);
        // The upper bits of a linear congruential generator.
        let mut state = 1u64;
        let mut random_number = || {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        };
        let vectors: Vec<f32> = (0..rows * dim).map(|_| random_number()).collect();
        let queries: Vec<f32> = (0..5 * dim).map(|_| random_number()).collect();
        for similarity in [Similarity::Dot, Similarity::L2] {
            let mut index = Rows::new(dim, similarity, serde_json::Value::Null).expect("a dimension");
            let ids: Vec<String> = (0..rows).map(|row| row.to_string()).collect();
            index.append(&ids, &vectors).expect("valid rows");
            let mut quantized = QuantizedRows::new(dim).expect("a dimension");
            quantized.extend(&vectors);
            let control = Control::new();
            let with_codes = RowsWithCodes { view: index.view(), quantized: &quantized };
            let search = Search { rows: with_codes, k, filter: None, control: &control };
            // One query is quantized to 14 bits, five to 8 bits.
            for queries in [&queries[..dim], &queries] {
                for mut candidates in search.collect_candidates(0..rows, queries).expect("not canceled").1 {
                    candidates.prune();
                    let remaining = candidates.rows.len();
                    assert!((k..8 * k).contains(&remaining), "{remaining} of {rows} rows");
                }
            }
        }
    }
}
