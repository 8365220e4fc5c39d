use control::Control;
use ranking::{AlignedRuns, Hit};

use crate::first_ranks::{JudgedQuestion, first_ranks};
use crate::{Error, Method};

/// The lists of several runs for each question, and which of their passages are relevant: what tuning a fusion method needs.
#[derive(Debug, Clone)]
pub struct JudgedRuns {
    /// `[runs][queries]`
    lists: Vec<Vec<Vec<Hit>>>,
    /// `[questions]`: position of the question among the queries, if a run has it.
    positions: Vec<Option<usize>>,
    /// `[questions]`: ords of the relevant passages, ascending.
    relevant: Vec<Vec<u32>>,
}

impl JudgedRuns {
    /// Judges aligned runs: `relevant[i]` are the ords of the relevant passages of the question with the id `questions[i]`,
    /// ascending.
    ///
    /// # Panics
    ///
    /// If there is not one list of passages for each question.
    #[must_use]
    pub fn new<'a>(
        runs: AlignedRuns,
        questions: impl IntoIterator<Item = &'a str>,
        relevant: Vec<Vec<u32>>,
    ) -> Self {
        let positions = runs.positions(questions);
        assert_eq!(positions.len(), relevant.len(), "passages of each question");
        Self { lists: runs.lists, positions, relevant }
    }

    /// Number of runs, and so of lists that a method fuses.
    #[must_use]
    pub fn run_count(&self) -> usize {
        self.lists.len()
    }

    /// [`first_ranks`](crate::first_ranks()) of the questions, which are the progress.
    ///
    /// # Errors
    ///
    /// As [`first_ranks`](crate::first_ranks()).
    pub fn first_ranks(
        &self,
        methods: &[Method],
        max_rank: usize,
        control: &Control,
    ) -> Result<Vec<Vec<u32>>, Error> {
        control.set_total(self.positions.len() as u64);
        let lists_of = |at: Option<usize>| -> Vec<&[Hit]> {
            self.lists.iter().map(|lists| at.map_or(&[][..], |at| &lists[at])).collect()
        };
        let questions = self.positions.iter().zip(&self.relevant);
        let questions: Vec<JudgedQuestion<'_>> =
            questions.map(|(&at, relevant)| JudgedQuestion { lists: lists_of(at), relevant }).collect();
        first_ranks(&questions, methods, max_rank, control)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ranking::{Run, ScoredId};

    #[test]
    fn ranks_are_those_of_the_fused_lists_and_0_for_a_question_that_no_run_has() {
        let run = |ids: [&str; 2]| {
            let mut run = Run::new();
            let hits = ids.iter().zip([2.0, 1.0]).map(|(&id, score)| ScoredId { id: id.into(), score });
            run.insert("q", hits.collect());
            run.into()
        };
        let aligned = AlignedRuns::new(&[run(["a", "b"]), run(["b", "c"])], 10).expect("ids are there");
        // a is 0, b 1 and c 2. Fused with the weight 0.5: a 2, b 1 + 0.5 · 2 = 2, c 0 or more, below them.
        let judged = JudgedRuns::new(aligned, ["q", "unknown"], vec![vec![1], vec![]]);
        assert_eq!(judged.run_count(), 2);
        let control = Control::new();
        let methods = [Method::hybrid(0.5), Method::hybrid(2.0)];
        let ranks = judged.first_ranks(&methods, 10, &control).expect("two lists");
        // Under 2: a 2, b 1 + 2 · 2 = 5.
        assert_eq!(ranks.iter().map(|ranks| ranks[1]).collect::<Vec<_>>(), [0, 0]);
        assert_eq!(ranks[1][0], 1);
        assert_eq!((control.done(), control.total()), (2, 2));
    }
}
