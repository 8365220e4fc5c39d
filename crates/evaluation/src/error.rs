//! The crate's error type.

/// Why an evaluation failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The name of a measure is unknown, or it has an invalid cut-off or grade.
    #[error("measure: expected {expected}, got \"{got}\"")]
    Measure {
        /// The names that are valid.
        expected: String,
        /// The name that was passed.
        got: String,
    },
    /// A parameter has an invalid value.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// Name of the parameter.
        what: &'static str,
        /// The values that are valid.
        expected: String,
        /// The value that was passed.
        got: String,
    },
    /// Two runs, or a run and qrels, have no query in common.
    #[error("{sides}: expected queries in common, got {} and {}", quoted(.first), quoted(.second))]
    NoCommonQuery {
        /// The names of the two sides: "run and qrels" or "runs".
        sides: &'static str,
        /// Query ids of the first side: up to one more than the message shows.
        first: Vec<String>,
        /// Query ids of the second side: up to one more than the message shows.
        second: Vec<String>,
    },
    /// A query has the same passage twice among its hits.
    #[error("hits of query \"{query}\": expected every passage once, got \"{passage}\" twice")]
    Duplicate {
        /// Id of the query.
        query: String,
        /// Id of the passage.
        passage: String,
    },
    /// A hit has a score of NaN and cannot be ranked.
    #[error("hits of query \"{query}\": expected scores that are numbers, got NaN for passage \"{passage}\"")]
    NotANumber {
        /// Id of the query.
        query: String,
        /// Id of the passage.
        passage: String,
    },
    /// The work was canceled.
    #[error(transparent)]
    Canceled(#[from] control::Canceled),
}

/// Maximum number of ids of each side that an error message shows.
const MAX_SHOWN_IDS: usize = 3;

/// Returns the error for two sides without a common query, given their query ids.
pub(crate) fn no_common_query<'i>(
    sides: &'static str,
    first: impl Iterator<Item = &'i str>,
    second: impl Iterator<Item = &'i str>,
) -> Error {
    Error::NoCommonQuery {
        sides,
        first: first.take(MAX_SHOWN_IDS + 1).map(str::to_owned).collect(),
        second: second.take(MAX_SHOWN_IDS + 1).map(str::to_owned).collect(),
    }
}

/// Returns the ids in quotation marks, separated by commas. An ellipsis stands for the ids that are not shown.
fn quoted(ids: &[String]) -> String {
    if ids.is_empty() {
        return "none".to_owned();
    }
    let shown: Vec<String> = ids.iter().take(MAX_SHOWN_IDS).map(|id| format!("\"{id}\"")).collect();
    shown.join(", ") + if ids.len() > MAX_SHOWN_IDS { ", …" } else { "" }
}
