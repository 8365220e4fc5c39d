//! The error type of this crate.

/// Why an operation on an index failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Values that are not vectors of the index's dimension.
    #[error("{operation}: expected vectors of dimension {expected}, got {got} values")]
    Dimension {
        /// The operation that failed.
        operation: &'static str,
        /// The index's dimension.
        expected: usize,
        /// The number of values.
        got: usize,
    },
    /// The number of ids differs from the number of vectors.
    #[error("{operation}: expected one id for each of {expected} vectors, got {got} ids")]
    Count {
        /// The operation that failed.
        operation: &'static str,
        /// The number of vectors.
        expected: usize,
        /// The number of ids.
        got: usize,
    },
    /// An empty id.
    #[error("{operation}: expected an id of one character or more, got an empty one at row {row}")]
    EmptyId {
        /// The operation that failed.
        operation: &'static str,
        /// The position of the id in the batch.
        row: usize,
    },
    /// An id that is already in the index, or that appears earlier in the batch.
    #[error("{operation}: expected an id that is new, got \"{id}\" at row {row}, which is {}", match first { Some(first) => format!("also at row {first}"), None => "in the index".to_owned() })]
    DuplicateId {
        /// The operation that failed.
        operation: &'static str,
        /// The id.
        id: String,
        /// The position of the id in the batch.
        row: usize,
        /// The position where it first appears in the batch; `None` if it is in the index.
        first: Option<usize>,
    },
    /// An id that is not in the index.
    #[error("{operation}: expected ids that are in the index, got \"{id}\" at row {row}")]
    UnknownId {
        /// The operation that failed.
        operation: &'static str,
        /// The position of the id in the batch.
        row: usize,
        /// The id.
        id: String,
    },
    /// A number that is NaN or infinite.
    #[error("{operation}: expected finite numbers, got {value} at row {row}, column {column}")]
    NotFinite {
        /// The operation that failed.
        operation: &'static str,
        /// The position of the vector in the batch.
        row: usize,
        /// The position of the number in its vector.
        column: usize,
        /// The number.
        value: f32,
    },
    /// A number that the storage cannot hold.
    #[error(
        "{operation}: expected numbers of at most {expected} in half precision, got {got} at row {row}, column {column}"
    )]
    Range {
        /// The operation that failed.
        operation: &'static str,
        /// The position of the vector in the batch.
        row: usize,
        /// The position of the number in its vector.
        column: usize,
        /// The largest absolute value that the storage can hold.
        expected: f32,
        /// The number.
        got: f32,
    },
    /// A vector so long that its scores might be infinite.
    #[error(
        "{operation}: expected vectors no longer than {expected:.3e}, got one of length {got:.3e} at row {row}"
    )]
    Length {
        /// The operation that failed.
        operation: &'static str,
        /// The position of the vector in the batch.
        row: usize,
        /// The maximum length (L2 norm).
        expected: f64,
        /// The vector's length.
        got: f64,
    },
    /// A vector of zeros, whose cosine with other vectors is undefined.
    #[error("{operation}: expected nonzero vectors for cosine, got a zero vector at row {row}")]
    Zero {
        /// The operation that failed.
        operation: &'static str,
        /// The position of the vector in the batch.
        row: usize,
    },
    /// An option outside its range.
    #[error("{name}: expected {expected}, got {got}")]
    Option {
        /// The option's name.
        name: &'static str,
        /// The valid values.
        expected: String,
        /// The value given.
        got: String,
    },
    /// More rows than an index can have.
    #[error("add: expected at most {expected} rows in an index, got {got}")]
    Full {
        /// The maximum number of rows.
        expected: usize,
        /// The number of rows that the index would have had.
        got: usize,
    },
    /// Rows were added while others were staged, that is, stored but not yet published to searches.
    #[error("add: expected no staged rows, got {count}; publish or discard them first")]
    Staged {
        /// The number of staged rows.
        count: usize,
    },
    /// The system could not create threads.
    #[error(transparent)]
    Threads(#[from] threads::Error),
    /// A file could not be read or written, or its content is invalid.
    #[error(transparent)]
    Storage(#[from] storage::Error),
    /// The work was canceled.
    #[error(transparent)]
    Canceled(#[from] control::Canceled),
}

impl Error {
    /// Adds `rows` to the position of an invalid vector. A caller that checks a batch in parts passes the position at
    /// which the failing part starts, so that the error names the position in the whole batch. All other errors, such
    /// as those about ids, are returned unchanged.
    #[must_use]
    pub fn with_row_offset(mut self, rows: usize) -> Self {
        if let Self::NotFinite { row, .. }
        | Self::Length { row, .. }
        | Self::Range { row, .. }
        | Self::Zero { row, .. } = &mut self
        {
            *row += rows;
        }
        self
    }
}
