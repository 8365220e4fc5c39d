//! Evidence fusion: adds the retrieval score of a passage to the relevance that the reader gives it (Ma et al., 2021,
//! "A Replication Study of Dense Passage Retriever", §2.3).

use crate::Error;

/// The weights of evidence fusion. The relevance of a passage becomes β · r + γ · s, where r is the reader's relevance
/// logit and s the retrieval score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// β, the weight of the reader's relevance logit.
    pub beta: f64,
    /// γ, the weight of the retrieval score.
    pub gamma: f64,
}

/// β = 1 and γ = 0, which means no fusion.
impl Default for Evidence {
    fn default() -> Self {
        Self { beta: 1.0, gamma: 0.0 }
    }
}

impl Evidence {
    /// Returns β · `relevance` + γ · `retrieval_score`.
    #[must_use]
    pub fn fuse(self, relevance: f32, retrieval_score: f32) -> f64 {
        // Without fusion, the retrieval score may have any value, even NaN.
        let fused = if self.gamma == 0.0 { 0.0 } else { self.gamma * f64::from(retrieval_score) };
        self.beta * f64::from(relevance) + fused
    }

    /// Fails if a weight is not finite.
    pub(crate) fn check(self) -> Result<(), Error> {
        for (what, value) in [("beta", self.beta), ("gamma", self.gamma)] {
            if !value.is_finite() {
                return Err(Error::Argument { what, expected: "a finite number", got: value.to_string() });
            }
        }
        Ok(())
    }
}
