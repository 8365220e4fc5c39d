//! Fuses the runs of several models: for each query, chooses the list of hits of the most confident model (Yang et al.,
//! 2023, §3.2).

use std::collections::HashMap;

use control::Control;
use ranking::{QueryUnion, RetrievedRun};

use crate::choice::{Candidate, choose};
use crate::error::Error;

/// A model whose lists of hits may be chosen.
#[derive(Debug, Clone)]
pub struct ConfidentModel {
    /// The hits that the model found.
    pub run: RetrievedRun,
    /// The run with the scores from which the model's confidence is computed: `run` itself, or a run of phrases.
    pub scores: RetrievedRun,
    /// The temperature with which the model's confidence is computed.
    pub temperature: f64,
}

/// A run that has, for each query, the list of hits of the most confident model.
#[derive(Debug)]
pub struct ConfidentRun {
    /// The chosen lists. Ids of lists that were not chosen are never looked up.
    pub run: RetrievedRun,
    /// `[queries]`: the index of the chosen model.
    pub chosen: Vec<usize>,
    /// `[queries, models]`: the confidence of each model.
    pub confidences: Vec<f64>,
}

/// Returns for each query the first `k` hits of the most confident model. The confidence of a model is computed from
/// its first `depth` scores. Progress counts queries.
///
/// # Errors
///
/// [`Error::Query`], with the error of [`choose`], if a temperature or the scores for a query are invalid;
/// [`Error::Canceled`].
pub fn fuse_by_confidence(
    models: &[ConfidentModel],
    depth: usize,
    k: usize,
    control: &Control,
) -> Result<ConfidentRun, Error> {
    let runs: Vec<RetrievedRun> = models.iter().map(|model| model.run.clone()).collect();
    let queries = QueryUnion::new(&runs);
    let indexes_of = |model: &ConfidentModel| -> HashMap<String, usize> {
        model.scores.query_ids().map(str::to_owned).zip(0..).collect()
    };
    let query_indexes: Vec<HashMap<String, usize>> = models.iter().map(indexes_of).collect();
    control.set_total(queries.ids.len() as u64);
    let (mut chosen, mut confidences) = (Vec::new(), Vec::new());
    for query in &queries.ids {
        control.check()?;
        let scores = |(model, indexes): (&ConfidentModel, &HashMap<String, usize>)| -> Vec<f32> {
            let hits = indexes.get(query).map(|&index| model.scores.hits(index, depth)).unwrap_or_default();
            hits.iter().map(|hit| hit.score).collect()
        };
        let scores: Vec<Vec<f32>> = models.iter().zip(&query_indexes).map(scores).collect();
        let candidates = scores.iter().zip(models);
        let candidates: Vec<Candidate<'_>> =
            candidates.map(|(scores, model)| Candidate { scores, temperature: model.temperature }).collect();
        let choice = choose(&candidates).map_err(|error| error.with_query(query))?;
        chosen.push(choice.model);
        confidences.extend(choice.confidences);
        control.advance(1);
    }
    let run = queries.select(&runs, &chosen, k).expect("the queries of a union are distinct");
    Ok(ConfidentRun { run, chosen, confidences })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ranking::{Run, ScoredId};

    fn run(lists: &[(&str, &[(&str, f32)])]) -> RetrievedRun {
        let mut run = Run::new();
        for &(query, hits) in lists {
            run.insert(query, hits.iter().map(|&(id, score)| ScoredId { id: id.into(), score }).collect());
        }
        run.into()
    }

    fn model(run: RetrievedRun) -> ConfidentModel {
        ConfidentModel { scores: run.clone(), run, temperature: 1.0 }
    }

    #[test]
    fn each_query_gets_the_list_of_the_most_confident_model() {
        let models = [
            model(run(&[("q1", &[("a", 9.0), ("b", 1.0)]), ("q2", &[("a", 2.0), ("b", 1.0)])])),
            model(run(&[
                ("q1", &[("b", 5.0), ("a", 4.0)]),
                ("q2", &[("b", 8.0), ("a", 1.0)]),
                ("q3", &[("c", 0.0)]),
            ])),
        ];
        let control = Control::new();
        let fused = fuse_by_confidence(&models, 2, 1, &control).expect("finite scores");

        assert_eq!(fused.chosen, [0, 1, 1]);
        assert_eq!(fused.confidences.len(), 6);
        // For q3, the first model has no scores and the second has one.
        assert_eq!(fused.confidences[4..], [0.0, 1.0]);
        let run = fused.run.to_run().expect("ids are found");
        let best = |query: &str| run.get(query).expect("a query")[0].id.clone();
        assert_eq!([best("q1"), best("q2"), best("q3")], ["a", "b", "c"]);
        assert_eq!(run.get("q1").map(<[_]>::len), Some(1));
        assert_eq!((control.done(), control.total()), (3, 3));
    }

    #[test]
    fn scores_may_come_from_another_run() {
        let lists = run(&[("q", &[("a", 1.0)])]);
        // These ids are those of phrases.
        let uncertain = run(&[("q", &[("a\u{1f}0", 1.0), ("a\u{1f}1", 1.0)])]);
        let confident = run(&[("q", &[("x", 9.0), ("y", 1.0)])]);
        let models = [
            ConfidentModel { run: lists, scores: uncertain, temperature: 1.0 },
            ConfidentModel { run: run(&[("q", &[("b", 1.0)])]), scores: confident, temperature: 1.0 },
        ];
        let fused = fuse_by_confidence(&models, 2, 1, &Control::new()).expect("finite scores");
        assert_eq!(fused.chosen, [1]);
        assert_eq!(fused.confidences[0], 0.5);
    }

    #[test]
    fn a_score_that_is_not_finite_is_reported_with_its_query() {
        let models = [model(run(&[("q7", &[("a", f32::INFINITY)])]))];
        let refused = fuse_by_confidence(&models, 1, 1, &Control::new()).expect_err("infinite");
        assert_eq!(refused.to_string(), "query \"q7\": scores: expected finite numbers, got inf");
    }
}
