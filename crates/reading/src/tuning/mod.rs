//! Tuning of evidence fusion on development questions.

mod grid;
mod search;
mod tune;

pub use grid::GridRange;
pub use search::{EvidenceSearch, EvidenceTrial, TunedEvidence};
pub use tune::tune_evidence;
