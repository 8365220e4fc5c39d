//! The search for enrichments: minimizes the objective of every token with Adam, in blocks of tokens, and saves the
//! state to a file, so that the search can be interrupted. [`step`] takes one step for a block, [`step_all`] for all
//! blocks in parallel, and [`search`] repeats this until all tokens are done.

use std::path::Path;
use std::time::{Duration, Instant};

use control::{Canceled, Control};
use rayon::prelude::*;

use super::adam::Moments;
use super::enrichments::{Enrichments, Unfinished};
use super::file;
use super::objective::Objective;
use super::options::{EnrichOptions, Start};
use crate::{Error, Head};

/// Number of tokens that take a step together.
const BLOCK_TOKENS: usize = 256;
/// How often unfinished work is saved to the file.
const SAVE_INTERVAL: Duration = Duration::from_secs(30);

/// Finds, for every token of the vocabulary, a vector for which the head gives the token a probability near 1, by
/// minimizing [`Objective`] with Adam (Ram et al., 2023, §6.2, equation 4). Each token stops on its own; see
/// [`enrich_with_equal_steps`](super::enrich_with_equal_steps) for the paper's stopping rule.
///
/// After at least `options.min_steps` steps, a token is done as soon as its loss is below `options.loss`; after
/// `options.max_steps` steps, it is done in any case. Some tokens have no vector with so low a loss, because their rows
/// of the decoder are too similar to other rows. If the lower bound proves this for a token, the token is done when its
/// loss exceeds the bound by less than `options.loss`. The same head and options give the same bytes for any number of
/// threads, whether or not the work was interrupted.
///
/// If `file` is given, the result is saved there. Unfinished work is saved there too, every half minute and on
/// cancellation. The next call continues from the saved state, or returns the complete result. Progress counts tokens
/// that are done.
///
/// # Errors
///
/// [`Error::Argument`] for invalid options; [`Error::OtherEnrichments`] if the file has the enrichments of another head
/// or of other options; [`Error::Storage`] if the file cannot be read or written; [`Error::Threads`] if threads cannot
/// be created; [`Error::Canceled`].
pub fn enrich(
    head: &Head,
    options: &EnrichOptions,
    file: Option<&Path>,
    control: &Control,
) -> Result<Enrichments, Error> {
    control.set_total(head.vocabulary_size as u64);
    search(head, options, file, ProgressUnit::Token, control)
}

/// What progress counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProgressUnit {
    /// Tokens that are done.
    Token,
    /// Steps of all tokens together, for searches in which all tokens take the same number of steps.
    Step,
}

/// Does what [`enrich`] does, except that the caller sets the total of the progress.
pub(crate) fn search(
    head: &Head,
    options: &EnrichOptions,
    file: Option<&Path>,
    unit: ProgressUnit,
    control: &Control,
) -> Result<Enrichments, Error> {
    options.check()?;
    if options.start == Start::Static && head.inner_dim != head.dim {
        let expected = format!("a decoder of the vectors' dimension {}", head.dim);
        return Err(Error::argument("start", expected, head.inner_dim.to_string()));
    }
    let metadata = file::head_and_options(head, options);
    let (mut found, mut unfinished) = match file {
        Some(path) if path.exists() => file::open(path, head, &metadata)?,
        _ => initial_state(head, options),
    };
    control.advance(restored_progress(head, options, &unfinished, unit));
    let objective = Objective::new(head);
    let (mut last_save, mut is_changed) = (Instant::now(), false);
    while !unfinished.tokens.is_empty() {
        match threads::install(options.threads, || step_all(&objective, options, &unfinished, unit, control))?
        {
            Ok(blocks) => {
                is_changed = true;
                unfinished = found.take_done(blocks, unfinished.steps + 1);
            }
            Err(canceled) => {
                if let Some(path) = file.filter(|_| is_changed) {
                    file::save(path, &found, &unfinished, &metadata)?;
                }
                return Err(canceled.into());
            }
        }
        let should_save = unfinished.tokens.is_empty() || last_save.elapsed() > SAVE_INTERVAL;
        if let Some(path) = file.filter(|_| should_save) {
            file::save(path, &found, &unfinished, &metadata)?;
            last_save = Instant::now();
        }
    }
    Ok(found)
}

/// The state before the first step.
fn initial_state(head: &Head, options: &EnrichOptions) -> (Enrichments, Unfinished) {
    let (dim, count) = (head.dim, head.vocabulary_size);
    let zeros = vec![0.0; count * dim];
    let found = Enrichments {
        dim,
        vectors: zeros.clone(),
        losses: vec![0.0; count],
        bounds: vec![0.0; count],
        steps: vec![0; count],
    };
    let unfinished = Unfinished {
        steps: 0,
        tokens: (0..count as u32).collect(),
        vectors: match options.start {
            Start::Zero => zeros.clone(),
            Start::Static => head.decoder.clone(),
        },
        first_moments: zeros.clone(),
        second_moments: zeros,
    };
    (found, unfinished)
}

/// Returns the progress of earlier calls, computed from the state that they saved.
fn restored_progress(
    head: &Head,
    options: &EnrichOptions,
    unfinished: &Unfinished,
    unit: ProgressUnit,
) -> u64 {
    let done = (head.vocabulary_size - unfinished.tokens.len()) as u64;
    match unit {
        ProgressUnit::Token => done,
        ProgressUnit::Step => {
            // A step is counted when the objective is evaluated at the vectors that the step produced. For the last
            // step of the saved state, the next call does that.
            let steps = u64::from(unfinished.steps.saturating_sub(1));
            done * u64::from(options.max_steps) + unfinished.tokens.len() as u64 * steps
        }
    }
}

/// A block of tokens after one step.
#[derive(Default)]
struct Block {
    done: Vec<DoneToken>,
    /// The vectors of the tokens in `done`, in the same order.
    done_vectors: Vec<f32>,
    unfinished: Unfinished,
}

/// The result for a token that is done.
struct DoneToken {
    token: u32,
    loss: f32,
    bound: f32,
    steps: u32,
}

/// Calls [`step`] for all unfinished tokens, block by block, in parallel.
fn step_all(
    objective: &Objective<'_>,
    options: &EnrichOptions,
    unfinished: &Unfinished,
    unit: ProgressUnit,
    control: &Control,
) -> Result<Vec<Block>, Canceled> {
    let starts = (0..unfinished.tokens.len()).into_par_iter().step_by(BLOCK_TOKENS);
    let blocks =
        starts.map(|first| step(objective, options, unfinished.block(first, objective.dim()), control));
    let blocks: Vec<Block> = blocks
        .map(|block| {
            let block = block?;
            let tokens = block.done.len() + block.unfinished.tokens.len();
            control.advance(match unit {
                ProgressUnit::Token => block.done.len(),
                // The first evaluation is at the initial vectors, before any step.
                ProgressUnit::Step if unfinished.steps == 0 => 0,
                ProgressUnit::Step => tokens,
            } as u64);
            Ok(block)
        })
        .collect::<Result<_, Canceled>>()?;
    Ok(blocks)
}

impl Unfinished {
    /// Copies the block of tokens that starts at position `first`.
    fn block(&self, first: usize, dim: usize) -> Self {
        let end = self.tokens.len().min(first + BLOCK_TOKENS);
        let rows = |values: &[f32]| values[first * dim..end * dim].to_vec();
        Self {
            steps: self.steps,
            tokens: self.tokens[first..end].to_vec(),
            vectors: rows(&self.vectors),
            first_moments: rows(&self.first_moments),
            second_moments: rows(&self.second_moments),
        }
    }
}

/// Evaluates the objective for a block, removes the tokens that are done, and takes one step for the others.
fn step(
    objective: &Objective<'_>,
    options: &EnrichOptions,
    mut unfinished: Unfinished,
    control: &Control,
) -> Result<Block, Canceled> {
    let dim = objective.dim();
    let mut block = Block::default();
    let mut evaluated = objective.at(&unfinished.vectors, &unfinished.tokens, control)?;
    let mut remaining = 0;
    for row in 0..unfinished.tokens.len() {
        let (loss, bound) = (evaluated.losses[row], evaluated.bounds[row]);
        let values = row * dim..(row + 1) * dim;
        if options.is_done(unfinished.steps, loss, bound) {
            block.done_vectors.extend_from_slice(&unfinished.vectors[values]);
            let (token, steps) = (unfinished.tokens[row], unfinished.steps);
            block.done.push(DoneToken { token, loss, bound, steps });
        } else {
            unfinished.tokens[remaining] = unfinished.tokens[row];
            for rows in unfinished.rows_mut(&mut evaluated.gradient) {
                rows.copy_within(values.clone(), remaining * dim);
            }
            remaining += 1;
        }
    }
    unfinished.tokens.truncate(remaining);
    for rows in unfinished.rows_mut(&mut evaluated.gradient) {
        rows.truncate(remaining * dim);
    }
    unfinished.steps += 1;
    let moments = Moments { first: &mut unfinished.first_moments, second: &mut unfinished.second_moments };
    options.adam.step(unfinished.steps, &evaluated.gradient, &mut unfinished.vectors, moments);
    block.unfinished = unfinished;
    Ok(block)
}

impl Unfinished {
    /// Returns all matrices that have one row per token, including the gradient.
    fn rows_mut<'a>(&'a mut self, gradient: &'a mut Vec<f32>) -> [&'a mut Vec<f32>; 4] {
        [&mut self.vectors, &mut self.first_moments, &mut self.second_moments, gradient]
    }
}

impl EnrichOptions {
    /// Whether a token is done after `steps` steps.
    fn is_done(&self, steps: u32, loss: f32, bound: f32) -> bool {
        let has_converged = loss < self.loss || (bound >= self.loss && loss - bound < self.loss);
        steps >= self.max_steps || (steps >= self.min_steps && has_converged)
    }
}

impl Enrichments {
    /// Stores the results of the tokens that are done. Returns the other tokens, in the same order; they have taken
    /// `steps` steps.
    fn take_done(&mut self, blocks: Vec<Block>, steps: u32) -> Unfinished {
        let mut unfinished = Unfinished { steps, ..Unfinished::default() };
        for block in blocks {
            for (done, vector) in block.done.iter().zip(block.done_vectors.chunks_exact(self.dim)) {
                let token = done.token as usize;
                self.vectors[token * self.dim..][..self.dim].copy_from_slice(vector);
                self.losses[token] = done.loss;
                self.bounds[token] = done.bound;
                self.steps[token] = done.steps;
            }
            unfinished.tokens.extend(block.unfinished.tokens);
            unfinished.vectors.extend(block.unfinished.vectors);
            unfinished.first_moments.extend(block.unfinished.first_moments);
            unfinished.second_moments.extend(block.unfinished.second_moments);
        }
        unfinished
    }
}
