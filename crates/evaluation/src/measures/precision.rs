//! Precision at a cut-off (P@k).

use crate::graded_ranking::GradedRanking;

/// Returns the fraction of the first `cutoff` hits that are relevant, which means that their grade is at least
/// `min_grade`. If there are fewer hits, the missing ones count as not relevant. trec_eval calls this measure `P`.
pub(crate) fn precision(ranking: &GradedRanking, min_grade: i32, cutoff: usize) -> f64 {
    let found = ranking.top(Some(cutoff)).iter().filter(|&&grade| grade >= min_grade).count();
    found as f64 / cutoff as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_hits_count_as_not_relevant() {
        // The hits have the grades 1, 0 and 2. A passage with grade 1 was not retrieved.
        let ranking = GradedRanking::from_grades(&[1, 0, 2], &[1]);
        assert_eq!(precision(&ranking, 1, 2), 0.5);
        assert_eq!(precision(&ranking, 1, 5), 0.4);
        assert_eq!(precision(&ranking, 2, 5), 0.2);
        assert_eq!(precision(&GradedRanking::from_grades(&[], &[1]), 1, 5), 0.0);
    }
}
