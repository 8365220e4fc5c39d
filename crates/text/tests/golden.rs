//! Agreement with Pyserini's `has_answers`, and with Python on which CuratedTREC patterns are valid.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use flate2::read::MultiGzDecoder;
use serde_json::Value;
use text::{AnswerMatcher, PreparedText};

/// The lines of a shared JSON file, or `None` if the shared data is absent.
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

fn strings<'v>(value: &'v Value, key: &str) -> Vec<&'v str> {
    value[key].as_array().expect("an array").iter().map(|item| item.as_str().expect("a string")).collect()
}

#[test]
fn every_line_of_the_golden_file_is_matched_as_pyserini_does() {
    let Some(lines) = lines("reference/golden/has_answer.jsonl.gz") else { return };
    assert_eq!(lines.len(), 1645);
    let mut refused = 0;
    for line in &lines {
        let text = line["text"].as_str().expect("a text");
        let answers = strings(line, "answers");
        let matcher = if line["regex"].as_bool().expect("a flag") {
            let (matcher, errors) = AnswerMatcher::patterns_lossy(answers);
            refused += errors.len();
            matcher
        } else {
            AnswerMatcher::tokens(answers)
        };
        let expected = line["expected"].as_bool().expect("a flag");
        assert_eq!(matcher.matches(text), expected, "{line}");
        assert_eq!(matcher.matches_prepared(&PreparedText::new(text.to_owned())), expected, "{line}");
    }
    assert_eq!(refused, 3, "Python refuses three of the patterns");
}

#[test]
fn of_curated_trec_only_what_python_refuses_is_refused() {
    let Some(questions) = lines("data/qa/curatedtrec.test.jsonl.gz") else { return };
    let refused: Vec<&str> = questions
        .iter()
        .flat_map(|question| strings(question, "answers"))
        .filter(|answer| AnswerMatcher::patterns([answer]).is_err())
        .collect();
    // `re.compile(unicodedata.normalize("NFD", answer))` of Python 3.11: "bad escape" \e, \e and \o.
    assert_eq!(
        refused,
        [
            r"Sne[zž]ka|Sn\ě\žka",
            r"Laval|Petain|Marshal Philippe P\étain",
            r"Ali Nashnush|Barman|Monjane|Robert Wadlow|_Gabriel Estavao_|Sultan K\ösen|Robert Pershing Wadlow",
        ]
    );
}
