use super::Adam;
use crate::Error;

/// Where the search for a vector begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// At 0.
    Zero,
    /// At the token's row of the decoder, which is its embedding in most models.
    Static,
}

/// How single-token enrichments are looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnrichOptions {
    /// Where each begins.
    pub start: Start,
    /// How each goes on.
    pub adam: Adam,
    /// Loss below which one is done, in nats; one whose token has no such vector, so near to the least.
    pub loss: f32,
    /// Steps that each takes at least, however low its loss.
    pub least_steps: u32,
    /// Steps that each takes at most, however high its loss.
    pub most_steps: u32,
    /// Threads; 0 is one for each CPU. They change nothing but the time.
    pub threads: usize,
}

impl Default for EnrichOptions {
    fn default() -> Self {
        Self {
            start: Start::Zero,
            adam: Adam::default(),
            loss: 0.1,
            least_steps: 0,
            most_steps: 300,
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
        if self.least_steps > self.most_steps {
            let expected = format!("at least the {} that each takes", self.least_steps);
            return Err(Error::argument("most steps", expected, self.most_steps.to_string()));
        }
        Ok(())
    }

    /// Of two equal ones the enrichments are equal.
    pub(crate) fn described(&self) -> serde_json::Value {
        let Adam { learning_rate, beta1, beta2, epsilon } = self.adam;
        serde_json::json!({
            "start": match self.start { Start::Zero => "zero", Start::Static => "static" },
            "learningRate": learning_rate,
            "beta1": beta1,
            "beta2": beta2,
            "epsilon": epsilon,
            "loss": self.loss,
            "leastSteps": self.least_steps,
            "mostSteps": self.most_steps,
        })
    }
}
