//! Normalized discounted cumulative gain (nDCG).

use crate::judged::{Judged, top};

/// Normalized discounted cumulative gain (Järvelin and Kekäläinen, 2002) with the grade as gain:
/// Σ_i grade_i / log2(i + 1) over ranks i from 1, divided by that sum for the best possible ranking.
///
/// trec_eval calls it `ndcg` and `ndcg_cut`. It is 0 without a relevant passage.
pub(crate) fn ndcg(judged: &Judged, cutoff: Option<usize>) -> f64 {
    let ideal = dcg(top(&judged.ideal, cutoff));
    if ideal > 0.0 { dcg(judged.top(cutoff)) / ideal } else { 0.0 }
}

fn dcg(grades: &[i32]) -> f64 {
    let gained = |(at, &grade): (usize, &i32)| {
        if grade > 0 { f64::from(grade) / ((at + 2) as f64).log2() } else { 0.0 }
    };
    // Not `sum`: the sum of no floats is -0.
    grades.iter().enumerate().map(gained).fold(0.0, |sum, gain| sum + gain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gain_is_the_grade_and_ranks_discount_it() {
        let judged = Judged::of(&[0, 2, 1], &[3]);
        let gained = 2.0 / 3f64.log2() + 1.0 / 4f64.log2();
        let ideal = 3.0 + 2.0 / 3f64.log2() + 1.0 / 2.0;
        assert_eq!(ndcg(&judged, None), gained / ideal);
        // The ideal ranking is cut at 2 too.
        assert_eq!(ndcg(&judged, Some(2)), (2.0 / 3f64.log2()) / (3.0 + 2.0 / 3f64.log2()));
        assert_eq!(ndcg(&judged, Some(1)), 0.0);
    }

    #[test]
    fn the_best_ranking_scores_1_and_a_query_without_relevant_passages_0() {
        assert_eq!(ndcg(&Judged::of(&[3, 1, 0], &[]), Some(10)), 1.0);
        assert_eq!(ndcg(&Judged::of(&[0, 0], &[]), None), 0.0);
    }
}
