//! Limits on the size of documents and passages, so that a corrupt or malicious file cannot exhaust memory.
//!
//! A *document* is one line, one table row, one JSON item or one text file, after decompression and before splitting.
//! Readers keep at most one document in memory, with a few copies of parts of it. A *passage* is what a reader returns.

use super::cancellation::SharedControl;
use crate::error::quoted;

/// Default of [`ReadOptions::max_document_bytes`](crate::ReadOptions::max_document_bytes): 64 MiB.
pub const MAX_DOCUMENT_BYTES: usize = 64 << 20;

/// Default of [`ReadOptions::max_passage_bytes`](crate::ReadOptions::max_passage_bytes): 1 MiB, about 150,000 words.
///
/// Each passage is copied to JavaScript, tokenized and read by models as a whole, so it must not be large. (Lucene and
/// tantivy have no such limit; they limit single terms, to 32 KiB and 64 KiB, respectively.)
pub const MAX_PASSAGE_BYTES: usize = 1 << 20;

/// Options of a reader that apply to all files that the reader opens.
#[derive(Debug, Clone)]
pub(crate) struct InputOptions {
    pub max_document_bytes: usize,
    pub control: SharedControl,
}

impl Default for InputOptions {
    fn default() -> Self {
        Self { max_document_bytes: MAX_DOCUMENT_BYTES, control: SharedControl::default() }
    }
}

/// Returns the two parts of the error message for a document of more than `max` bytes: what was expected, and what was
/// found.
pub(crate) fn document_too_long(max: usize) -> (String, &'static str) {
    (format!("a document of at most {}", size(max)), "a longer one; raise maxDocumentBytes if it is valid")
}

/// If id, title and text together exceed `max` bytes, returns the two parts of the error message: what was expected,
/// and what was found. Otherwise returns `None`.
pub(crate) fn passage_too_long(
    id: &str,
    title: Option<&str>,
    text: &str,
    max: usize,
) -> Option<(String, String)> {
    let bytes = id.len() + title.map_or(0, str::len) + text.len();
    (bytes > max).then(|| {
        let got = format!("{} of {}; split it or raise maxPassageBytes", quoted(id), size(bytes));
        (format!("a passage of at most {}", size(max)), got)
    })
}

/// Formats a number of bytes for error messages, such as `64 MiB` or `2000 bytes`.
pub(crate) fn size(bytes: usize) -> String {
    const KIB: usize = 1 << 10;
    const MIB: usize = 1 << 20;
    match bytes {
        0..KIB => format!("{bytes} bytes"),
        _ if bytes.is_multiple_of(MIB) => format!("{} MiB", bytes / MIB),
        _ if bytes.is_multiple_of(KIB) && bytes < MIB => format!("{} KiB", bytes / KIB),
        _ => format!("{bytes} bytes"),
    }
}
