//! [`Objective`]: what is trained.

use transformer::Text;

use super::model::TrainedModel;
use crate::network::Gradients;

/// How the outputs of texts are computed from their hidden states, and the loss from the outputs.
pub(crate) trait Objective: Sync {
    /// The outputs of a group.
    type Output: Send + Sync;

    /// Computes the outputs of a group from its hidden states, `[tokens, dim]`.
    fn output(&self, model: &TrainedModel, texts: &[Text<'_>], hidden: &[f32]) -> Self::Output;

    /// Computes the loss, and replaces the outputs of all groups by their gradients.
    fn loss(&mut self, outputs: &mut [Self::Output]) -> f32;

    /// Replaces the hidden states of a group by their gradients, and adds those of the heads' parameters.
    fn backward(
        &self,
        model: &TrainedModel,
        texts: &[Text<'_>],
        output: &Self::Output,
        hidden: &mut Vec<f32>,
        gradients: &mut Gradients,
    );
}
