//! Tunes evidence fusion on development questions: [`tune_evidence`] searches a grid for the weights and the number of
//! passages that give the most correct answers (Ma et al., 2021, "A Replication Study of Dense Passage Retriever", §3,
//! "Hyperparameters").

mod grid;
mod search;
mod tune;

pub use grid::GridRange;
pub use search::{EvidenceSearch, EvidenceTrial, TunedEvidence};
pub use tune::tune_evidence;
