//! fvecs files: each row is its dimension as a 32-bit integer, followed by its `f32` numbers
//! (<http://corpus-texmex.irisa.fr>).

use super::layout::Layout;
use crate::Error;
use crate::element::Element;
use crate::input::Input;

/// Returns the layout of an fvecs file. The dimension of the first row must be that of all rows, which
/// [`FixedRows`](super::FixedRows) checks.
pub(crate) fn layout(input: &mut Input) -> Result<Layout, Error> {
    let length = input.length();
    if length < 4 {
        return Err(Error::format(input.path(), "a row's length, 4 bytes", format!("{length} bytes")));
    }
    let mut head = [0; 4];
    input.seek(0)?;
    input.read_exact(&mut head)?;
    let dim = i32::from_le_bytes(head);
    let row_bytes = (i64::from(dim) + 1) * 4;
    if dim < 1 || !length.is_multiple_of(row_bytes as u64) {
        let expected = "rows of a 32-bit length and as many f32 numbers";
        let got = format!("{length} bytes that begin with the length {dim}");
        return Err(Error::format(input.path(), expected, got));
    }
    Ok(Layout {
        offset: 0,
        rows: length / row_bytes as u64,
        dim: dim as usize,
        element: Element::F32,
        has_row_lengths: true,
    })
}
