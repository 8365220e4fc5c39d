//! Evaluates runs and answers: `measures` computes measures, `significance` tests differences and computes the overlap
//! of runs, and `answer_judge` finds the passages that contain answers.

mod answer_judge;
mod measures;
mod significance;

pub use measures::QrelsBuilder;
