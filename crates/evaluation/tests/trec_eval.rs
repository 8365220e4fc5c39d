//! Compares evaluations with the outputs of trec_eval's own tests, to every printed digit, and with known results of
//! Lucene's runs.
//!
//! The files are part of the data that cannot be published (`CONTRIBUTING.md`). The files in `reference/trec_eval` are
//! the inputs and outputs of the target `quicktest` in trec_eval's Makefile, which lists the options of each output.
//! These inputs have three queries.

mod shared;

use evaluation::{Evaluation, Measure, evaluate};
use ranking::{Qrels, Run};
use shared::{lines, qrels, run};

/// Number of lines with supported measures in a block of the output, if trec_eval prints all measures. P, recall,
/// `ndcg_cut` and `map_cut` have nine cut-offs each, and success has three. Map, `recip_rank` and ndcg have one line
/// each.
const LINES_PER_BLOCK: usize = 4 * 9 + 3 + 3;
/// Number of blocks of lines if trec_eval prints the values of each query: one block for each of the three queries, and
/// one for the means.
const BLOCK_COUNT: usize = 3 + 1;

/// Returns the measure that trec_eval calls by this name, or `None` if it is not supported. A passage is relevant if
/// its grade is at least `min_grade`.
fn measure(trec_name: &str, min_grade: i32) -> Option<Measure> {
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
    let rel = if name == "nDCG" { String::new() } else { format!("(rel={min_grade})") };
    let cutoff = cutoff.map_or_else(String::new, |cutoff| format!("@{cutoff}"));
    Some(format!("{name}{rel}{cutoff}").parse().expect("a measure"))
}

/// Checks that `evaluate` returns the value in each line of trec_eval's output whose measure is supported, and that
/// there are `expected_lines` such lines.
fn assert_agrees(run: &Run, qrels_file: &str, output: &str, min_grade: i32, expected_lines: usize) {
    let qrels = qrels(qrels_file).expect("it exists if the run does");
    let lines = lines(output).expect("it exists if the run does");
    let mut compared = 0;
    for line in lines {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let Some(measure) = measure(columns[0], min_grade) else { continue };
        let Evaluation { queries, measured, .. } =
            evaluate(run, &qrels, &[measure]).expect("they share queries");
        let value = match queries.iter().position(|query| query == columns[1]) {
            Some(index) => measured[0].values[index],
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
    assert_agrees(&run, qrels, "reference/trec_eval/out.test.aq.gz", 1, BLOCK_COUNT * LINES_PER_BLOCK);
    assert_agrees(&run, qrels, "reference/trec_eval/out.test.a.gz", 1, LINES_PER_BLOCK);
    // By default, trec_eval prints these supported measures: map, recip_rank and P with nine cut-offs.
    assert_agrees(&run, qrels, "reference/trec_eval/out.test.gz", 1, 2 + 9);
    // This output has other cut-offs: three of P, two of recall, three of ndcg_cut and three of success.
    let expected_lines = BLOCK_COUNT * (3 + 2 + 3 + 3);
    assert_agrees(&run, qrels, "reference/trec_eval/out.test.meas_params.gz", 1, expected_lines);
}

#[test]
fn a_query_that_the_run_lacks_counts_as_0_as_with_trec_evals_option_c() {
    let Some(mut run) = run("reference/trec_eval/results.trunc.gz") else { return };
    let qrels = "reference/trec_eval/qrels.test.gz";
    assert_agrees(&run, qrels, "reference/trec_eval/out.test.aqc.gz", 1, BLOCK_COUNT * LINES_PER_BLOCK);

    // This output was made with the option -M100, which keeps the first 100 hits. In this run, no scores are tied
    // around rank 100.
    let queries: Vec<String> = run.iter().map(|(query, _)| query.to_owned()).collect();
    for query in queries {
        let mut hits = run.get(&query).unwrap_or_default().to_vec();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        hits.truncate(100);
        run.insert(query, hits);
    }
    assert_agrees(&run, qrels, "reference/trec_eval/out.test.aqcM.gz", 1, BLOCK_COUNT * LINES_PER_BLOCK);
}

#[test]
fn measures_of_graded_judgments_agree_with_a_minimum_grade_of_2() {
    let Some(run) = run("reference/trec_eval/results.test.gz") else { return };
    let qrels = "reference/trec_eval/qrels.rel_level.gz";
    assert_agrees(&run, qrels, "reference/trec_eval/out.test.aql.gz", 2, BLOCK_COUNT * LINES_PER_BLOCK);
}

/// nDCG@10 and R@100, rounded to four decimal places.
fn ndcg_and_recall(run: &Run, qrels: &Qrels) -> [String; 2] {
    let measures = ["nDCG@10", "R@100"].map(|name| name.parse().expect("a measure"));
    let evaluation = evaluate(run, qrels, &measures).expect("they share queries");
    [0, 1].map(|index| format!("{:.4}", evaluation.measured[index].mean))
}

#[test]
fn known_results_of_lucene_runs_agree_for_both_ways_to_break_ties() {
    // nDCG@10 and R@100 of BM25 in Lucene. Anserini publishes the values for SciFact; the others were computed together
    // with the runs in `reference/lucene`.
    for (collection, by_document_order, by_trec_eval) in [
        ("scifact", ["0.6789", "0.9253"], ["0.6789", "0.9253"]),
        ("vaswani-npl", ["0.4368", "0.6186"], ["0.4368", "0.6184"]),
        ("nfcorpus-preprocessed", ["0.3320", "0.2540"], ["0.3312", "0.2538"]),
        ("agentset-dbpedia", ["0.3654", "0.8440"], ["0.3654", "0.8440"]),
    ] {
        let Some(mut run) = run(&format!("reference/lucene/{collection}.bm25.trec.gz")) else { return };
        let qrels = qrels(&format!("data/ir/{collection}/qrels.txt.gz")).expect("it exists if the run does");
        assert_eq!(ndcg_and_recall(&run, &qrels), by_trec_eval, "{collection}");

        // Lucene breaks ties by document order. Negated ranks as scores keep that order.
        let queries: Vec<String> = run.iter().map(|(query, _)| query.to_owned()).collect();
        for query in queries {
            let mut hits = run.get(&query).unwrap_or_default().to_vec();
            hits.iter_mut().zip(1u16..).for_each(|(hit, rank)| hit.score = -f32::from(rank));
            run.insert(query, hits);
        }
        assert_eq!(ndcg_and_recall(&run, &qrels), by_document_order, "{collection}");
    }
}
