//! How a vector file is opened.

use std::path::PathBuf;
use std::sync::Arc;

use crate::{Error, IdList, VectorFormat};

/// Options of [`VectorFile::open`](crate::VectorFile::open).
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    /// Format of the file; detected by default.
    pub format: VectorFormat,
    /// Length of the vectors. Required for raw files; for others, opening fails if the file has another length.
    pub dim: Option<usize>,
    /// Name of the tensor in a safetensors file. By default the only one with two dimensions.
    pub tensor: Option<String>,
    /// Name of the vector column in a Parquet or Arrow file. By default the only column of lists of floating point
    /// numbers.
    pub column: Option<String>,
    /// Where the ids come from.
    pub ids: IdSource,
    /// Prefix of every id.
    pub prefix: String,
}

/// Where the ids of vectors come from.
#[derive(Debug, Clone, Default)]
pub enum IdSource {
    /// Row numbers: `0`, `1`, ….
    #[default]
    RowNumbers,
    /// A column of strings or integers in the Parquet or Arrow file.
    Column(String),
    /// A file that [`IdList::read`] reads.
    Path(PathBuf),
    /// A list in memory.
    List(Arc<IdList>),
}

/// Rejects options that the format does not have: they were probably meant for another file.
pub(crate) fn check_options(
    format: VectorFormat,
    options: &OpenOptions,
    id_column: Option<&str>,
) -> Result<(), Error> {
    let has_columns = matches!(format, VectorFormat::Parquet | VectorFormat::Arrow);
    let has_tensors = format == VectorFormat::Safetensors;
    let checks = [
        ("tensor", options.tensor.is_some() && !has_tensors, "a safetensors file"),
        ("column", options.column.is_some() && !has_columns, "a Parquet or Arrow file"),
        ("idColumn", id_column.is_some() && !has_columns, "a Parquet or Arrow file"),
    ];
    match checks.into_iter().find(|(_, is_wrong, _)| *is_wrong) {
        Some((name, _, file)) => Err(Error::Option {
            name,
            expected: format!("{file} to find it in"),
            got: format!("{}, which has none", format.description()),
        }),
        None => Ok(()),
    }
}
