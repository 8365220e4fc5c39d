//! A layer, forward and backward: self-attention and a feed-forward network, each followed by a residual connection and
//! a normalization (Vaswani et al., 2017, §3.1).

use super::activations::Standardized;
use super::dropout::DropoutSite;
use super::gradients::add;
use super::{Activations, Gradients, Group, Network, Scratch, linear};
use crate::parameters::{NormLayout, Parameters};

impl Network {
    /// Replaces the hidden states by those after a layer. What the backward pass needs is kept in `slot` of the
    /// activations.
    pub(super) fn forward_layer(
        &self,
        parameters: &Parameters,
        group: &Group<'_>,
        layer: usize,
        slot: usize,
        activations: &mut Activations,
        scratch: &mut Scratch,
    ) {
        let (at, others) = (&self.layout.layers[layer], &parameters.others);
        let kept = &mut activations.layers[slot];
        let backend = &*self.backend;
        let Scratch { hidden, wide: [wide, _], probabilities, .. } = scratch;
        linear::forward(backend, &at.projections, others, hidden, &mut kept.projections);
        self.attend(group, layer, others, &kept.projections, probabilities, &mut kept.context);
        linear::forward(backend, &at.attention_output, others, &kept.context, &mut kept.attention.rows);
        self.drop(DropoutSite::Attention(layer), group, &mut kept.attention.rows);
        add(&mut kept.attention.rows, hidden);
        self.normalize(others, &at.attention_norm, &mut kept.attention, hidden);
        linear::forward(backend, &at.intermediate, others, hidden, &mut kept.intermediate);
        wide.clone_from(&kept.intermediate);
        self.kernels.gelu(wide);
        linear::forward(backend, &at.output, others, wide, &mut kept.output.rows);
        self.drop(DropoutSite::Output(layer), group, &mut kept.output.rows);
        add(&mut kept.output.rows, hidden);
        self.normalize(others, &at.output_norm, &mut kept.output, hidden);
    }

    /// Replaces the gradients of the hidden states after a layer, `scratch.gradient`, by those before it, and adds
    /// those of the layer's parameters.
    pub(super) fn backward_layer(
        &self,
        parameters: &Parameters,
        group: &Group<'_>,
        layer: usize,
        activations: &Activations,
        scratch: &mut Scratch,
        gradients: &mut Gradients,
    ) {
        let (at, others) = (&self.layout.layers[layer], &parameters.others);
        let kept = &activations.layers[layer];
        let into = gradients.others_mut();
        let backend = &*self.backend;

        // The feed-forward network. `gradient` goes to the residual connection, `branch` to the network.
        let Scratch { hidden, gradient, branch, wide: [activated, wide], .. } = &mut *scratch;
        self.backward_norm(others, &at.output_norm, &kept.output, gradient, into);
        branch.clone_from(gradient);
        self.drop(DropoutSite::Output(layer), group, branch);
        activated.clone_from(&kept.intermediate);
        self.kernels.gelu(activated);
        linear::backward_parameters(backend, &at.output, activated, branch, into);
        wide.resize(activated.len(), 0.0);
        linear::backward_inputs(backend, &at.output, others, branch, wide, false);
        self.gradient_kernels.gelu_backward(&kept.intermediate, wide);
        self.recompute_norm(others, &at.attention_norm, &kept.attention, hidden);
        linear::backward_parameters(backend, &at.intermediate, hidden, wide, into);
        linear::backward_inputs(backend, &at.intermediate, others, wide, gradient, true);

        // The attention, likewise.
        self.backward_norm(others, &at.attention_norm, &kept.attention, gradient, into);
        branch.clone_from(gradient);
        self.drop(DropoutSite::Attention(layer), group, branch);
        linear::backward_parameters(backend, &at.attention_output, &kept.context, branch, into);
        // The gradients of the results of the attention.
        linear::backward_inputs(backend, &at.attention_output, others, branch, hidden, false);
        let Scratch { hidden, gradient, projections, probabilities, .. } = scratch;
        projections.resize(kept.projections.len(), 0.0);
        self.backward_attention(
            group,
            layer,
            others,
            &kept.projections,
            hidden,
            probabilities,
            projections,
            gradients.others_mut(),
        );
        match layer.checked_sub(1) {
            Some(before) => {
                let norm = &self.layout.layers[before].output_norm;
                self.recompute_norm(others, norm, &activations.layers[before].output, hidden);
            }
            None => self.recompute_embeddings(parameters, group, activations, hidden),
        }
        linear::backward_parameters(backend, &at.projections, hidden, projections, gradients.others_mut());
        linear::backward_inputs(backend, &at.projections, others, projections, gradient, true);
    }

    /// Standardizes the rows of `kept`, and writes the normalized rows to `out`.
    fn normalize(&self, parameters: &[f32], at: &NormLayout, kept: &mut Standardized, out: &mut [f32]) {
        let dim = self.shape.dim;
        let (weight, bias) = (&parameters[at.weight.clone()], &parameters[at.bias.clone()]);
        let rows = kept.rows.chunks_exact_mut(dim).zip(&mut kept.factors).zip(out.chunks_exact_mut(dim));
        for ((row, factor), out) in rows {
            *factor = self.gradient_kernels.standardize(row, self.shape.epsilon);
            self.gradient_kernels.scale_and_shift(row, weight, bias, out);
        }
    }

    /// Recomputes normalized rows from the standardized ones.
    pub(super) fn recompute_norm(
        &self,
        parameters: &[f32],
        at: &NormLayout,
        kept: &Standardized,
        out: &mut Vec<f32>,
    ) {
        let dim = self.shape.dim;
        let (weight, bias) = (&parameters[at.weight.clone()], &parameters[at.bias.clone()]);
        out.resize(kept.rows.len(), 0.0);
        for (row, out) in kept.rows.chunks_exact(dim).zip(out.chunks_exact_mut(dim)) {
            self.gradient_kernels.scale_and_shift(row, weight, bias, out);
        }
    }

    /// Replaces the gradients of normalized rows by those of the rows before.
    pub(super) fn backward_norm(
        &self,
        parameters: &[f32],
        at: &NormLayout,
        kept: &Standardized,
        rows: &mut [f32],
        gradients: &mut [f32],
    ) {
        let dim = self.shape.dim;
        // The biases are behind the weights.
        let (weights, biases) = gradients[at.weight.start..at.bias.end].split_at_mut(dim);
        let weight = &parameters[at.weight.clone()];
        let all = rows.chunks_exact_mut(dim).zip(kept.rows.chunks_exact(dim)).zip(&kept.factors);
        for ((row, standardized), &factor) in all {
            self.gradient_kernels.layer_norm_backward(standardized, factor, weight, row, weights, biases);
        }
    }
}
