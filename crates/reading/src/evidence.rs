//! Evidence fusion: the retrieval score as a second source of evidence for a passage.

use crate::Error;

/// The weights of evidence fusion (Ma et al., 2021, §2.3): a passage's relevance becomes β · r + γ · R, where r is the
/// reader's relevance logit and R the retrieval score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// Weight of the reader's relevance.
    pub beta: f64,
    /// Weight of the retrieval score.
    pub gamma: f64,
}

/// β = 1 and γ = 0: no fusion.
impl Default for Evidence {
    fn default() -> Self {
        Self { beta: 1.0, gamma: 0.0 }
    }
}

impl Evidence {
    /// β · relevance + γ · retrieval score.
    #[must_use]
    pub fn fuse(self, relevance: f32, retrieval_score: f32) -> f64 {
        // Without fusion the retrieval score may be anything, NaN too.
        let fused = if self.gamma == 0.0 { 0.0 } else { self.gamma * f64::from(retrieval_score) };
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
