use std::path::Path;
use std::time::{Duration, Instant};

use control::{Cancelled, Control};
use rayon::prelude::*;

use super::enrichments::{Enrichments, Unfinished};
use super::file;
use super::objective::Objective;
use super::options::{EnrichOptions, Start};
use crate::{Error, Head};

/// Tokens that take their steps together.
const BLOCK_TOKENS: usize = 256;
/// How often unfinished work is saved to the file.
const SAVE_EVERY: Duration = Duration::from_secs(30);

/// For every token t of the vocabulary the vector s_t whose distribution is t alone: the minimum of [`Objective`] by Adam
/// (Ram et al., 2023, §6.2, equation 4). Each token stops by itself; see [`enrich_evenly`](super::enrich_evenly) for the paper's rule.
///
/// A token is done as soon as its loss is below that of the options. Some tokens have no such vector, because their rows of the
/// decoder are too similar to others; where the bound proves that, a token is done when its loss is as close to the bound as
/// others' must be to 0. The same head and options give the same bytes, for any number of threads, and wherever the work
/// was interrupted.
///
/// With a file, the result is kept there, and unfinished work every half minute and on cancellation; the next call
/// continues from there, or returns the complete result. Progress counts tokens.
///
/// # Errors
///
/// [`Error::Argument`]; [`Error::OtherEnrichments`] if the file is of another head or other options; [`Error::Storage`];
/// [`Error::Threads`]; [`Error::Cancelled`].
pub fn enrich(
    head: &Head,
    options: &EnrichOptions,
    file: Option<&Path>,
    control: &Control,
) -> Result<Enrichments, Error> {
    control.set_total(head.vocabulary as u64);
    search(head, options, file, Unit::Token, control)
}

/// What progress counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Tokens that are done.
    Token,
    /// Steps of each token. For searches in which all tokens take the same number.
    Step,
}

/// [`enrich`], except that it leaves the total of the progress to the caller.
pub(crate) fn search(
    head: &Head,
    options: &EnrichOptions,
    file: Option<&Path>,
    unit: Unit,
    control: &Control,
) -> Result<Enrichments, Error> {
    options.check()?;
    if options.start == Start::Static && head.inner != head.dim {
        let got = format!("{} and {}", head.dim, head.inner);
        return Err(Error::argument("start", "a decoder of the vectors' dimension", got));
    }
    let of = file::of(head, options);
    let (mut found, mut rest) = match file {
        Some(path) if path.exists() => file::open(path, head, &of)?,
        _ => begin(head, options),
    };
    let done = head.vocabulary - rest.tokens.len();
    control.advance(match unit {
        Unit::Token => done as u64,
        Unit::Step => {
            done as u64 * u64::from(options.max_steps)
                + rest.tokens.len() as u64 * u64::from(rest.steps.saturating_sub(1))
        }
    });
    let objective = Objective::new(head);
    let (mut saved, mut changed) = (Instant::now(), false);
    while !rest.tokens.is_empty() {
        match threads::install(options.threads, || step_all(&objective, options, &rest, unit, control))? {
            Ok(blocks) => {
                changed = true;
                rest = found.take(blocks, rest.steps + 1);
            }
            Err(cancelled) => {
                if let Some(path) = file.filter(|_| changed) {
                    file::save(path, &found, &rest, &of)?;
                }
                return Err(cancelled.into());
            }
        }
        if let Some(path) = file.filter(|_| rest.tokens.is_empty() || saved.elapsed() > SAVE_EVERY) {
            file::save(path, &found, &rest, &of)?;
            saved = Instant::now();
        }
    }
    Ok(found)
}

fn begin(head: &Head, options: &EnrichOptions) -> (Enrichments, Unfinished) {
    let (dim, count) = (head.dim, head.vocabulary);
    let zeros = vec![0.0; count * dim];
    let found = Enrichments {
        dim,
        vectors: zeros.clone(),
        losses: vec![0.0; count],
        bounds: vec![0.0; count],
        steps: vec![0; count],
    };
    let vectors = match options.start {
        Start::Zero => zeros.clone(),
        Start::Static => head.decoder.clone(),
    };
    let tokens = (0..count as u32).collect();
    (found, Unfinished { steps: 0, tokens, vectors, first: zeros.clone(), second: zeros })
}

/// A block of tokens after a step.
#[derive(Default)]
struct Block {
    done: Vec<Done>,
    /// The vectors of the tokens in `done`, in the same order.
    vectors: Vec<f32>,
    rest: Unfinished,
}

struct Done {
    token: u32,
    loss: f32,
    bound: f32,
    steps: u32,
}

/// One step of all unfinished tokens, in full blocks.
fn step_all(
    objective: &Objective<'_>,
    options: &EnrichOptions,
    from: &Unfinished,
    unit: Unit,
    control: &Control,
) -> Result<Vec<Block>, Cancelled> {
    let blocks = (0..from.tokens.len()).into_par_iter().step_by(BLOCK_TOKENS);
    let blocks = blocks.map(|first| step(objective, options, from.block(first, objective.dim()), control));
    let blocks: Vec<Block> = blocks
        .map(|block| {
            let block = block?;
            let tokens = block.done.len() + block.rest.tokens.len();
            control.advance(match unit {
                Unit::Token => block.done.len(),
                Unit::Step if from.steps == 0 => 0,
                Unit::Step => tokens,
            } as u64);
            Ok(block)
        })
        .collect::<Result<_, Cancelled>>()?;
    Ok(blocks)
}

impl Unfinished {
    /// The tokens of the block that begins with the one at `first`.
    fn block(&self, first: usize, dim: usize) -> Self {
        let last = self.tokens.len().min(first + BLOCK_TOKENS);
        let rows = |values: &[f32]| values[first * dim..last * dim].to_vec();
        Self {
            steps: self.steps,
            tokens: self.tokens[first..last].to_vec(),
            vectors: rows(&self.vectors),
            first: rows(&self.first),
            second: rows(&self.second),
        }
    }
}

/// Evaluates the objective for a block, removes the tokens that are done, and moves the others by one step.
fn step(
    objective: &Objective<'_>,
    options: &EnrichOptions,
    mut rest: Unfinished,
    control: &Control,
) -> Result<Block, Cancelled> {
    let dim = objective.dim();
    let mut block = Block::default();
    let mut at = objective.at(&rest.vectors, &rest.tokens, control)?;
    let mut left = 0;
    for row in 0..rest.tokens.len() {
        let (loss, bound) = (at.losses[row], at.bounds[row]);
        let values = row * dim..(row + 1) * dim;
        if options.is_done(rest.steps, loss, bound) {
            block.vectors.extend_from_slice(&rest.vectors[values]);
            block.done.push(Done { token: rest.tokens[row], loss, bound, steps: rest.steps });
        } else {
            rest.tokens[left] = rest.tokens[row];
            for all in [&mut rest.vectors, &mut rest.first, &mut rest.second, &mut at.gradient] {
                all.copy_within(values.clone(), left * dim);
            }
            left += 1;
        }
    }
    rest.tokens.truncate(left);
    for all in [&mut rest.vectors, &mut rest.first, &mut rest.second, &mut at.gradient] {
        all.truncate(left * dim);
    }
    rest.steps += 1;
    let moments = (&mut rest.first[..], &mut rest.second[..]);
    options.adam.step(rest.steps, &at.gradient, &mut rest.vectors, moments);
    block.rest = rest;
    Ok(block)
}

impl EnrichOptions {
    /// Whether a token is done after `steps` steps.
    fn is_done(&self, steps: u32, loss: f32, bound: f32) -> bool {
        let low = loss < self.loss || (bound >= self.loss && loss - bound < self.loss);
        steps >= self.max_steps || (steps >= self.min_steps && low)
    }
}

impl Enrichments {
    /// Enters the tokens that are done; returns the others, in their order, after `steps` steps.
    fn take(&mut self, blocks: Vec<Block>, steps: u32) -> Unfinished {
        let mut rest = Unfinished { steps, ..Unfinished::default() };
        for block in blocks {
            for (done, vector) in block.done.iter().zip(block.vectors.chunks_exact(self.dim)) {
                let token = done.token as usize;
                self.vectors[token * self.dim..][..self.dim].copy_from_slice(vector);
                self.losses[token] = done.loss;
                self.bounds[token] = done.bound;
                self.steps[token] = done.steps;
            }
            rest.tokens.extend(block.rest.tokens);
            rest.vectors.extend(block.rest.vectors);
            rest.first.extend(block.rest.first);
            rest.second.extend(block.rest.second);
        }
        rest
    }
}
