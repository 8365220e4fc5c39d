//! The scan of the decoder: multiplies groups of vectors with blocks of the decoder's rows, one row per token.
//!
//! ```text
//!                 one block: 128 tokens
//!                 ↓
//!                ┌──┬──┬──┬──┬─────┬──┐
//! group of       │  │  │  │  │  …  │  │  one part: 32 blocks, all scanned by the same thread
//! vectors        └──┴──┴──┴──┴─────┴──┘
//! ```
//!
//! The products of a group with a block fit in the L2 cache, from which the collectors read them. If there are too few
//! groups for all threads, the vocabulary is split into ranges of one or more parts, which are scanned in parallel.

use std::ops::Range;

use control::{Canceled, Control};
use kernels::{Batch, Kernels, Score};
use rayon::current_num_threads;
use rayon::prelude::*;

use super::collector::{BLOCK_TOKENS, LogitCollector, PART_TOKENS};
use crate::{Error, Head};

/// Minimum number of vectors for which laying them out as a [`Batch`] pays off.
const MIN_BATCH_ROWS: usize = 4;
/// Number of vectors that one thread transforms at a time.
const TRANSFORM_ROWS: usize = 16;

/// Computes the logits of the vectors `[rows, dim]`, gives them to collectors, and returns one collector per vector, in
/// the order of the vectors.
///
/// `new_collector(row, transformed)` creates a collector for one range of the vocabulary and for the vector at position
/// `row`, which the head has transformed to `transformed`. The collectors of consecutive ranges are merged in order.
/// One unit of progress is one vector.
///
/// # Errors
///
/// [`Error::Dimension`]; [`Error::Argument`] if a vector is not finite or overflows in the head; [`Error::Threads`];
/// [`Error::Canceled`].
pub(crate) fn scan_logits<C: LogitCollector>(
    head: &Head,
    vectors: &[f32],
    threads: usize,
    control: &Control,
    new_collector: impl Fn(usize, &[f32]) -> C + Sync,
) -> Result<Vec<C>, Error> {
    let dim = head.dim;
    if !vectors.len().is_multiple_of(dim) {
        return Err(Error::Dimension { operation: "project", expected: dim, got: vectors.len() });
    }
    control.set_total((vectors.len() / dim) as u64);
    let max_group_rows = Batch::queries_at_once(Kernels::detect(), head.inner_dim);
    let count = vectors.len() / dim;
    let group_rows = count.div_ceil(count.div_ceil(max_group_rows).max(1)).max(1);
    let collected: Result<Vec<Vec<C>>, Error> = threads::install(threads, || {
        // A task scans one range of the vocabulary for one group. With several threads, two tasks per thread balance
        // the load. If there are at least `min_tasks` groups, the only range is the whole vocabulary.
        let part_count = head.vocabulary_size.div_ceil(PART_TOKENS);
        let min_tasks = if current_num_threads() == 1 { 1 } else { 2 * current_num_threads() };
        let range_count = min_tasks.div_ceil(count.div_ceil(group_rows).max(1)).min(part_count);
        let range_tokens = part_count.div_ceil(range_count) * PART_TOKENS;
        let groups = vectors.par_chunks(group_rows * dim).enumerate();
        groups
            .map(|(at, vectors)| {
                scan_group(head, at * group_rows, vectors, range_tokens, control, &new_collector)
            })
            .collect()
    })?;
    Ok(collected?.into_iter().flatten().collect())
}

/// Scans the vocabulary for one group, whose first vector is at position `first`, in ranges of `range_tokens` tokens.
fn scan_group<C: LogitCollector>(
    head: &Head,
    first: usize,
    vectors: &[f32],
    range_tokens: usize,
    control: &Control,
    new_collector: &(impl Fn(usize, &[f32]) -> C + Sync),
) -> Result<Vec<C>, Error> {
    control.check()?;
    let transformed = vectors.par_chunks(TRANSFORM_ROWS * head.dim).map(|vectors| head.transform(vectors));
    let transformed = transformed.collect::<Vec<_>>().concat();
    let is_not_finite = |row: &[f32]| row.iter().any(|value| !value.is_finite());
    if let Some(row) = transformed.chunks_exact(head.inner_dim).position(is_not_finite) {
        return Err(Error::Argument {
            what: format!("vectors[{}]", first + row),
            expected: "finite numbers that do not overflow in the head".to_owned(),
            got: "NaN or infinity".to_owned(),
        });
    }
    let ranges = (0..head.vocabulary_size).into_par_iter().step_by(range_tokens);
    let collected: Result<Vec<Vec<C>>, Canceled> = ranges
        .map(|start| {
            let rows = transformed.chunks_exact(head.inner_dim).enumerate();
            let mut collectors: Vec<C> =
                rows.map(|(row, vector)| new_collector(first + row, vector)).collect();
            let tokens = start..head.vocabulary_size.min(start + range_tokens);
            scan_range(head, &transformed, tokens, control, &mut collectors)?;
            Ok(collectors)
        })
        .collect();
    let mut ranges = collected?.into_iter();
    let mut merged = ranges.next().unwrap_or_default();
    for range in ranges {
        merged.iter_mut().zip(range).for_each(|(merged, next)| merged.merge(next));
    }
    control.advance(merged.len() as u64);
    Ok(merged)
}

/// Gives every collector the products of its vector with the rows `tokens` of the decoder.
fn scan_range<C: LogitCollector>(
    head: &Head,
    transformed: &[f32],
    tokens: Range<usize>,
    control: &Control,
    collectors: &mut [C],
) -> Result<(), Canceled> {
    let mut multiplier = BlockMultiplier::new(head, transformed);
    for start in tokens.clone().step_by(BLOCK_TOKENS) {
        control.check()?;
        let block = start..tokens.end.min(start + BLOCK_TOKENS);
        let bias = &head.bias[block.clone()];
        let BlockProducts { values, stride } = multiplier.multiply(block.clone());
        for (products, collector) in values.chunks_mut(stride).zip(collectors.iter_mut()) {
            collector.collect(block.clone(), &mut products[..block.len()], bias);
        }
    }
    Ok(())
}

/// Multiplies transformed vectors with blocks of the decoder.
struct BlockMultiplier<'a> {
    head: &'a Head,
    transformed: &'a [f32],
    /// The vectors in the layout of the kernels; `None` for fewer than [`MIN_BATCH_ROWS`] vectors.
    batch: Option<Batch>,
    products: Vec<f32>,
}

/// The products of all vectors with a block, vector by vector.
struct BlockProducts<'a> {
    values: &'a mut [f32],
    /// Distance between the first products of two consecutive vectors.
    stride: usize,
}

impl<'a> BlockMultiplier<'a> {
    fn new(head: &'a Head, transformed: &'a [f32]) -> Self {
        let count = transformed.len() / head.inner_dim;
        let batch = (count >= MIN_BATCH_ROWS)
            .then(|| Batch::new(Kernels::detect(), Score::Dot, head.inner_dim, transformed));
        let buffer_len = batch
            .as_ref()
            .map_or(count * BLOCK_TOKENS, |batch| batch.score_buffer_len(BLOCK_TOKENS, BLOCK_TOKENS));
        Self { head, transformed, batch, products: vec![0.0; buffer_len] }
    }

    /// Returns the products with the decoder's rows `tokens`, which are at most [`BLOCK_TOKENS`].
    fn multiply(&mut self, tokens: Range<usize>) -> BlockProducts<'_> {
        let inner_dim = self.head.inner_dim;
        let rows = &self.head.decoder[tokens.start * inner_dim..tokens.end * inner_dim];
        let Some(batch) = &mut self.batch else {
            let values = &mut self.products[..self.transformed.len() / inner_dim * tokens.len()];
            Kernels::detect().score_block(inner_dim, self.transformed, rows, values);
            return BlockProducts { values, stride: tokens.len() };
        };
        let max_rows = batch.rows_at_once();
        // While a chunk of this block is multiplied, the same chunk of the next block is prefetched.
        let after = &self.head.decoder[tokens.end * inner_dim..];
        let next_block = bytemuck::cast_slice(&after[..after.len().min(rows.len())]);
        // The chunk size is in bytes: a value has four.
        let mut next_chunks = next_block.chunks(max_rows * inner_dim * 4);
        for (at, chunk) in rows.chunks(max_rows * inner_dim).enumerate() {
            let chunk: Vec<&[f32]> = chunk.chunks_exact(inner_dim).collect();
            let to_prefetch = next_chunks.next().unwrap_or_default();
            batch.score_all(&chunk, to_prefetch, BLOCK_TOKENS, &mut self.products[at * max_rows..]);
        }
        BlockProducts { values: &mut self.products, stride: BLOCK_TOKENS }
    }
}
