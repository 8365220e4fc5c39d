//! Limits on the size of input, so that a damaged or hostile file cannot exhaust memory.
//!
//! A *document* is one line, one record, one JSON item or one text file, decompressed and before splitting. Readers
//! keep at most one document in memory, together with a few copies of its parts. A *passage* is what an index or a
//! store receives.

use super::cancellation::SharedControl;
use crate::error::shown;

/// Default of [`ReadOptions::max_document_bytes`](crate::ReadOptions::max_document_bytes): 64 MiB.
pub const MAX_DOCUMENT_BYTES: usize = 64 << 20;

/// Default of [`ReadOptions::max_passage_bytes`](crate::ReadOptions::max_passage_bytes): 1 MiB, about 150,000 words.
///
/// Lucene and tantivy limit only single terms (32 KiB and 64 KiB). A passage is copied to JavaScript, tokenized and
/// read by models as a whole, so it must stay small.
pub const MAX_PASSAGE_BYTES: usize = 1 << 20;

/// The limit and the control that all inputs of one reader share.
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

/// The expected and actual parts of the error message for a document that is too long.
pub(crate) fn document_too_long(max: usize) -> (String, &'static str) {
    (format!("a document of at most {}", size(max)), "a longer one; raise maxDocumentBytes if it is sound")
}

/// The expected and actual parts of the error message if id, title and text together exceed `max` bytes.
pub(crate) fn passage_too_long(
    id: &str,
    title: Option<&str>,
    text: &str,
    max: usize,
) -> Option<(String, String)> {
    let bytes = id.len() + title.map_or(0, str::len) + text.len();
    (bytes > max).then(|| {
        let got = format!("{} of {}; split it or raise maxPassageBytes", shown(id), size(bytes));
        (format!("a passage of at most {}", size(max)), got)
    })
}

/// Formats a number of bytes for error messages.
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
