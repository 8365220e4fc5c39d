//! Raw files: `f32` numbers without a header.

use std::path::Path;

use super::layout::Layout;
use crate::Error;
use crate::element::Element;

/// Returns the layout of a raw file of `length` bytes. The dimension is required, because the file does not contain it.
pub(crate) fn layout(path: &Path, length: u64, dim: Option<usize>) -> Result<Layout, Error> {
    let dim = dim.filter(|&dim| dim > 0).ok_or_else(|| Error::Option {
        name: "dim",
        expected: "the dimension of the vectors, which a raw file does not contain".to_owned(),
        got: dim.map_or_else(|| "none".to_owned(), |dim| dim.to_string()),
    })?;
    let row_bytes = dim as u64 * 4;
    if !length.is_multiple_of(row_bytes) {
        let expected = format!("whole rows of {dim} f32 numbers, {row_bytes} bytes each");
        return Err(Error::format(path, expected, format!("{length} bytes")));
    }
    Ok(Layout { offset: 0, rows: length / row_bytes, dim, element: Element::F32, has_row_lengths: false })
}
