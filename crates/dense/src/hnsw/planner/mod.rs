//! Chooses the fastest way to run a search: [`Plan::new`] for one query, [`Plan::for_batch`] for many.
//!
//! | [`Strategy`] | chosen if |
//! |---|---|
//! | `ExactScan`, `ScoreAllowed` | few rows may be hits, so that scoring vectors is as fast as scoring codes |
//! | `CodeScan` | a scan over the codes of all rows that may be hits is no slower than a beam search |
//! | `BatchCodeScan` | many queries without a filter can share a scan over all codes |
//! | `BeamSearch`, `FilteredBeamSearch` | otherwise |
//!
//! The choices of `plan.rs` are based on measured costs, which depend on the CPU's instruction set: [`SearchCosts`].

mod costs;
mod plan;

use costs::SearchCosts;
pub(crate) use plan::{Plan, Strategy, max_lists_read, max_rows_scored};
