use std::path::Path;

use napi::Status;

/// What crosses to JavaScript when something fails.
#[derive(Debug)]
pub struct Failure {
    code: &'static str,
    message: String,
}

impl Failure {
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    pub fn argument(message: impl Into<String>) -> Self {
        Self::new("ERR_ARGUMENT", message)
    }

    /// The same, with what it is about.
    pub fn of(self, what: &str) -> Self {
        Self { message: format!("{what}: {}", self.message), ..self }
    }

    /// The system cannot create more threads, for example because their number or memory is limited.
    pub fn no_threads(error: &dyn std::fmt::Display) -> Self {
        Self::new("ERR_IO", format!("the system gave no thread for this call: {error}"))
    }

    pub fn closed(what: &str) -> Self {
        Self::new("ERR_CLOSED", format!("this {what} was closed"))
    }

    /// The same, with the file it is about.
    pub fn about(self, path: &Path) -> Self {
        self.of(&path.display().to_string())
    }
}

impl From<Failure> for napi::Error {
    fn from(failure: Failure) -> Self {
        Self::new(Status::GenericFailure, format!("[{}] {}", failure.code, failure.message))
    }
}

/// Gives each error of a crate its code. `_` covers variants to come: the enums are non-exhaustive.
macro_rules! codes {
    ($($error:ty { $($variant:pat => $code:expr),+ $(,)? })+) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                let message = error.to_string();
                #[allow(unreachable_patterns)]
                let code = match error { $($variant => $code,)+ _ => "ERR_INTERNAL" };
                Self { code, message }
            }
        })+
    };
}

codes! {
    control::Cancelled { _ => "ERR_CANCELLED" }
    text::Error { _ => "ERR_ARGUMENT" }
    storage::Error { error => storage_code(&error) }
    fusion::Error {
        fusion::Error::Cancelled(_) => "ERR_CANCELLED",
        _ => "ERR_ARGUMENT",
    }
    reading::Error {
        reading::Error::OtherReader { .. } => "ERR_READER_MISMATCH",
        reading::Error::Locked { .. } => "ERR_INDEX_LOCKED",
        reading::Error::Threads { .. } => "ERR_IO",
        reading::Error::Storage(error) => storage_code(&error),
        reading::Error::Cancelled(_) => "ERR_CANCELLED",
        _ => "ERR_ARGUMENT",
    }
    tokenize::Error { error => tokenize_code(&error) }
    inference::Error {
        inference::Error::Library { .. } => "ERR_PEER_MISSING",
        inference::Error::Io { .. } => "ERR_IO",
        inference::Error::Model { .. } | inference::Error::Run { .. } => "ERR_MODEL",
        inference::Error::Argument { .. } => "ERR_ARGUMENT",
        inference::Error::Tokenize(error) => tokenize_code(&error),
        inference::Error::Cancelled(_) => "ERR_CANCELLED",
    }
    phrases::Error {
        phrases::Error::Argument { .. } => "ERR_ARGUMENT",
        phrases::Error::Tokenize(error) => tokenize_code(&error),
        phrases::Error::Cancelled(_) => "ERR_CANCELLED",
    }
    corpus::Error {
        corpus::Error::Io { .. } => "ERR_IO",
        corpus::Error::Gzip { .. } | corpus::Error::Line { .. } | corpus::Error::Format { .. } => "ERR_FORMAT",
        corpus::Error::Argument { .. } | corpus::Error::Text(_) => "ERR_ARGUMENT",
        corpus::Error::Duplicate { .. } => "ERR_DUPLICATE_ID",
        corpus::Error::Storage(error) => storage_code(&error),
        corpus::Error::Cancelled(_) => "ERR_CANCELLED",
    }
    dense::Error {
        dense::Error::Dimension { .. } => "ERR_DIMENSION",
        dense::Error::DuplicateId { .. } => "ERR_DUPLICATE_ID",
        dense::Error::Threads { .. } => "ERR_IO",
        dense::Error::Storage(error) => storage_code(&error),
        dense::Error::Cancelled(_) => "ERR_CANCELLED",
        _ => "ERR_ARGUMENT",
    }
    sparse::Error {
        sparse::Error::NotFound { .. } | sparse::Error::NotAFolder { .. } => "ERR_IO",
        sparse::Error::NotAnIndex { .. }
        | sparse::Error::Corrupt { .. }
        | sparse::Error::MissingPassages { .. } => "ERR_INDEX_CORRUPT",
        sparse::Error::Version { .. } | sparse::Error::AnalyzerVersion { .. } => "ERR_INDEX_VERSION",
        sparse::Error::AnalyzerMismatch { .. } => "ERR_ANALYZER_MISMATCH",
        sparse::Error::Tokenizer(error) => tokenize_code(&error),
        sparse::Error::Locked { .. } => "ERR_INDEX_LOCKED",
        sparse::Error::Interrupted { .. } => "ERR_INTERRUPTED",
        sparse::Error::DuplicateId { .. } => "ERR_DUPLICATE_ID",
        sparse::Error::AlreadyExists { .. } | sparse::Error::UnknownPassage { .. } => "ERR_ARGUMENT",
        sparse::Error::Argument { .. } | sparse::Error::Part { .. } | sparse::Error::Full { .. } => "ERR_ARGUMENT",
        sparse::Error::Io { .. } => "ERR_IO",
        sparse::Error::Cancelled(_) => "ERR_CANCELLED",
    }
    vectors::Error {
        vectors::Error::Io { .. } => "ERR_IO",
        vectors::Error::Format { .. } => "ERR_FORMAT",
        vectors::Error::Dimension { .. } => "ERR_DIMENSION",
        vectors::Error::Count { .. } | vectors::Error::Option { .. } => "ERR_ARGUMENT",
        vectors::Error::Storage(error) => storage_code(&error),
    }
    ::vocabulary::Error {
        ::vocabulary::Error::Io { .. } | ::vocabulary::Error::Threads { .. } => "ERR_IO",
        ::vocabulary::Error::Format { .. } => "ERR_MODEL",
        ::vocabulary::Error::Dimension { .. } => "ERR_DIMENSION",
        ::vocabulary::Error::Argument { .. } => "ERR_ARGUMENT",
        ::vocabulary::Error::OtherEnrichments { .. } => "ERR_ENCODER_MISMATCH",
        ::vocabulary::Error::Storage(error) => storage_code(&error),
        ::vocabulary::Error::Cancelled(_) => "ERR_CANCELLED",
    }
    ::calibration::Error {
        ::calibration::Error::Cancelled(_) => "ERR_CANCELLED",
        _ => "ERR_ARGUMENT",
    }
    evaluation::Error {
        evaluation::Error::Cancelled(_) => "ERR_CANCELLED",
        _ => "ERR_ARGUMENT",
    }
}

fn storage_code(error: &storage::Error) -> &'static str {
    match error {
        storage::Error::Io { .. } => "ERR_IO",
        storage::Error::Corrupt { .. } => "ERR_INDEX_CORRUPT",
        storage::Error::Version { .. } => "ERR_INDEX_VERSION",
        _ => "ERR_INTERNAL",
    }
}

fn tokenize_code(error: &tokenize::Error) -> &'static str {
    match error {
        tokenize::Error::Io { .. } => "ERR_IO",
        tokenize::Error::Format { .. } => "ERR_MODEL",
        tokenize::Error::Tokenize { .. } => "ERR_ARGUMENT",
        _ => "ERR_INTERNAL",
    }
}
