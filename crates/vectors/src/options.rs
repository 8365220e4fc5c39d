use std::path::PathBuf;
use std::sync::Arc;

use crate::{Error, IdList, VectorFormat};

/// How a file is read.
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    /// By default told by the content.
    pub format: VectorFormat,
    /// The length of the vectors: needed for raw files, and refused if a file has another.
    pub dim: Option<usize>,
    /// Name of the tensor in a safetensors file; by default its only one with two dimensions.
    pub tensor: Option<String>,
    /// Name of the column of vectors in a Parquet or Arrow file; by default its only column of lists of floating
    /// point numbers.
    pub column: Option<String>,
    /// Where the ids come from.
    pub ids: IdSource,
    /// Put before every id.
    pub prefix: String,
}

/// Where the ids of vectors come from.
#[derive(Debug, Clone, Default)]
pub enum IdSource {
    /// The positions of the rows: `0`, `1`, ….
    #[default]
    RowNumbers,
    /// A column of strings or whole numbers in the Parquet or Arrow file.
    Column(String),
    /// A file that [`IdList::read`] reads.
    Path(PathBuf),
    /// Given.
    List(Arc<IdList>),
}

/// An option that does nothing was meant for another file.
pub(crate) fn check_options(
    format: VectorFormat,
    options: &OpenOptions,
    id_column: Option<&str>,
) -> Result<(), Error> {
    let columns = matches!(format, VectorFormat::Parquet | VectorFormat::Arrow);
    let tensors = format == VectorFormat::Safetensors;
    let given = [
        ("tensor", options.tensor.is_some() && !tensors, "a safetensors file"),
        ("column", options.column.is_some() && !columns, "a Parquet or Arrow file"),
        ("idColumn", id_column.is_some() && !columns, "a Parquet or Arrow file"),
    ];
    match given.into_iter().find(|(_, wrong, _)| *wrong) {
        Some((name, _, file)) => Err(Error::Option {
            name,
            expected: format!("{file} to find it in"),
            got: format!("{}, which has none", format.described()),
        }),
        None => Ok(()),
    }
}
