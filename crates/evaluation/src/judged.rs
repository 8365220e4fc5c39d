//! Looks up the grades of a query's hits.

use ranking::{Grades, ScoredId};

/// The judgments of one query, as the measures need them: the grades in ranked order, and the grades of an ideal ranking.
#[derive(Debug, Clone, Default)]
pub(crate) struct Judged {
    /// Grade of the hit at each rank; 0 for a hit without a judgment or with a grade below 0.
    pub(crate) grades: Vec<i32>,
    /// All grades above 0 of the query's judgments, highest first.
    pub(crate) ideal: Vec<i32>,
}

impl Judged {
    /// Looks up the grades of hits in ranked order.
    pub(crate) fn new(ranked: &[&ScoredId], judgments: &Grades) -> Self {
        let grade = |hit: &&ScoredId| judgments.get(&hit.id).map_or(0, |&grade| grade.max(0));
        let mut ideal: Vec<i32> = judgments.values().copied().filter(|&grade| grade > 0).collect();
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        Self { grades: ranked.iter().map(grade).collect(), ideal }
    }

    /// The grades of the first `cutoff` hits.
    pub(crate) fn top(&self, cutoff: Option<usize>) -> &[i32] {
        top(&self.grades, cutoff)
    }

    /// Number of passages with a grade of at least `relevant`, retrieved or not.
    pub(crate) fn relevant(&self, relevant: i32) -> usize {
        self.ideal.partition_point(|&grade| grade >= relevant)
    }
}

/// The first `cutoff` grades, or all without a cut-off.
pub(crate) fn top(grades: &[i32], cutoff: Option<usize>) -> &[i32] {
    &grades[..cutoff.map_or(grades.len(), |cutoff| cutoff.min(grades.len()))]
}

#[cfg(test)]
impl Judged {
    /// Builds the judgments from the grades by rank and the grades of relevant passages that were not retrieved.
    pub(crate) fn of(grades: &[i32], missed: &[i32]) -> Self {
        let mut ideal: Vec<i32> = grades.iter().chain(missed).copied().filter(|&grade| grade > 0).collect();
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        Self { grades: grades.to_vec(), ideal }
    }
}
