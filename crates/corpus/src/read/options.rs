//! The options of readers.

use std::sync::Arc;

use control::Control;
use text::SplitOptions;

use crate::input::{InputOptions, MAX_DOCUMENT_BYTES, MAX_PASSAGE_BYTES, SharedControl};

/// Options of [`open_passages`](crate::open_passages) and [`open_questions`](crate::open_questions).
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// How to split documents into passages of a fixed number of words. With `None`, text files
    /// ([`PassageFormat::Text`](crate::PassageFormat::Text)) are split with [`SplitOptions::default`], and the passages
    /// of all other formats are not split.
    pub split: Option<SplitOptions>,
    /// Whether to skip and count invalid lines instead of failing at the first one.
    pub skip_bad_lines: bool,
    /// Maximum size of one line, table row, JSON item or text file, in bytes after decompression and before splitting.
    /// A longer one counts as an invalid line. A reader takes at most a small multiple of this size in memory. Default:
    /// [`MAX_DOCUMENT_BYTES`].
    pub max_document_bytes: usize,
    /// Maximum size of a passage after splitting, in bytes: id, title and text together, in UTF-8. A longer one counts
    /// as an invalid line. Default: [`MAX_PASSAGE_BYTES`].
    pub max_passage_bytes: usize,
    /// The property of a JSON question that has the id of its gold passage, or a list of ids: the passages that answer
    /// the question. Only the JSON formats of DPR and BEIR have such a property; opening questions in another format
    /// fails.
    pub gold_field: Option<String>,
    /// Cancels opening and reading, even while they wait for the writer of a FIFO.
    pub control: Arc<Control>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            split: None,
            skip_bad_lines: false,
            max_document_bytes: MAX_DOCUMENT_BYTES,
            max_passage_bytes: MAX_PASSAGE_BYTES,
            gold_field: None,
            control: Arc::default(),
        }
    }
}

impl ReadOptions {
    pub(crate) fn input_options(&self) -> InputOptions {
        InputOptions {
            max_document_bytes: self.max_document_bytes,
            control: SharedControl::new(Arc::clone(&self.control)),
        }
    }
}
