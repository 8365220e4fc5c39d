//! Reads tensors from a safetensors file: [`Checkpoint`].
//!
//! A file has three parts: the length n of the header as a little-endian u64; the header, which is n bytes of JSON with
//! each tensor's type, shape and byte range; and the data. Tensors are read one by one. All sizes are checked against
//! the length of the file before memory is allocated for them.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use kernels::half::{HalfFormat, HalfKernels};
use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};

use super::Error;

/// Maximum length of the header in bytes, as in the `safetensors` library.
const MAX_HEADER_BYTES: u64 = 100_000_000;

/// An open safetensors file.
#[derive(Debug)]
pub(super) struct Checkpoint {
    path: PathBuf,
    file: File,
    header: Metadata,
    /// Offset of the data in the file, in bytes.
    data_start: u64,
}

impl Checkpoint {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`]; [`Error::Malformed`] if the header is invalid or does not match the length of the file.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let io = |source| storage::Error::io("open", path)(source);
        storage::check_regular(path).map_err(io)?;
        let mut file = File::open(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        let damaged = |got: String| Error::malformed(path, "a valid safetensors file", got);
        if length < 8 {
            return Err(damaged(format!("{length} bytes")));
        }
        let mut header_size = [0; 8];
        file.read_exact(&mut header_size).map_err(io)?;
        let header_size = u64::from_le_bytes(header_size);
        if header_size > MAX_HEADER_BYTES || header_size > length - 8 {
            return Err(damaged(format!("a header of {header_size} bytes in a file of {length}")));
        }
        let mut json = vec![0; header_size as usize];
        file.read_exact(&mut json).map_err(io)?;
        // This checks that the byte ranges have the sizes of the tensors, and follow one another without a gap.
        let header: Metadata = serde_json::from_slice(&json).map_err(|error| damaged(error.to_string()))?;
        let data = header.data_len() as u64;
        if data.checked_add(8 + header_size) != Some(length) {
            let parts = format!("8 + {header_size} (header) + {data} (tensors)");
            return Err(damaged(format!("{length} bytes instead of {parts}")));
        }
        Ok(Self { path: path.to_path_buf(), file, header, data_start: 8 + header_size })
    }

    /// Whether the file has a tensor with this name.
    pub fn has(&self, name: &str) -> bool {
        self.header.info(name).is_some()
    }

    /// Reads the tensor with this name, converted to `f32`.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`]; [`Error::Malformed`] if there is no such tensor, or if it has another shape or values that
    /// are not finite; [`Error::Unsupported`] if its type is not one of f32, f16 and bf16.
    pub fn read(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Error> {
        let malformed = |expected: &str, got: String| {
            Error::malformed(&self.path, format!("tensor `{name}`: {expected}"), got)
        };
        let Some(info) = self.header.info(name) else {
            return Err(malformed(&format!("a tensor of the shape {shape:?}"), "none".to_owned()));
        };
        if info.shape != shape {
            return Err(malformed(&format!("the shape {shape:?}"), format!("{:?}", info.shape)));
        }
        let format = match info.dtype {
            Dtype::F32 => None,
            Dtype::F16 => Some(HalfFormat::F16),
            Dtype::BF16 => Some(HalfFormat::Bf16),
            other => {
                return Err(Error::Unsupported {
                    path: self.path.clone(),
                    part: format!("tensor `{name}`"),
                    expected: "numbers of the type F32, F16 or BF16".to_owned(),
                    got: format!("{other:?}"),
                });
            }
        };
        let bytes = read_bytes(&mut self.file, self.data_start, info)
            .map_err(storage::Error::io("read", &self.path))?;
        let values = match format {
            None => bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect(),
            Some(format) => {
                let halves: Vec<u16> =
                    bytes.as_chunks().0.iter().map(|&bytes| u16::from_le_bytes(bytes)).collect();
                let mut values = vec![0.0; halves.len()];
                HalfKernels::detect().widen(format, &halves, &mut values);
                values
            }
        };
        match values.iter().position(|value: &f32| !value.is_finite()) {
            None => Ok(values),
            Some(at) => Err(malformed("finite numbers", format!("{} at position {at}", values[at]))),
        }
    }
}

/// Reads the bytes of a tensor.
fn read_bytes(file: &mut File, data_start: u64, info: &TensorInfo) -> std::io::Result<Vec<u8>> {
    let (from, to) = info.data_offsets;
    file.seek(SeekFrom::Start(data_start + from as u64))?;
    let mut bytes = vec![0; to - from];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}
