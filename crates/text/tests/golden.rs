//! Compares answer matching with Pyserini's `has_answers`, and the validation of CuratedTREC patterns with Python's.
//!
//! The first test reads committed files. The others read test data that cannot be published, in the folder that the
//! environment variable `PASSAGEKIT_SHARED` names or in `shared` next to the repository; without these data, they print
//! that they are skipped.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use serde_json::Value;
use text::{AnswerMatcher, PreparedText};

/// The lines of a gzipped JSON Lines file of the shared test data, or `None` if there is no such file.
fn lines(path: &str) -> Option<Vec<Value>> {
    let shared = std::env::var_os("PASSAGEKIT_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")),
        PathBuf::from,
    );
    let Ok(file) = File::open(shared.join(path)) else {
        eprintln!("skipped: shared data is absent");
        return None;
    };
    let reader = BufReader::new(MultiGzDecoder::new(file));
    Some(reader.lines().map(|line| serde_json::from_str(&line.expect("readable")).expect("JSON")).collect())
}

/// The strings of an array in a JSON object.
fn strings<'v>(value: &'v Value, key: &str) -> Vec<&'v str> {
    value[key].as_array().expect("an array").iter().map(|item| item.as_str().expect("a string")).collect()
}

/// The rows of a committed, gzipped file of `test/golden`, split into their tab-separated columns.
fn rows(file: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/golden").join(file);
    let lines = BufReader::new(MultiGzDecoder::new(File::open(path).expect("a committed file"))).lines();
    lines.map(|line| line.expect("UTF-8").split('\t').map(str::to_owned).collect()).collect()
}

#[test]
fn answers_in_passages_of_the_example_encyclopedia_are_found_as_by_pyserini() {
    let texts: HashMap<String, String> =
        rows("passages.tsv.gz").into_iter().map(|columns| (columns[0].clone(), columns[1].clone())).collect();
    let answers: HashMap<String, Vec<String>> = rows("questions.tsv.gz")
        .into_iter()
        .map(|columns| (columns[0].clone(), columns[2..].to_vec()))
        .collect();
    // The columns: question id, passage id, whether Pyserini finds an answer by comparing tokens (1 or 0), and whether
    // it finds an answer with regular expressions.
    let expected = rows("has_answer.tsv.gz");
    assert!(expected.len() > 900, "{}", expected.len());
    for columns in expected {
        let (text, answers) = (&texts[&columns[1]], &answers[&columns[0]]);
        assert_eq!(AnswerMatcher::tokens(answers).matches(text), columns[2] == "1", "{columns:?}");
        // `re.escape` puts a backslash before each space. As in `test/golden/make.py`, `\s+` replaces both.
        let patterns: Vec<String> =
            answers.iter().map(|answer| regex_escape(answer).replace("\\ ", r"\s+")).collect();
        let matcher = AnswerMatcher::patterns(&patterns).expect("valid patterns");
        assert_eq!(matcher.matches(text), columns[3] == "1", "{columns:?}");
    }
}

/// Same as `re.escape` of Python 3.11.
fn regex_escape(text: &str) -> String {
    text.chars()
        .flat_map(|character| {
            let special = "()[]{}?*+-|^$\\.&~# \t\n\r\x0b\x0c".contains(character);
            special.then_some('\\').into_iter().chain([character])
        })
        .collect()
}

#[test]
fn every_line_of_the_golden_file_has_the_same_result_as_in_pyserini() {
    let Some(lines) = lines("reference/golden/has_answer.jsonl.gz") else { return };
    assert_eq!(lines.len(), 1645);
    let mut rejected = 0;
    for line in &lines {
        let text = line["text"].as_str().expect("a text");
        let answers = strings(line, "answers");
        let matcher = if line["regex"].as_bool().expect("a flag") {
            let (matcher, errors) = AnswerMatcher::patterns_lossy(answers);
            rejected += errors.len();
            matcher
        } else {
            AnswerMatcher::tokens(answers)
        };
        let expected = line["expected"].as_bool().expect("a flag");
        assert_eq!(matcher.matches(text), expected, "{line}");
        assert_eq!(matcher.matches_prepared(&PreparedText::new(text.to_owned())), expected, "{line}");
    }
    assert_eq!(rejected, 3, "Python rejects three of the patterns");
}

#[test]
fn the_rejected_patterns_of_curated_trec_are_those_that_python_rejects() {
    let Some(questions) = lines("data/qa/curatedtrec.test.jsonl.gz") else { return };
    let rejected: Vec<&str> = questions
        .iter()
        .flat_map(|question| strings(question, "answers"))
        .filter(|answer| AnswerMatcher::patterns([answer]).is_err())
        .collect();
    // For these, `re.compile(unicodedata.normalize("NFD", answer))` of Python 3.11 fails: "bad escape" \e, \e and \o.
    assert_eq!(
        rejected,
        [
            r"Sne[zž]ka|Sn\ě\žka",
            r"Laval|Petain|Marshal Philippe P\étain",
            r"Ali Nashnush|Barman|Monjane|Robert Wadlow|_Gabriel Estavao_|Sultan K\ösen|Robert Pershing Wadlow",
        ]
    );
}
