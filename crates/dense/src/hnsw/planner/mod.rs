//! Chooses the cheapest search that finds enough: [`Plan::new`] for one query, [`Plan::for_batch`] for many.
//!
//! | [`Strategy`] | chosen if |
//! |---|---|
//! | `ExactScan`, `ScoreAllowed` | so few rows may be hits that scoring their vectors is as fast as scoring their codes |
//! | `CodeScan` | a scan over the codes of all rows that may be hits is no slower than a beam search |
//! | `BatchCodeScan` | many queries without a filter share a scan over all codes |
//! | `BeamSearch`, `FilteredBeamSearch` | otherwise |
//!
//! What each costs is measured, by kernel set: [`SearchCosts`].

mod costs;
mod plan;

use costs::SearchCosts;
pub(crate) use plan::{Plan, Strategy, max_lists_read};
