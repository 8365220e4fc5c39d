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
    /// The work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] control::Cancelled),
}

impl Error {
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
