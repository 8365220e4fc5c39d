//! Reads individual tensors from a safetensors file, because the head is only a small part of a checkpoint.
//!
//! A file has three parts: the length n of the header as a little-endian u64; the header, which is n bytes of JSON with
//! each tensor's type, shape and byte range; and the data.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use kernels::half::{HalfFormat, HalfKernels};
use safetensors::Dtype;
use safetensors::tensor::Metadata;

use crate::Error;
use crate::head::tensor::Tensor;

/// Maximum length of the header in bytes, as in the `safetensors` library.
const MAX_HEADER_BYTES: u64 = 100_000_000;

/// An open safetensors file.
#[derive(Debug)]
pub(crate) struct Tensors {
    path: PathBuf,
    file: File,
    header: Metadata,
    /// Offset of the data in the file, in bytes.
    data_start: u64,
}

impl Tensors {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; [`Error::Format`] if the header is invalid or does not match the length of the file.
    pub fn open(path: &Path) -> Result<Self, Error> {
        storage::check_regular(path).map_err(Error::io("open", path))?;
        let mut file = File::open(path).map_err(Error::io("open", path))?;
        let length = file.metadata().map_err(Error::io("open", path))?.len();
        let damaged = |got: String| Error::format(path, "a valid safetensors file", got);
        let mut header_size = [0; 8];
        if length < 8 {
            return Err(damaged(format!("{length} bytes")));
        }
        file.read_exact(&mut header_size).map_err(Error::io("read", path))?;
        let header_size = u64::from_le_bytes(header_size);
        if header_size > MAX_HEADER_BYTES || header_size > length - 8 {
            return Err(damaged(format!("a header of {header_size} bytes in a file of {length}")));
        }
        let mut json = vec![0; header_size as usize];
        file.read_exact(&mut json).map_err(Error::io("read", path))?;
        let header: Metadata = serde_json::from_slice(&json).map_err(|error| damaged(error.to_string()))?;
        let end = (header.data_len() as u64).checked_add(8 + header_size);
        if end != Some(length) {
            let data = header.data_len();
            return Err(damaged(format!(
                "{length} bytes instead of 8 + {header_size} (header) + {data} (tensors)"
            )));
        }
        Ok(Self { path: path.to_path_buf(), file, header, data_start: 8 + header_size })
    }

    /// Returns the names of all tensors.
    pub fn names(&self) -> Vec<String> {
        self.header.offset_keys()
    }

    /// Returns the value of a key in the file's metadata; none if the key is missing.
    pub fn metadata(&self, key: &str) -> Option<&str> {
        self.header.metadata().as_ref()?.get(key).map(String::as_str)
    }

    /// Reads the tensor with this name, converted to `f32`.
    pub fn read(&mut self, name: &str) -> Result<Tensor, Error> {
        let info = self.header.info(name).ok_or_else(|| {
            Error::format(&self.path, format!("a tensor \"{name}\""), self.names().join(", "))
        })?;
        let width = match info.dtype {
            Dtype::F16 | Dtype::BF16 => 2,
            Dtype::F32 => 4,
            other => {
                let expected = format!("numbers of type F16, BF16 or F32 in tensor \"{name}\"");
                return Err(Error::format(&self.path, expected, format!("{other:?}")));
            }
        };
        let (from, to) = info.data_offsets;
        let count = info.shape.iter().try_fold(1usize, |product, &size| product.checked_mul(size));
        let Some(count) = count.filter(|count| count.checked_mul(width) == to.checked_sub(from)) else {
            let got = format!("tensor \"{name}\" of shape {:?} in bytes {from}..{to}", info.shape);
            return Err(Error::format(&self.path, "a valid safetensors file", got));
        };
        let (dtype, shape) = (info.dtype, info.shape.clone());
        self.file
            .seek(SeekFrom::Start(self.data_start + from as u64))
            .map_err(Error::io("read", &self.path))?;
        let mut values = vec![0.0; count];
        if dtype == Dtype::F32 {
            let bytes = bytemuck::cast_slice_mut(&mut values);
            self.file.read_exact(bytes).map_err(Error::io("read", &self.path))?;
        } else {
            let mut halves = vec![0u16; count];
            let bytes = bytemuck::cast_slice_mut(&mut halves);
            self.file.read_exact(bytes).map_err(Error::io("read", &self.path))?;
            let format = if dtype == Dtype::F16 { HalfFormat::F16 } else { HalfFormat::Bf16 };
            HalfKernels::detect().widen(format, &halves, &mut values);
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            let got = format!("{} at position {at}", values[at]);
            return Err(Error::format(&self.path, format!("finite numbers in tensor \"{name}\""), got));
        }
        Ok(Tensor { shape, values })
    }
}
