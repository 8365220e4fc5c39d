//! Runs: the hits of many queries.
//!
//! - [`Run`] has the hits by passage id, as a run file does.
//! - [`RetrievedRun`] has them by ord, as a search returns them, and looks up ids when they are needed.
//! - [`AlignedRuns`] puts several runs side by side, query by query.
//! - [`QueryUnion`] makes a run from lists that are selected from other runs.

mod aligned_runs;
mod query_union;
mod retrieved_run;
mod run;

pub use aligned_runs::AlignedRuns;
pub use query_union::QueryUnion;
pub use retrieved_run::RetrievedRun;
pub use run::{Run, ScoredId};
