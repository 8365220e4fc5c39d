//! The readers of single formats. Each implements [`PassageSource`](crate::source::PassageSource),
//! [`QuestionSource`](crate::source::QuestionSource) or both.

mod answer_list;
mod dpr_tables;
mod ids;
mod json_passages;
mod json_questions;
mod markdown;
mod pubmedqa;
mod squad;
mod text_folder;
mod trec_topics;
mod tsv_queries;

pub(crate) use dpr_tables::{TablePassages, TableQuestions};
pub(crate) use json_passages::JsonPassages;
pub(crate) use json_questions::JsonQuestions;
pub(crate) use pubmedqa::{PubmedQaPassages, PubmedQaQuestions};
pub(crate) use squad::{SquadPassages, SquadQuestions};
pub(crate) use text_folder::{Texts, files_in};
pub(crate) use trec_topics::Topics;
pub(crate) use tsv_queries::TsvQueries;
