//! Columns of Arrow IPC files and streams (<https://arrow.apache.org/docs/format/Columnar.html>): messages are found in
//! `messages`, columns among their buffers by `schema`, and of a buffer only the part in hand is read by `body`. The
//! `arrow` crates would hold whole record batches, and take longer to build than all the rest of this crate.

mod body;
mod file;
mod messages;
mod rows;
mod schema;

pub(crate) use file::ArrowFile;
pub(crate) use rows::ArrowRows;
