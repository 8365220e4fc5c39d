//! The passage store: all passages of a corpus in one checked, memory-mapped file.
//!
//! [`PassageStoreWriter`] writes a store, [`PassageStore`] reads passages by ord (position) or id, and [`ingest`] copies the
//! passages of a file to a store. The file has three sections, all of whose numbers are little-endian:
//!
//! - `records`: for each passage, the length of its id and the length of its title plus one (0 for no title) as LEB128
//!   numbers, then id, title and text.
//! - `offsets`: u64 byte offsets of the start of each record, and of the end of the last one.
//! - `ids`: the [hash table](table) from ids to ords.

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
