//! Writes passages and questions. A file is replaced when its writer finishes, never before.

mod output;
mod passages;
mod questions;

pub(crate) use output::{Output, write_whole};
pub use passages::PassageWriter;
pub use questions::QuestionWriter;
