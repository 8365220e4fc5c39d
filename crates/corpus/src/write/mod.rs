//! Writes files of passages and of questions, and other texts. An existing file is replaced when the new one is
//! complete.
//!
//! Runs, relevance judgments and retrieval results are written in [`formats`](crate::formats).

mod output;
mod passages;
mod questions;
mod text_writer;

pub(crate) use output::{Output, write_whole};
pub use passages::PassageWriter;
pub use questions::QuestionWriter;
pub use text_writer::TextWriter;
