//! The error that is passed to JavaScript.

use napi::Status;

/// The result of an export before it is converted for JavaScript.
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

    /// Makes the error for an argument with an invalid value.
    pub fn argument(message: impl Into<String>) -> Self {
        Self::new("ERR_ARGUMENT", message)
    }

    /// Makes the error for a bug in passagekit.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new("ERR_INTERNAL", message)
    }

    /// Makes the error for a thread that the operating system could not create, for example because the number of
    /// threads or the memory is limited.
    pub fn no_threads(error: &dyn std::fmt::Display) -> Self {
        Self::new("ERR_IO", format!("the system could not create a thread for this call: {error}"))
    }

    /// Makes the error for a call on a JavaScript object that has been closed. `what` is the kind of object, such as
    /// `reader`.
    pub fn closed(what: &str) -> Self {
        Self::new("ERR_CLOSED", format!("this {what} was closed"))
    }
}

impl From<Failure> for napi::Error {
    fn from(failure: Failure) -> Self {
        Self::new(Status::GenericFailure, format!("[{}] {}", failure.code, failure.message))
    }
}
