//! Compares exact match and F1 with SQuAD's `evaluate-v1.1.py` on the predictions of a published system, R-Net+.

mod shared;

use evaluation::{exact_match, f1};
use serde_json::Value;

#[test]
fn exact_match_and_f1_of_every_question_agree_with_squads_script() {
    let Some(lines) = shared::lines("reference/golden/squad-em-f1-per-question.jsonl.gz") else { return };
    assert_eq!(lines.len(), 7724);
    for line in lines {
        let record: Value = serde_json::from_str(&line).expect("JSON");
        let prediction = record["prediction"].as_str().expect("a string");
        let answers = record["answers"].as_array().expect("an array");
        let answers: Vec<&str> = answers.iter().map(|answer| answer.as_str().expect("a string")).collect();
        assert_eq!(
            u64::from(exact_match(prediction, &answers)),
            record["em"].as_u64().expect("0 or 1"),
            "{line}"
        );
        // The number is parsed from the text, because serde_json may round its last bit differently.
        let expected = line.rsplit_once("\"f1\": ").expect("it is the last field").1.trim_end_matches('}');
        assert_eq!(f1(prediction, &answers), expected.parse::<f64>().expect("a number"), "{line}");
    }
}
