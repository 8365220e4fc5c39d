//! Runs: the hits of many queries.
//!
//! - [`Run`] has the hits by passage id, as a run file does.
//! - [`RetrievedRun`] has them by ord, as a search returns them, and looks up ids when they are needed.
//! - [`AlignedRuns`] puts several runs side by side, query by query.
//! - [`QueryUnion`] has all queries of several runs, and makes a run with a list for each, selected from these runs.

mod aligned_runs;
mod query_union;
mod retrieved_run;
mod run;

pub use aligned_runs::AlignedRuns;
pub use query_union::QueryUnion;
pub use retrieved_run::RetrievedRun;
pub use run::{Run, ScoredId};
