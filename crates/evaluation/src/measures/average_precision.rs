//! Average precision (AP).

use crate::graded_ranking::GradedRanking;

/// Returns the average precision: the sum of the precisions at the ranks of the relevant passages that are retrieved,
/// divided by the number of all relevant passages. It is 0 if there is no relevant passage. trec_eval calls this
/// measure `map` or, with a cut-off, `map_cut`.
pub(crate) fn average_precision(ranking: &GradedRanking, min_grade: i32, cutoff: Option<usize>) -> f64 {
    let total = ranking.relevant_count(min_grade);
    if total == 0 {
        return 0.0;
    }
    let mut found = 0;
    let mut sum = 0.0;
    for (index, &grade) in ranking.top(cutoff).iter().enumerate() {
        if grade >= min_grade {
            found += 1;
            sum += f64::from(found) / (index + 1) as f64;
        }
    }
    sum / total as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precisions_are_averaged_over_all_relevant_passages_retrieved_or_not() {
        let ranking = GradedRanking::from_grades(&[1, 0, 2, 0], &[1]);
        assert_eq!(average_precision(&ranking, 1, None), (1.0 + 2.0 / 3.0) / 3.0);
        assert_eq!(average_precision(&ranking, 1, Some(2)), 1.0 / 3.0);
        assert_eq!(average_precision(&ranking, 2, None), 1.0 / 3.0);
        assert_eq!(average_precision(&GradedRanking::from_grades(&[0], &[]), 1, None), 0.0);
    }
}
