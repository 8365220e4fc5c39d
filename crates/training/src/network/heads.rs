//! The outputs of networks: the vectors of encoders and the logits of readers, forward and backward.

use transformer::Text;

use super::gradients::add;
use super::linear;
use crate::Cpu;
use crate::parameters::Layout;

/// How an encoder makes a vector from the hidden states of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pooling {
    /// The mean of all hidden states.
    Mean,
    /// The hidden state of the first token, `[CLS]`.
    FirstToken,
}

impl Pooling {
    /// Appends the vector of each text to `vectors`. `hidden` is `[tokens, dim]`.
    pub(crate) fn forward(self, texts: &[Text<'_>], dim: usize, hidden: &[f32], vectors: &mut Vec<f32>) {
        let mut start = 0;
        for text in texts {
            let rows = &hidden[start * dim..(start + text.ids.len()) * dim];
            start += text.ids.len();
            let at = vectors.len();
            vectors.extend_from_slice(&rows[..dim]);
            if self == Self::Mean {
                let vector = &mut vectors[at..];
                rows.chunks_exact(dim).skip(1).for_each(|row| add(vector, row));
                let factor = 1.0 / text.ids.len() as f32;
                vector.iter_mut().for_each(|value| *value *= factor);
            }
        }
    }

    /// Computes the gradients of the hidden states, `[tokens, dim]`, from those of the vectors.
    pub(crate) fn backward(self, texts: &[Text<'_>], dim: usize, vectors: &[f32], hidden: &mut Vec<f32>) {
        hidden.clear();
        for (text, vector) in texts.iter().zip(vectors.chunks_exact(dim)) {
            let at = hidden.len();
            hidden.resize(at + text.ids.len() * dim, 0.0);
            match self {
                Self::FirstToken => hidden[at..at + dim].copy_from_slice(vector),
                Self::Mean => {
                    let factor = 1.0 / text.ids.len() as f32;
                    for row in hidden[at..].chunks_exact_mut(dim) {
                        row.iter_mut().zip(vector).for_each(|(value, gradient)| *value = gradient * factor);
                    }
                }
            }
        }
    }
}

/// The logits of a reader for some texts, or their gradients.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReaderLogits {
    /// Start and end logit of each token of each text, `[tokens, 2]`.
    pub spans: Vec<f32>,
    /// The relevance logit of each text.
    pub relevance: Vec<f32>,
}

impl ReaderLogits {
    /// Computes the logits from the hidden states, `[tokens, dim]`.
    pub(crate) fn forward(layout: &Layout, parameters: &[f32], texts: &[Text<'_>], hidden: &[f32]) -> Self {
        let mut logits = Self {
            spans: vec![0.0; hidden.len() / layout.spans.inputs * 2],
            relevance: vec![0.0; texts.len()],
        };
        // Two columns and one: too few to be worth another device.
        linear::forward(&Cpu, &layout.spans, parameters, hidden, &mut logits.spans);
        let mut first_tokens = Vec::new();
        Pooling::FirstToken.forward(texts, layout.relevance.inputs, hidden, &mut first_tokens);
        linear::forward(&Cpu, &layout.relevance, parameters, &first_tokens, &mut logits.relevance);
        logits
    }

    /// Replaces the hidden states by their gradients, and adds those of the heads' parameters. `self` has the gradients
    /// of the logits.
    pub(crate) fn backward(
        &self,
        layout: &Layout,
        parameters: &[f32],
        texts: &[Text<'_>],
        hidden: &mut [f32],
        gradients: &mut [f32],
    ) {
        let dim = layout.relevance.inputs;
        let mut first_tokens = Vec::new();
        Pooling::FirstToken.forward(texts, dim, hidden, &mut first_tokens);
        linear::backward_parameters(&Cpu, &layout.relevance, &first_tokens, &self.relevance, gradients);
        linear::backward_parameters(&Cpu, &layout.spans, hidden, &self.spans, gradients);
        linear::backward_inputs(&Cpu, &layout.spans, parameters, &self.spans, hidden, false);
        linear::backward_inputs(
            &Cpu,
            &layout.relevance,
            parameters,
            &self.relevance,
            &mut first_tokens,
            false,
        );
        let mut start = 0;
        for (text, row) in texts.iter().zip(first_tokens.chunks_exact(dim)) {
            add(&mut hidden[start * dim..][..dim], row);
            start += text.ids.len();
        }
    }
}
