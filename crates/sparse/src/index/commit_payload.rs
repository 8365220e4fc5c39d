//! What we record in every commit, as JSON in the string that tantivy stores with a commit (its *payload*): the format
//! and its version, the analyzer, two counters, and the caller's state.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::index::analyzer_record::AnalyzerRecord;
use crate::{Analyzer, Error};

/// Version of the index format. Indexes of other versions are rejected.
pub(crate) const VERSION: u32 = 3;

/// The value of `format`, by which our indexes are recognized.
pub(crate) const FORMAT: &str = "passagekit-bm25";

/// The content of a payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CommitPayload {
    format: String,
    version: u32,
    pub analyzer: AnalyzerRecord,
    /// The ord of the next passage that will be added.
    pub next_ord: u64,
    /// Number of passages that are not deleted.
    pub passages: u64,
    /// What the caller recorded with the commit; null if it recorded nothing.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub state: Value,
}

impl CommitPayload {
    pub fn new(analyzer: &Analyzer) -> Self {
        let analyzer = AnalyzerRecord::new(analyzer);
        let format = FORMAT.to_owned();
        Self { format, version: VERSION, analyzer, next_ord: 0, passages: 0, state: Value::Null }
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("strings, numbers and JSON are valid JSON")
    }

    /// Parses the payload of a commit. `path` is the folder of the index, for error messages.
    pub fn parse(payload: Option<&str>, path: &Path) -> Result<Self, Error> {
        let foreign = |got: &str| Error::NotAnIndex { path: path.to_path_buf(), got: got.to_owned() };
        let payload = payload.ok_or_else(|| foreign("an index without a payload"))?;
        let value: Value = serde_json::from_str(payload).map_err(|_| foreign("another program's index"))?;
        if value["format"] != FORMAT {
            return Err(foreign("another program's index"));
        }
        if value["version"] != VERSION {
            let got = format!("version {}", value["version"]);
            return Err(Error::Version { path: path.to_path_buf(), expected: VERSION, got });
        }
        serde_json::from_value(value)
            .map_err(|error| Error::corrupt(path, "settings in the last commit", error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_payload_is_parsed_as_it_was_written_and_others_are_rejected() {
        let path = Path::new("index");
        let payload = CommitPayload { next_ord: 7, passages: 5, ..CommitPayload::new(&Analyzer::SIMPLE) };
        assert_eq!(CommitPayload::parse(Some(&payload.to_json()), path).ok(), Some(payload.clone()));
        assert!(!payload.to_json().contains("state"), "without a state, there is no such key");
        let with_state = CommitPayload { state: json!({"log": [1, 0.1, null]}), ..payload.clone() };
        assert_eq!(CommitPayload::parse(Some(&with_state.to_json()), path).ok(), Some(with_state));
        for other in [None, Some("x"), Some("{}"), Some(r#"{"format": "other"}"#)] {
            assert!(matches!(CommitPayload::parse(other, path), Err(Error::NotAnIndex { .. })));
        }
        let newer = payload.to_json().replace("\"version\":3", "\"version\":4");
        let error = CommitPayload::parse(Some(&newer), path).expect_err("another version").to_string();
        assert_eq!(
            error,
            "index: expected version 3 of the BM25 index format, got version 4; build it again"
        );
        let corrupt = payload.to_json().replace("next_ord", "next_odd");
        assert!(matches!(CommitPayload::parse(Some(&corrupt), path), Err(Error::Corrupt { .. })));
    }
}
