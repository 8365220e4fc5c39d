/// Why nothing was measured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A name that is no measure's, or a measure with a parameter that it does not take.
    #[error("measure: expected {expected}, got \"{got}\"")]
    Measure {
        /// What it may be.
        expected: String,
        /// What it was.
        got: String,
    },
    /// A parameter that has no meaning.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// Which parameter.
        what: &'static str,
        /// What it may be.
        expected: String,
        /// What it was.
        got: String,
    },
    /// Two sides that share no query.
    #[error("{sides}: expected queries in common, got {} and {}", quoted(.first), quoted(.second))]
    NoCommonQuery {
        /// The two sides, as in "run and qrels".
        sides: &'static str,
        /// The first query ids of the one side.
        first: Vec<String>,
        /// The first query ids of the other side.
        second: Vec<String>,
    },
    /// A passage that a query's hits hold twice.
    #[error("hits of query \"{query}\": expected every passage once, got \"{passage}\" twice")]
    Duplicate {
        /// The query's id.
        query: String,
        /// The passage's id.
        passage: String,
    },
    /// A hit that cannot be ranked.
    #[error("hits of query \"{query}\": expected scores that are numbers, got NaN for passage \"{passage}\"")]
    NotANumber {
        /// The query's id.
        query: String,
        /// The passage's id.
        passage: String,
    },
    /// The work was stopped before it had a result.
    #[error(transparent)]
    Cancelled(#[from] control::Cancelled),
}

/// Ids that an error names of each side.
const NAMED: usize = 3;

/// No query of one side is in the other.
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
