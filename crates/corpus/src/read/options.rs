//! How passages and questions are read.

use std::sync::Arc;

use control::Control;
use text::SplitOptions;

use crate::input::{InputOptions, MAX_DOCUMENT_BYTES, MAX_PASSAGE_BYTES, SharedControl};

/// Options of [`open_passages`](crate::open_passages) and [`open_questions`](crate::open_questions).
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// Splits documents into passages of a fixed number of words. By default, texts ([`PassageFormat::Text`]) are
    /// split by [`SplitOptions::default`] and passages of all other formats are left as they are.
    pub split: Option<SplitOptions>,
    /// Skips and counts bad lines instead of failing.
    pub skip_bad_lines: bool,
    /// Maximum size of one line, record, JSON item or text file, in bytes after decompression and before splitting. A
    /// longer one is a bad line. Memory is bounded by a small multiple of it. Default [`MAX_DOCUMENT_BYTES`].
    pub max_document_bytes: usize,
    /// Maximum size of a passage after splitting, in bytes: id, title and text as UTF-8. A longer one is a bad line.
    /// Default [`MAX_PASSAGE_BYTES`].
    pub max_passage_bytes: usize,
    /// Cancels opening and reading, including waits for the writer of a FIFO.
    pub control: Arc<Control>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            split: None,
            skip_bad_lines: false,
            max_document_bytes: MAX_DOCUMENT_BYTES,
            max_passage_bytes: MAX_PASSAGE_BYTES,
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
