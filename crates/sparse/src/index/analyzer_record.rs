//! How a commit records the analyzer of the index: its name, version and options, and a digest of them.

use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::analysis::stop_words::hex;
use crate::{Analyzer, Error};

/// The analyzer of an index as a commit records it, in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AnalyzerRecord {
    name: String,
    version: u32,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    language: Option<String>,
    /// SHA-256 of the model's `tokenizer.json`. The folder of the index has a copy of this file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    tokenizer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    stop_words: Option<Vec<String>>,
    /// SHA-256 of the other fields. It reveals damage that would still parse, such as a changed letter in a stop word.
    digest: String,
}

impl AnalyzerRecord {
    pub fn new(analyzer: &Analyzer) -> Self {
        let record = Self {
            name: analyzer.name().to_owned(),
            version: analyzer.version(),
            language: analyzer.language().map(|language| language.name().to_owned()),
            tokenizer: analyzer.tokenizer_sha256().map(str::to_owned),
            stop_words: analyzer.stop_words().map(<[String]>::to_vec),
            digest: String::new(),
        };
        Self { digest: record.digest(), ..record }
    }

    /// Returns the analyzer that was recorded. `folder` is the folder of the index.
    ///
    /// # Errors
    ///
    /// [`Error::AnalyzerVersion`] if this release does not have the analyzer or has another version of it;
    /// [`Error::Corrupt`] if the record or the copy of the tokenizer is damaged.
    pub fn load(&self, folder: &Path) -> Result<Analyzer, Error> {
        let Self { name, version, .. } = self;
        let refused = |expected: String| {
            let (path, got) = (folder.to_path_buf(), format!("version {version} of the analyzer {name}"));
            Error::AnalyzerVersion { path, expected, got }
        };
        match Analyzer::version_of(name) {
            None => return Err(refused("an analyzer that this release has".to_owned())),
            Some(known) if known != *version => return Err(refused(format!("version {known}"))),
            Some(_) => {}
        }
        let corrupt = || Error::corrupt(folder, "intact analyzer options in the last commit", "damaged ones");
        if self.digest != self.digest() {
            return Err(corrupt());
        }
        let analyzer = match (name.as_str(), &self.language, &self.tokenizer) {
            ("snowball", Some(language), None) => Analyzer::snowball(
                language.parse().map_err(|_| refused("a language of this release".to_owned()))?,
            ),
            ("wordpiece", None, Some(sha256)) => Analyzer::word_piece_copy(folder, sha256)?,
            (name, None, None) => name.parse().map_err(|_| corrupt())?,
            _ => return Err(corrupt()),
        };
        match &self.stop_words {
            Some(words) => analyzer.with_stop_words(words),
            None => Ok(analyzer),
        }
    }

    fn digest(&self) -> String {
        let Self { name, version, language, tokenizer, stop_words, digest: _ } = self;
        let settings = serde_json::to_vec(&(name, version, language, tokenizer, stop_words));
        hex(&Sha256::digest(settings.expect("strings and numbers are valid JSON")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Loads the analyzer from a record in JSON.
    fn load(json: &str) -> Result<Analyzer, Error> {
        serde_json::from_str::<AnalyzerRecord>(json).expect("a record").load(Path::new("index"))
    }

    #[test]
    fn a_recorded_analyzer_is_loaded_with_its_options() {
        let german = Analyzer::snowball("german".parse().expect("a language"));
        for analyzer in [
            Analyzer::SIMPLE,
            german.clone(),
            german.with_stop_words(["Über", "die"]).expect("words"),
            Analyzer::ENGLISH.with_stop_words([""; 0]).expect("no words"),
        ] {
            let json = serde_json::to_string(&AnalyzerRecord::new(&analyzer)).expect("JSON");
            let loaded = load(&json).expect("the same analyzer");
            assert_eq!(loaded, analyzer);
            let text = "Über die ÜBER of the Häuser";
            assert_eq!(loaded.tokens(text), analyzer.tokens(text));
        }
    }

    #[test]
    fn other_versions_unknown_names_and_changed_options_are_rejected() {
        let analyzer = Analyzer::ENGLISH.with_stop_words(["the"]).expect("a word");
        let json = serde_json::to_string(&AnalyzerRecord::new(&analyzer)).expect("JSON");
        let error =
            |from: &str, to: &str| load(&json.replace(from, to)).expect_err("a changed record").to_string();
        assert_eq!(
            error("\"version\":1", "\"version\":9"),
            "index: expected version 1, got version 9 of the analyzer english; build it again, or use the release that made it"
        );
        assert_eq!(
            error("english", "klingon"),
            "index: expected an analyzer that this release has, got version 1 of the analyzer klingon; build it again, or use the release that made it"
        );
        assert_eq!(
            error("\"the\"", "\"thy\""),
            "index: expected intact analyzer options in the last commit, got damaged ones"
        );
    }
}
