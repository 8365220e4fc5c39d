//! Reads columns of Arrow IPC files and streams (<https://arrow.apache.org/docs/format/Columnar.html>).
//!
//! A file or stream is a sequence of [`messages`]: the schema, then record batches. The body of a record batch is a
//! list of buffers, and the [`schema`] determines which of them belong to a column. [`mod@file`] reads all metadata and
//! finds the columns of vectors and ids. [`body`] reads the buffers piece by piece, and [`rows`] converts them to
//! vectors and ids. The `arrow` crates are not used: they would keep whole record batches in memory, and they take
//! longer to compile than the rest of this crate.

mod body;
mod file;
mod messages;
mod rows;
mod schema;

pub(crate) use file::ArrowFile;
pub(crate) use rows::ArrowRows;
