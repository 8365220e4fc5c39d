//! The input and the result of a search for the weights of evidence fusion (β · relevance + γ · retrieval score), and
//! the pairs of weights that each pass of the search tries.

use super::grid::{GridRange, Hundredths, from_hundredths};
use crate::question::check_passage_counts;
use crate::{Error, Evidence, Merge, SpanScoring};

/// How answers are formed, and the weights and numbers of passages to try.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceSearch {
    /// How spans are scored.
    pub spans: SpanScoring,
    /// Which spans count as the same answer.
    pub merge: Merge,
    /// Numbers of passages to try, in strictly ascending order.
    pub passage_counts: Vec<usize>,
    /// Range of β. Only values above 0 are tried. Under [`SpanScoring::Original`], β is 1 whatever the range.
    pub beta: GridRange,
    /// Range of γ under [`SpanScoring::Original`], and of δ = γ / β under the other scorings.
    pub weight: GridRange,
    /// Number of threads; 0 means one per CPU. The result does not depend on this number.
    pub threads: usize,
}

/// One pair of weights with one number of passages, and the number of correct answers that they give.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EvidenceTrial {
    /// The weights.
    pub evidence: Evidence,
    /// Number of passages per question.
    pub passage_count: usize,
    /// Number of questions whose best answer is an accepted one.
    pub correct_count: usize,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct TunedEvidence {
    /// The trial with the most correct answers. Ties are broken by fewer passages, then by the smaller γ, then by the β
    /// nearer to 1, then by the smaller β.
    pub best: EvidenceTrial,
    /// All trials, in the order in which they were made. No trial is made twice.
    pub trials: Vec<EvidenceTrial>,
}

/// The step of γ in each pass under [`SpanScoring::Original`]. Each pass except the first tries the values between the
/// best value so far and its neighbors on the grid of the previous pass.
const ORIGINAL_STEPS: [Hundredths; 2] = [5, 1];
/// The step of β and δ in each pass under the other scorings.
const RATIO_STEPS: [Hundredths; 3] = [20, 5, 1];
/// The grid value of β = 1.
const ONE: Hundredths = 100;

/// A pair of weights on the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct WeightPair {
    beta: Hundredths,
    /// δ if `is_ratio`, otherwise γ.
    weight: Hundredths,
    is_ratio: bool,
}

impl WeightPair {
    /// Converts the pair to β and γ.
    pub fn evidence(self) -> Evidence {
        let (beta, weight) = (from_hundredths(self.beta), from_hundredths(self.weight));
        Evidence { beta, gamma: if self.is_ratio { beta * weight } else { weight } }
    }
}

impl EvidenceSearch {
    /// Returns the step of each pass, coarse to fine.
    pub(super) fn steps(&self) -> &'static [Hundredths] {
        if self.spans == SpanScoring::Original { &ORIGINAL_STEPS } else { &RATIO_STEPS }
    }

    /// Fails if a range is invalid, if the numbers of passages are not in strictly ascending order, or if there is
    /// nothing to try.
    pub(super) fn check(&self) -> Result<(), Error> {
        self.weight.check("weight")?;
        self.beta.check("beta")?;
        check_passage_counts(&self.passage_counts)?;
        if self.passage_counts.is_empty() || self.pairs(self.steps()[0], None).is_empty() {
            let expected =
                "a number of passages, and ranges with a multiple of the first step; for beta, one above 0";
            return Err(Error::Argument { what: "search", expected, got: "nothing to try".to_owned() });
        }
        Ok(())
    }

    /// Returns the pairs that a pass with this step tries. `center` is the best pair of all previous passes, together
    /// with the step of the pass just before; `None` in the first pass.
    pub(super) fn pairs(
        &self,
        step: Hundredths,
        center: Option<(WeightPair, Hundredths)>,
    ) -> Vec<WeightPair> {
        let values = |range: GridRange, center: Option<(Hundredths, Hundredths)>| match center {
            Some((center, coarser_step)) => range.fine(center, step, coarser_step),
            None => range.coarse(step),
        };
        let is_ratio = self.spans != SpanScoring::Original;
        let betas = if is_ratio {
            values(self.beta, center.map(|(pair, coarser_step)| (pair.beta, coarser_step)))
        } else {
            vec![ONE]
        };
        let weights = values(self.weight, center.map(|(pair, coarser_step)| (pair.weight, coarser_step)));
        let pairs = |beta| weights.iter().map(move |&weight| WeightPair { beta, weight, is_ratio });
        betas.into_iter().filter(|&beta| beta > 0).flat_map(pairs).collect()
    }
}
