//! What an index records about itself in every commit.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::index::analyzer_record::AnalyzerRecord;
use crate::{Analyzer, Error};

/// Raised when the layout changes; other versions are refused.
pub(crate) const VERSION: u32 = 2;

/// Stands in every commit.
pub(crate) const FORMAT: &str = "passagekit-bm25";

/// Goes with every commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CommitPayload {
    format: String,
    version: u32,
    pub analyzer: AnalyzerRecord,
    /// Number of the next passage added.
    pub next_ord: u64,
    /// Passages that can be found.
    pub passages: u64,
}

impl CommitPayload {
    pub fn new(analyzer: &Analyzer) -> Self {
        let analyzer = AnalyzerRecord::new(analyzer);
        Self { format: FORMAT.to_owned(), version: VERSION, analyzer, next_ord: 0, passages: 0 }
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("settings have nothing that JSON cannot hold")
    }

    /// Reads what a commit says; `path` is for errors.
    pub fn parse(payload: Option<&str>, path: &Path) -> Result<Self, Error> {
        let foreign = |got: &str| Error::NotAnIndex { path: path.to_path_buf(), got: got.to_owned() };
        let payload = payload.ok_or_else(|| foreign("an index that says nothing of itself"))?;
        let value: serde_json::Value =
            serde_json::from_str(payload).map_err(|_| foreign("another program's index"))?;
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

    #[test]
    fn settings_survive_and_others_are_told_apart() {
        let path = Path::new("index");
        let settings = CommitPayload { next_ord: 7, passages: 5, ..CommitPayload::new(&Analyzer::SIMPLE) };
        assert_eq!(CommitPayload::parse(Some(&settings.to_json()), path).ok(), Some(settings.clone()));
        for payload in [None, Some("x"), Some("{}"), Some(r#"{"format": "other"}"#)] {
            assert!(matches!(CommitPayload::parse(payload, path), Err(Error::NotAnIndex { .. })));
        }
        let newer = settings.to_json().replace("\"version\":2", "\"version\":3");
        let error = CommitPayload::parse(Some(&newer), path).expect_err("another version").to_string();
        assert_eq!(
            error,
            "index: expected version 2 of the BM25 index format, got version 3; build it again"
        );
        let odd = settings.to_json().replace("next_ord", "next_odd");
        assert!(matches!(CommitPayload::parse(Some(&odd), path), Err(Error::Corrupt { .. })));
    }
}
