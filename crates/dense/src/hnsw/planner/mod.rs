//! Chooses the fastest way to run a search: [`Planner::plan`] for one query,
//! [`Planner::plan_batch`] for many.
//!
//! In the table, *allowed* rows are the rows that may be hits: the live rows (neither deleted nor staged) that the
//! filter allows, or all live rows if there is no filter. *Codes* are the [quantized copies](crate::hnsw::codes) of the
//! vectors.
//!
//! | [`Strategy`] | chosen if |
//! |---|---|
//! | `ExactScan` (no filter), `ScoreAllowed` | few rows are allowed, or few per hit: a scan of codes saves nothing |
//! | `CodeScan` | a scan over the codes of all allowed rows is no slower than a beam search |
//! | `BatchCodeScan` | many queries without a filter can share a scan over all codes, and that is faster |
//! | `BeamSearch` (no filter), `FilteredBeamSearch` | otherwise |
//!
//! If more than about 10% of the rows are not live, a search without a filter is planned as if a filter allowed the
//! live rows. The choices in `plan.rs` are based on measured costs, which depend on the CPU's instruction set:
//! [`SearchCosts`].

mod costs;
mod measured;
mod plan;

pub use costs::SearchCosts;
pub use plan::ForcedStrategy;
pub(crate) use plan::{Plan, Planner, Strategy, max_rows_scored};
