//! Evaluates a run against relevance judgments, like `trec_eval -c`, which averages over all queries with judgments.
//!
//! ```
//! use evaluation::evaluate;
//! use ranking::{Qrels, Run, ScoredId};
//!
//! let mut qrels = Qrels::new();
//! qrels.insert("q1", "p1", 1);
//! qrels.insert("q2", "p2", 1);
//! let mut run = Run::new();
//! run.push("q1", ScoredId { id: "p1".into(), score: 7.5 });
//!
//! let evaluation = evaluate(&run, &qrels, &["nDCG@10".parse()?])?;
//! assert_eq!(evaluation.missing, 1); // q2 counts as 0
//! assert_eq!(evaluation.measured[0].values, [1.0, 0.0]);
//! assert_eq!(evaluation.measured[0].mean, 0.5);
//! # Ok::<(), evaluation::Error>(())
//! ```

use ranking::{Qrels, Run};

use crate::error::{Error, no_common_query};
use crate::graded_ranking::GradedRanking;
use crate::measures::Measure;
use crate::trec_order::trec_order;

/// The results of an evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The queries of the qrels, in their order.
    pub queries: Vec<String>,
    /// One entry for each requested measure, in the same order.
    pub measured: Vec<Measured>,
    /// Number of queries of the qrels that have no hits in the run. Each of them counts as 0.
    pub missing: usize,
    /// Number of queries of the run that the qrels lack. They are ignored.
    pub unjudged: usize,
}

/// The values of one measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The measure.
    pub measure: Measure,
    /// The mean of `values`.
    pub mean: f64,
    /// The value for each query, in the order of [`Evaluation::queries`].
    pub values: Vec<f64>,
}

/// Evaluates a run. The results agree with `trec_eval -c` to the last printed digit.
///
/// The mean is over all queries of the qrels. A query without hits in the run counts as 0. A query without a relevant
/// passage also counts as 0, whatever its hits are: trec_eval leaves out only queries without judgments. Remove such a
/// query from the qrels if it should not count.
///
/// Hits are ranked by score, and ties are broken by the passage id, largest first, as in trec_eval. The order of the
/// hits in the run has no effect.
///
/// # Errors
///
/// [`Error::NoCommonQuery`] if no query of the run is in the qrels; [`Error::Duplicate`] if a query of the run, judged
/// or not, has the same passage twice; [`Error::NotANumber`] if a score in the run is NaN.
pub fn evaluate(run: &Run, qrels: &Qrels, measures: &[Measure]) -> Result<Evaluation, Error> {
    let unjudged = run.iter().filter(|&(query, _)| qrels.get(query).is_none()).count();
    if unjudged == run.len() {
        let (run_queries, qrels_queries) =
            (run.iter().map(|(query, _)| query), qrels.iter().map(|(query, _)| query));
        return Err(no_common_query("run and qrels", run_queries, qrels_queries));
    }
    // The hits of judged queries are checked below.
    for (query, hits) in run.iter().filter(|&(query, _)| qrels.get(query).is_none()) {
        trec_order(query, hits)?;
    }

    let mut queries = Vec::with_capacity(qrels.len());
    let mut values = vec![Vec::with_capacity(qrels.len()); measures.len()];
    let mut missing = 0;
    for (query, judgments) in qrels.iter() {
        let hits = run.get(query).unwrap_or_default();
        missing += usize::from(hits.is_empty());
        let ranking = GradedRanking::new(&trec_order(query, hits)?, judgments);
        for (values, measure) in values.iter_mut().zip(measures) {
            values.push(measure.value(&ranking));
        }
        queries.push(query.to_owned());
    }

    // trec_eval adds the values in the order of query ids. The same order gives the same rounding errors.
    let mut order: Vec<usize> = (0..queries.len()).collect();
    order.sort_unstable_by_key(|&query| &queries[query]);
    let mean =
        |values: &[f64]| order.iter().fold(0.0, |sum, &query| sum + values[query]) / values.len() as f64;
    let measured = measures.iter().zip(values);
    let measured =
        measured.map(|(&measure, values)| Measured { measure, mean: mean(&values), values }).collect();
    Ok(Evaluation { queries, measured, missing, unjudged })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ranking::ScoredId;

    use super::*;

    /// Makes a run from the query, the passage id and the score of each hit.
    fn run(hits: &[(&str, &str, f32)]) -> Run {
        let mut run = Run::new();
        for &(query, id, score) in hits {
            run.push(query, ScoredId { id: id.into(), score });
        }
        run
    }

    /// Makes qrels from the query, the passage id and the grade of each judgment.
    fn qrels(judgments: &[(&str, &str, i32)]) -> Qrels {
        let mut qrels = Qrels::new();
        for &(query, passage, grade) in judgments {
            qrels.insert(query, passage, grade);
        }
        qrels
    }

    fn measures(names: &[&str]) -> Vec<Measure> {
        names.iter().map(|name| name.parse().expect("a measure")).collect()
    }

    #[test]
    fn every_query_of_the_qrels_counts_and_no_other() {
        let run = run(&[("q9", "a", 1.0), ("q2", "a", 1.0), ("q3", "a", 2.0), ("q3", "b", 1.0)]);
        let qrels = qrels(&[("q3", "b", 1), ("q1", "a", 1), ("q2", "a", 0)]);
        let evaluation = evaluate(&run, &qrels, &measures(&["RR", "P@1"])).expect("they share q3");
        assert_eq!(evaluation.queries, ["q3", "q1", "q2"]);
        assert_eq!(evaluation.measured[0].values, [0.5, 0.0, 0.0]);
        assert_eq!(evaluation.measured[0].mean, 0.5 / 3.0);
        assert_eq!(evaluation.measured[1].mean, 0.0);
        assert_eq!((evaluation.missing, evaluation.unjudged), (1, 1));
    }

    #[test]
    fn a_query_with_an_empty_list_is_missing() {
        let mut run = run(&[("q1", "a", 1.0)]);
        run.insert("q2", Vec::new());
        let evaluation =
            evaluate(&run, &qrels(&[("q1", "a", 1), ("q2", "a", 1)]), &[]).expect("they share q1");
        assert_eq!((evaluation.missing, evaluation.unjudged), (1, 0));
    }

    #[test]
    fn a_negative_grade_is_not_relevant() {
        let qrels = qrels(&[("q", "a", -1), ("q", "b", 1)]);
        let evaluation =
            evaluate(&run(&[("q", "a", 2.0), ("q", "b", 1.0)]), &qrels, &measures(&["RR", "nDCG"]))
                .expect("they share q");
        assert_eq!(evaluation.measured[0].mean, 0.5);
        assert_eq!(evaluation.measured[1].mean, 1.0 / 3f64.log2());
    }

    #[test]
    fn a_run_without_a_query_of_the_qrels_is_rejected_with_the_first_query_ids_of_both() {
        let run = run(&[("1", "a", 1.0), ("2", "a", 1.0), ("3", "a", 1.0), ("4", "a", 1.0)]);
        let error = evaluate(&run, &qrels(&[("q1", "a", 1)]), &[]).expect_err("they share no query");
        assert_eq!(
            error.to_string(),
            "run and qrels: expected queries in common, got \"1\", \"2\", \"3\", … and \"q1\""
        );
        let three = qrels(&[("q1", "a", 1), ("q2", "a", 1), ("q3", "a", 1)]);
        let error = evaluate(&run, &three, &[]).expect_err("they share no query");
        assert!(error.to_string().ends_with("and \"q1\", \"q2\", \"q3\""), "{error}");
        let error = evaluate(&Run::new(), &Qrels::new(), &[]).expect_err("there is no query");
        assert_eq!(error.to_string(), "run and qrels: expected queries in common, got none and none");
    }

    #[test]
    fn hits_that_cannot_be_ranked_are_rejected_with_and_without_judgments() {
        let qrels = qrels(&[("q1", "a", 1)]);
        for query in ["q1", "q2"] {
            let twice = run(&[("q1", "b", 1.0), (query, "a", 1.0), (query, "a", 0.5)]);
            assert!(matches!(evaluate(&twice, &qrels, &[]), Err(Error::Duplicate { .. })));
            let nan = run(&[("q1", "b", 1.0), (query, "a", f32::NAN)]);
            assert!(matches!(evaluate(&nan, &qrels, &[]), Err(Error::NotANumber { .. })));
        }
    }

    proptest! {
        #[test]
        fn the_order_of_hits_in_the_run_does_not_matter_and_values_are_from_0_to_1(
            grades in prop::collection::vec(-1..4, 1..12),
            scores in prop::collection::vec(0i8..4, 0..12),
        ) {
            let qrels: Vec<(String, i32)> =
                grades.iter().enumerate().map(|(passage, &grade)| (format!("p{passage}"), grade)).collect();
            let qrels = qrels.iter().map(|(id, grade)| ("q", id.as_str(), *grade)).collect::<Vec<_>>();
            let ids: Vec<String> = (0..scores.len()).map(|passage| format!("p{passage}")).collect();
            let mut hits: Vec<_> =
                ids.iter().zip(&scores).map(|(id, &score)| ("q", id.as_str(), f32::from(score))).collect();
            // The run has at least this hit, so that it shares the query with the qrels.
            hits.push(("q", "last", -1.0));
            let names = ["nDCG", "nDCG@3", "RR", "RR@3", "AP", "AP@3", "R@3", "P@3", "Success@3", "AP(rel=2)"];
            let measures = measures(&names);
            let forward = evaluate(&run(&hits), &self::qrels(&qrels), &measures).expect("they share q");
            hits.reverse();
            let backward = evaluate(&run(&hits), &self::qrels(&qrels), &measures).expect("they share q");
            for measured in &forward.measured {
                prop_assert!((0.0..=1.0 + 1e-12).contains(&measured.mean), "{}", measured.measure);
            }
            prop_assert_eq!(forward, backward);
        }
    }
}
