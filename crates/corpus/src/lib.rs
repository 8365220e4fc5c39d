//! Reads and writes files of passages, questions, runs and relevance judgments (qrels), and stores passages.
//!
//! [`open_passages`] and [`open_questions`] detect the format of a file and return iterators over its content.
//! [`ingest`] copies passages from a reader to a [`PassageStore`], which finds them by position or id. Gzip is detected
//! by content. For an invalid line, readers return an error with the file, the line number and what was expected;
//! with [`ReadOptions::skip_bad_lines`], they skip and count such lines instead.
//!
//! `input` reads files as bytes and as lines, `json` and `tsv` parse them, `formats` has a module for each file format,
//! `read` detects formats and opens readers, `write` has the writers, and `store` has the passage store.
//!
//! ```
//! use corpus::{PassageFormat, PassageStore, PassageStoreWriter, ReadOptions, ingest, open_passages};
//!
//! let folder = tempfile::tempdir()?;
//! let table = folder.path().join("passages.tsv");
//! std::fs::write(&table, "id\ttext\ttitle\n1\t\"The \"\"golden\"\" game.\"\tSuper Bowl 50\n")?;
//!
//! let mut reader = open_passages(&table, PassageFormat::Auto, &ReadOptions::default())?;
//! let path = folder.path().join("passages.store");
//! let mut writer = PassageStoreWriter::create(&path)?;
//! ingest(&mut reader, &mut writer, &control::Control::new())?;
//! writer.finish(serde_json::json!({"source": "passages.tsv"}))?;
//!
//! let store = PassageStore::open(&path)?;
//! let ord = store.find("1")?.expect("it was written");
//! assert_eq!(store.get(ord)?.text, "The \"golden\" game.");
//! assert_eq!(store.get(ord)?.title, Some("Super Bowl 50"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod formats;
mod input;
mod json;
mod read;
mod store;
mod tsv;
mod types;
mod write;

pub use error::Error;
pub use formats::{
    ResultReader, ResultWriter, RetrievalResult, RetrievedPassage, TrainingExample, TrainingPassage,
    TrainingReadOptions, TrainingReader, open_results, open_training, read_qrels, read_qrels_cancelable,
    read_run, read_run_cancelable, write_qrels, write_qrels_to, write_run, write_run_to,
};
pub use input::{MAX_DOCUMENT_BYTES, MAX_PASSAGE_BYTES};
pub use read::{
    PassageFormat, PassageReader, QuestionFormat, QuestionReader, ReadOptions, open_passages, open_questions,
    passages_of,
};
pub use store::{Ingested, PassageRef, PassageStore, PassageStoreWriter, PassageTexts, ingest};
pub use text::SplitOptions;
pub use types::{Passage, Question};
pub use write::{PassageWriter, QuestionWriter, TextWriter};
