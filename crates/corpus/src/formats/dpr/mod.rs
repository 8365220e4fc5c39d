//! The files of DPR (Karpukhin et al., 2020): tables of passages and of questions, retrieval results, and training
//! examples.

mod answer_list;
mod results;
mod tables;
mod training;

pub use results::{ResultReader, ResultWriter, RetrievalResult, RetrievedPassage, open_results};
pub(crate) use tables::{TablePassages, TableQuestions};
pub use training::{TrainingExample, TrainingPassage, TrainingReadOptions, TrainingReader, open_training};
