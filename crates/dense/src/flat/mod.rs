//! The exact index: every search returns the same hits as a search that scores every vector.
//!
//! [`FlatIndex`] is a [store](crate::store) of rows. It is searched by [`exact`](crate::exact) scans or, with the
//! storage `int8Rescored`, through an [int8 copy](crate::quantized) of the vectors. [`FlatWriter`] writes the file of
//! an index without holding the vectors in memory.
//!
//! The file format, version 2, is a container of the crate `storage` with these sections. All numbers are
//! little-endian.
//!
//! | section | contents |
//! |---|---|
//! | `vectors` | `[rows, dim]`, row-major: f32, or the bits of binary16 for the storage `f16` |
//! | `ids` | the UTF-8 bytes of all ids, one after another, without separators |
//! | `id_ends` | u64 per row: the offset in `ids` at which its id ends |
//! | `deleted` | one bit per row, in u64 words, up to the last deleted row |
//! | `codes` | only for `int8Rescored`: one byte per number, its int8 code plus 128 |
//! | `scales`, `errors`, `lengths` | only for `int8Rescored`: f32 per row, as in `quantized/quantized_rows.rs` |
//!
//! The file's metadata has the keys `dim`, `rows`, `similarity`, `storage` and `metadata` (the caller's). Files of
//! version 1, which had no `storage`, are rejected.

mod index;
mod vector_storage;
mod writer;

pub use index::FlatIndex;
pub use vector_storage::Storage;
pub use writer::FlatWriter;

use storage::FileKind;

/// Identifies files of flat indexes.
const KIND: FileKind = FileKind { magic: *b"PKFLAT\0\0", version: 2, name: "flat index" };
