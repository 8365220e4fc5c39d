//! Extractive readers map a question and passages to start, end and relevance logits: [`ReaderModel`].
//!
//! `config.rs` has the options. `form.rs` recognizes the two kinds of readers by their outputs. `windows.rs` splits
//! long passages into windows, `input.rs` builds the model input for a question and a window, and `model.rs` runs the
//! inputs in batches.

mod config;
mod form;
mod input;
mod model;
mod windows;

pub use config::{LongPassages, ReaderConfig, ReaderPassage};
pub use form::{ReaderForm, Relevance};
pub use input::{ReaderInputs, Window};
pub use model::{PassageLogits, ReaderModel};
