//! What the engine stores of a passage, and what an index says of itself.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tantivy::schema::{
    Field, IndexRecordOption, JsonObjectOptions, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};

use crate::analyzer_record::AnalyzerRecord;
use crate::{Analyzer, Error, tokenizer};

/// Raised when the layout changes; other versions are refused.
pub(crate) const VERSION: u32 = 2;

/// Stands in every commit.
pub(crate) const FORMAT: &str = "passagekit-bm25";

/// The engine's name of what passages carry.
pub(crate) const FIELDS: &str = "fields";

/// The fields of a passage.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    /// Title and text: terms with their frequencies, and lengths; no positions.
    pub contents: Field,
    /// The id as one term, to delete and to look up by.
    pub id: Field,
    /// Insertion number. Kept in the passage file of a segment, not by the engine.
    pub ord: Field,
    /// What the passage carries: one object, its values as terms, as columns, and stored. Passages without any
    /// have no value, and cost nothing.
    pub fields: Field,
}

pub(crate) fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let indexing = |tokenizer: &str, option, lengths| {
        TextFieldIndexing::default().set_tokenizer(tokenizer).set_index_option(option).set_fieldnorms(lengths)
    };
    let indexed = |tokenizer: &str, option, lengths| {
        TextOptions::default().set_indexing_options(indexing(tokenizer, option, lengths))
    };
    let json = JsonObjectOptions::default().set_stored().set_fast("raw").set_indexing_options(indexing(
        "raw",
        IndexRecordOption::Basic,
        false,
    ));
    let fields = Fields {
        contents: builder
            .add_text_field("contents", indexed(tokenizer::NAME, IndexRecordOption::WithFreqs, true)),
        id: builder.add_text_field("id", indexed("raw", IndexRecordOption::Basic, false)),
        ord: builder.add_u64_field("ord", NumericOptions::default()),
        fields: builder.add_json_field(FIELDS, json),
    };
    (builder.build(), fields)
}

/// Goes with every commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Settings {
    format: String,
    version: u32,
    pub analyzer: AnalyzerRecord,
    /// Number of the next passage added.
    pub next_ord: u64,
    /// Passages that can be found.
    pub passages: u64,
}

impl Settings {
    pub fn new(analyzer: &Analyzer) -> Self {
        let analyzer = AnalyzerRecord::new(analyzer);
        Self { format: FORMAT.to_owned(), version: VERSION, analyzer, next_ord: 0, passages: 0 }
    }

    pub fn to_payload(&self) -> String {
        serde_json::to_string(self).expect("settings have nothing that JSON cannot hold")
    }

    /// Reads what a commit says; `path` is for errors.
    pub fn from_payload(payload: Option<&str>, path: &Path) -> Result<Self, Error> {
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
        let settings = Settings { next_ord: 7, passages: 5, ..Settings::new(&Analyzer::SIMPLE) };
        assert_eq!(Settings::from_payload(Some(&settings.to_payload()), path).ok(), Some(settings.clone()));
        for payload in [None, Some("x"), Some("{}"), Some(r#"{"format": "other"}"#)] {
            assert!(matches!(Settings::from_payload(payload, path), Err(Error::NotAnIndex { .. })));
        }
        let newer = settings.to_payload().replace("\"version\":2", "\"version\":3");
        let error = Settings::from_payload(Some(&newer), path).expect_err("another version").to_string();
        assert_eq!(
            error,
            "index: expected version 2 of the BM25 index format, got version 3; build it again"
        );
        let odd = settings.to_payload().replace("next_ord", "next_odd");
        assert!(matches!(Settings::from_payload(Some(&odd), path), Err(Error::Corrupt { .. })));
    }
}
