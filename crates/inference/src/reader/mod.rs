//! Extractive readers: a question and passages to start, end and relevance logits.
//!
//! `form.rs` recognizes the two kinds of readers. `input.rs` builds the inputs for a question and the windows of passages
//! (`windows.rs`), and `model.rs` runs them in batches.

mod config;
mod form;
mod input;
mod model;
mod windows;

pub use config::{LongPassages, ReaderConfig, ReaderPassage};
pub use form::{ReaderForm, Relevance};
pub use model::{PassageLogits, ReaderModel};
