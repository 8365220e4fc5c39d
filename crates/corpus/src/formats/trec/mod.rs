//! The files of TREC (Text Retrieval Conference): topics, runs, and relevance judgments (qrels).

mod columns;
mod qrels;
mod run;
mod topics;

pub use qrels::{read_qrels, read_qrels_cancelable, write_qrels, write_qrels_to};
pub use run::{read_run, read_run_cancelable, write_run, write_run_to};
pub(crate) use topics::Topics;
