//! Turns a run and relevance judgments into the scores and outcomes that a calibration needs.

use ranking::{Qrels, Run};

use crate::error::Error;

/// The results of a model for judged queries.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// Ids of the queries, in the order of the judgments.
    pub queries: Vec<String>,
    /// `[queries, depth]`: the best scores, filled up with −∞ if there are fewer.
    pub scores: Vec<f32>,
    /// Whether the best hit is relevant, that is, has a grade above 0.
    pub correct: Vec<bool>,
}

/// Returns the `depth` best scores of each judged query, and whether the best hit of `run` is relevant. The scores come from
/// the run `scores`, which is `run` itself or, for example, a run with the scores of the model's best phrases. A query that
/// `scores` lacks has no scores; a query that `run` lacks counts as wrong.
///
/// # Errors
///
/// [`Error::Argument`] for a depth of 0, no judged query in the run, or a score that is not finite.
pub fn judged(run: &Run, scores: &Run, qrels: &Qrels, depth: usize) -> Result<Judged, Error> {
    if depth == 0 {
        return Err(Error::argument("depth", "at least 1", depth));
    }
    if !qrels.iter().any(|(query, _)| run.get(query).is_some()) {
        let named = |first: Option<&str>| first.map_or("nothing".into(), |query| format!("\"{query}\""));
        let run = named(run.iter().next().map(|(query, _)| query));
        let qrels = named(qrels.iter().next().map(|(query, _)| query));
        let got = format!("none: the run begins with {run}, the judgments with {qrels}");
        return Err(Error::argument("run", "queries that are judged", got));
    }
    let mut judged = Judged { queries: Vec::new(), scores: Vec::new(), correct: Vec::new() };
    for (query, grades) in qrels.iter() {
        let scored = scores.get(query).unwrap_or_default();
        for place in 0..depth {
            let score = scored.get(place).map_or(f32::NEG_INFINITY, |hit| hit.score);
            if place < scored.len() && !score.is_finite() {
                let expected = format!("finite numbers for query \"{query}\"");
                return Err(Error::argument("scores", expected, score));
            }
            judged.scores.push(score);
        }
        let best = run.get(query).unwrap_or_default().first().and_then(|hit| grades.get(&hit.id));
        judged.correct.push(best.is_some_and(|&grade| grade > 0));
        judged.queries.push(query.to_owned());
    }
    Ok(judged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ranking::ScoredId;

    fn run(of: &[(&str, &[(&str, f32)])]) -> Run {
        let mut run = Run::new();
        for (query, hits) in of {
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
        let run = run(&[("q2", &[("c", 4.0), ("b", 3.0), ("a", 2.0)]), ("q0", &[]), ("q1", &[("a", 1.0)])]);
        let found = judged(&run, &run, &qrels, 2).expect("sound");
        assert_eq!(found.queries, ["q1", "q2", "q3"]);
        let none = f32::NEG_INFINITY;
        assert_eq!(found.scores, [1.0, none, 4.0, 3.0, none, none]);
        assert_eq!(found.correct, [true, false, false]);
        // The scores of phrases: a passage may have several.
        let phrases = self::run(&[("q1", &[("a", 7.0), ("a", 6.0)]), ("q3", &[("b", 5.0)])]);
        let found = judged(&run, &phrases, &qrels, 2).expect("sound");
        assert_eq!(found.scores, [7.0, 6.0, none, none, 5.0, none]);
        assert_eq!(found.correct, [true, false, false]);
    }

    #[test]
    fn invalid_arguments_are_refused() {
        let mut qrels = Qrels::new();
        qrels.insert("q", "a", 1);
        let message = |run: &Run, qrels: &Qrels, depth| {
            judged(run, run, qrels, depth).expect_err("refused").to_string()
        };
        assert_eq!(message(&run(&[("q", &[])]), &qrels, 0), "depth: expected at least 1, got 0");
        let other = "run: expected queries that are judged, got none: the run begins with \"p\", the judgments with \"q\"";
        assert_eq!(message(&run(&[("p", &[])]), &qrels, 1), other);
        assert!(
            message(&run(&[]), &Qrels::new(), 1).ends_with("begins with nothing, the judgments with nothing")
        );
        let endless = "scores: expected finite numbers for query \"q\", got NaN";
        assert_eq!(message(&run(&[("q", &[("a", f32::NAN)])]), &qrels, 1), endless);
    }
}
