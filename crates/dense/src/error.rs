/// Why an index refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Values that are not vectors of the index's dimension.
    #[error("{operation}: expected vectors of dimension {expected}, got {got} values")]
    Dimension {
        /// What was asked for.
        operation: &'static str,
        /// The index's dimension.
        expected: usize,
        /// How many values came.
        got: usize,
    },
    /// Not one id for each vector.
    #[error("{operation}: expected one id for each of {expected} vectors, got {got} ids")]
    Count {
        /// What was asked for.
        operation: &'static str,
        /// How many vectors came.
        expected: usize,
        /// How many ids came.
        got: usize,
    },
    /// An id without characters.
    #[error("{operation}: expected an id of one character or more, got an empty one at row {row}")]
    EmptyId {
        /// What was asked for.
        operation: &'static str,
        /// Its position among the ids given.
        row: usize,
    },
    /// An id that is in the index, or earlier among the ids given.
    #[error("{operation}: expected an id that is new, got \"{id}\" at row {row}, which is {}", match first { Some(first) => format!("also at row {first}"), None => "in the index".to_owned() })]
    DuplicateId {
        /// What was asked for.
        operation: &'static str,
        /// The id.
        id: String,
        /// Its position among the ids given.
        row: usize,
        /// The row of its first appearance among those given; none if it is in the index.
        first: Option<usize>,
    },
    /// An id that is not in the index.
    #[error("{operation}: expected ids that are in the index, got \"{id}\" at row {row}")]
    UnknownId {
        /// What was asked for.
        operation: &'static str,
        /// Its position among the ids given.
        row: usize,
        /// The id.
        id: String,
    },
    /// NaN or an infinity.
    #[error("{operation}: expected finite numbers, got {value} at row {row}, column {column}")]
    NotFinite {
        /// What was asked for.
        operation: &'static str,
        /// Position of the vector among those given.
        row: usize,
        /// Position of the number in its vector.
        column: usize,
        /// The number.
        value: f32,
    },
    /// A number that the storage cannot hold.
    #[error(
        "{operation}: expected numbers of at most {expected} in half precision, got {got} at row {row}, column {column}"
    )]
    Range {
        /// What was asked for.
        operation: &'static str,
        /// Position of the vector among those given.
        row: usize,
        /// Position of the number in its vector.
        column: usize,
        /// The greatest number, which with its sign turned is the least.
        expected: f32,
        /// The number.
        got: f32,
    },
    /// A vector so long that its scores might be infinite.
    #[error(
        "{operation}: expected vectors no longer than {expected:.3e}, got one of length {got:.3e} at row {row}"
    )]
    Length {
        /// What was asked for.
        operation: &'static str,
        /// Position of the vector among those given.
        row: usize,
        /// The greatest length (L2 norm) that is taken.
        expected: f64,
        /// The length that came.
        got: f64,
    },
    /// A vector of zeros, which has no direction and so no cosine.
    #[error(
        "{operation}: expected a vector that is not all zeros, as cosine has no value for one, got one at row {row}"
    )]
    Zero {
        /// What was asked for.
        operation: &'static str,
        /// Position of the vector among those given.
        row: usize,
    },
    /// An option outside its range.
    #[error("{name}: expected {expected}, got {got}")]
    Option {
        /// Its name.
        name: &'static str,
        /// Its range.
        expected: String,
        /// What came.
        got: String,
    },
    /// More rows than 32-bit ords can name.
    #[error("add: expected at most {expected} rows in an index, got {got}")]
    Full {
        /// The most rows.
        expected: usize,
        /// How many there would be.
        got: usize,
    },
    /// Rows added while others were staged.
    #[error("add: expected no staged rows, got {count}; publish them or take them back first")]
    Staged {
        /// How many rows are staged.
        count: usize,
    },
    /// The system could not create threads.
    #[error(transparent)]
    Threads(#[from] threads::Error),
    /// A file could not be read or written, or is not what it should be.
    #[error(transparent)]
    Storage(#[from] storage::Error),
    /// The work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] control::Cancelled),
}

impl Error {
    /// The same of a vector that stands `rows` further on, where this one was found in a part of a batch.
    #[must_use]
    pub fn moved_by(mut self, rows: usize) -> Self {
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
