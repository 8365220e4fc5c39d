//! The exact index: every search scores every vector.

mod index;
mod writer;

pub use index::FlatIndex;
pub use writer::FlatWriter;

use storage::FileKind;

/// Files of the flat index.
const KIND: FileKind = FileKind { magic: *b"PKFLAT\0\0", version: 1, name: "flat index" };
