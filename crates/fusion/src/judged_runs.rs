//! Several runs with relevance judgments, on which the parameters of a fusion method are tuned.

use control::Control;
use ranking::{AlignedRuns, Hit};

use crate::first_ranks::{JudgedQuestion, first_ranks};
use crate::{Error, Method};

/// Several runs for the same questions, and the relevant passages of each question.
#[derive(Debug, Clone)]
pub struct JudgedRuns {
    /// `[runs][queries]`: lists of hits.
    lists: Vec<Vec<Vec<Hit>>>,
    /// `[questions]`: index of the question among the queries of `lists`; `None` if no run has it.
    query_indexes: Vec<Option<usize>>,
    /// `[questions]`: ords of the relevant passages, in ascending order.
    relevant: Vec<Vec<u32>>,
}

impl JudgedRuns {
    /// Combines aligned runs with judgments. `questions[i]` is the query id of a question, and `relevant[i]` are the
    /// ords of its relevant passages in ascending order. The ord of a passage is the number that `runs.interner` gives
    /// to its id.
    ///
    /// # Panics
    ///
    /// If `relevant` does not have one list for each question.
    #[must_use]
    pub fn new<'a>(
        runs: AlignedRuns,
        questions: impl IntoIterator<Item = &'a str>,
        relevant: Vec<Vec<u32>>,
    ) -> Self {
        let query_indexes = runs.query_indexes(questions);
        assert_eq!(query_indexes.len(), relevant.len(), "one list of relevant passages for each question");
        Self { lists: runs.lists, query_indexes, relevant }
    }

    /// Number of runs, which is the number of lists that are fused for each question.
    #[must_use]
    pub fn run_count(&self) -> usize {
        self.lists.len()
    }

    /// Returns for each method and each question, as `[methods][questions]`, the rank of the question's first relevant
    /// passage in the fused list, as [`first_ranks`](crate::first_ranks()) does. Progress counts questions.
    ///
    /// # Errors
    ///
    /// Those of [`first_ranks`](crate::first_ranks()).
    pub fn first_ranks(
        &self,
        methods: &[Method],
        max_rank: usize,
        control: &Control,
    ) -> Result<Vec<Vec<u32>>, Error> {
        control.set_total(self.query_indexes.len() as u64);
        let lists_of = |query: Option<usize>| -> Vec<&[Hit]> {
            self.lists.iter().map(|lists| query.map_or(&[][..], |query| &lists[query])).collect()
        };
        let questions = self.query_indexes.iter().zip(&self.relevant);
        let questions: Vec<JudgedQuestion<'_>> =
            questions.map(|(&query, relevant)| JudgedQuestion { lists: lists_of(query), relevant }).collect();
        first_ranks(&questions, methods, max_rank, control)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ranking::{Run, ScoredId};

    #[test]
    fn ranks_agree_with_the_fused_lists_and_are_0_for_a_question_that_no_run_has() {
        let run = |ids: [&str; 2]| {
            let mut run = Run::new();
            let hits = ids.iter().zip([2.0, 1.0]).map(|(&id, score)| ScoredId { id: id.into(), score });
            run.insert("q", hits.collect());
            run.into()
        };
        let aligned = AlignedRuns::new(&[run(["a", "b"]), run(["b", "c"])], 10).expect("ids are found");
        // a, b and c have the ords 0, 1 and 2. Only b is relevant.
        let judged = JudgedRuns::new(aligned, ["q", "unknown"], vec![vec![1], vec![]]);
        assert_eq!(judged.run_count(), 2);
        let control = Control::new();
        let methods = [Method::hybrid(0.5), Method::hybrid(2.0)];
        let ranks = judged.first_ranks(&methods, 10, &control).expect("two lists");
        assert_eq!(ranks.iter().map(|ranks| ranks[1]).collect::<Vec<_>>(), [0, 0]);
        // With the weight 0.5, the scores are 2 for a and 1 + 0.5 · 2 = 2 for b, and a ranks first because it appears
        // first in the lists. With the weight 2, the scores are 2 for a and 1 + 2 · 2 = 5 for b.
        assert_eq!([ranks[0][0], ranks[1][0]], [2, 1]);
        assert_eq!((control.done(), control.total()), (2, 2));
    }
}
