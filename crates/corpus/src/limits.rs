//! Limits on the size of what is read, so that a damaged or hostile file cannot fill the memory.
//!
//! A *document* is one line, one record, one JSON item or one text file, decompressed and before splitting. Readers
//! keep at most one document in memory, together with a few copies of its parts. A *passage* is what an index or a
//! store receives.

use std::sync::{Arc, Mutex, PoisonError};

use control::{Cancelled, Control};

use crate::error::shown;

/// Default of [`ReadOptions::max_document_bytes`](crate::ReadOptions::max_document_bytes): 64 MiB.
pub const MAX_DOCUMENT_BYTES: usize = 64 << 20;

/// Default of [`ReadOptions::max_passage_bytes`](crate::ReadOptions::max_passage_bytes): 1 MiB, some 150 000 words.
///
/// Lucene and tantivy limit only single terms (32 KiB and 64 KiB). A passage is handed to JavaScript, tokenized and
/// read as a whole, so it has to stay small.
pub const MAX_PASSAGE_BYTES: usize = 1 << 20;

/// The control of whoever waits for a reader. It can change between two calls.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watch(Arc<Mutex<Arc<Control>>>);

impl Watch {
    pub fn new(control: Arc<Control>) -> Self {
        Self(Arc::new(Mutex::new(control)))
    }

    pub fn set(&self, control: Arc<Control>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = control;
    }

    pub fn check(&self) -> Result<(), Cancelled> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).check()
    }
}

/// What holds for all inputs of one reader.
#[derive(Debug, Clone)]
pub(crate) struct Bounds {
    pub max_document: usize,
    pub watch: Watch,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { max_document: MAX_DOCUMENT_BYTES, watch: Watch::default() }
    }
}

/// What is expected of a document, and what came instead.
pub(crate) fn long_document(max: usize) -> (String, &'static str) {
    (format!("a document of at most {}", size(max)), "a longer one; raise maxDocumentBytes if it is sound")
}

/// Whether id, title and text exceed `max` bytes; if they do, what was expected and what came.
pub(crate) fn long_passage(
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

/// A number of bytes as people read it.
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
