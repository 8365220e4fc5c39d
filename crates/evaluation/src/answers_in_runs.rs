//! Finds the passages in runs that contain an accepted answer to their question, for many [`RunQuestion`]s. The texts
//! of passages are looked up by id.

use control::{Canceled, Control};
use ranking::{AlignedRuns, Hit};
use text::AnswerMatcher;

use crate::with_answers::{Candidates, first_with_answer, with_answers};

/// A question that is a query of some runs, with its accepted answers.
#[derive(Debug, Clone)]
pub struct RunQuestion {
    /// The id of the question, which is the id of a query in the runs.
    pub id: String,
    /// Finds the accepted answers in a text.
    pub matcher: AnswerMatcher,
}

impl RunQuestion {
    /// Makes a question with its accepted answers. If `has_patterns` is true, the answers are Python regular
    /// expressions. A pattern that Python would reject matches nothing, as in Pyserini.
    #[must_use]
    pub fn new(id: String, answers: &[String], has_patterns: bool) -> Self {
        let matcher = if has_patterns {
            AnswerMatcher::patterns_lossy(answers).0
        } else {
            AnswerMatcher::tokens(answers)
        };
        Self { id, matcher }
    }
}

/// Returns for each question the rank, from 1, of the first passage with an answer in the first run of `runs`; other
/// runs are ignored. The rank is 0 if no passage has an answer or the first run lacks the question. `text` returns the
/// text of a passage by its id. Progress counts questions.
///
/// # Errors
///
/// The errors of `text`; [`Canceled`] if the work was canceled.
pub fn first_answer_ranks<'t, E: From<Canceled> + Send>(
    runs: &AlignedRuns,
    questions: Vec<RunQuestion>,
    text: impl Fn(&str) -> Result<&'t str, E> + Sync,
    control: &Control,
) -> Result<Vec<u32>, E> {
    control.set_total(questions.len() as u64);
    let in_first_run = |lists: &[&[Hit]]| lists[0].iter().map(|hit| hit.ord).collect();
    first_with_answer(&candidates(runs, questions, in_first_run), |ord| text(runs.interner.get(ord)), control)
}

/// Returns for each question all passages with an answer in any of `runs`. Passages are returned as the numbers that
/// `runs.interner` gives to their ids, in ascending order. `text` returns the text of a passage by its id. Progress
/// counts questions.
///
/// # Errors
///
/// As [`first_answer_ranks`].
pub fn passages_with_answers<'t, E: From<Canceled> + Send>(
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
    with_answers(&candidates(runs, questions, in_any_run), |ord| text(runs.interner.get(ord)), control)
}

/// Selects the passages in which the answers of each question are searched for. `passages` selects them from the
/// question's lists of hits, one list per run. A question that the runs lack has no passages.
fn candidates(
    runs: &AlignedRuns,
    questions: Vec<RunQuestion>,
    passages: impl Fn(&[&[Hit]]) -> Vec<u32>,
) -> Vec<Candidates> {
    let query_indexes = runs.query_indexes(questions.iter().map(|question| question.id.as_str()));
    let selected = questions.into_iter().zip(query_indexes).map(|(question, query)| Candidates {
        matcher: question.matcher,
        passages: query.map_or_else(Vec::new, |query| passages(&runs.lists_of(query))),
    });
    selected.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ranking::{Run, ScoredId};

    /// Makes runs from the queries of each run and the passage ids of their hits, best first.
    fn aligned_runs(runs: &[&[(&str, &[&str])]]) -> AlignedRuns {
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
        AlignedRuns::new(&runs, 10).expect("readable ids")
    }

    /// Returns the text of a passage.
    fn text(id: &str) -> Result<&'static str, Canceled> {
        Ok(match id {
            "a" => "Bern is a city.",
            "b" => "Zurich is larger.",
            "c" => "The Aare flows through Bern.",
            _ => "",
        })
    }

    /// Makes questions with these ids, which all have the answer "Bern".
    fn questions(ids: &[&str]) -> Vec<RunQuestion> {
        let matcher = AnswerMatcher::tokens(["Bern"]);
        ids.iter().map(|&id| RunQuestion { id: id.into(), matcher: matcher.clone() }).collect()
    }

    #[test]
    fn ranks_come_from_the_first_run_and_are_0_without_an_answer_or_a_list() {
        let runs = aligned_runs(&[&[("q1", &["b", "c"]), ("q2", &["b"])], &[("q1", &["a"]), ("q3", &["a"])]]);
        let control = Control::new();
        let ranks = first_answer_ranks(&runs, questions(&["q3", "q1", "q2", "q4"]), text, &control);
        assert_eq!(ranks, Ok(vec![0, 2, 0, 0]));
        assert_eq!((control.done(), control.total()), (4, 4));
    }

    #[test]
    fn an_invalid_pattern_matches_nothing() {
        let runs = aligned_runs(&[&[("q1", &["b", "c"])]]);
        let question = |pattern: &str| RunQuestion::new("q1".to_owned(), &[pattern.to_owned()], true);
        let rank = |pattern: &str| first_answer_ranks(&runs, vec![question(pattern)], text, &Control::new());
        assert_eq!((rank("B.rn"), rank("B.rn(")), (Ok(vec![2]), Ok(vec![0])));
        let without_patterns = RunQuestion::new("q1".to_owned(), &["B.rn".to_owned()], false);
        assert_eq!(first_answer_ranks(&runs, vec![without_patterns], text, &Control::new()), Ok(vec![0]));
    }

    #[test]
    fn passages_come_from_all_runs_without_duplicates() {
        let runs = aligned_runs(&[&[("q1", &["b", "c"])], &[("q1", &["c", "a"]), ("q2", &["a"])]]);
        let found = passages_with_answers(&runs, questions(&["q1", "q2", "q3"]), text, &Control::new());
        let ids: Vec<Vec<&str>> = found
            .expect("not canceled")
            .iter()
            .map(|ords| ords.iter().map(|&ord| runs.interner.get(ord)).collect())
            .collect();
        assert_eq!(ids, [vec!["c", "a"], vec!["a"], vec![]]);
    }
}
