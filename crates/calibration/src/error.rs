//! The errors of this crate.

/// Why a calibration failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
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
    /// The scores of a query are invalid.
    #[error("query \"{query}\": {source}")]
    Query {
        /// The id of the query.
        query: String,
        /// The underlying error.
        source: Box<Error>,
    },
    /// The work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] control::Cancelled),
}

impl Error {
    pub(crate) fn of_query(self, query: &str) -> Self {
        Self::Query { query: query.to_owned(), source: Box::new(self) }
    }

    pub(crate) fn argument(what: &'static str, expected: impl Into<String>, got: impl ToString) -> Self {
        Self::Argument { what, expected: expected.into(), got: got.to_string() }
    }
}

/// Fails unless the temperature is finite and above 0.
pub(crate) fn check_temperature(what: &'static str, temperature: f64) -> Result<(), Error> {
    if temperature > 0.0 && temperature.is_finite() {
        return Ok(());
    }
    Err(Error::argument(what, "a finite number above 0", temperature))
}
