//! The file formats, one module per format.
//!
//! The modules implement [`PassageSource`](source::PassageSource), [`QuestionSource`](source::QuestionSource) or both;
//! [`read`](crate::read) chooses among them. Two folders have several formats each: [`dpr`] also reads and writes
//! retrieval results and reads training examples, and [`trec`] also reads and writes runs and relevance judgments.
//! Two modules are helpers: [`ids`] makes passage ids, and [`markdown`] finds the titles of Markdown texts.

mod dpr;
mod ids;
mod json_passages;
mod json_questions;
mod markdown;
mod pubmedqa;
pub(crate) mod source;
mod squad;
mod text_folder;
mod trec;
mod tsv_queries;

pub use dpr::{
    ResultReader, ResultWriter, RetrievalResult, RetrievedPassage, TrainingExample, TrainingPassage,
    TrainingReadOptions, TrainingReader, open_results, open_training,
};
pub(crate) use dpr::{TablePassages, TableQuestions};
pub(crate) use json_passages::JsonPassages;
pub(crate) use json_questions::JsonQuestions;
pub(crate) use pubmedqa::{PubmedQaPassages, PubmedQaQuestions};
pub(crate) use squad::{SquadPassages, SquadQuestions};
pub(crate) use text_folder::{Texts, files_in};
pub(crate) use trec::Topics;
pub use trec::{
    read_qrels, read_qrels_cancelable, read_run, read_run_cancelable, write_qrels, write_qrels_to, write_run,
    write_run_to,
};
pub(crate) use tsv_queries::TsvQueries;
