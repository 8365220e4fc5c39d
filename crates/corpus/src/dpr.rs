//! The JSON files of DPR (Karpukhin et al., 2020): retrieval results and training examples.

mod results;
mod training;

pub use results::{ResultReader, ResultWriter, RetrievalResult, RetrievedPassage, open_results};
pub use training::{TrainingExample, TrainingReader, open_training};
