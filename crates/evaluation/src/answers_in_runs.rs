//! Finds the passages of runs that have an answer to the query.

use control::{Cancelled, Control};
use ranking::{AlignedRuns, Hit};
use text::AnswerMatcher;

use crate::with_answers::{Candidates, first_with_answer, with_answers};

/// A question of a run, with its accepted answers.
#[derive(Debug, Clone)]
pub struct RunQuestion {
    /// Id of the query.
    pub id: String,
    /// Its answers.
    pub matcher: AnswerMatcher,
}

/// Returns, for each question, the rank, from 1, of the first passage with an answer in the first of `runs`, or 0 if no passage
/// has one or the run lacks the question. `text` returns the text of a passage by its id. Progress counts questions.
///
/// # Errors
///
/// Those of `text`; [`Cancelled`].
pub fn first_answer_ranks<'t, E: From<Cancelled> + Send>(
    runs: &AlignedRuns,
    questions: Vec<RunQuestion>,
    text: impl Fn(&str) -> Result<&'t str, E> + Sync,
    control: &Control,
) -> Result<Vec<u32>, E> {
    control.set_total(questions.len() as u64);
    let in_first_run = |lists: &[&[Hit]]| lists[0].iter().map(|hit| hit.ord).collect();
    first_with_answer(&candidates(runs, questions, in_first_run), |ord| text(runs.interner.id(ord)), control)
}

/// Returns, for each question, the ords of all passages with an answer in any of `runs`, in ascending order. `text` returns the
/// text of a passage by its id. Progress counts questions.
///
/// # Errors
///
/// As [`first_answer_ranks`].
pub fn passages_with_answers<'t, E: From<Cancelled> + Send>(
    runs: &AlignedRuns,
    questions: Vec<RunQuestion>,
    text: impl Fn(&str) -> Result<&'t str, E> + Sync,
    control: &Control,
) -> Result<Vec<Vec<u32>>, E> {
    control.set_total(questions.len() as u64);
    let in_any_run = |lists: &[&[Hit]]| {
        let mut passages: Vec<u32> = lists.iter().copied().flatten().map(|hit| hit.ord).collect();
        passages.sort_unstable();
        passages.dedup();
        passages
    };
    with_answers(&candidates(runs, questions, in_any_run), |ord| text(runs.interner.id(ord)), control)
}

/// Selects the passages of each question from its lists with `passages`; none if the runs lack the question.
fn candidates(
    runs: &AlignedRuns,
    questions: Vec<RunQuestion>,
    passages: impl Fn(&[&[Hit]]) -> Vec<u32>,
) -> Vec<Candidates> {
    let positions = runs.positions(questions.iter().map(|question| question.id.as_str()));
    let candidates = questions.into_iter().zip(positions).map(|(question, at)| Candidates {
        matcher: question.matcher,
        passages: at.map_or_else(Vec::new, |at| passages(&runs.lists_of(at))),
    });
    candidates.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ranking::{Run, ScoredId};

    fn runs(runs: &[&[(&str, &[&str])]]) -> AlignedRuns {
        let runs: Vec<_> = runs
            .iter()
            .map(|lists| {
                let mut run = Run::new();
                for &(query, ids) in *lists {
                    let hits = ids.iter().map(|&id| ScoredId { id: id.into(), score: 1.0 });
                    run.insert(query, hits.collect());
                }
                run.into()
            })
            .collect();
        AlignedRuns::new(&runs, 10).expect("ids are there")
    }

    fn text(id: &str) -> Result<&'static str, Cancelled> {
        Ok(match id {
            "a" => "Bern is a city.",
            "b" => "Zurich is larger.",
            "c" => "The Aare flows through Bern.",
            _ => "",
        })
    }

    fn asked(ids: &[&str]) -> Vec<RunQuestion> {
        let matcher = AnswerMatcher::tokens(["Bern"]);
        ids.iter().map(|&id| RunQuestion { id: id.into(), matcher: matcher.clone() }).collect()
    }

    #[test]
    fn ranks_come_from_the_first_run_and_are_0_without_an_answer_or_a_list() {
        let runs = runs(&[&[("q1", &["b", "c"]), ("q2", &["b"])], &[("q1", &["a"]), ("q3", &["a"])]]);
        let control = Control::new();
        let ranks = first_answer_ranks(&runs, asked(&["q3", "q1", "q2", "q4"]), text, &control);
        assert_eq!(ranks, Ok(vec![0, 2, 0, 0]));
        assert_eq!((control.done(), control.total()), (4, 4));
    }

    #[test]
    fn passages_come_from_all_runs_without_duplicates() {
        let runs = runs(&[&[("q1", &["b", "c"])], &[("q1", &["c", "a"]), ("q2", &["a"])]]);
        let found = passages_with_answers(&runs, asked(&["q1", "q2", "q3"]), text, &Control::new());
        let named: Vec<Vec<&str>> = found
            .expect("not cancelled")
            .iter()
            .map(|ords| ords.iter().map(|&ord| runs.interner.id(ord)).collect())
            .collect();
        assert_eq!(named, [vec!["c", "a"], vec!["a"], vec![]]);
    }
}
