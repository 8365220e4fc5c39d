//! Self-attention, forward and backward (Vaswani et al., 2017, §3.2). Each head of each text is computed on its own, so
//! no token sees those of another text.

use std::ops::Range;

use kernels::gradients::Dropout;
use kernels::matrix::{Matrix, multiply};

use super::dropout::DropoutSite;
use super::{Group, Network, StepDropout};

/// A head of a text.
struct Head {
    /// Number of the head, from 0.
    number: usize,
    /// Number of the text in the batch.
    text: usize,
    /// The tokens of the text in the group.
    tokens: Range<usize>,
}

impl Network {
    /// Computes the results of the attention, `[tokens, dim]`, from queries, keys and values, `[tokens, 3 dim]`.
    pub(super) fn attend(
        &self,
        group: &Group<'_>,
        layer: usize,
        parameters: &[f32],
        projections: &[f32],
        [probabilities, dropped, _]: &mut [Vec<f32>; 3],
        context: &mut [f32],
    ) {
        let (dim, head_dim) = (self.shape.dim, self.shape.head_dim());
        let dropout = group.dropout.map(|dropout| dropout.at(DropoutSite::Probabilities(layer)));
        self.for_each_head(group, |head| {
            self.attention(&head, parameters, projections, probabilities);
            let weights = self.dropped(&head, dropout, probabilities, dropped);
            let length = head.tokens.len();
            let values = self.part(projections, &head, 2);
            let out = &mut context[head.tokens.start * dim + head.number * head_dim..];
            multiply(Matrix::new(weights, length, length), values, out, dim, false);
        });
    }

    /// Computes the gradients of queries, keys and values, `[tokens, 3 dim]`, from those of the results of the
    /// attention, `[tokens, dim]`. Adds those of the biases of the scores to `parameter_gradients`.
    #[expect(clippy::too_many_arguments, reason = "what a backward pass reads and writes")]
    pub(super) fn backward_attention(
        &self,
        group: &Group<'_>,
        layer: usize,
        parameters: &[f32],
        projections: &[f32],
        context_gradients: &[f32],
        [probabilities, dropped, gradients]: &mut [Vec<f32>; 3],
        out: &mut [f32],
        parameter_gradients: &mut [f32],
    ) {
        let (dim, head_dim) = (self.shape.dim, self.shape.head_dim());
        let dropout = group.dropout.map(|dropout| dropout.at(DropoutSite::Probabilities(layer)));
        self.for_each_head(group, |head| {
            self.attention(&head, parameters, projections, probabilities);
            let length = head.tokens.len();
            let results = &context_gradients[head.tokens.start * dim + head.number * head_dim..];
            let results = Matrix::with_stride(results, length, head_dim, dim);
            let [queries, keys, values] = [0, 1, 2].map(|part| self.part(projections, &head, part));
            let place = |part| head.tokens.start * 3 * dim + part * dim + head.number * head_dim;

            let weights = self.dropped(&head, dropout, probabilities, dropped);
            let weights = Matrix::new(weights, length, length);
            multiply(weights.transposed(), results, &mut out[place(2)..], 3 * dim, false);

            // With biases, the gradients of the scores themselves are needed first: only the products are scaled.
            let softmax_scale = if self.biases.is_some() { 1.0 } else { self.shape.attention_scale() };
            gradients.resize(length * length, 0.0);
            multiply(results, values.transposed(), gradients, length, false);
            self.drop_probabilities(&head, dropout, gradients);
            for (probabilities, row) in
                probabilities.chunks_exact(length).zip(gradients.chunks_exact_mut(length))
            {
                self.gradient_kernels.softmax_backward(probabilities, row, softmax_scale);
            }
            if let Some(biases) = &self.biases {
                biases.backward(gradients, head.number, length, parameter_gradients);
                gradients.iter_mut().for_each(|gradient| *gradient *= self.shape.attention_scale());
            }
            let scores = Matrix::new(gradients, length, length);
            multiply(scores, keys, &mut out[place(0)..], 3 * dim, false);
            multiply(scores.transposed(), queries, &mut out[place(1)..], 3 * dim, false);
        });
    }

    fn for_each_head(&self, group: &Group<'_>, mut work: impl FnMut(Head)) {
        let mut start = 0;
        for (n, text) in group.texts.iter().enumerate() {
            let tokens = start..start + text.ids.len();
            start = tokens.end;
            for number in 0..self.shape.heads {
                work(Head { number, text: group.first + n, tokens: tokens.clone() });
            }
        }
    }

    /// The queries (`part` 0), keys (1) or values (2) of a head, `[tokens, head_dim]`.
    fn part<'a>(&self, projections: &'a [f32], head: &Head, part: usize) -> Matrix<'a> {
        let (dim, head_dim) = (self.shape.dim, self.shape.head_dim());
        let start = head.tokens.start * 3 * dim + part * dim + head.number * head_dim;
        Matrix::with_stride(&projections[start..], head.tokens.len(), head_dim, 3 * dim)
    }

    /// Computes the probabilities of a head, `[tokens, tokens]`.
    fn attention(&self, head: &Head, parameters: &[f32], projections: &[f32], probabilities: &mut Vec<f32>) {
        let length = head.tokens.len();
        let (queries, keys) = (self.part(projections, head, 0), self.part(projections, head, 1));
        probabilities.resize(length * length, 0.0);
        multiply(queries, keys.transposed(), probabilities, length, false);
        let mut scale = self.shape.attention_scale();
        if let Some(biases) = &self.biases {
            biases.scale_and_add(parameters, head.number, length, scale, probabilities);
            scale = 1.0;
        }
        for row in probabilities.chunks_exact_mut(length) {
            self.kernels.softmax(row, scale);
        }
    }

    /// The probabilities of a head after dropout.
    fn dropped<'a>(
        &self,
        head: &Head,
        dropout: Option<Dropout>,
        probabilities: &'a [f32],
        dropped: &'a mut Vec<f32>,
    ) -> &'a [f32] {
        if dropout.is_none() {
            return probabilities;
        }
        dropped.clear();
        dropped.extend_from_slice(probabilities);
        self.drop_probabilities(head, dropout, dropped);
        dropped
    }

    fn drop_probabilities(&self, head: &Head, dropout: Option<Dropout>, probabilities: &mut [f32]) {
        let Some(dropout) = dropout else { return };
        let length = head.tokens.len();
        for (position, row) in probabilities.chunks_exact_mut(length).enumerate() {
            let position = head.number * self.shape.positions + position;
            self.gradient_kernels.drop(row, dropout, StepDropout::row(head.text, position));
        }
    }
}
