//! The options of the search for enrichments.

use super::adam::Adam;
use crate::Error;

/// The initial vector of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// The zero vector.
    Zero,
    /// The token's row of the decoder, which is its word embedding in most models.
    Static,
}

/// The options of [`enrich`](super::enrich).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnrichOptions {
    /// The initial vectors.
    pub start: Start,
    /// The optimizer.
    pub adam: Adam,
    /// The loss in nats below which a token is done. If a lower bound proves that no vector can have such a loss for
    /// the token, the token is done when its loss exceeds the bound by less than this value.
    pub loss: f32,
    /// Minimum number of steps of each token.
    pub min_steps: u32,
    /// Maximum number of steps of each token.
    pub max_steps: u32,
    /// Number of threads; 0 means one per CPU. The result does not depend on it.
    pub threads: usize,
}

impl Default for EnrichOptions {
    fn default() -> Self {
        Self {
            start: Start::Zero,
            adam: Adam::default(),
            loss: 0.1,
            min_steps: 0,
            max_steps: 100,
            threads: 0,
        }
    }
}

impl EnrichOptions {
    /// Checks the values.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for a value that is not allowed.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let Adam { learning_rate, beta1, beta2, epsilon } = self.adam;
        let is_positive = |value: f64| value.is_finite() && value > 0.0;
        let is_decay = |value: f64| (0.0..1.0).contains(&value);
        let checks = [
            ("learning rate", learning_rate, "a number above 0", is_positive(learning_rate)),
            ("beta1", beta1, "a number of at least 0 and below 1", is_decay(beta1)),
            ("beta2", beta2, "a number of at least 0 and below 1", is_decay(beta2)),
            ("epsilon", epsilon, "a number above 0", is_positive(epsilon)),
            ("loss", f64::from(self.loss), "a number above 0", is_positive(f64::from(self.loss))),
        ];
        for (what, value, expected, is_valid) in checks {
            if !is_valid {
                return Err(Error::argument(what, expected, value.to_string()));
            }
        }
        if self.min_steps > self.max_steps {
            let expected = format!("at least min steps, {}", self.min_steps);
            return Err(Error::argument("max steps", expected, self.max_steps.to_string()));
        }
        Ok(())
    }

    /// Returns the description of the options that is stored in files. Equal descriptions give equal enrichments
    /// of a head, so the number of threads is not part of the description.
    pub(crate) fn description(&self) -> serde_json::Value {
        let Adam { learning_rate, beta1, beta2, epsilon } = self.adam;
        serde_json::json!({
            "start": match self.start { Start::Zero => "zero", Start::Static => "static" },
            "learningRate": learning_rate,
            "beta1": beta1,
            "beta2": beta2,
            "epsilon": epsilon,
            "loss": self.loss,
            // These names are part of the file format.
            "leastSteps": self.min_steps,
            "mostSteps": self.max_steps,
        })
    }
}
