//! Reads and writes files of passages, questions and relevance judgments, and passage stores. A passage store is a file
//! that has all passages of a corpus and finds them by id.

mod options;
mod passage;
mod passages;
mod qrels;
mod questions;
mod store;
mod store_writer;
mod texts;
mod training;

pub use options::NativeReadFileOptions;
pub use passages::Ingested;
pub use texts::{NativeTexts, text_of};
