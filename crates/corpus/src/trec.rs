//! TREC's runs and relevance judgments (qrels). Topics are read in [`formats`](crate::formats).

mod columns;
mod qrels;
mod run;

pub use qrels::{read_qrels, read_qrels_cancellable, write_qrels, write_qrels_to};
pub use run::{read_run, read_run_cancellable, write_run, write_run_to};
