//! Converts the description of an analyzer from JavaScript to an analyzer, and back.

use std::path::Path;

use napi_derive::napi;
use sparse::Analyzer;

use crate::call::CallResult;

/// An analyzer and its options, as JavaScript passes and receives them.
#[napi(object)]
pub struct NativeAnalyzer {
    /// `english`, `simple`, `whitespace`, `snowball:<language>` or `wordpiece`.
    pub name: String,
    /// The path of the `tokenizer.json` that the analyzer `wordpiece` uses, or of the folder that contains this file.
    pub tokenizer: Option<String>,
    /// Stop words that replace the analyzer's own.
    pub stop_words: Option<Vec<String>>,
    /// The version of the analyzer that an index was built with. Ignored if JavaScript passes it.
    pub version: Option<u32>,
}

impl NativeAnalyzer {
    /// Makes the analyzer. If `tokenizer` is set, the analyzer is `wordpiece`, and the name is ignored.
    pub fn load(self) -> CallResult<Analyzer> {
        let analyzer = match self.tokenizer {
            Some(path) => Analyzer::word_piece(Path::new(&path))?,
            None => self.name.parse()?,
        };
        Ok(match self.stop_words {
            Some(words) => analyzer.with_stop_words(words)?,
            None => analyzer,
        })
    }

    /// Describes the analyzer of the index in `folder`. If the analyzer is `wordpiece`, the index has a copy of the
    /// tokenizer file, and `tokenizer` is the path of that copy.
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
