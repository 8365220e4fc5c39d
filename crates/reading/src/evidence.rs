use crate::Error;

/// Evidence fusion (Ma et al., 2021, §2.3): a passage's relevance r becomes β · r + γ · R, R its retrieval score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// Weight of the reader's relevance.
    pub beta: f64,
    /// Weight of the retrieval score.
    pub gamma: f64,
}

/// β = 1, γ = 0: no fusion.
impl Default for Evidence {
    fn default() -> Self {
        Self { beta: 1.0, gamma: 0.0 }
    }
}

impl Evidence {
    /// β · relevance + γ · retrieval.
    #[must_use]
    pub fn fuse(self, relevance: f32, retrieval: f32) -> f64 {
        // Without fusion a retrieval score is not looked at, be it what it may.
        let fused = if self.gamma == 0.0 { 0.0 } else { self.gamma * f64::from(retrieval) };
        self.beta * f64::from(relevance) + fused
    }

    pub(crate) fn check(self) -> Result<(), Error> {
        for (what, value) in [("beta", self.beta), ("gamma", self.gamma)] {
            if !value.is_finite() {
                return Err(Error::Argument { what, expected: "a finite number", got: value.to_string() });
            }
        }
        Ok(())
    }
}
