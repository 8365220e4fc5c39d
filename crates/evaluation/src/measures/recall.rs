//! Recall at a cut-off (R@k).

use crate::graded_ranking::GradedRanking;

/// Returns the fraction of all relevant passages that are among the first `cutoff` hits, or 0 if there is no relevant
/// passage. A passage is relevant if its grade is at least `min_grade`. trec_eval calls this measure `recall`.
pub(crate) fn recall(ranking: &GradedRanking, min_grade: i32, cutoff: usize) -> f64 {
    let total = ranking.relevant_count(min_grade);
    if total == 0 {
        return 0.0;
    }
    let found = ranking.top(Some(cutoff)).iter().filter(|&&grade| grade >= min_grade).count();
    found as f64 / total as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relevant_passages_that_were_not_retrieved_lower_recall() {
        // The hits have the grades 1, 0 and 2. Two passages with grade 1 were not retrieved.
        let ranking = GradedRanking::from_grades(&[1, 0, 2], &[1, 1]);
        assert_eq!(recall(&ranking, 1, 1), 0.25);
        assert_eq!(recall(&ranking, 1, 100), 0.5);
        assert_eq!(recall(&ranking, 2, 3), 1.0);
        assert_eq!(recall(&GradedRanking::from_grades(&[0], &[]), 1, 1), 0.0);
    }
}
