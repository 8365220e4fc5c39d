//! The decoder against groups of vectors, a block of tokens at a time: logits are in the second cache level when they are
//! looked at, and nowhere else.

use std::ops::Range;

use control::{Cancelled, Control};
use kernels::{Batch, Kernels, Score};
use rayon::current_num_threads;
use rayon::prelude::*;

use super::collector::{BLOCK_TOKENS, LogitCollector, SHARE_TOKENS};
use crate::{Error, Head};

/// Fewer vectors than this are not worth laying out for.
const FEW: usize = 4;
/// Vectors that one thread transforms at a time.
const ROWS_A_SHARE: usize = 16;

/// Projects the vectors `[rows, dim]` in groups. `make(row, transformed)` makes what gathers a vector's logits over some
/// shares of the vocabulary; the gatherers of all are merged in order and come back in the order of the vectors.
/// Counts each vector as one unit done.
///
/// # Errors
///
/// [`Error::Dimension`], [`Error::Argument`] for vectors that are not finite, [`Error::Cancelled`]
pub(crate) fn scan_logits<G: LogitCollector>(
    head: &Head,
    vectors: &[f32],
    threads: usize,
    control: &Control,
    make: impl Fn(usize, &[f32]) -> G + Sync,
) -> Result<Vec<G>, Error> {
    let dim = head.dim;
    if !vectors.len().is_multiple_of(dim) {
        return Err(Error::Dimension { operation: "project", expected: dim, got: vectors.len() });
    }
    control.set_total((vectors.len() / dim) as u64);
    let most = Batch::queries_at_once(Kernels::detect(), head.inner);
    let count = vectors.len() / dim;
    let group = count.div_ceil(count.div_ceil(most).max(1)).max(1);
    let gathered: Result<Vec<Vec<G>>, Error> = threads::install(threads, || {
        // One run of shares where there are enough groups to keep all threads busy.
        let shares = head.vocabulary.div_ceil(SHARE_TOKENS);
        let wanted = if current_num_threads() == 1 { 1 } else { 2 * current_num_threads() };
        let runs = wanted.div_ceil(count.div_ceil(group).max(1)).min(shares);
        let tokens = shares.div_ceil(runs) * SHARE_TOKENS;
        let groups = vectors.par_chunks(group * dim).enumerate();
        groups.map(|(at, vectors)| gather_group(head, at * group, vectors, tokens, control, &make)).collect()
    })?;
    Ok(gathered?.into_iter().flatten().collect())
}

/// Projects one group, whose first vector is `first`, `tokens` of the vocabulary in a thread.
fn gather_group<G: LogitCollector>(
    head: &Head,
    first: usize,
    vectors: &[f32],
    tokens: usize,
    control: &Control,
    make: &(impl Fn(usize, &[f32]) -> G + Sync),
) -> Result<Vec<G>, Error> {
    control.check()?;
    let parts = vectors.par_chunks(ROWS_A_SHARE * head.dim).map(|vectors| head.transform(vectors));
    let transformed = parts.collect::<Vec<_>>().concat();
    let infinite = |row: &[f32]| row.iter().any(|value| !value.is_finite());
    if let Some(row) = transformed.chunks_exact(head.inner).position(infinite) {
        return Err(Error::Argument {
            what: format!("vectors[{}]", first + row),
            expected: "finite numbers that the head's arithmetic can hold".to_owned(),
            got: "others".to_owned(),
        });
    }
    let runs = (0..head.vocabulary).into_par_iter().step_by(tokens);
    let gathered: Result<Vec<Vec<G>>, Cancelled> = runs
        .map(|start| {
            let rows = transformed.chunks_exact(head.inner).enumerate();
            let mut gatherers: Vec<G> = rows.map(|(row, vector)| make(first + row, vector)).collect();
            let tokens = start..head.vocabulary.min(start + tokens);
            gather_run(head, &transformed, tokens, control, &mut gatherers)?;
            Ok(gatherers)
        })
        .collect();
    let mut runs = gathered?.into_iter();
    let mut merged = runs.next().unwrap_or_default();
    for run in runs {
        merged.iter_mut().zip(run).for_each(|(merged, next)| merged.merge(next));
    }
    control.advance(merged.len() as u64);
    Ok(merged)
}

/// Gives every gatherer its vector's products with the rows `tokens`.
fn gather_run<G: LogitCollector>(
    head: &Head,
    transformed: &[f32],
    tokens: Range<usize>,
    control: &Control,
    gatherers: &mut [G],
) -> Result<(), Cancelled> {
    let mut blocks = Blocks::new(head, transformed);
    for start in tokens.clone().step_by(BLOCK_TOKENS) {
        control.check()?;
        let block = start..tokens.end.min(start + BLOCK_TOKENS);
        let bias = &head.bias[block.clone()];
        let (products, stride) = blocks.products(block.clone());
        for (products, gatherer) in products.chunks_mut(stride).zip(gatherers.iter_mut()) {
            gatherer.block(block.clone(), &mut products[..block.len()], bias);
        }
    }
    Ok(())
}

/// Makes the products of vectors with blocks of the decoder.
struct Blocks<'a> {
    head: &'a Head,
    transformed: &'a [f32],
    /// None for few vectors.
    batch: Option<Batch>,
    products: Vec<f32>,
}

impl<'a> Blocks<'a> {
    fn new(head: &'a Head, transformed: &'a [f32]) -> Self {
        let count = transformed.len() / head.inner;
        let batch =
            (count >= FEW).then(|| Batch::new(Kernels::detect(), Score::Dot, head.inner, transformed));
        let room = batch
            .as_ref()
            .map_or(count * BLOCK_TOKENS, |batch| batch.score_buffer_len(BLOCK_TOKENS, BLOCK_TOKENS));
        Self { head, transformed, batch, products: vec![0.0; room] }
    }

    /// The products with the rows `tokens`, up to a block of them, and how far it is from one vector's to the next's.
    fn products(&mut self, tokens: Range<usize>) -> (&mut [f32], usize) {
        let inner = self.head.inner;
        let rows = &self.head.decoder[tokens.start * inner..tokens.end * inner];
        let Some(batch) = &mut self.batch else {
            let room = &mut self.products[..self.transformed.len() / inner * tokens.len()];
            Kernels::detect().score_block(inner, self.transformed, rows, room);
            return (room, tokens.len());
        };
        let most = batch.rows_at_once();
        let after = &self.head.decoder[tokens.end * inner..];
        let mut ahead = bytemuck::cast_slice(&after[..after.len().min(rows.len())]).chunks(most * inner * 4);
        for (at, part) in rows.chunks(most * inner).enumerate() {
            let part: Vec<&[f32]> = part.chunks_exact(inner).collect();
            let ahead = ahead.next().unwrap_or_default();
            batch.score_all(&part, ahead, BLOCK_TOKENS, &mut self.products[at * most..]);
        }
        (&mut self.products, BLOCK_TOKENS)
    }
}
