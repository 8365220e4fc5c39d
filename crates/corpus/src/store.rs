//! The passage store: all passages of a corpus in one checked, memory-mapped file.
//!
//! Sections: `records`, for each passage its id's length and its title's length plus one (0: no title) as
//! LEB128 numbers, then id, title and text; `offsets`, u64, where each record starts and the last ends; `ids`,
//! u64, the [hash table](table) from ids to ords. All numbers are little-endian.

mod ingest;
mod reader;
mod record;
mod table;
mod writer;

use storage::FileKind;

pub use ingest::{Ingested, ingest};
pub use reader::PassageStore;
pub use record::PassageRef;
pub use writer::PassageStoreWriter;

const KIND: FileKind = FileKind { magic: *b"PKPASSG\0", version: 1, name: "passage store" };
