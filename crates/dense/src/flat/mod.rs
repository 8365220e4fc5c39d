//! The exact index: every search gives what scoring every vector would.
//!
//! A file ([`storage`]) has the sections `vectors` (`[rows, dim]`, row-major, `f32`, or the bits of binary16), `ids` (one
//! after another in UTF-8), `id_ends` (where each ends, `u64`) and `deleted` (a bit for each row, in words of 64 up to
//! the last deleted one). With the storage `int8Filtered` follow `codes` (a byte for each number: its code plus 128) and,
//! an `f32` for each row, `scales`, `errors` and `lengths`. The table's metadata has `dim`, `rows`, `similarity`,
//! `storage` by their names and the caller's `metadata`. All numbers are little-endian.
//!
//! Version 2 brought `storage`; files of version 1 are to be made anew.

mod index;
mod vector_storage;
mod writer;

pub use index::FlatIndex;
pub use vector_storage::Storage;
pub use writer::FlatWriter;

use storage::FileKind;

/// Files of the flat index.
const KIND: FileKind = FileKind { magic: *b"PKFLAT\0\0", version: 2, name: "flat index" };
