//! Normalized discounted cumulative gain (nDCG).

use crate::graded_ranking::{GradedRanking, top};

/// Returns normalized discounted cumulative gain (Järvelin and Kekäläinen, 2002): DCG divided by the DCG of the best
/// possible ranking. DCG is the sum of grade / log2(rank + 1) over the first `cutoff` hits, or over all hits without a
/// cut-off. The result is 0 if there is no relevant passage.
///
/// trec_eval calls this measure `ndcg` or, with a cut-off, `ndcg_cut`.
pub(crate) fn ndcg(ranking: &GradedRanking, cutoff: Option<usize>) -> f64 {
    let ideal = dcg(top(&ranking.ideal, cutoff));
    if ideal > 0.0 { dcg(ranking.top(cutoff)) / ideal } else { 0.0 }
}

/// Returns the DCG of a ranking from the grade at each rank.
fn dcg(grades: &[i32]) -> f64 {
    let discounted_gain = |(index, &grade): (usize, &i32)| {
        if grade > 0 { f64::from(grade) / ((index + 2) as f64).log2() } else { 0.0 }
    };
    // `sum` is not used, because it returns -0.0 for an empty list.
    grades.iter().enumerate().map(discounted_gain).fold(0.0, |sum, gain| sum + gain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gain_is_the_grade_and_is_discounted_by_rank() {
        // The hits have the grades 0, 2 and 1. A passage with grade 3 was not retrieved.
        let ranking = GradedRanking::from_grades(&[0, 2, 1], &[3]);
        let dcg = 2.0 / 3f64.log2() + 1.0 / 4f64.log2();
        let ideal = 3.0 + 2.0 / 3f64.log2() + 1.0 / 2.0;
        assert_eq!(ndcg(&ranking, None), dcg / ideal);
        // The cut-off applies to the ideal ranking too.
        assert_eq!(ndcg(&ranking, Some(2)), (2.0 / 3f64.log2()) / (3.0 + 2.0 / 3f64.log2()));
        assert_eq!(ndcg(&ranking, Some(1)), 0.0);
    }

    #[test]
    fn the_best_ranking_scores_1_and_a_query_without_relevant_passages_scores_0() {
        assert_eq!(ndcg(&GradedRanking::from_grades(&[3, 1, 0], &[]), Some(10)), 1.0);
        assert_eq!(ndcg(&GradedRanking::from_grades(&[0, 0], &[]), None), 0.0);
    }
}
