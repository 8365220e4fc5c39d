//! The error that crosses to JavaScript.

use napi::Status;

/// What an export returns before the result is converted for JavaScript.
pub type CallResult<T> = Result<T, Failure>;

/// An error as JavaScript receives it: the message `[CODE] message`, from which `ts/` makes a `RetrievalError`.
#[derive(Debug)]
pub struct Failure {
    code: &'static str,
    message: String,
}

impl Failure {
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// An argument has an invalid value.
    pub fn argument(message: impl Into<String>) -> Self {
        Self::new("ERR_ARGUMENT", message)
    }

    /// A bug in passagekit.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new("ERR_INTERNAL", message)
    }

    /// The system could not create a thread, for example because the number of threads or the memory is limited.
    pub fn no_threads(error: &dyn std::fmt::Display) -> Self {
        Self::new("ERR_IO", format!("the system gave no thread for this call: {error}"))
    }

    /// The JavaScript object was closed before the call.
    pub fn closed(what: &str) -> Self {
        Self::new("ERR_CLOSED", format!("this {what} was closed"))
    }
}

impl From<Failure> for napi::Error {
    fn from(failure: Failure) -> Self {
        Self::new(Status::GenericFailure, format!("[{}] {}", failure.code, failure.message))
    }
}
