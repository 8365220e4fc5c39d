//! Success at a cut-off (Success@k).

use crate::graded_ranking::GradedRanking;

/// Returns 1 if a relevant passage is among the first `cutoff` hits, and 0 otherwise. A passage is relevant if its
/// grade is at least `min_grade`. trec_eval calls this measure `success`.
pub(crate) fn success(ranking: &GradedRanking, min_grade: i32, cutoff: usize) -> f64 {
    let found = ranking.top(Some(cutoff)).iter().any(|&grade| grade >= min_grade);
    f64::from(u8::from(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_relevant_passage_is_enough() {
        // The hits have the grades 0, 1, 0 and 2. A passage with grade 1 was not retrieved.
        let ranking = GradedRanking::from_grades(&[0, 1, 0, 2], &[1]);
        assert_eq!(success(&ranking, 1, 1), 0.0);
        assert_eq!(success(&ranking, 1, 2), 1.0);
        assert_eq!(success(&ranking, 2, 3), 0.0);
        assert_eq!(success(&ranking, 2, 100), 1.0);
    }
}
