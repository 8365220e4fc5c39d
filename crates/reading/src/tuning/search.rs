//! What a search for weights tries, and what it returns.

use super::grid::{GridRange, Hundredths, from_hundredths};
use crate::question::check_passage_counts;
use crate::{Error, Evidence, Merge, SpanScoring};

/// The weights and numbers of passages to try.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceSearch {
    /// How spans are scored.
    pub spans: SpanScoring,
    /// Which spans are the same answer.
    pub merge: Merge,
    /// Numbers of passages, in ascending order.
    pub passage_counts: Vec<usize>,
    /// Range of β, above 0. Not used under `Original`, where β = 1.
    pub beta: GridRange,
    /// Range of γ under `Original`; otherwise of δ = γ / β.
    pub weight: GridRange,
    /// Number of threads; 0 means one per CPU. The result does not depend on it.
    pub threads: usize,
}

/// One pair of weights with one number of passages.
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
    /// The trial with the most correct questions. Ties are resolved by fewer passages, then a smaller γ, then a β nearer
    /// to 1, then a smaller β.
    pub best: EvidenceTrial,
    /// All trials in order, each once.
    pub trials: Vec<EvidenceTrial>,
}

/// The steps of γ, one per pass, under `Original`. A pass tries the values between the best value of the previous pass and
/// that value's neighbors.
const ORIGINAL_STEPS: [Hundredths; 2] = [5, 1];
/// The steps of β and δ, one per pass, under all other scorings.
const RATIO_STEPS: [Hundredths; 3] = [20, 5, 1];
/// β = 1.
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
    pub fn evidence(self) -> Evidence {
        let (beta, weight) = (from_hundredths(self.beta), from_hundredths(self.weight));
        Evidence { beta, gamma: if self.is_ratio { beta * weight } else { weight } }
    }
}

impl EvidenceSearch {
    /// The steps of the passes, coarse to fine.
    pub(super) fn steps(&self) -> &'static [Hundredths] {
        if self.spans == SpanScoring::Original { &ORIGINAL_STEPS } else { &RATIO_STEPS }
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        self.weight.check("weight")?;
        self.beta.check("beta")?;
        check_passage_counts(&self.passage_counts)?;
        if self.passage_counts.is_empty() || self.pairs(self.steps()[0], None).is_empty() {
            let expected = "a number of passages, and ranges with a value to try: a multiple of the first step, β above 0";
            return Err(Error::Argument { what: "search", expected, got: "nothing to try".to_owned() });
        }
        Ok(())
    }

    /// The pairs of a pass with this step. `center` is the best pair of the previous pass and that pass's step.
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
