//! Measures, significance tests, and which passages have answers.

mod answer_judge;
mod measures;
mod significance;

pub use measures::QrelsBuilder;
