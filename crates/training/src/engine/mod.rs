//! [`Engine`]: models with the states of their optimizers, and the threads that run them.
//!
//! A batch is split into groups of texts, and the groups are distributed over the threads. A step has two passes over
//! the groups. The first computes the outputs of all texts, from which the caller computes the loss and the gradients
//! of the outputs. The second computes the gradients of the parameters. The first pass keeps activations up to a limit;
//! the second recomputes the others. This is gradient caching (Gao et al., 2021, “Scaling Deep Contrastive Learning
//! Batch Size under Memory Limited Setup”): the loss compares all texts of a batch although not all of their
//! activations need to exist at the same time.

mod model;
mod objective;
mod plan;
mod step;
mod worker;

use std::sync::Arc;

use control::Control;
use rayon::prelude::*;
use transformer::Text;
use transformer::weights::Weights;

pub(crate) use model::TrainedModel;
pub(crate) use objective::Objective;
pub(crate) use plan::Plan;
pub use step::{StepOptions, StepReport};
use worker::{Pass, Worker};

use crate::network::Gradients;
use crate::{Backend, Bf16Cpu, Error};

/// Models and the threads that run them.
#[derive(Debug)]
pub(crate) struct Engine {
    pub models: Vec<TrainedModel>,
    workers: Vec<Worker>,
    options: StepOptions,
    /// Number of steps that have been made.
    pub step: u64,
}

impl Engine {
    pub fn new(models: Vec<TrainedModel>, options: StepOptions) -> Result<Self, Error> {
        options.check()?;
        let workers = (0..threads::resolve(options.threads)).map(|_| Worker::default()).collect();
        let mut engine = Self { models, workers, options, step: 0 };
        if options.bf16 {
            let (expected, got) = ("a CPU with AVX-512 BF16", "kernels without it".to_owned());
            let backend = Bf16Cpu::detect().ok_or(Error::Option { option: "bf16", expected, got })?;
            let backend: Arc<dyn Backend> = Arc::new(backend);
            engine.set_backend(&backend);
        }
        Ok(engine)
    }

    /// Sets the [`Backend`] of all models.
    pub fn set_backend(&mut self, backend: &Arc<dyn Backend>) {
        self.models.iter_mut().for_each(|model| model.network.backend = Arc::clone(backend));
    }

    /// Checks the texts of a pass, and applies the pending weight decay of their words.
    fn prepare(&mut self, plan: &Plan, texts: &[Text<'_>]) -> Result<(), Error> {
        for group in &plan.groups {
            let model = &mut self.models[group.model];
            for at in group.texts.clone() {
                model.network.check(at, &texts[at])?;
            }
            let ids = texts[group.texts.clone()].iter().flat_map(|text| text.ids.iter().copied());
            model.optimizer.use_words(&mut model.parameters, ids);
        }
        Ok(())
    }

    /// Computes the outputs of all groups, without dropout. `output` computes them from the hidden states.
    pub fn run<T: Send>(
        &mut self,
        plan: &Plan,
        texts: &[Text<'_>],
        control: &Control,
        output: impl Fn(&TrainedModel, &[Text<'_>], &[f32]) -> T + Sync,
    ) -> Result<Vec<T>, Error> {
        self.prepare(plan, texts)?;
        let pass = Pass { models: &self.models, texts, dropout: None, control };
        forward(&mut self.workers, plan, pass, 0, output)
    }

    /// Makes a step: updates the parameters of all models that have texts. After an error, the parameters are those
    /// before the step.
    pub fn step<O: Objective>(
        &mut self,
        plan: &Plan,
        texts: &[Text<'_>],
        control: &Control,
        objective: &mut O,
    ) -> Result<StepReport, Error> {
        let (loss, gradient_norm) = self.differentiate(plan, texts, control, objective)?;
        let step = self.step + 1;
        let (scale, rate) = (self.options.clipping(gradient_norm), self.options.schedule.rate_at(step));
        let (models, sum) = (&mut self.models, &self.workers[0].gradients);
        threads::install(self.workers.len(), || {
            for (number, (model, gradients)) in models.iter_mut().zip(sum).enumerate() {
                // Weight decay would change even a model without gradients.
                if plan.groups.iter().any(|group| group.model == number) {
                    model.optimizer.step(&mut model.parameters, gradients, rate, scale);
                }
            }
        })?;
        self.step = step;
        Ok(StepReport { step, loss, gradient_norm, rate, tokens: plan.tokens(texts) })
    }

    /// Returns the weights of a model.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`] if a parameter is not finite.
    pub fn weights(&self, model: usize) -> Result<Weights, Error> {
        let model = &self.models[model];
        let parameters = model.export();
        let mut all = parameters.words.iter().chain(&parameters.others);
        if let Some(&got) = all.find(|value| !value.is_finite()) {
            return Err(Error::NotFinite { step: self.step, what: "parameter", got });
        }
        Ok(parameters.to_weights(model.network.shape()))
    }

    /// Computes the loss of the next step, and the gradients of all parameters, in the memory of the first worker.
    /// Returns the loss and the norm of the gradients.
    pub fn differentiate<O: Objective>(
        &mut self,
        plan: &Plan,
        texts: &[Text<'_>],
        control: &Control,
        objective: &mut O,
    ) -> Result<(f32, f32), Error> {
        self.prepare(plan, texts)?;
        let step = self.step + 1;
        let pass = Pass { models: &self.models, texts, dropout: self.options.dropout(step), control };
        let bytes = self.options.activation_bytes;
        let workers = &mut self.workers;
        let output = |model: &TrainedModel, texts: &[Text<'_>], hidden: &[f32]| {
            O::output(objective, model, texts, hidden)
        };
        let mut outputs = forward(workers, plan, pass, bytes, output)?;
        let loss = objective.loss(&mut outputs);
        let not_finite = |what, got: f32| Err(Error::NotFinite { step, what, got });
        if !loss.is_finite() {
            return not_finite("loss", loss);
        }
        let objective = &*objective;
        let parts = plan.partition(workers.len());
        let run = || -> Result<(), Error> {
            workers.par_iter_mut().zip(&parts).with_max_len(1).try_for_each(|(worker, part)| {
                let groups = part.iter().map(|&at| (&plan.groups[at], &outputs[at]));
                worker.backward(pass, groups, |model, texts, output, hidden, gradients| {
                    objective.backward(model, texts, output, hidden, gradients);
                })
            })
        };
        threads::install(parts.len(), run)??;
        let Some((first, others)) = self.workers.split_first_mut() else { unreachable!("there is a thread") };
        for (model, sum) in first.gradients.iter_mut().enumerate() {
            others.iter().filter_map(|other| other.gradients.get(model)).for_each(|other| sum.add(other));
        }
        let norm = first.gradients.iter().map(Gradients::squared_norm).sum::<f64>().sqrt() as f32;
        if norm.is_finite() { Ok((loss, norm)) } else { not_finite("norm of the gradients", norm) }
    }

    /// The gradients that [`differentiate`](Self::differentiate) computed, of each model.
    pub fn gradients(&self) -> &[Gradients] {
        &self.workers[0].gradients
    }
}

/// Computes the outputs of all groups. Activations of at most `kept_bytes` bytes are kept.
fn forward<T: Send>(
    workers: &mut [Worker],
    plan: &Plan,
    pass: Pass<'_>,
    kept_bytes: usize,
    output: impl Fn(&TrainedModel, &[Text<'_>], &[f32]) -> T + Sync,
) -> Result<Vec<T>, Error> {
    let threads = workers.len();
    let parts = plan.partition(threads);
    let run = || -> Result<Vec<Vec<T>>, Error> {
        let workers = workers.par_iter_mut().zip(&parts).with_max_len(1);
        let results = workers.map(|(worker, part)| {
            let groups = part.iter().map(|&at| &plan.groups[at]);
            worker.forward(pass, groups, kept_bytes / threads, &output)
        });
        results.collect()
    };
    let results = threads::install(threads, run)??;
    let mut outputs: Vec<Option<T>> = plan.groups.iter().map(|_| None).collect();
    for (&at, result) in parts.iter().flatten().zip(results.into_iter().flatten()) {
        outputs[at] = Some(result);
    }
    Ok(outputs.into_iter().map(|output| output.expect("each group is in a part")).collect())
}
