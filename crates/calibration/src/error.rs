//! The crate's error type.

/// Why a confidence or a temperature could not be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter has an invalid value.
    #[error("{what}: expected {expected}, got {got}")]
    Argument {
        /// Name of the parameter.
        what: &'static str,
        /// Which values are valid.
        expected: String,
        /// The invalid value.
        got: String,
    },
    /// The scores for a query, or a temperature with which its confidences are computed, are invalid.
    #[error("query \"{query}\": {source}")]
    Query {
        /// Id of the query.
        query: String,
        /// What is invalid.
        source: Box<Error>,
    },
    /// The work was canceled.
    #[error(transparent)]
    Canceled(#[from] control::Canceled),
}

impl Error {
    /// Adds the id of the query to an error.
    pub(crate) fn with_query(self, query: &str) -> Self {
        Self::Query { query: query.to_owned(), source: Box::new(self) }
    }

    pub(crate) fn argument(what: &'static str, expected: impl Into<String>, got: impl ToString) -> Self {
        Self::Argument { what, expected: expected.into(), got: got.to_string() }
    }
}

/// Fails unless a parameter, such as a temperature, is finite and above 0. `what` is its name.
pub(crate) fn check_positive(what: &'static str, value: f64) -> Result<(), Error> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Error::argument(what, "a finite number above 0", value))
}
