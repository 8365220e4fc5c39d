//! Compares measures with the values that trec_eval and SQuAD's script compute for the encyclopedia in `examples/`.
//! The expected values are in every checkout (`test/golden/README.md`).

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use evaluation::{Evaluation, Measure, evaluate, exact_match, f1};
use flate2::read::GzDecoder;
use ranking::{Qrels, Run, ScoredId};

/// The lines of a gzip-compressed file in `test/golden`, each split into its columns.
fn rows(file: &str, separator: char) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/golden").join(file);
    let lines = BufReader::new(GzDecoder::new(File::open(path).expect("a committed file"))).lines();
    lines.map(|line| line.expect("UTF-8").split(separator).map(str::to_owned).collect()).collect()
}

/// The relevance judgments of the encyclopedia's questions.
fn qrels() -> Qrels {
    let mut qrels = Qrels::new();
    for line in include_str!("../../../test/golden/qrels.txt").lines() {
        let columns: Vec<&str> = line.split(' ').collect();
        qrels.insert(columns[0], columns[2], columns[3].parse().expect("a grade"));
    }
    qrels
}

/// The measure that trec_eval calls by this name. A passage is relevant if its grade is at least `min_grade`.
fn measure(trec_name: &str, min_grade: &str) -> Measure {
    let (name, cutoff) = match trec_name.rsplit_once('_') {
        Some((name, cutoff)) if cutoff.bytes().all(|byte| byte.is_ascii_digit()) => {
            (name, format!("@{cutoff}"))
        }
        _ => (trec_name, String::new()),
    };
    let grade = format!("(rel={min_grade})");
    let name = match name {
        "map" | "map_cut" => format!("AP{grade}"),
        "recip_rank" => format!("RR{grade}"),
        // Grades are gains, whatever the minimum grade.
        "ndcg" | "ndcg_cut" => "nDCG".to_owned(),
        "P" => format!("P{grade}"),
        "recall" => format!("R{grade}"),
        "success" => format!("Success{grade}"),
        _ => panic!("a measure that is not compared: {trec_name}"),
    };
    format!("{name}{cutoff}").parse().expect("a measure")
}

#[test]
fn measures_of_a_lucene_run_agree_with_trec_eval() {
    let mut run = Run::new();
    for columns in rows("lucene.bm25.trec.gz", ' ') {
        let score = columns[4].parse().expect("a score");
        run.push(&columns[0], ScoredId { id: columns[2].clone(), score });
    }
    let qrels = qrels();
    let mut expected: HashMap<(String, String), Vec<(String, f64)>> = HashMap::new();
    for columns in rows("trec_eval.tsv.gz", '\t') {
        let [min_grade, query, name, value] = <[String; 4]>::try_from(columns).expect("four columns");
        expected.entry((name, min_grade)).or_default().push((query, value.parse().expect("a number")));
    }
    assert_eq!(expected.len(), 24, "twelve measures for two minimum grades");
    for ((name, min_grade), values) in expected {
        let measure = measure(&name, &min_grade);
        let Evaluation { queries, measured, .. } =
            evaluate(&run, &qrels, &[measure]).expect("they share queries");
        assert_eq!(queries.len(), values.len());
        let found: HashMap<&str, f64> =
            queries.iter().map(String::as_str).zip(measured[0].values.iter().copied()).collect();
        for (query, value) in values {
            // trec_eval sums in a different order.
            assert!(
                (found[&*query] - value).abs() < 1e-12,
                "{name} of {query}: expected {value}, got {}",
                found[&*query]
            );
        }
    }
}

#[test]
fn exact_match_and_f1_agree_with_squads_script() {
    let answers: HashMap<String, Vec<String>> = rows("questions.tsv.gz", '\t')
        .into_iter()
        .map(|columns| (columns[0].clone(), columns[2..].to_vec()))
        .collect();
    let predictions = rows("squad.tsv.gz", '\t');
    assert_eq!(predictions.len(), 8 * 168, "eight predictions for each of 168 questions");
    for columns in predictions {
        let [question, prediction, exact, expected_f1] =
            <[String; 4]>::try_from(columns).expect("four columns");
        let answers: Vec<&str> = answers[&question].iter().map(String::as_str).collect();
        assert_eq!(exact_match(&prediction, &answers), exact == "1", "{question}: {prediction}");
        assert_eq!(
            f1(&prediction, &answers),
            expected_f1.parse::<f64>().expect("a number"),
            "{question}: {prediction}"
        );
    }
}
