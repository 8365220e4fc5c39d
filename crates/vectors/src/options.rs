//! The options for opening a vector file.

use std::path::PathBuf;
use std::sync::Arc;

use crate::{Error, IdList, VectorFormat};

/// Options of [`VectorFile::open`](crate::VectorFile::open).
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    /// Format of the file; detected by default.
    pub format: VectorFormat,
    /// Length of the vectors. Required for raw files. Other files fail to open if their vectors have a different
    /// length.
    pub dim: Option<usize>,
    /// Name of the tensor in a safetensors file. By default, the only tensor with two dimensions.
    pub tensor: Option<String>,
    /// Name of the vector column in a Parquet or Arrow file. By default, the only column of lists of floating point
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

/// Rejects options that do not apply to the format, because they were probably meant for another file. `id_column` is
/// the name in [`IdSource::Column`], if the ids come from a column.
pub(crate) fn check_options(
    format: VectorFormat,
    options: &OpenOptions,
    id_column: Option<&str>,
) -> Result<(), Error> {
    let has_columns = matches!(format, VectorFormat::Parquet | VectorFormat::Arrow);
    let has_tensors = format == VectorFormat::Safetensors;
    // Options have the names of the TypeScript API, where the column of the ids is `idColumn`.
    let checks = [
        ("tensor", options.tensor.is_some() && !has_tensors, "a safetensors file, which has tensors"),
        ("column", options.column.is_some() && !has_columns, "a Parquet or Arrow file, which has columns"),
        ("idColumn", id_column.is_some() && !has_columns, "a Parquet or Arrow file, which has columns"),
    ];
    match checks.into_iter().find(|(_, is_wrong, _)| *is_wrong) {
        Some((name, _, file)) => {
            Err(Error::Option { name, expected: file.to_owned(), got: format.description().to_owned() })
        }
        None => Ok(()),
    }
}
