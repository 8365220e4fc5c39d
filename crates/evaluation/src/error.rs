//! The errors of this crate.

/// Why an evaluation failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An unknown measure, or a measure with a parameter that it does not take.
    #[error("measure: expected {expected}, got \"{got}\"")]
    Measure {
        /// The valid values.
        expected: String,
        /// The value that was passed.
        got: String,
    },
    /// An invalid parameter.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// Which parameter.
        what: &'static str,
        /// The valid values.
        expected: String,
        /// The value that was passed.
        got: String,
    },
    /// Two runs, or a run and qrels, without a common query.
    #[error("{sides}: expected queries in common, got {} and {}", quoted(.first), quoted(.second))]
    NoCommonQuery {
        /// The two sides, as in "run and qrels".
        sides: &'static str,
        /// The first query ids of the first side.
        first: Vec<String>,
        /// The first query ids of the second side.
        second: Vec<String>,
    },
    /// A query has the same passage twice among its hits.
    #[error("hits of query \"{query}\": expected every passage once, got \"{passage}\" twice")]
    Duplicate {
        /// The query's id.
        query: String,
        /// The passage's id.
        passage: String,
    },
    /// A hit has a score of NaN and cannot be ranked.
    #[error("hits of query \"{query}\": expected scores that are numbers, got NaN for passage \"{passage}\"")]
    NotANumber {
        /// The query's id.
        query: String,
        /// The passage's id.
        passage: String,
    },
    /// The work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] control::Cancelled),
}

/// Maximum number of ids of each side in an error message.
const NAMED: usize = 3;

/// The error for two sides without a common query.
pub(crate) fn no_common_query<'i>(
    sides: &'static str,
    first: impl Iterator<Item = &'i str>,
    second: impl Iterator<Item = &'i str>,
) -> Error {
    Error::NoCommonQuery {
        sides,
        first: first.take(NAMED).map(str::to_owned).collect(),
        second: second.take(NAMED).map(str::to_owned).collect(),
    }
}

fn quoted(ids: &[String]) -> String {
    if ids.is_empty() {
        return "none".to_owned();
    }
    let quoted: Vec<String> = ids.iter().map(|id| format!("\"{id}\"")).collect();
    quoted.join(", ") + if ids.len() < NAMED { "" } else { ", …" }
}
