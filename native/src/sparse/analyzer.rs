//! Analyzers, as JavaScript names them.

use std::path::Path;

use napi_derive::napi;
use sparse::Analyzer;

use crate::call::CallResult;

/// An analyzer and its options, as JavaScript passes and receives them.
#[napi(object)]
pub struct NativeAnalyzer {
    /// `english`, `simple`, `whitespace`, `snowball:<language>` or `wordpiece`.
    pub name: String,
    /// The `tokenizer.json` of `wordpiece`.
    pub tokenizer: Option<String>,
    /// They replace the analyzer's own.
    pub stop_words: Option<Vec<String>>,
    /// The version of the analyzer of an index; ignored when JavaScript passes it.
    pub version: Option<u32>,
}

impl NativeAnalyzer {
    pub fn load(self) -> CallResult<Analyzer> {
        let analyzer = match self.tokenizer {
            Some(path) => {
                let path = Path::new(&path);
                // For a folder, its `tokenizer.json` is used.
                let inside = path.join("tokenizer.json");
                let file = if path.is_dir() { inside.as_path() } else { path };
                storage::check_regular(file)
                    .map_err(|source| tokenize::Error::Io { path: file.to_path_buf(), source })?;
                Analyzer::word_piece(path)?
            }
            None => self.name.parse()?,
        };
        Ok(match self.stop_words {
            Some(words) => analyzer.with_stop_words(words)?,
            None => analyzer,
        })
    }

    /// Describes the analyzer of the index in `folder`.
    pub fn describe(analyzer: &Analyzer, folder: &Path) -> Self {
        Self {
            name: match analyzer.language() {
                Some(language) => format!("snowball:{language}"),
                None => analyzer.name().to_owned(),
            },
            tokenizer: analyzer.tokenizer_copy(folder).map(|path| path.to_string_lossy().into_owned()),
            stop_words: analyzer.stop_words().map(<[String]>::to_vec),
            version: Some(analyzer.version()),
        }
    }
}
