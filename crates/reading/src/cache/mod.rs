//! A file of stored readings: the reader's outputs, one record per pair of a question and a passage. With such a file,
//! the reader reads a passage only once for the same question.
//!
//! [`ReadingCache`] is such a file, [`ReadingKey`] identifies a question and a passage, and [`read_through`] runs the
//! reader only on passages that the file lacks. A file begins with a header:
//!
//! | bytes | content of the header |
//! |---|---|
//! | 8 | `PKREAD` and two zeros |
//! | 4 | format version |
//! | 4 | length n of the reader's identity |
//! | n | the reader's identity: a text that describes the model and its configuration, UTF-8 |
//! | 4 | CRC-32 of everything before it |
//!
//! Records follow the header. New records are appended to the file, and existing ones never change:
//!
//! | bytes | content of a record |
//! |---|---|
//! | 4 | length n of the reading |
//! | 4 | CRC-32 of the length, the key and the reading |
//! | 16 | key of the question and the passage |
//! | n | the reading |
//!
//! All numbers are little-endian. Damaged bytes invalidate only the records that they belong to: the next valid record
//! is found by its checksum (`resync.rs`).

mod file_digest;
mod header;
mod key;
mod read_through;
mod reading_cache;
mod record;
mod resync;
#[cfg(test)]
mod tests;

pub use file_digest::files_sha256;
pub use key::ReadingKey;
pub use read_through::{CacheLookup, read_through};
pub use reading_cache::ReadingCache;
