//! Reads files as bytes and lines, in bounded memory.
//!
//! [`SourceFile`](source_file::SourceFile) opens regular files, FIFOs and devices, and checks for cancellation while it
//! waits for data. [`BufferedInput`] decompresses the file into a buffer, from whose start the caller consumes bytes.
//! [`Lines`] returns the content line by line without copying it. [`limits`] has the limits that bound memory, and
//! [`cancellation`] the control that cancels a reader.

mod buffered_input;
mod cancellation;
mod limits;
mod lines;
mod source_file;

pub(crate) use buffered_input::{BufferedInput, Progress};
pub(crate) use cancellation::SharedControl;
pub(crate) use limits::{InputOptions, document_too_long, passage_too_long};
pub use limits::{MAX_DOCUMENT_BYTES, MAX_PASSAGE_BYTES};
pub(crate) use lines::Lines;
#[cfg(test)]
pub(crate) use lines::tests;
pub(crate) use source_file::not_regular;
