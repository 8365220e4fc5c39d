//! safetensors files: the length of the header, a JSON header that describes the tensors, and the data of the tensors
//! (<https://github.com/huggingface/safetensors>).

use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};

use super::layout::Layout;
use crate::Error;
use crate::element::{ELEMENTS, Element};
use crate::input::Input;

/// Maximum number of bytes of a header, as in the `safetensors` library.
const MAX_HEADER_BYTES: u64 = 100_000_000;

/// Returns the layout of the tensor with this name, or, without a name, of the only tensor with two dimensions.
pub(crate) fn layout(input: &mut Input, tensor: Option<&str>) -> Result<Layout, Error> {
    let path = input.path().to_path_buf();
    let corrupt = |got: String| Error::format(&path, "a valid safetensors file", got);
    let length = u64::from_le_bytes(input.bytes_at(0, 8)?.try_into().expect("eight bytes"));
    if length > MAX_HEADER_BYTES || length > input.length() - 8 {
        return Err(corrupt(format!("a header of {length} bytes")));
    }
    let header = input.bytes_at(8, length as usize)?;
    let metadata: Metadata = serde_json::from_slice(&header).map_err(|error| corrupt(error.to_string()))?;
    let end = (metadata.data_len() as u64).checked_add(8 + length);
    if end != Some(input.length()) {
        let expected = format!("tensors of {} bytes after a header of {}", metadata.data_len(), 8 + length);
        return Err(Error::format(&path, expected, format!("{} bytes in all", input.length())));
    }
    let names = metadata.offset_keys();
    let list = || names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let (name, info) = match tensor {
        Some(name) => {
            let info = metadata.info(name).ok_or_else(|| {
                Error::format(&path, format!("a tensor \"{name}\""), format!("the tensors {}", list()))
            })?;
            (name, info)
        }
        None => {
            let matrices: Vec<(&str, &TensorInfo)> = names
                .iter()
                .filter_map(|name| Some((name.as_str(), metadata.info(name)?)))
                .filter(|(_, info)| info.shape.len() == 2)
                .collect();
            let [only] = matrices[..] else {
                let expected = "one tensor of 2 dimensions, or the option tensor set to its name";
                return Err(Error::format(&path, expected, format!("{} among {}", matrices.len(), list())));
            };
            only
        }
    };
    let element = match info.dtype {
        Dtype::F16 => Element::F16,
        Dtype::BF16 => Element::Bf16,
        Dtype::F32 => Element::F32,
        Dtype::F64 => Element::F64,
        other => {
            let expected = format!("{ELEMENTS} in tensor \"{name}\"");
            return Err(Error::format(&path, expected, format!("{other:?}")));
        }
    };
    let Some((rows, dim)) = matrix(&info.shape) else {
        let expected = format!("a tensor \"{name}\" of shape [rows, dim]");
        return Err(Error::format(&path, expected, format!("shape {:?}", info.shape)));
    };
    let layout = Layout::matrix(8 + length + info.data_offsets.0 as u64, rows as u64, dim, element);
    layout.filter(|layout| layout.end() == Some(8 + length + info.data_offsets.1 as u64)).ok_or_else(|| {
        corrupt(format!("tensor \"{name}\" of shape {:?} at {:?}", info.shape, info.data_offsets))
    })
}

/// Returns the numbers of rows and columns of a shape with two dimensions and at least one column.
fn matrix(shape: &[usize]) -> Option<(usize, usize)> {
    match shape {
        &[rows, dim] if dim > 0 => Some((rows, dim)),
        _ => None,
    }
}
