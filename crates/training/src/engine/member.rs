//! [`Member`]: a network that is trained.

use crate::network::Network;
use crate::optimizer::{AdamOptions, AdamW};
use crate::parameters::{Parameters, Shape};

/// A network that is trained.
#[derive(Debug)]
pub(crate) struct Member {
    pub network: Network,
    pub parameters: Parameters,
    pub optimizer: AdamW,
}

impl Member {
    pub fn new(shape: Shape, parameters: Parameters, options: AdamOptions) -> Self {
        Self { network: Network::new(shape), parameters, optimizer: AdamW::new(&shape, options) }
    }

    /// The parameters, ready for export.
    pub fn export(&self) -> Parameters {
        self.optimizer.decayed(&self.parameters)
    }
}
