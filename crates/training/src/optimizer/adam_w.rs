//! [`AdamW`]: Adam with decoupled weight decay (Loshchilov and Hutter, 2019, algorithm 2).

use std::ops::Range;

use kernels::gradients::{AdamStep, GradientKernels};
use rayon::prelude::*;

use crate::network::Gradients;
use crate::parameters::{Layout, Parameters, Shape};

/// Number of parameters that a thread updates at a time.
const CHUNK: usize = 1 << 16;

/// The constants of [`AdamW`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamOptions {
    /// The decay rate of the first moments.
    pub beta_1: f32,
    /// The decay rate of the second moments.
    pub beta_2: f32,
    /// The number that is added to the root of the second moment.
    pub epsilon: f32,
    /// The weight decay. Biases and the parameters of layer norms do not decay.
    pub weight_decay: f32,
}

impl Default for AdamOptions {
    fn default() -> Self {
        Self { beta_1: 0.9, beta_2: 0.999, epsilon: 1e-8, weight_decay: 0.01 }
    }
}

/// The state of the optimizer of a model.
///
/// The results are those of an optimizer that updates all parameters in every step, up to rounding. The embedding of a
/// word that has not been used yet has no moments, so it only decays. [`use_words`](Self::use_words) makes up for this
/// decay before a word is used for the first time.
#[derive(Debug)]
pub struct AdamW {
    options: AdamOptions,
    dim: usize,
    /// The first moments: exponential means of the gradients.
    first_moments: Parameters,
    /// The second moments: exponential means of the squared gradients.
    second_moments: Parameters,
    /// Whether a word has been used.
    is_active: Vec<bool>,
    /// The accumulated decay factor that is still to be applied to the embeddings of inactive words.
    pending_decay: f64,
    step: u64,
    /// Parameters that decay, and others, in ascending order.
    parts: Vec<(Range<usize>, bool)>,
}

impl AdamW {
    /// Makes the optimizer of a model before its first step.
    #[must_use]
    pub fn new(shape: &Shape, options: AdamOptions) -> Self {
        Self {
            options,
            dim: shape.dim,
            first_moments: Parameters::zeros(shape),
            second_moments: Parameters::zeros(shape),
            is_active: vec![false; shape.words],
            pending_decay: 1.0,
            step: 0,
            parts: parts(&Layout::new(shape)),
        }
    }

    /// Updates the parameters by a step with a learning rate. `scale` is a factor of all gradients, for clipping. Runs
    /// on the threads of the rayon pool in which it is called.
    pub(crate) fn step(&mut self, parameters: &mut Parameters, gradients: &Gradients, rate: f32, scale: f32) {
        self.step += 1;
        let kernels = GradientKernels::detect();
        let AdamOptions { beta_1, beta_2, epsilon, weight_decay } = self.options;
        let correction = |beta: f32| (1.0 / (1.0 - f64::from(beta).powf(self.step as f64))) as f32;
        let step = AdamStep {
            rate,
            decay: weight_decay,
            beta_1,
            beta_2,
            epsilon,
            first_correction: correction(beta_1),
            second_correction: correction(beta_2),
            scale,
        };
        for (range, decays) in &self.parts {
            let step = AdamStep { decay: if *decays { weight_decay } else { 0.0 }, ..step };
            let chunks = parameters.others[range.clone()].par_chunks_mut(CHUNK);
            let chunks = chunks.zip(gradients.others()[range.clone()].par_chunks(CHUNK));
            let chunks = chunks.zip(self.first_moments.others[range.clone()].par_chunks_mut(CHUNK));
            let chunks = chunks.zip(self.second_moments.others[range.clone()].par_chunks_mut(CHUNK));
            chunks.for_each(|(((parameters, gradients), first_moments), second_moments)| {
                kernels.adam(step, parameters, gradients, first_moments, second_moments);
            });
        }
        let rows =
            parameters.words.par_chunks_mut(self.dim).zip(self.first_moments.words.par_chunks_mut(self.dim));
        let rows =
            rows.zip(self.second_moments.words.par_chunks_mut(self.dim)).zip(&self.is_active).enumerate();
        rows.with_min_len(256).for_each(|(id, (((row, first_moments), second_moments), is_active))| {
            if *is_active {
                kernels.adam(step, row, gradients.word(id as u32), first_moments, second_moments);
            }
        });
        self.pending_decay *= 1.0 - f64::from(rate * weight_decay);
    }

    /// Applies the weight decay of the steps so far to the embeddings of words that are used for the first time. Call
    /// this before every pass.
    pub(crate) fn use_words(&mut self, parameters: &mut Parameters, ids: impl Iterator<Item = u32>) {
        for id in ids {
            if !std::mem::replace(&mut self.is_active[id as usize], true) {
                scale_by(&mut parameters.words[id as usize * self.dim..][..self.dim], self.pending_decay);
            }
        }
    }

    /// Copies the parameters, with the weight decay of the steps so far for all words.
    pub(crate) fn decayed(&self, parameters: &Parameters) -> Parameters {
        let mut parameters = parameters.clone();
        for (row, is_active) in parameters.words.chunks_exact_mut(self.dim).zip(&self.is_active) {
            if !is_active {
                scale_by(row, self.pending_decay);
            }
        }
        parameters
    }

    /// The state, for a checkpoint.
    pub(crate) fn state(&self) -> AdamState<'_> {
        let Self { first_moments, second_moments, is_active, pending_decay, step, .. } = self;
        AdamState { step: *step, pending_decay: *pending_decay, first_moments, second_moments, is_active }
    }

    /// Restores a state.
    pub(crate) fn restore(&mut self, step: u64, pending_decay: f64, is_active: Vec<bool>) {
        (self.step, self.pending_decay, self.is_active) = (step, pending_decay, is_active);
    }

    /// The first and the second moments, to be restored from a checkpoint.
    pub(crate) fn moments_mut(&mut self) -> [&mut Parameters; 2] {
        [&mut self.first_moments, &mut self.second_moments]
    }
}

/// The state of [`AdamW`], for a checkpoint.
pub(crate) struct AdamState<'a> {
    pub step: u64,
    pub pending_decay: f64,
    pub first_moments: &'a Parameters,
    pub second_moments: &'a Parameters,
    pub is_active: &'a [bool],
}

fn scale_by(row: &mut [f32], factor: f64) {
    row.iter_mut().for_each(|value| *value = (f64::from(*value) * factor) as f32);
}

/// Divides all parameters but word embeddings into those that decay and those that do not.
fn parts(layout: &Layout) -> Vec<(Range<usize>, bool)> {
    let mut parts = Vec::new();
    let mut end = 0;
    for range in layout.decaying() {
        parts.push((end..range.start, false));
        end = range.end;
        parts.push((range, true));
    }
    parts.push((end..layout.len, false));
    parts.retain(|(range, _)| !range.is_empty());
    parts
}
