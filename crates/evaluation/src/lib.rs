//! Measures the effectiveness of runs (the hits of many queries) and of predicted answers.
//!
//! - [`evaluate`](crate::evaluate()) computes the measures of trec_eval, such as nDCG and recall.
//! - [`exact_match`] and [`f1`] compare a predicted answer with the accepted answers, as SQuAD does; [`pattern_match`]
//!   compares it with answers that are regular expressions.
//! - [`accuracy_at`] computes DPR's top-k accuracy: the fraction of questions with an answer in their first k passages.
//! - [`first_answer_ranks`] and [`passages_with_answers`] find the passages of runs that have an answer to a question;
//!   [`first_with_answer`] and [`with_answers`] do so for lists of passage numbers.
//! - [`jaccard_at`] measures the overlap of two runs.
//! - [`significance`] tests whether two systems differ.
//!
//! ```
//! use evaluation::evaluate;
//! use ranking::{Qrels, Run, ScoredId};
//!
//! let mut qrels = Qrels::new();
//! qrels.insert("q1", "p1", 1);
//! let mut run = Run::new();
//! run.push("q1", ScoredId { id: "p2".into(), score: 2.0 });
//! run.push("q1", ScoredId { id: "p1".into(), score: 1.0 });
//!
//! let evaluation = evaluate(&run, &qrels, &["RR@10".parse()?, "Success@1".parse()?])?;
//! let means: Vec<f64> = evaluation.measured.iter().map(|measured| measured.mean).collect();
//! assert_eq!(means, [0.5, 0.0]);
//! # Ok::<(), evaluation::Error>(())
//! ```

mod answers;
mod answers_in_runs;
mod error;
mod evaluate;
mod graded_ranking;
mod measures;
mod overlap;
pub mod significance;
mod top_k_accuracy;
mod trec_order;
mod with_answers;

pub use answers::{exact_match, f1, pattern_match};
pub use answers_in_runs::{RunQuestion, first_answer_ranks, passages_with_answers};
pub use error::Error;
pub use evaluate::{Evaluation, Measured, evaluate};
pub use measures::Measure;
pub use overlap::{Overlap, jaccard_at};
pub use top_k_accuracy::{accuracy_at, first_match, first_match_prepared};
pub use with_answers::{Candidates, first_with_answer, with_answers};
