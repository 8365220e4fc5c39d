//! [`StepDropout`]: the dropout masks of a step.

use kernels::gradients::{Dropout, GradientKernels};
use numerics::SplitMix64;
use transformer::Text;

/// The places where dropout is applied, as in BERT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DropoutSite {
    /// The embeddings.
    Embeddings,
    /// The probabilities of a layer's attention.
    Probabilities(usize),
    /// The output of a layer's attention.
    Attention(usize),
    /// The output of a layer's feed-forward network.
    Output(usize),
}

/// The dropout of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct StepDropout {
    /// The probability with which a value is dropped.
    pub probability: f32,
    /// A number that differs between steps.
    pub seed: u64,
}

impl StepDropout {
    /// The dropout at a place.
    pub fn at(&self, site: DropoutSite) -> Dropout {
        let number = match site {
            DropoutSite::Embeddings => 0,
            DropoutSite::Probabilities(layer) => 3 * layer as u64 + 1,
            DropoutSite::Attention(layer) => 3 * layer as u64 + 2,
            DropoutSite::Output(layer) => 3 * layer as u64 + 3,
        };
        Dropout::new(self.probability, SplitMix64::new(self.seed ^ number).next_u64())
    }

    /// The number of a row, for [`GradientKernels::drop`]. The product of tokens and heads is below 2³².
    pub fn row(text: usize, position: usize) -> u64 {
        ((text as u64) << 32) + position as u64
    }

    /// Applies dropout to `rows`, `[tokens, dim]`, one row for each token of the texts. `first` is the number of the
    /// first text.
    pub fn drop_rows(
        &self,
        kernels: &GradientKernels,
        site: DropoutSite,
        texts: &[Text<'_>],
        first: usize,
        rows: &mut [f32],
        dim: usize,
    ) {
        let dropout = self.at(site);
        let mut rows = rows.chunks_exact_mut(dim);
        for (n, text) in texts.iter().enumerate() {
            for (position, row) in rows.by_ref().take(text.ids.len()).enumerate() {
                kernels.drop(row, dropout, Self::row(first + n, position));
            }
        }
    }
}
