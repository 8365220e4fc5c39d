//! Passages, questions, runs, qrels and results in the field's file formats, and the passage store.
//!
//! Everything is read as a stream; gzip is recognised by content; a bad line is refused with file, line and
//! what was expected, or skipped and counted.
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
mod record;

mod detect;
mod ids;
mod input;
mod json_extent;
mod json_fields;
mod json_items;
mod json_records;
mod limits;
mod lines;
mod output;
mod source_file;
mod tsv;

mod answer_list;
mod beir;
mod dpr;
mod json_questions;
mod pubmedqa;
mod squad;
mod text_folder;

mod ingest;
mod passages;
mod questions;
mod results;
mod split;
mod store;
mod training;
mod trec;
mod write;

pub use error::Error;
pub use formats::{PassageFormat, QuestionFormat, ReadOptions};
pub use ingest::{Ingested, ingest};
pub use limits::{MAX_DOCUMENT_BYTES, MAX_PASSAGE_BYTES};
pub use passages::{PassageReader, open_passages};
pub use questions::{QuestionReader, open_questions};
pub use record::{Passage, Question};
pub use results::{ResultReader, ResultWriter, RetrievalResult, RetrievedPassage, open_results};
pub use split::passages_of;
pub use store::{PassageRef, PassageStore, PassageStoreWriter};
pub use text::SplitOptions;
pub use training::{TrainingExample, TrainingReader, open_training};
pub use trec::{
    read_qrels, read_qrels_cancellable, read_run, read_run_cancellable, write_qrels, write_qrels_to,
    write_run, write_run_to,
};
pub use write::{PassageWriter, QuestionWriter};
