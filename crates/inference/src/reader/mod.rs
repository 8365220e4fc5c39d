//! Extractive readers: a question and passages to start, end and relevance logits.

mod config;
mod form;
mod input;
mod model;
mod windows;

pub use config::{LongPassages, ReaderConfig, ReaderPassage};
pub use form::{ReaderForm, Relevance};
pub use model::{PassageLogits, ReaderModel};
