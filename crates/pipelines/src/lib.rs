//! Pipelines through several features: each function here reads the output of one crate and passes it on to another,
//! so that no passage, vector or logit leaves native memory in between.
//!
//! [`index_file`] and [`index_store`] put passages into a BM25 index, and [`build_bm25`] builds one from a store.
//! [`encode_store`] encodes passages into a flat vector index, and [`build_hnsw`] builds an HNSW index from a flat
//! index. [`answer`] reads passages with a reader model and returns answers. [`read_run`] reads the passages of a whole
//! run, with a cache, and returns [`RunReadings`], from which answers are computed. [`match_contexts`] and
//! [`NegativeSelection`] mine positive and negative passages for training a dense retriever. [`EncoderTraining`] trains
//! an encoder from texts, and [`ReaderTraining`] a reader.
//!
//! ```
//! use control::Control;
//! use corpus::{PassageFormat, ReadOptions, open_passages};
//! use pipelines::index_file;
//! use sparse::{Analyzer, IndexWriter, Put, WriterOptions};
//!
//! let folder = tempfile::tempdir()?;
//! let table = folder.path().join("passages.tsv");
//! std::fs::write(&table, "id\ttext\ttitle\n1\tThe golden game.\tSuper Bowl 50\n")?;
//!
//! let index = folder.path().join("index");
//! let mut writer = IndexWriter::create(&index, Analyzer::ENGLISH, WriterOptions::default())?;
//! let mut passages = open_passages(&table, PassageFormat::Auto, &ReadOptions::default())?;
//! index_file(&mut writer, Put::Add, &mut passages, &Control::new())?;
//! writer.commit()?;
//! assert_eq!(writer.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod build_hnsw;
mod encode;
mod error;
mod index_passages;
mod mining;
mod read_run;
mod reader_identity;
mod run_readings;
mod train;
mod window;

pub use answer::{AnswerOptions, PassageAnswer, ScoredPassage, answer};
pub use build_hnsw::build_hnsw;
pub use encode::{EncodeStoreOptions, encode_store};
pub use error::Error;
pub use index_passages::{build_bm25, index_file, index_store};
pub use mining::{
    Candidates, Context, ContextMatch, ContextMatching, MinedQuestion, Negative, NegativeSelection,
    QuestionNegatives, Rejections, Sampling, match_contexts,
};
pub use read_run::{Cache, RunQuestion, RunReader, read_run};
pub use reader_identity::ReaderOrigin;
pub use run_readings::{RunAnswer, RunReadings};
pub use train::{
    EncoderTraining, EncoderTrainingOptions, Precision, QuestionPassages, ReaderTraining,
    ReaderTrainingOptions, TrainingBatch, TrainingStep, WindowLabeler, gold_ranks,
};
