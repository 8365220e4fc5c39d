//! The passage store: all passages of a corpus in one memory-mapped file with checksums.
//!
//! [`PassageStoreWriter`] writes a store, [`PassageStore`] reads passages by ord (position) or id, and [`ingest`]
//! copies the passages of a reader to a store. [`PassageTexts`] finds passages by id in a store or in memory. The file
//! has three sections. All numbers are little-endian, and all lengths are in bytes.
//!
//! - `records`: for each passage, the length of its id and the length of its title plus one (0 for no title) as LEB128
//!   numbers (Little Endian Base 128: 7 bits per byte), then id, title and text.
//! - `offsets`: the byte offsets of the start of each record and of the end of the last one, as u64.
//! - `ids`: the [hash table](id_table) from ids to ords.

mod id_table;
mod ingest;
mod passage_texts;
mod reader;
mod record;
mod writer;

use storage::FileKind;

pub use ingest::{Ingested, ingest};
pub use passage_texts::PassageTexts;
pub use reader::PassageStore;
pub use record::PassageRef;
pub use writer::PassageStoreWriter;

const KIND: FileKind = FileKind { magic: *b"PKPASSG\0", version: 1, name: "passage store" };
