//! Reciprocal rank (RR).

use crate::graded_ranking::GradedRanking;

/// Returns 1 divided by the rank of the first relevant passage, or 0 if no relevant passage is within the cut-off. A
/// passage is relevant if its grade is at least `min_grade`. trec_eval calls this measure `recip_rank`.
pub(crate) fn reciprocal_rank(ranking: &GradedRanking, min_grade: i32, cutoff: Option<usize>) -> f64 {
    let first = ranking.top(cutoff).iter().position(|&grade| grade >= min_grade);
    first.map_or(0.0, |index| 1.0 / (index + 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_relevant_passage_counts() {
        // The hits have the grades 0, 0, 1 and 2.
        let ranking = GradedRanking::from_grades(&[0, 0, 1, 2], &[]);
        assert_eq!(reciprocal_rank(&ranking, 1, None), 1.0 / 3.0);
        assert_eq!(reciprocal_rank(&ranking, 2, None), 1.0 / 4.0);
        assert_eq!(reciprocal_rank(&ranking, 1, Some(2)), 0.0);
        assert_eq!(reciprocal_rank(&GradedRanking::from_grades(&[0], &[1]), 1, None), 0.0);
    }
}
