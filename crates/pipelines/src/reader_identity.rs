//! Identifies a reader by its files and options, so that a cache is used only with the reader that filled it.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use inference::{LongPassages, ReaderConfig};
use reading::SpanLimits;

use crate::Error;

/// The files and the configuration with which a reader was opened. A cache of readings is valid for only one origin.
#[derive(Debug)]
pub struct ReaderOrigin {
    model: PathBuf,
    tokenizer: PathBuf,
    config: ReaderConfig,
    /// Hashes of the files, computed when they are first needed.
    file_hashes: OnceLock<String>,
}

impl ReaderOrigin {
    /// Describes a reader by the files of its model and its tokenizer, and by its configuration.
    #[must_use]
    pub fn new(model: PathBuf, tokenizer: PathBuf, config: ReaderConfig) -> Self {
        Self { model, tokenizer, config, file_hashes: OnceLock::new() }
    }

    /// The configuration of the reader.
    #[must_use]
    pub fn config(&self) -> &ReaderConfig {
        &self.config
    }

    /// Returns a text that describes everything that readings depend on: two readers with the same text give the same
    /// readings.
    ///
    /// # Errors
    ///
    /// If a file of the reader cannot be read.
    pub fn identity(&self, limits: SpanLimits) -> Result<String, Error> {
        let file_hashes = match self.file_hashes.get() {
            Some(hashes) => hashes,
            None => {
                let hashes = hash_files(&self.model, &self.tokenizer)?;
                self.file_hashes.get_or_init(|| hashes)
            }
        };
        Ok(format!("{file_hashes}, {}", describe(&self.config, limits)))
    }
}

/// Describes the configuration and the limits.
fn describe(config: &ReaderConfig, limits: SpanLimits) -> String {
    // The patterns name every field, so that a new field does not compile until it is handled here. The size of batches
    // changes the logits of an int8 model a little, but two readings of a passage may come from different batches
    // anyway.
    let ReaderConfig { max_tokens, max_question_tokens, batch_tokens: _, long_passages, titles, open_ended } =
        *config;
    let SpanLimits { max_spans, max_tokens: max_answer_tokens } = limits;
    let long = match long_passages {
        LongPassages::Cut => "cut".to_owned(),
        LongPassages::Windows { overlap_tokens: None } => "window".to_owned(),
        LongPassages::Windows { overlap_tokens: Some(tokens) } => format!("window, overlapTokens {tokens}"),
    };
    let titles = titles.map_or(String::new(), |titles| format!(", titles {titles}"));
    let form = if open_ended { ", open-ended" } else { "" };
    format!(
        "maxTokens {max_tokens}, maxQuestionTokens {max_question_tokens}, longPassages {long}{titles}{form}, \
         spansPerPassage {max_spans}, maxAnswerTokens {max_answer_tokens}"
    )
}

/// Describes the files by their SHA-256 hashes.
fn hash_files(model: &Path, tokenizer: &Path) -> Result<String, Error> {
    // Exporters write the weights of large models to a separate file next to the graph.
    let weights = [".data", "_data"].map(|suffix| {
        let mut path = model.as_os_str().to_owned();
        path.push(suffix);
        PathBuf::from(path)
    });
    let weights = weights.iter().map(PathBuf::as_path).filter(|path| path.is_file());
    let model = reading::files_sha256(&std::iter::once(model).chain(weights).collect::<Vec<_>>())?;
    let tokenizer = reading::files_sha256(&[tokenizer])?;
    Ok(format!("model {model}, tokenizer {tokenizer}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::write;

    const LIMITS: SpanLimits = SpanLimits { max_spans: 5, max_tokens: 10 };

    #[test]
    fn an_identity_names_the_files_and_all_options_that_change_readings() {
        let folder = tempfile::tempdir().expect("a folder");
        let (model, tokenizer) = (folder.path().join("model.onnx"), folder.path().join("tokenizer.json"));
        write(&model, "model").expect("writable");
        write(&tokenizer, "").expect("writable");
        let identity = |config| {
            let origin = ReaderOrigin::new(model.clone(), tokenizer.clone(), config);
            origin.identity(LIMITS).expect("readable")
        };
        let config = ReaderConfig::default();
        // The SHA-256 hashes of "model" and of an empty file.
        assert_eq!(
            identity(config),
            "model 9372c470eeadd5ecd9c3c74c2b3cb633f8e2f2fad799250a0f70d652b6b825e4, \
             tokenizer e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855, \
             maxTokens 256, maxQuestionTokens 40, longPassages window, spansPerPassage 5, maxAnswerTokens 10"
        );
        let long_passages = LongPassages::Windows { overlap_tokens: Some(32) };
        let other = ReaderConfig { long_passages, titles: Some(false), open_ended: true, ..config };
        assert!(
            identity(other)
                .contains("longPassages window, overlapTokens 32, titles false, open-ended, spans")
        );
        assert_eq!(identity(ReaderConfig { batch_tokens: 1, ..config }), identity(config));

        let before = identity(config);
        write(folder.path().join("model.onnx_data"), "weights").expect("writable");
        assert_ne!(identity(config), before, "the identity depends on weights next to the graph");
    }
}
