//! The interface of all readers of rows.

use crate::Error;

/// Consecutive rows of a file with their ids.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    /// One id per row.
    pub ids: Vec<String>,
    /// `[ids.len() * dim]`, row-major.
    pub vectors: Vec<f32>,
}

/// Reads the rows of a file in order.
pub(crate) trait RowSource {
    /// Appends the vectors of up to `max_rows` rows to a batch. Appends none only at the end of the file. If the ids
    /// are a column of the file, also appends the ids of these rows.
    fn read(&mut self, max_rows: usize, batch: &mut Batch) -> Result<(), Error>;
}
