//! Reads columns of Arrow IPC files and streams (<https://arrow.apache.org/docs/format/Columnar.html>).
//!
//! A file is a sequence of [`messages`]: the schema, then record batches. The [`schema`] determines which of a batch's
//! buffers belong to a column. [`body`] reads these buffers piece by piece, and [`rows`] converts them to vectors and ids.
//! The `arrow` crates are not used: they would keep whole record batches in memory, and take longer to build than the
//! rest of this crate.

mod body;
mod file;
mod messages;
mod rows;
mod schema;

pub(crate) use file::ArrowFile;
pub(crate) use rows::ArrowRows;
