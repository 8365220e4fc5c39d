use super::adam::Adam;
use crate::Error;

/// Where the search for a vector begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// At 0.
    Zero,
    /// At the token's row of the decoder, which is its embedding in most models.
    Static,
}

/// How single-token enrichments are computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnrichOptions {
    /// Where each begins.
    pub start: Start,
    /// How each goes on.
    pub adam: Adam,
    /// Loss in nats below which a token is done. A token that provably has no such vector is done this close to its bound.
    pub loss: f32,
    /// Minimum number of steps of each, however low its loss.
    pub min_steps: u32,
    /// Maximum number of steps of each, however high its loss.
    pub max_steps: u32,
    /// Threads; 0 is one for each CPU. The result does not depend on them.
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
    pub(crate) fn check(&self) -> Result<(), Error> {
        let Adam { learning_rate, beta1, beta2, epsilon } = self.adam;
        let above_zero = |value: f64| value.is_finite() && value > 0.0;
        let decay = |value: f64| (0.0..1.0).contains(&value);
        let checks = [
            ("learning rate", learning_rate, "a number above 0", above_zero(learning_rate)),
            ("beta1", beta1, "a number from 0, below 1", decay(beta1)),
            ("beta2", beta2, "a number from 0, below 1", decay(beta2)),
            ("epsilon", epsilon, "a number above 0", above_zero(epsilon)),
            ("loss", f64::from(self.loss), "a number above 0", above_zero(f64::from(self.loss))),
        ];
        for (what, value, expected, good) in checks {
            if !good {
                return Err(Error::argument(what, expected, value.to_string()));
            }
        }
        if self.min_steps > self.max_steps {
            let expected = format!("at least min steps, {}", self.min_steps);
            return Err(Error::argument("max steps", expected, self.max_steps.to_string()));
        }
        Ok(())
    }

    /// What a file of enrichments says of the options that it was made with. Equal descriptions give equal enrichments.
    pub(crate) fn described(&self) -> serde_json::Value {
        let Adam { learning_rate, beta1, beta2, epsilon } = self.adam;
        serde_json::json!({
            "start": match self.start { Start::Zero => "zero", Start::Static => "static" },
            "learningRate": learning_rate,
            "beta1": beta1,
            "beta2": beta2,
            "epsilon": epsilon,
            "loss": self.loss,
            // The names are part of the file format.
            "leastSteps": self.min_steps,
            "mostSteps": self.max_steps,
        })
    }
}
