//! Compares evaluations with trec_eval's own test outputs, to every printed digit, and with known results of Lucene's runs.
//!
//! The target `quicktest` of trec_eval's Makefile lists the inputs and options of each output.

mod shared;

use evaluation::{Evaluation, Measure, evaluate};
use ranking::{Qrels, Run};
use shared::{lines, qrels, run};

/// Translates trec_eval's name of a measure. Returns `None` if the measure is not supported.
fn measure(trec_name: &str, relevant: i32) -> Option<Measure> {
    let (name, cutoff) = match trec_name.rsplit_once('_') {
        Some((name, cutoff)) if cutoff.bytes().all(|byte| byte.is_ascii_digit()) => (name, Some(cutoff)),
        _ => (trec_name, None),
    };
    let name = match (name, cutoff) {
        ("map", None) | ("map_cut", Some(_)) => "AP",
        ("recip_rank", None) => "RR",
        ("ndcg", None) | ("ndcg_cut", Some(_)) => "nDCG",
        ("P", Some(_)) => "P",
        ("recall", Some(_)) => "R",
        ("success", Some(_)) => "Success",
        _ => return None,
    };
    let rel = if name == "nDCG" { String::new() } else { format!("(rel={relevant})") };
    let cutoff = cutoff.map_or_else(String::new, |cutoff| format!("@{cutoff}"));
    Some(format!("{name}{rel}{cutoff}").parse().expect("it is a measure"))
}

/// Checks every line of an output against the value computed here, and the number of checked lines.
fn assert_agrees(run: &Run, qrels_file: &str, output: &str, relevant: i32, expected_lines: usize) {
    let qrels = qrels(qrels_file).expect("it is there if the run is");
    let lines = lines(output).expect("it is there if the run is");
    let mut compared = 0;
    for line in lines {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let Some(measure) = measure(columns[0], relevant) else { continue };
        let Evaluation { queries, measured, .. } =
            evaluate(run, &qrels, &[measure]).expect("they share queries");
        let value = match queries.iter().position(|query| query == columns[1]) {
            Some(at) => measured[0].values[at],
            None => measured[0].mean,
        };
        assert_eq!(format!("{value:.4}"), columns[2], "{output}: {line}");
        compared += 1;
    }
    assert_eq!(compared, expected_lines, "{output}");
}

#[test]
fn every_measure_of_every_query_and_the_means_agree() {
    let Some(run) = run("reference/trec_eval/results.test.gz") else { return };
    let qrels = "reference/trec_eval/qrels.test.gz";
    // 4 × 9 lines for P, recall, ndcg_cut and map_cut, 3 for success, and one each for map, recip_rank and ndcg.
    assert_agrees(&run, qrels, "reference/trec_eval/out.test.aq.gz", 1, 4 * 42);
    assert_agrees(&run, qrels, "reference/trec_eval/out.test.a.gz", 1, 42);
    assert_agrees(&run, qrels, "reference/trec_eval/out.test.gz", 1, 11);
    assert_agrees(&run, qrels, "reference/trec_eval/out.test.meas_params.gz", 1, 4 * 11);
}

#[test]
fn a_query_that_the_run_lacks_counts_as_0_as_with_option_c() {
    let Some(mut run) = run("reference/trec_eval/results.trunc.gz") else { return };
    let qrels = "reference/trec_eval/qrels.test.gz";
    assert_agrees(&run, qrels, "reference/trec_eval/out.test.aqc.gz", 1, 4 * 42);

    // -M100 keeps the first 100 hits. In this run, no scores are tied around rank 100.
    let queries: Vec<String> = run.iter().map(|(query, _)| query.to_owned()).collect();
    for query in queries {
        let mut hits = run.get(&query).unwrap_or_default().to_vec();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        hits.truncate(100);
        run.insert(query, hits);
    }
    assert_agrees(&run, qrels, "reference/trec_eval/out.test.aqcM.gz", 1, 4 * 42);
}

#[test]
fn graded_judgments_agree_as_gains_and_from_grade_2() {
    let Some(run) = run("reference/trec_eval/results.test.gz") else { return };
    let qrels = "reference/trec_eval/qrels.rel_level.gz";
    assert_agrees(&run, qrels, "reference/trec_eval/out.test.aql.gz", 2, 4 * 42);
}

/// nDCG@10 and R@100, rounded to four digits.
fn ndcg_and_recall(run: &Run, qrels: &Qrels) -> [String; 2] {
    let measures = ["nDCG@10", "R@100"].map(|name| name.parse().expect("it is a measure"));
    let evaluation = evaluate(run, qrels, &measures).expect("they share queries");
    [0, 1].map(|at| format!("{:.4}", evaluation.measured[at].mean))
}

#[test]
fn known_results_of_lucene_runs_agree_for_both_ways_to_break_ties() {
    for (collection, by_document_order, by_trec_eval) in [
        ("scifact", ["0.6789", "0.9253"], ["0.6789", "0.9253"]), // Anserini publishes these
        ("vaswani-npl", ["0.4368", "0.6186"], ["0.4368", "0.6184"]),
        ("nfcorpus-preprocessed", ["0.3320", "0.2540"], ["0.3312", "0.2538"]),
        ("agentset-dbpedia", ["0.3654", "0.8440"], ["0.3654", "0.8440"]),
    ] {
        let Some(mut run) = run(&format!("reference/lucene/{collection}.bm25.trec.gz")) else { return };
        let qrels = qrels(&format!("data/ir/{collection}/qrels.txt.gz")).expect("it is there if the run is");
        assert_eq!(ndcg_and_recall(&run, &qrels), by_trec_eval, "{collection}");

        // Lucene breaks ties by document order. Use ranks as scores to keep that order.
        let queries: Vec<String> = run.iter().map(|(query, _)| query.to_owned()).collect();
        for query in queries {
            let mut hits = run.get(&query).unwrap_or_default().to_vec();
            hits.iter_mut().zip(1u16..).for_each(|(hit, rank)| hit.score = -f32::from(rank));
            run.insert(query, hits);
        }
        assert_eq!(ndcg_and_recall(&run, &qrels), by_document_order, "{collection}");
    }
}
