//! Passages, questions, runs, qrels and results in the field's file formats, and the passage store.
//!
//! [`open_passages`] and [`open_questions`] detect a file's format and stream its content; [`ingest`] writes passages to a
//! [`PassageStore`]. Gzip is detected by content. A bad line is an error with the file, the line number and what was
//! expected, or it is skipped and counted.
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
mod record;
mod source;
mod tsv;

mod dpr;
mod formats;
mod input;
mod json;
mod read;
mod store;
mod trec;
mod write;

pub use dpr::{
    ResultReader, ResultWriter, RetrievalResult, RetrievedPassage, TrainingExample, TrainingReader,
    open_results, open_training,
};
pub use error::Error;
pub use input::{MAX_DOCUMENT_BYTES, MAX_PASSAGE_BYTES};
pub use read::{
    PassageFormat, PassageReader, QuestionFormat, QuestionReader, ReadOptions, open_passages, open_questions,
    passages_of,
};
pub use record::{Passage, Question};
pub use store::{Ingested, PassageRef, PassageStore, PassageStoreWriter, ingest};
pub use text::SplitOptions;
pub use trec::{
    read_qrels, read_qrels_cancellable, read_run, read_run_cancellable, write_qrels, write_qrels_to,
    write_run, write_run_to,
};
pub use write::{PassageWriter, QuestionWriter};
