//! Dense tensors, and their decoding from the messages of a file: [`Tensor`].

use std::io::{Read, Seek, SeekFrom};
use std::path::{Component, Path};

use super::error::Error;
use super::format::{DataLocation, DataType, TensorProto};

/// A dense tensor.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tensor {
    /// The sizes of the axes, outermost first.
    pub shape: Vec<usize>,
    /// The values, row-major. Their number is the product of `shape`.
    pub data: Data,
}

/// The values of a [`Tensor`].
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Data {
    /// 32-bit or 64-bit floats.
    F32(Vec<f32>),
    /// 32-bit or 64-bit integers.
    I64(Vec<i64>),
    /// Unsigned bytes.
    U8(Vec<u8>),
    /// Signed bytes.
    I8(Vec<i8>),
    /// Booleans.
    Bool(Vec<bool>),
}

impl Tensor {
    /// A tensor of integers with one axis.
    pub fn integers(values: Vec<i64>) -> Self {
        Self { shape: vec![values.len()], data: Data::I64(values) }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        match &self.data {
            Data::F32(values) => values.len(),
            Data::I64(values) => values.len(),
            Data::U8(values) => values.len(),
            Data::I8(values) => values.len(),
            Data::Bool(values) => values.len(),
        }
    }

    /// The values, if they are floats.
    pub fn floats(&self) -> Option<&[f32]> {
        if let Data::F32(values) = &self.data { Some(values) } else { None }
    }

    /// The values, if they are integers.
    pub fn ints(&self) -> Option<&[i64]> {
        if let Data::I64(values) = &self.data { Some(values) } else { None }
    }

    /// The values, if they are booleans.
    pub fn bools(&self) -> Option<&[bool]> {
        if let Data::Bool(values) = &self.data { Some(values) } else { None }
    }

    /// The tensor of the given shape whose value i is the value `indices[i]` of this tensor.
    ///
    /// # Panics
    ///
    /// If an index is out of range.
    pub fn pick(&self, shape: Vec<usize>, indices: &[usize]) -> Self {
        fn each<T: Copy>(values: &[T], indices: &[usize]) -> Vec<T> {
            indices.iter().map(|&i| values[i]).collect()
        }
        let data = match &self.data {
            Data::F32(values) => Data::F32(each(values, indices)),
            Data::I64(values) => Data::I64(each(values, indices)),
            Data::U8(values) => Data::U8(each(values, indices)),
            Data::I8(values) => Data::I8(each(values, indices)),
            Data::Bool(values) => Data::Bool(each(values, indices)),
        };
        Self { shape, data }
    }

    /// Decodes a tensor of the file `path`. Returns `None` if its type is not one of [`Data`].
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] if the number of values does not match the shape; [`Error::Io`] if the values are in
    /// another file that cannot be read.
    pub fn decode(proto: TensorProto, path: &Path) -> Result<Option<Self>, Error> {
        let name = proto.name.clone();
        let malformed =
            |expected: &str, got: String| Error::malformed(path, format!("tensor `{name}`: {expected}"), got);
        let dims = || format!("{:?}", proto.dims);
        let shape: Option<Vec<usize>> = proto.dims.iter().map(|&dim| usize::try_from(dim).ok()).collect();
        let shape = shape.ok_or_else(|| malformed("sizes of at least 0", dims()))?;
        let len = element_count(&shape).ok_or_else(|| malformed("sizes that fit into memory", dims()))?;
        let data_type = proto.data_type();
        let width = match data_type {
            DataType::Float | DataType::Int32 => 4,
            DataType::Int64 | DataType::Double => 8,
            DataType::Uint8 | DataType::Int8 | DataType::Bool => 1,
            _ => return Ok(None),
        };
        let byte_count =
            len.checked_mul(width).ok_or_else(|| malformed("sizes that fit into memory", dims()))?;
        let raw = if proto.data_location() == DataLocation::External {
            Some(read_external(&proto, byte_count, path)?)
        } else {
            proto.raw_data.filter(|raw| !raw.is_empty())
        };
        let data = match raw {
            Some(raw) if raw.len() != byte_count => {
                return Err(malformed(&format!("{byte_count} bytes"), raw.len().to_string()));
            }
            Some(raw) => from_bytes(data_type, raw),
            None => match data_type {
                DataType::Float => Data::F32(proto.float_data),
                DataType::Double => Data::F32(proto.double_data.iter().map(|&value| value as f32).collect()),
                DataType::Int64 => Data::I64(proto.int64_data),
                DataType::Int32 => Data::I64(proto.int32_data.iter().map(|&value| value.into()).collect()),
                DataType::Uint8 => Data::U8(proto.int32_data.iter().map(|&value| value as u8).collect()),
                DataType::Int8 => Data::I8(proto.int32_data.iter().map(|&value| value as i8).collect()),
                _ => Data::Bool(proto.int32_data.iter().map(|&value| value != 0).collect()),
            },
        };
        let tensor = Self { shape, data };
        if tensor.len() != len {
            return Err(malformed(&format!("{len} values"), tensor.len().to_string()));
        }
        Ok(Some(tensor))
    }
}

/// The product of the sizes, or `None` if it overflows.
pub(super) fn element_count(shape: &[usize]) -> Option<usize> {
    // A size of 0 makes the product 0 even if the product of the others overflows.
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1usize, |product, &size| product.checked_mul(size))
}

/// Decodes little-endian values. The number of bytes is a multiple of the size of a value.
fn from_bytes(data_type: DataType, raw: Vec<u8>) -> Data {
    fn each<const N: usize, T>(raw: &[u8], decode: impl Fn([u8; N]) -> T) -> Vec<T> {
        raw.as_chunks::<N>().0.iter().map(|&bytes| decode(bytes)).collect()
    }
    match data_type {
        DataType::Float => Data::F32(each(&raw, f32::from_le_bytes)),
        DataType::Double => Data::F32(each(&raw, |bytes| f64::from_le_bytes(bytes) as f32)),
        DataType::Int64 => Data::I64(each(&raw, i64::from_le_bytes)),
        DataType::Int32 => Data::I64(each(&raw, |bytes| i32::from_le_bytes(bytes).into())),
        DataType::Int8 => Data::I8(each(&raw, i8::from_le_bytes)),
        DataType::Bool => Data::Bool(raw.iter().map(|&byte| byte != 0).collect()),
        _ => Data::U8(raw),
    }
}

/// Reads the values of a tensor from the file that it names, which is in the folder of the model or below.
fn read_external(proto: &TensorProto, byte_count: usize, model: &Path) -> Result<Vec<u8>, Error> {
    let entry = |key: &str| {
        proto.external_data.iter().find(|entry| entry.key == key).map(|entry| entry.value.as_str())
    };
    let malformed = |expected: &str, got: &str| {
        Error::malformed(model, format!("tensor `{}`: {expected}", proto.name), got)
    };
    let location = entry("location").unwrap_or_default();
    let is_below =
        Path::new(location).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if location.is_empty() || !is_below {
        return Err(malformed("the path of a file in the folder of the model", location));
    }
    let number = |key: &str, default: u64| {
        entry(key).map_or(Ok(default), |text| text.parse().map_err(|_| malformed(key, text)))
    };
    let offset = number("offset", 0)?;
    let length = number("length", byte_count as u64)?;
    if length != byte_count as u64 {
        return Err(malformed(&format!("{byte_count} bytes"), &length.to_string()));
    }
    let path = model.parent().unwrap_or(Path::new("")).join(location);
    let io = |source| Error::Io { path: path.clone(), source };
    storage::check_regular(&path).map_err(io)?;
    let mut file = std::fs::File::open(&path).map_err(io)?;
    let available = file.metadata().map_err(io)?.len().saturating_sub(offset);
    if available < length {
        return Err(malformed(
            &format!("{length} bytes at offset {offset} of {location}"),
            &available.to_string(),
        ));
    }
    file.seek(SeekFrom::Start(offset)).map_err(io)?;
    let mut bytes = vec![0; byte_count];
    file.read_exact(&mut bytes).map_err(io)?;
    Ok(bytes)
}
