//! [`TrainedModel`]: a model with the state of its optimizer.

use crate::network::Network;
use crate::optimizer::{AdamOptions, AdamW};
use crate::parameters::{Parameters, Shape};

/// A model that is trained: its network, its parameters, and its optimizer.
#[derive(Debug)]
pub(crate) struct TrainedModel {
    pub network: Network,
    pub parameters: Parameters,
    pub optimizer: AdamW,
}

impl TrainedModel {
    pub fn new(shape: Shape, parameters: Parameters, options: AdamOptions) -> Self {
        Self { network: Network::new(shape), parameters, optimizer: AdamW::new(&shape, options) }
    }

    /// The parameters, ready for export.
    pub fn export(&self) -> Parameters {
        self.optimizer.decayed(&self.parameters)
    }
}
