//! Options for reading files of passages and questions.

use std::sync::Arc;

use corpus::ReadOptions;
use napi_derive::napi;
use text::SplitOptions;

/// How to split documents into passages.
#[napi(object)]
pub struct NativeSplit {
    /// Words per passage.
    pub words: u32,
    /// Words that consecutive passages share.
    pub overlap: u32,
    /// Whether a short last passage is filled up with words from the start of the document.
    pub wrap: bool,
}

/// How to read a file of passages or questions.
#[napi(object)]
pub struct NativeReadFileOptions {
    /// The name of the file format.
    pub format: String,
    /// Whether to skip and count invalid lines instead of failing at the first one.
    pub skip_bad_lines: bool,
    /// How to split each document. By default, only text files are split.
    pub split: Option<NativeSplit>,
    /// Maximum size of one line, table row, JSON item or text file, after decompression.
    pub max_document_bytes: f64,
    /// Maximum size of a passage: id, title and text together, in UTF-8.
    pub max_passage_bytes: f64,
    /// The property of JSON questions that has the ids of gold passages.
    pub gold_field: Option<String>,
}

impl NativeReadFileOptions {
    /// Converts the options. `control` cancels opening the file. It also cancels reading, until a call that reads a
    /// batch passes its own control.
    pub fn parse(&self, control: &Arc<control::Control>) -> ReadOptions {
        let split = self.split.as_ref().map(|split| SplitOptions {
            words: split.words as usize,
            overlap: split.overlap as usize,
            wrap: split.wrap,
        });
        ReadOptions {
            split,
            skip_bad_lines: self.skip_bad_lines,
            max_document_bytes: self.max_document_bytes as usize,
            max_passage_bytes: self.max_passage_bytes as usize,
            gold_field: self.gold_field.clone(),
            control: Arc::clone(control),
        }
    }
}
