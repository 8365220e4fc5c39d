//! A file of stored readings, so that no passage is read twice for the same question.
//!
//! | bytes | content of the header |
//! |---|---|
//! | 8 | `PKREAD` and two zeros |
//! | 4 | format version |
//! | 4 | length n of the reader's identity |
//! | n | the reader's identity, UTF-8 |
//! | 4 | CRC-32 of everything before it |
//!
//! | bytes | content of a record |
//! |---|---|
//! | 4 | length n of the reading |
//! | 4 | CRC-32 of the length, the key and the reading |
//! | 16 | key of question and passage |
//! | n | the reading |
//!
//! All numbers are little-endian. Records follow the header, and are only ever appended. Damage loses only the records that
//! it touches: the next valid record is found by its checksum (`resync.rs`).

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
