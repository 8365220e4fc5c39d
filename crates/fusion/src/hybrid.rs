//! The three hybrids of Ma et al. (2021), "A Replication Study of Dense Passage Retriever", §2.1. Each fuses two lists:
//! the first is from the dense searcher, the second from the sparse searcher.

use crate::{Linear, Method, Missing, Normalization};

impl Method {
    /// λ · dense + sparse. A missing score is 0. Dense Passage Retrieval (DPR; Karpukhin et al., 2020, §5) uses
    /// λ = 1.1.
    #[must_use]
    pub fn dpr_hybrid(lambda: f64) -> Self {
        weighted([lambda, 1.0], Missing::Zero)
    }

    /// dense + α · sparse. A missing score is 0.
    #[must_use]
    pub fn hybrid(alpha: f64) -> Self {
        weighted([1.0, alpha], Missing::Zero)
    }

    /// dense + α · sparse. If a list lacks a passage, the passage gets the lowest score in that list. The scores are
    /// not normalized.
    #[must_use]
    pub fn hybrid_norm(alpha: f64) -> Self {
        weighted([1.0, alpha], Missing::Minimum)
    }
}

/// Returns the weighted sum of the dense and the sparse score, which are not normalized.
fn weighted(weights: [f64; 2], missing: Missing) -> Method {
    Method::Linear(Linear { weights: weights.to_vec(), normalization: Normalization::None, missing })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuse;
    use ranking::Hit;

    // Passages a, b, c and d have the ords 1 to 4. Dense: a 80, b 78, c 70. Sparse: c 10, d 9, b 6.
    const DENSE: [Hit; 3] =
        [Hit { ord: 1, score: 80.0 }, Hit { ord: 2, score: 78.0 }, Hit { ord: 3, score: 70.0 }];
    const SPARSE: [Hit; 3] =
        [Hit { ord: 3, score: 10.0 }, Hit { ord: 4, score: 9.0 }, Hit { ord: 2, score: 6.0 }];

    fn fused(method: &Method) -> Vec<(u32, f32)> {
        let fused = fuse(&[&DENSE, &SPARSE], method, 10).expect("fuses");
        fused.into_iter().map(|hit| (hit.ord, hit.score)).collect()
    }

    #[test]
    fn dpr_hybrid_weights_the_dense_score() {
        // b: 1.5 · 78 + 6; a: 1.5 · 80; c: 1.5 · 70 + 10; d: 9.
        assert_eq!(fused(&Method::dpr_hybrid(1.5)), [(2, 123.0), (1, 120.0), (3, 115.0), (4, 9.0)]);
    }

    #[test]
    fn hybrid_weights_the_sparse_score() {
        // c: 70 + 2 · 10; b: 78 + 2 · 6; a: 80; d: 2 · 9. b and c have equal scores, and b appears first.
        assert_eq!(fused(&Method::hybrid(2.0)), [(2, 90.0), (3, 90.0), (1, 80.0), (4, 18.0)]);
    }

    #[test]
    fn hybrid_norm_uses_the_lowest_score_of_a_list_for_missing_scores() {
        // a: 80 + 2 · 6; b: 78 + 2 · 6; c: 70 + 2 · 10; d: 70 + 2 · 9.
        assert_eq!(fused(&Method::hybrid_norm(2.0)), [(1, 92.0), (2, 90.0), (3, 90.0), (4, 88.0)]);
    }

    #[test]
    fn an_empty_list_adds_nothing() {
        let fused = fuse(&[&DENSE, &[]], &Method::hybrid_norm(2.0), 10).expect("fuses");
        assert_eq!(fused, DENSE);
    }
}
