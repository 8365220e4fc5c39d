//! The grades of a query's hits, from which all measures are computed.

use ranking::{Grades, ScoredId};

/// The grades of one query's hits in ranked order, and the grades of an ideal ranking.
#[derive(Debug, Clone, Default)]
pub(crate) struct GradedRanking {
    /// The grade of the hit at each rank. It is 0 for a hit without a judgment or with a grade below 0.
    pub(crate) grades: Vec<i32>,
    /// All grades above 0 of the query's judgments, highest first. Passages that were not retrieved count too.
    pub(crate) ideal: Vec<i32>,
}

impl GradedRanking {
    /// Looks up the grades of hits, which are in ranked order.
    pub(crate) fn new(ranked: &[&ScoredId], judgments: &Grades) -> Self {
        let grade = |hit: &&ScoredId| judgments.get(&hit.id).map_or(0, |&grade| grade.max(0));
        let mut ideal: Vec<i32> = judgments.values().copied().filter(|&grade| grade > 0).collect();
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        Self { grades: ranked.iter().map(grade).collect(), ideal }
    }

    /// Returns the grades of the first `cutoff` hits, or of all hits without a cut-off.
    pub(crate) fn top(&self, cutoff: Option<usize>) -> &[i32] {
        top(&self.grades, cutoff)
    }

    /// Returns the number of passages with a grade of at least `min_grade`, retrieved or not. `min_grade` must be at
    /// least 1.
    pub(crate) fn relevant_count(&self, min_grade: i32) -> usize {
        self.ideal.partition_point(|&grade| grade >= min_grade)
    }
}

/// Returns the first `cutoff` grades, or all grades without a cut-off.
pub(crate) fn top(grades: &[i32], cutoff: Option<usize>) -> &[i32] {
    &grades[..cutoff.map_or(grades.len(), |cutoff| cutoff.min(grades.len()))]
}

#[cfg(test)]
impl GradedRanking {
    /// Makes a ranking from the grade at each rank, and the grades of relevant passages that were not retrieved.
    pub(crate) fn from_grades(grades: &[i32], missed: &[i32]) -> Self {
        let mut ideal: Vec<i32> = grades.iter().chain(missed).copied().filter(|&grade| grade > 0).collect();
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        Self { grades: grades.to_vec(), ideal }
    }
}
