//! [`Worker`]: the buffers of a thread, and its part of a pass.

use control::Control;
use transformer::Text;

use super::model::TrainedModel;
use super::plan::GroupPlan;
use crate::Error;
use crate::network::{Activations, Gradients, Group, Scratch, StepDropout};

/// What all threads of a pass share.
#[derive(Clone, Copy)]
pub(super) struct Pass<'a> {
    pub models: &'a [TrainedModel],
    pub texts: &'a [Text<'a>],
    pub dropout: Option<StepDropout>,
    pub control: &'a Control,
}

impl<'a> Pass<'a> {
    fn group(&self, plan: &GroupPlan) -> Group<'a> {
        Group { texts: &self.texts[plan.texts.clone()], first: plan.texts.start, dropout: self.dropout }
    }
}

/// The buffers of a thread.
#[derive(Debug, Default)]
pub(super) struct Worker {
    scratch: Scratch,
    /// The gradients of each model.
    pub gradients: Vec<Gradients>,
    /// The activations of each group that is kept, and those of the current group.
    activations: Vec<Activations>,
    /// Number of groups whose activations are kept.
    kept: usize,
}

impl Worker {
    /// Computes the outputs of groups, and keeps activations of at most `bytes` bytes.
    pub fn forward<'p, T>(
        &mut self,
        pass: Pass<'_>,
        groups: impl Iterator<Item = &'p GroupPlan>,
        bytes: usize,
        output: impl Fn(&TrainedModel, &[Text<'_>], &[f32]) -> T,
    ) -> Result<Vec<T>, Error> {
        self.kept = 0;
        let (mut left, mut keeps) = (bytes, true);
        let mut outputs = Vec::new();
        for plan in groups {
            pass.control.check()?;
            let (model, group) = (&pass.models[plan.model], pass.group(plan));
            let needed = Activations::bytes(model.network.shape(), group.tokens());
            keeps &= needed <= left;
            left -= if keeps { needed } else { 0 };
            if self.activations.len() == self.kept {
                self.activations.push(Activations::default());
            }
            let activations = &mut self.activations[self.kept];
            model.network.forward(&model.parameters, &group, keeps, activations, &mut self.scratch);
            outputs.push(output(model, group.texts, &self.scratch.hidden));
            self.kept += usize::from(keeps);
        }
        Ok(outputs)
    }

    /// Computes the gradients of the parameters of all models. The groups are those of the last
    /// [`forward`](Self::forward), with the gradients of their outputs.
    pub fn backward<'p, T: 'p>(
        &mut self,
        pass: Pass<'_>,
        groups: impl Iterator<Item = (&'p GroupPlan, &'p T)>,
        backward: impl Fn(&TrainedModel, &[Text<'_>], &T, &mut Vec<f32>, &mut Gradients),
    ) -> Result<(), Error> {
        self.gradients.iter_mut().for_each(Gradients::clear);
        for (at, (plan, output)) in groups.enumerate() {
            pass.control.check()?;
            // A thread without groups needs no gradients.
            for model in &pass.models[self.gradients.len()..] {
                self.gradients.push(Gradients::zeros(model.network.shape()));
            }
            let (model, group) = (&pass.models[plan.model], pass.group(plan));
            let activations = if at < self.kept {
                &mut self.activations[at]
            } else {
                let activations = &mut self.activations[self.kept];
                model.network.forward(&model.parameters, &group, true, activations, &mut self.scratch);
                activations
            };
            let (scratch, gradients) = (&mut self.scratch, &mut self.gradients[plan.model]);
            model.network.recompute_hidden(&model.parameters, activations, &mut scratch.gradient);
            backward(model, group.texts, output, &mut scratch.gradient, gradients);
            model.network.backward(&model.parameters, &group, activations, scratch, gradients);
        }
        Ok(())
    }
}
