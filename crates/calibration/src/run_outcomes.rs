//! Turns a run and relevance judgments into what a calibration needs: the model's best scores for each query, and
//! whether the model's best passage is relevant.

use ranking::{Qrels, Run};

use crate::error::Error;

/// The outcomes of a model's run for queries with relevance judgments.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOutcomes {
    /// The ids of the queries, in the order of the judgments.
    pub queries: Vec<String>,
    /// `[queries, depth]`: the best scores of each query, followed by −∞ if there are fewer than `depth`.
    pub scores: Vec<f32>,
    /// `[queries]`: whether the best hit is relevant, which means that it has a grade above 0.
    pub correct: Vec<bool>,
}

/// Returns for each query with judgments its `depth` best scores, and whether the best hit of `run` is relevant.
///
/// The scores are those of the run `scores`, which is `run` itself or, for example, a run with the scores of the
/// model's best phrases. A query that `scores` lacks has no scores. A query that `run` lacks has no relevant best hit.
///
/// # Errors
///
/// [`Error::Argument`] if `depth` is 0, if the run has no query with judgments, or if a score is not finite.
pub fn run_outcomes(run: &Run, scores: &Run, qrels: &Qrels, depth: usize) -> Result<RunOutcomes, Error> {
    if depth == 0 {
        return Err(Error::argument("depth", "at least 1", depth));
    }
    if !qrels.iter().any(|(query, _)| run.get(query).is_some()) {
        let quoted = |first: Option<&str>| first.map_or("nothing".into(), |query| format!("\"{query}\""));
        let run = quoted(run.iter().next().map(|(query, _)| query));
        let qrels = quoted(qrels.iter().next().map(|(query, _)| query));
        let got = format!("none: the run begins with {run}, the judgments with {qrels}");
        return Err(Error::argument("run", "queries with judgments", got));
    }
    let mut outcomes = RunOutcomes { queries: Vec::new(), scores: Vec::new(), correct: Vec::new() };
    for (query, grades) in qrels.iter() {
        let scored = scores.get(query).unwrap_or_default();
        for index in 0..depth {
            let score = scored.get(index).map_or(f32::NEG_INFINITY, |hit| hit.score);
            if index < scored.len() && !score.is_finite() {
                let expected = format!("finite numbers for query \"{query}\"");
                return Err(Error::argument("scores", expected, score));
            }
            outcomes.scores.push(score);
        }
        let best = run.get(query).unwrap_or_default().first().and_then(|hit| grades.get(&hit.id));
        outcomes.correct.push(best.is_some_and(|&grade| grade > 0));
        outcomes.queries.push(query.to_owned());
    }
    Ok(outcomes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ranking::ScoredId;

    fn run_of(lists: &[(&str, &[(&str, f32)])]) -> Run {
        let mut run = Run::new();
        for (query, hits) in lists {
            let hits = hits.iter().map(|&(id, score)| ScoredId { id: id.into(), score });
            run.insert(*query, hits.collect());
        }
        run
    }

    #[test]
    fn the_best_hit_is_judged_and_the_best_scores_are_returned() {
        let mut qrels = Qrels::new();
        for (query, passage, grade) in [("q1", "a", 1), ("q2", "b", 2), ("q2", "c", 0), ("q3", "a", 1)] {
            qrels.insert(query, passage, grade);
        }
        let run =
            run_of(&[("q2", &[("c", 4.0), ("b", 3.0), ("a", 2.0)]), ("q0", &[]), ("q1", &[("a", 1.0)])]);
        let found = run_outcomes(&run, &run, &qrels, 2).expect("valid");
        assert_eq!(found.queries, ["q1", "q2", "q3"]);
        let none = f32::NEG_INFINITY;
        assert_eq!(found.scores, [1.0, none, 4.0, 3.0, none, none]);
        assert_eq!(found.correct, [true, false, false]);
        // In a run of phrases, a passage may have several scores.
        let phrases = run_of(&[("q1", &[("a", 7.0), ("a", 6.0)]), ("q3", &[("b", 5.0)])]);
        let found = run_outcomes(&run, &phrases, &qrels, 2).expect("valid");
        assert_eq!(found.scores, [7.0, 6.0, none, none, 5.0, none]);
        assert_eq!(found.correct, [true, false, false]);
    }

    #[test]
    fn invalid_arguments_are_refused() {
        let mut qrels = Qrels::new();
        qrels.insert("q", "a", 1);
        let message = |run: &Run, qrels: &Qrels, depth| {
            run_outcomes(run, run, qrels, depth).expect_err("refused").to_string()
        };
        assert_eq!(message(&run_of(&[("q", &[])]), &qrels, 0), "depth: expected at least 1, got 0");
        let no_common_query = "run: expected queries with judgments, got none: \
            the run begins with \"p\", the judgments with \"q\"";
        assert_eq!(message(&run_of(&[("p", &[])]), &qrels, 1), no_common_query);
        assert!(
            message(&run_of(&[]), &Qrels::new(), 1)
                .ends_with("begins with nothing, the judgments with nothing")
        );
        let not_finite = "scores: expected finite numbers for query \"q\", got NaN";
        assert_eq!(message(&run_of(&[("q", &[("a", f32::NAN)])]), &qrels, 1), not_finite);
    }
}
