//! The embeddings: the sum of a row for the word, the position and the type of each token, normalized.

use super::dropout::DropoutSite;
use super::gradients::add;
use super::{Activations, Gradients, Group, Network, Scratch, StepDropout};
use crate::parameters::Parameters;

impl Network {
    /// Computes the embeddings of all tokens, after dropout, in `scratch.hidden`.
    pub(super) fn embed(
        &self,
        parameters: &Parameters,
        group: &Group<'_>,
        activations: &mut Activations,
        scratch: &mut Scratch,
    ) {
        let dim = self.shape.dim;
        let others = &parameters.others;
        let (positions, types) = (&others[self.layout.positions.clone()], &others[self.layout.types.clone()]);
        let mut rows = activations.embeddings.rows.chunks_exact_mut(dim);
        for text in group.texts {
            for ((position, &id), row) in text.ids.iter().enumerate().zip(rows.by_ref()) {
                row.copy_from_slice(&parameters.words[id as usize * dim..][..dim]);
                add(row, &positions[(self.shape.first_position + position) * dim..][..dim]);
                if self.shape.types > 0 {
                    add(row, &types[self.type_of(text, position) * dim..][..dim]);
                }
            }
        }
        let standardized = &mut activations.embeddings;
        for (row, factor) in standardized.rows.chunks_exact_mut(dim).zip(&mut standardized.factors) {
            *factor = self.gradient_kernels.standardize(row, self.shape.epsilon);
        }
        self.recompute_embeddings(parameters, group, activations, &mut scratch.hidden);
    }

    /// Computes the embeddings of all tokens, after dropout, from the standardized rows.
    pub(super) fn recompute_embeddings(
        &self,
        parameters: &Parameters,
        group: &Group<'_>,
        activations: &Activations,
        hidden: &mut Vec<f32>,
    ) {
        self.recompute_norm(&parameters.others, &self.layout.norm, &activations.embeddings, hidden);
        self.drop(DropoutSite::Embeddings, group, hidden);
    }

    /// Adds the gradients of the embeddings. `scratch.gradient` has those of their outputs, after dropout.
    pub(super) fn backward_embeddings(
        &self,
        parameters: &Parameters,
        group: &Group<'_>,
        activations: &Activations,
        scratch: &mut Scratch,
        gradients: &mut Gradients,
    ) {
        let dim = self.shape.dim;
        let gradient = &mut scratch.gradient;
        self.drop(DropoutSite::Embeddings, group, gradient);
        let others = gradients.others_mut();
        self.backward_norm(&parameters.others, &self.layout.norm, &activations.embeddings, gradient, others);
        let mut rows = gradient.chunks_exact(dim);
        for text in group.texts {
            for ((position, &id), row) in text.ids.iter().enumerate().zip(rows.by_ref()) {
                add(gradients.word_mut(id), row);
                let others = gradients.others_mut();
                let at = self.layout.positions.start + (self.shape.first_position + position) * dim;
                add(&mut others[at..][..dim], row);
                if self.shape.types > 0 {
                    let at = self.layout.types.start + self.type_of(text, position) * dim;
                    add(&mut others[at..][..dim], row);
                }
            }
        }
    }

    fn type_of(&self, text: &transformer::Text<'_>, position: usize) -> usize {
        usize::from(self.shape.has_type_input && position >= text.type_0_count)
    }

    /// Drops values of `rows`, `[tokens, dim]`.
    pub(super) fn drop(&self, site: DropoutSite, group: &Group<'_>, rows: &mut [f32]) {
        if let Some(dropout) = &group.dropout {
            let kernels = self.gradient_kernels;
            StepDropout::drop_rows(dropout, kernels, site, group.texts, group.first, rows, self.shape.dim);
        }
    }
}
