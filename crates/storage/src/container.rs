//! The container format of files such as vector indexes and passage stores: a header, named sections, and a table that
//! lists the sections. The header, the table and every section have a checksum.
//!
//! ```text
//! byte 0     64                    multiple of 64      table offset      end of file
//! ├ header ──┼ section 0 ┼ padding ┼ section 1 ┼ …     ├ table (JSON) ───┤
//! ```
//!
//! The header contains the offset of the table. [`Writer`] writes a file section by section. [`File`] opens it and
//! checks it; large sections are checked only on request.

mod file;
mod header;
mod writer;

pub use file::{File, OpenOptions};
pub use header::FileKind;
pub use writer::Writer;
