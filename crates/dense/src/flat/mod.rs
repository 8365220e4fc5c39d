//! The exact index: every search returns what scoring every vector would.
//!
//! [`FlatIndex`] is a [store](crate::store) of rows, searched by [`exact`](crate::exact) scans or through an
//! [int8 copy](crate::quantized). [`FlatWriter`] writes its file without holding the vectors in memory.
//!
//! The format, version 2, is a container of `storage`. All numbers are little-endian.
//!
//! | section | contents |
//! |---|---|
//! | `vectors` | `[rows, dim]`, row-major: f32, or the bits of binary16 |
//! | `ids`, `id_ends` | all ids in UTF-8 without separators, and where each ends, u64 |
//! | `deleted` | one bit per row, in u64 words, up to the last deleted row |
//! | `codes` | for the storage `int8Filtered`: one byte per number, its code plus 128 |
//! | `scales`, `errors`, `lengths` | for the storage `int8Filtered`: f32 per row |
//!
//! The metadata has `dim`, `rows`, `similarity`, `storage` and `metadata` (the caller's). Files of version 1, which had no
//! `storage`, are rejected.

mod index;
mod vector_storage;
mod writer;

pub use index::FlatIndex;
pub use vector_storage::Storage;
pub use writer::FlatWriter;

use storage::FileKind;

/// Files of the flat index.
const KIND: FileKind = FileKind { magic: *b"PKFLAT\0\0", version: 2, name: "flat index" };
