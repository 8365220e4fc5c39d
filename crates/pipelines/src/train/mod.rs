//! Training from texts: the crate `training` has the models and the steps, and this module the tokenization of texts
//! and the folders of models.

mod encoder;
mod folder;
mod ranks;
mod reader;
mod step;
mod window_labeler;

pub use encoder::{EncoderTraining, EncoderTrainingOptions, TrainingBatch};
pub use folder::Precision;
pub use ranks::gold_ranks;
pub use reader::{ReaderTraining, ReaderTrainingOptions};
pub use step::TrainingStep;
pub use window_labeler::{QuestionPassages, WindowLabeler};
