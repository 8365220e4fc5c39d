/// Why nothing was calibrated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
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
    /// What is wrong with the scores of a query.
    #[error("query \"{query}\": {source}")]
    Query {
        /// Its id.
        query: String,
        /// What is wrong.
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

/// A temperature must be finite and above 0.
pub(crate) fn check_temperature(what: &'static str, temperature: f64) -> Result<(), Error> {
    if temperature > 0.0 && temperature.is_finite() {
        return Ok(());
    }
    Err(Error::argument(what, "a finite number above 0", temperature))
}
