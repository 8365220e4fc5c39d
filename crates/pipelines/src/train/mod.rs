//! Training from texts: the crate `training` has the models and the steps, and this module the tokenization of texts
//! and the folders of models.

mod answer_windows;
mod encoder;
mod folder;
mod ranks;
mod reader;

pub use answer_windows::{AnswerWindows, QuestionPassages};
pub use encoder::{EncoderTraining, EncoderTrainingOptions, TrainingBatch};
pub use folder::Precision;
pub use ranks::gold_ranks;
pub use reader::{ReaderTraining, ReaderTrainingOptions};
