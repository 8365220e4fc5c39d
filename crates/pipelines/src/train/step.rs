//! [`TrainingStep`]: what a step did with its texts.

use training::StepReport;

/// The report of a step that was made from texts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainingStep {
    /// The report of the trainer.
    pub report: StepReport,
    /// Number of questions whose positive passage had a higher score than all others.
    pub correct: usize,
    /// Number of questions and passages. The passages of readers are not counted: they are not truncated, but training uses
    /// one window of a long passage.
    pub texts: usize,
    /// Number of these that were truncated.
    pub truncated: usize,
}
