//! The container format of all `.pk*` files: a header, named sections and a table of them, each with a checksum.
//!
//! ```text
//! 0          64         …aligned to 64…                table offset      end of file
//! ├ header ──┼ section 0 ┼ padding ┼ section 1 ┼ …     ├ table (JSON) ───┤
//! ```
//!
//! [`Writer`] writes a file section by section; [`File`] opens it and checks it.

mod file;
mod header;
mod writer;

pub use file::{File, OpenOptions};
pub use header::FileKind;
pub use writer::Writer;
