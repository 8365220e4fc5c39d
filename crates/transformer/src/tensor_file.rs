//! Reads individual tensors from a safetensors file: [`TensorFile`].
//!
//! A file has three parts: the length n of the header as a little-endian u64; the header, which is n bytes of JSON with
//! each tensor's type, shape and byte range; and the data. All sizes are checked against the length of the file before
//! memory is allocated for them.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use kernels::half::{HalfFormat, HalfKernels};
use safetensors::Dtype;
use safetensors::tensor::Metadata;

/// Maximum length of the header in bytes, as in the `safetensors` library.
const MAX_HEADER_BYTES: u64 = 100_000_000;

/// Why a file or one of its tensors could not be read. The caller knows the path and the name of the tensor.
#[derive(Debug, thiserror::Error)]
pub enum TensorFileError {
    /// The system reported an error.
    #[error("{operation}: {source}")]
    Io {
        /// What failed: `open` or `read`.
        operation: &'static str,
        /// The system's error.
        source: std::io::Error,
    },
    /// The header is invalid, or does not match the length of the file.
    #[error("expected a valid safetensors file, got {0}")]
    Damaged(String),
    /// There is no such tensor.
    #[error("expected the tensor, got none")]
    Missing,
    /// The numbers of the tensor are not of the type f32, f16 or bf16.
    #[error("expected numbers of the type F32, F16 or BF16, got {0}")]
    NotFloats(String),
    /// A number is infinite or not a number.
    #[error("expected finite numbers, got {value} at position {position}")]
    NotFinite {
        /// The number.
        value: f32,
        /// Its position in the tensor.
        position: usize,
    },
}

/// An open safetensors file.
#[derive(Debug)]
pub struct TensorFile {
    file: File,
    header: Metadata,
    /// Offset of the data in the file, in bytes.
    data_start: u64,
}

impl TensorFile {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    ///
    /// [`TensorFileError::Io`]; [`TensorFileError::Damaged`]
    pub fn open(path: &Path) -> Result<Self, TensorFileError> {
        let io = |operation| move |source| TensorFileError::Io { operation, source };
        storage::check_regular(path).map_err(io("open"))?;
        let mut file = File::open(path).map_err(io("open"))?;
        let length = file.metadata().map_err(io("open"))?.len();
        let damaged = |got: String| Err(TensorFileError::Damaged(got));
        if length < 8 {
            return damaged(format!("{length} bytes"));
        }
        let mut header_size = [0; 8];
        file.read_exact(&mut header_size).map_err(io("read"))?;
        let header_size = u64::from_le_bytes(header_size);
        if header_size > MAX_HEADER_BYTES || header_size > length - 8 {
            return damaged(format!("a header of {header_size} bytes in a file of {length}"));
        }
        let mut json = vec![0; header_size as usize];
        file.read_exact(&mut json).map_err(io("read"))?;
        // This checks that the byte ranges have the sizes of the tensors, and follow one another without a gap.
        let header: Metadata = match serde_json::from_slice(&json) {
            Ok(header) => header,
            Err(error) => return damaged(error.to_string()),
        };
        let data = header.data_len() as u64;
        if data.checked_add(8 + header_size) != Some(length) {
            let parts = format!("8 + {header_size} (header) + {data} (tensors)");
            return damaged(format!("{length} bytes instead of {parts}"));
        }
        Ok(Self { file, header, data_start: 8 + header_size })
    }

    /// Returns the names of all tensors.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.header.offset_keys()
    }

    /// Returns the value of a key in the file's metadata; none if the key is missing.
    #[must_use]
    pub fn metadata(&self, key: &str) -> Option<&str> {
        self.header.metadata().as_ref()?.get(key).map(String::as_str)
    }

    /// Returns the shape of a tensor; none if there is no such tensor.
    #[must_use]
    pub fn shape(&self, name: &str) -> Option<&[usize]> {
        self.header.info(name).map(|info| info.shape.as_slice())
    }

    /// Reads a tensor, converted to `f32`.
    ///
    /// # Errors
    ///
    /// All but [`TensorFileError::Damaged`].
    pub fn read(&mut self, name: &str) -> Result<Vec<f32>, TensorFileError> {
        let info = self.header.info(name).ok_or(TensorFileError::Missing)?;
        let (from, to) = info.data_offsets;
        let format = match info.dtype {
            Dtype::F32 => None,
            Dtype::F16 => Some(HalfFormat::F16),
            Dtype::BF16 => Some(HalfFormat::Bf16),
            other => return Err(TensorFileError::NotFloats(format!("{other:?}"))),
        };
        let io = |source| TensorFileError::Io { operation: "read", source };
        self.file.seek(SeekFrom::Start(self.data_start + from as u64)).map_err(io)?;
        let values = if let Some(format) = format {
            let mut halves = vec![0u16; (to - from) / 2];
            self.file.read_exact(bytemuck::cast_slice_mut(&mut halves)).map_err(io)?;
            let mut values = vec![0.0; halves.len()];
            HalfKernels::detect().widen(format, &halves, &mut values);
            values
        } else {
            let mut values = vec![0f32; (to - from) / 4];
            self.file.read_exact(bytemuck::cast_slice_mut(&mut values)).map_err(io)?;
            values
        };
        match values.iter().position(|value: &f32| !value.is_finite()) {
            None => Ok(values),
            Some(position) => Err(TensorFileError::NotFinite { value: values[position], position }),
        }
    }
}
