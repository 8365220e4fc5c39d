//! Maps the errors of all crates to the error codes of the API.
//!
//! Every variant is listed, so that none gets the code of another by accident. `ERR_INTERNAL` is for bugs in
//! passagekit: variants that no input can cause, and variants that were added to a crate but not to this file.

use super::error::Failure;

/// Implements `From<E> for Failure` for the error type `E` of each crate, given the code of each variant.
macro_rules! codes {
    ($($error:ty { $($variant:pat => $code:expr),+ $(,)? })+) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                let message = error.to_string();
                // The last arm is needed because the enums are non-exhaustive. It is unreachable where a pattern before
                // it matches everything.
                #[allow(unreachable_patterns)]
                let code = match error { $($variant => $code,)+ _ => "ERR_INTERNAL" };
                Self::new(code, message)
            }
        })+
    };
}

codes! {
    control::Canceled { _ => "ERR_CANCELED" }
    storage::Error { error => storage_code(&error) }
    text::Error { error => text_code(&error) }
    tokenize::Error { error => tokenize_code(&error) }
    dense::Error { error => dense_code(&error) }
    vectors::Error { error => vectors_code(&error) }
    sparse::Error { error => sparse_code(&error) }
    ranking::Error { error => ranking_code(&error) }
    serving::Error {
        serving::Error::Argument { .. } => "ERR_ARGUMENT",
        serving::Error::DuplicatePhrase { .. } => "ERR_DUPLICATE_ID",
        serving::Error::Poisoned(_) => "ERR_INTERNAL",
        serving::Error::File { source, .. } => dense_code(&source),
        serving::Error::Dense(error) => dense_code(&error),
        serving::Error::Vectors(error) => vectors_code(&error),
        serving::Error::Storage(error) => storage_code(&error),
        serving::Error::Ranking(error) => ranking_code(&error),
        serving::Error::Canceled(_) => "ERR_CANCELED",
    }
    serving::Poisoned { _ => "ERR_INTERNAL" }
    training::Error {
        training::Error::Model { .. } | training::Error::Weights(_) => "ERR_MODEL",
        training::Error::Batch { .. } | training::Error::Option { .. } => "ERR_ARGUMENT",
        training::Error::NotFinite { .. } => "ERR_TRAINING",
        training::Error::Checkpoint { .. } => "ERR_ARGUMENT",
        training::Error::Threads(_) => "ERR_IO",
        training::Error::Storage(error) => storage_code(&error),
        training::Error::Canceled(_) => "ERR_CANCELED",
    }
    transformer::hugging_face::Error {
        transformer::hugging_face::Error::Storage(storage::Error::Io { .. }) => "ERR_IO",
        _ => "ERR_MODEL",
    }
    transformer::onnx::Error {
        transformer::onnx::Error::Io { .. } => "ERR_IO",
        _ => "ERR_MODEL",
    }
    transformer::onnx::WriteError {
        transformer::onnx::WriteError::Storage(error) => storage_code(&error),
        _ => "ERR_MODEL",
    }
    collection::Error {
        collection::Error::NotACollection { .. } => "ERR_IO",
        collection::Error::NotEmpty { .. } => "ERR_ARGUMENT",
        collection::Error::Version { .. } => "ERR_INDEX_VERSION",
        collection::Error::Corrupt { .. } => "ERR_INDEX_CORRUPT",
        collection::Error::Locked { .. } => "ERR_INDEX_LOCKED",
        collection::Error::DuplicateDocument { .. } => "ERR_DUPLICATE_ID",
        collection::Error::UnknownDocument { .. } | collection::Error::Argument { .. } => "ERR_ARGUMENT",
        collection::Error::Closed => "ERR_CLOSED",
        collection::Error::Thread { .. } | collection::Error::Io { .. } => "ERR_IO",
        collection::Error::Poisoned(_) => "ERR_INTERNAL",
        collection::Error::Sparse(error) => sparse_code(&error),
        collection::Error::Dense(error) => dense_code(&error),
        collection::Error::Storage(error) => storage_code(&error),
        collection::Error::Fusion(_) => "ERR_ARGUMENT",
        collection::Error::Canceled(_) => "ERR_CANCELED",
    }
    fusion::Error {
        fusion::Error::Argument { .. } => "ERR_ARGUMENT",
        fusion::Error::Ranking(error) => ranking_code(&error),
        fusion::Error::Canceled(_) => "ERR_CANCELED",
    }
    reading::Error {
        reading::Error::Argument { .. } => "ERR_ARGUMENT",
        // The arrays are made by passagekit.
        reading::Error::Shape { .. } => "ERR_INTERNAL",
        reading::Error::OtherReader { .. } => "ERR_READER_MISMATCH",
        reading::Error::Locked { .. } => "ERR_INDEX_LOCKED",
        reading::Error::Threads { .. } => "ERR_IO",
        reading::Error::Storage(error) => storage_code(&error),
        reading::Error::Canceled(_) => "ERR_CANCELED",
    }
    inference::Error {
        inference::Error::Library { .. } | inference::Error::NoLibrary { .. } => "ERR_PEER_MISSING",
        inference::Error::Io { .. } => "ERR_IO",
        inference::Error::Model { .. } | inference::Error::Run { .. } => "ERR_MODEL",
        inference::Error::Argument { .. } => "ERR_ARGUMENT",
        inference::Error::Tokenize(error) => tokenize_code(&error),
        inference::Error::Canceled(_) => "ERR_CANCELED",
    }
    phrases::Error {
        phrases::Error::Argument { .. } => "ERR_ARGUMENT",
        phrases::Error::Tokenize(error) => tokenize_code(&error),
        phrases::Error::Canceled(_) => "ERR_CANCELED",
    }
    corpus::Error {
        corpus::Error::Io { .. } => "ERR_IO",
        corpus::Error::Gzip { .. } | corpus::Error::Line { .. } | corpus::Error::Format { .. } => "ERR_FORMAT",
        corpus::Error::Argument { .. } => "ERR_ARGUMENT",
        corpus::Error::Duplicate { .. } => "ERR_DUPLICATE_ID",
        corpus::Error::Text(error) => text_code(&error),
        corpus::Error::Storage(error) => storage_code(&error),
        corpus::Error::Canceled(_) => "ERR_CANCELED",
    }
    ::vocabulary::Error {
        ::vocabulary::Error::Io { .. } | ::vocabulary::Error::Threads { .. } => "ERR_IO",
        ::vocabulary::Error::Format { .. } | ::vocabulary::Error::Vocabulary { .. } => "ERR_MODEL",
        ::vocabulary::Error::Tokenize(error) => tokenize_code(&error),
        ::vocabulary::Error::Dimension { .. } => "ERR_DIMENSION",
        ::vocabulary::Error::Argument { .. } => "ERR_ARGUMENT",
        ::vocabulary::Error::OtherEnrichments { .. } => "ERR_ENCODER_MISMATCH",
        ::vocabulary::Error::Storage(error) => storage_code(&error),
        ::vocabulary::Error::Canceled(_) => "ERR_CANCELED",
    }
    ::calibration::Error {
        ::calibration::Error::Argument { .. } => "ERR_ARGUMENT",
        ::calibration::Error::Query { .. } => "ERR_ARGUMENT",
        ::calibration::Error::Canceled(_) => "ERR_CANCELED",
    }
    evaluation::Error {
        evaluation::Error::Measure { .. } | evaluation::Error::Argument { .. } => "ERR_ARGUMENT",
        evaluation::Error::NoCommonQuery { .. } => "ERR_ARGUMENT",
        evaluation::Error::Duplicate { .. } | evaluation::Error::NotANumber { .. } => "ERR_ARGUMENT",
        evaluation::Error::Canceled(_) => "ERR_CANCELED",
    }
}

impl From<pipelines::Error> for Failure {
    fn from(error: pipelines::Error) -> Self {
        use pipelines::Error;
        match error {
            Error::Argument { message } => Self::argument(message),
            Error::ReaderClosed => Self::closed("reader"),
            Error::OtherReader { .. } => Self::new("ERR_READER_MISMATCH", error.to_string()),
            Error::Corpus(error) => error.into(),
            Error::Dense(error) => error.into(),
            Error::Inference(error) => error.into(),
            Error::Ranking(error) => error.into(),
            Error::Reading(error) => error.into(),
            Error::Sparse(error) => error.into(),
            Error::Storage(error) => error.into(),
            Error::Tokenize(error) => error.into(),
            Error::Training(error) => error.into(),
            Error::HuggingFace(error) => error.into(),
            Error::Onnx(error) => error.into(),
            Error::WriteOnnx(error) => error.into(),
            Error::Canceled(error) => error.into(),
            error => Self::internal(error.to_string()),
        }
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

fn text_code(error: &text::Error) -> &'static str {
    match error {
        text::Error::Argument { .. } | text::Error::Pattern { .. } => "ERR_ARGUMENT",
        // The offset is computed by passagekit.
        text::Error::Offset { .. } => "ERR_INTERNAL",
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

fn dense_code(error: &dense::Error) -> &'static str {
    use dense::Error::{
        Canceled, Count, Dimension, DuplicateId, EmptyId, Full, Length, NotFinite, Staged, Storage, Threads,
        UnknownId, Zero,
    };
    match error {
        Dimension { .. } => "ERR_DIMENSION",
        DuplicateId { .. } => "ERR_DUPLICATE_ID",
        Count { .. } | EmptyId { .. } | UnknownId { .. } | Full { .. } | dense::Error::Option { .. } => {
            "ERR_ARGUMENT"
        }
        NotFinite { .. } | dense::Error::Range { .. } | Length { .. } | Zero { .. } => "ERR_ARGUMENT",
        // Changes to an index run one after another, so no change finds rows that another change has staged (inserted,
        // but not made visible yet).
        Staged { .. } => "ERR_INTERNAL",
        Threads { .. } => "ERR_IO",
        Storage(error) => storage_code(error),
        Canceled(_) => "ERR_CANCELED",
        _ => "ERR_INTERNAL",
    }
}

fn vectors_code(error: &vectors::Error) -> &'static str {
    match error {
        vectors::Error::Io { .. } => "ERR_IO",
        vectors::Error::Format { .. } => "ERR_FORMAT",
        vectors::Error::Dimension { .. } => "ERR_DIMENSION",
        vectors::Error::Count { .. } | vectors::Error::Option { .. } => "ERR_ARGUMENT",
        vectors::Error::Storage(error) => storage_code(error),
        _ => "ERR_INTERNAL",
    }
}

fn sparse_code(error: &sparse::Error) -> &'static str {
    use sparse::Error;
    match error {
        Error::Io { .. } | Error::NotFound { .. } | Error::NotAFolder { .. } => "ERR_IO",
        Error::NotAnIndex { .. } | Error::Corrupt { .. } => "ERR_INDEX_CORRUPT",
        Error::Version { .. } | Error::AnalyzerVersion { .. } => "ERR_INDEX_VERSION",
        Error::AnalyzerMismatch { .. } => "ERR_ANALYZER_MISMATCH",
        Error::Tokenizer(error) => tokenize_code(error),
        Error::Locked { .. } => "ERR_INDEX_LOCKED",
        Error::Interrupted { .. } => "ERR_INTERRUPTED",
        Error::DuplicateId { .. } => "ERR_DUPLICATE_ID",
        Error::AlreadyExists { .. } | Error::UnknownPassage { .. } | Error::NotStored { .. } => {
            "ERR_ARGUMENT"
        }
        Error::Argument { .. } | Error::Part { .. } | Error::Full { .. } => "ERR_ARGUMENT",
        Error::Canceled(_) => "ERR_CANCELED",
        _ => "ERR_INTERNAL",
    }
}

fn ranking_code(error: &ranking::Error) -> &'static str {
    match error {
        ranking::Error::DuplicateQuery { .. } => "ERR_ARGUMENT",
        // Only a BM25 index reads ids from files, so only its reads can fail.
        ranking::Error::Ids(error) => error.downcast_ref().map_or("ERR_INTERNAL", sparse_code),
        _ => "ERR_INTERNAL",
    }
}
