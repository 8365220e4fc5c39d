//! The options and the report of a step.

use crate::Error;
use crate::network::StepDropout;
use crate::optimizer::{AdamOptions, Schedule};

/// The options of all steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepOptions {
    /// The learning rates.
    pub schedule: Schedule,
    /// The constants of the optimizer.
    pub adam: AdamOptions,
    /// The probability with which dropout drops a value.
    pub dropout: f32,
    /// Gradients with a greater norm are scaled to this norm (Pascanu et al., 2013).
    pub max_gradient_norm: Option<f32>,
    /// The seed of dropout.
    pub seed: u64,
    /// Number of threads. 0 stands for one per CPU.
    pub threads: usize,
    /// Maximum number of bytes of activations that are kept between the two passes of a step. The others are
    /// recomputed.
    pub activation_bytes: usize,
    /// Whether the products of linear layers are computed in bfloat16: [`Bf16Cpu`](crate::Bf16Cpu) becomes the backend.
    pub bf16: bool,
}

impl Default for StepOptions {
    fn default() -> Self {
        Self {
            schedule: Schedule { rate: 2e-5, warm_up_steps: 0, steps: 0 },
            adam: AdamOptions::default(),
            dropout: 0.1,
            max_gradient_norm: Some(1.0),
            seed: 0,
            threads: 0,
            activation_bytes: 2 << 30,
            bf16: false,
        }
    }
}

impl StepOptions {
    pub(super) fn check(&self) -> Result<(), Error> {
        let fail = |option, expected, got: f32| Err(Error::Option { option, expected, got: got.to_string() });
        let AdamOptions { beta_1, beta_2, epsilon, weight_decay } = self.adam;
        if !(0.0..1.0).contains(&self.dropout) {
            return fail("dropout", "at least 0 and less than 1", self.dropout);
        }
        if !(self.schedule.rate >= 0.0 && self.schedule.rate.is_finite()) {
            return fail("learning rate", "a finite number of at least 0", self.schedule.rate);
        }
        if let Some(beta) = [beta_1, beta_2].into_iter().find(|beta| !(0.0..1.0).contains(beta)) {
            return fail("beta", "at least 0 and less than 1", beta);
        }
        if !(epsilon > 0.0 && epsilon.is_finite()) {
            return fail("epsilon", "a finite number above 0", epsilon);
        }
        if !(weight_decay >= 0.0 && weight_decay.is_finite()) {
            return fail("weight decay", "a finite number of at least 0", weight_decay);
        }
        match self.max_gradient_norm {
            Some(norm) if norm.is_nan() || norm <= 0.0 => {
                fail("maximum norm of gradients", "a number above 0", norm)
            }
            _ => Ok(()),
        }
    }

    /// The dropout of a step.
    pub(super) fn dropout(&self, step: u64) -> Option<StepDropout> {
        let seed = numerics::SplitMix64::new(self.seed ^ (step << 20)).next_u64();
        (self.dropout > 0.0).then_some(StepDropout { probability: self.dropout, seed })
    }

    /// The factor by which clipping multiplies gradients with this norm.
    pub(super) fn clipping(&self, norm: f32) -> f32 {
        match self.max_gradient_norm {
            // As in PyTorch, which adds 10⁻⁶ to the norm.
            Some(max) => (max / (norm + 1e-6)).min(1.0),
            None => 1.0,
        }
    }
}

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepReport {
    /// Number of the step, from 1.
    pub step: u64,
    /// The loss of the batch before the step.
    pub loss: f32,
    /// The norm of all gradients, before clipping.
    pub gradient_norm: f32,
    /// The learning rate.
    pub rate: f32,
    /// Number of tokens of the batch.
    pub tokens: usize,
}
