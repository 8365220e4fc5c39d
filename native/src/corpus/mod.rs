//! Files of passages, questions and relevance judgments, and the passage store.

mod options;
mod passage;
mod passages;
mod qrels;
mod questions;
mod store;
mod store_writer;
mod texts;

pub use options::NativeReadFileOptions;
pub use passages::Ingested;
pub use texts::{NativeTexts, text_of};
