//! Finds the values of tensors in an ONNX file (`TensorProto` of onnx.proto), and converts them to `f32`.
//!
//! Values are stored as raw little-endian bytes, in the ONNX file itself or in an external data file, or else in a
//! repeated field for their type, such as `float_data`.

use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use kernels::half::{HalfFormat, HalfKernels};

use super::protobuf::ProtobufFile;
use crate::Error;
use crate::head::tensor::Tensor;

/// A tensor whose values have not been loaded.
#[derive(Debug, Default)]
pub(super) struct TensorInfo {
    pub name: String,
    shape: Vec<i64>,
    /// A value of `TensorProto.DataType`.
    data_type: u64,
    /// The range of the raw bytes in the ONNX file.
    raw: Option<Range<u64>>,
    /// The ranges of the repeated field with the values; a writer may split such a field into several parts.
    packed: Vec<Range<u64>>,
    /// Location of the raw bytes, if they are in another file.
    external: Option<External>,
}

/// A range of bytes in an external data file.
#[derive(Debug, Default)]
struct External {
    /// Path of the file, relative to the folder of the graph.
    location: String,
    offset: u64,
    length: Option<u64>,
}

/// The supported types of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DataType {
    F32,
    F64,
    Half(HalfFormat),
    U8,
    I8,
    I32,
    I64,
}

impl DataType {
    /// Returns the type with this value of `TensorProto.DataType`.
    fn from_proto(number: u64) -> Option<Self> {
        Some(match number {
            1 => Self::F32,
            2 => Self::U8,
            3 => Self::I8,
            6 => Self::I32,
            7 => Self::I64,
            10 => Self::Half(HalfFormat::F16),
            11 => Self::F64,
            16 => Self::Half(HalfFormat::Bf16),
            _ => return None,
        })
    }

    /// Returns the number of bytes of a value in the raw bytes.
    fn width(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::Half(_) => 2,
            Self::F32 | Self::I32 => 4,
            Self::F64 | Self::I64 => 8,
        }
    }
}

impl TensorInfo {
    /// Decodes a `TensorProto` without loading its values: its fields dims (1), `data_type` (2), `float_data` (4),
    /// `int32_data` (5), `int64_data` (7), `double_data` (10), name (8), `raw_data` (9), `external_data` (13) and
    /// `data_location` (14).
    pub fn read(file: &mut ProtobufFile, mut message: Range<u64>) -> Result<Self, Error> {
        let mut info = Self::default();
        let (mut external, mut is_external) = (External::default(), false);
        while let Some(field) = file.field(&mut message)? {
            match field.number {
                1 => info.shape.extend(file.integers(field)?),
                2 => info.data_type = field.value.unwrap_or(0),
                4 | 5 | 7 | 10 => info.packed.push(field.range),
                8 => info.name = file.text(&field.range)?,
                9 => info.raw = Some(field.range),
                13 => external.add_entry(file, field.range)?,
                14 => is_external = field.value == Some(1),
                _ => {}
            }
        }
        info.external = is_external.then_some(external);
        Ok(info)
    }

    /// Returns the external data file with the values, if they are not in the file of the graph.
    ///
    /// # Errors
    ///
    /// [`Error::Format`] if that file is outside the folder of the graph.
    pub fn external_file(&self, graph: &Path) -> Result<Option<PathBuf>, Error> {
        let Some(External { location, .. }) = &self.external else { return Ok(None) };
        let inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if location.is_empty() || location.contains('\0') || !Path::new(location).components().all(inside) {
            let expected = format!("the weights of tensor \"{}\" in the folder of the graph", self.name);
            return Err(Error::format(graph, expected, format!("{location:?}")));
        }
        Ok(Some(graph.parent().unwrap_or(Path::new("")).join(location)))
    }

    /// Loads the values.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; [`Error::Format`] if their type is not supported, if their number does not match the shape, or if
    /// a value is not finite.
    pub fn load(&self, file: &mut ProtobufFile) -> Result<Tensor, Error> {
        let Some(data_type) = DataType::from_proto(self.data_type) else {
            let types = "FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8, UINT8, INT32 or INT64";
            let expected = format!("numbers of type {types} in tensor \"{}\"", self.name);
            return Err(Error::format(file.path(), expected, format!("type {}", self.data_type)));
        };
        let size = |&size: &i64| usize::try_from(size).ok();
        let shape: Option<Vec<usize>> = self.shape.iter().map(size).collect();
        let count = shape.as_ref().and_then(|shape| {
            let product = shape.iter().try_fold(1usize, |product, &size| product.checked_mul(size))?;
            product.checked_mul(data_type.width()).map(|_| product)
        });
        let (Some(shape), Some(count)) = (shape, count) else {
            return Err(file.damaged(format!("tensor \"{}\" of shape {:?}", self.name, self.shape)));
        };
        let values = if let Some(path) = self.external_file(file.path())? {
            let External { offset, length, .. } = self.external.as_ref().expect("it has a file");
            let mut external_file = ProtobufFile::open(&path)?;
            let end = external_file.whole().end;
            let length = length.unwrap_or_else(|| end.saturating_sub(*offset));
            let Some(to) = offset.checked_add(length).filter(|&to| to <= end) else {
                let expected = format!("{length} bytes of tensor \"{}\" from byte {offset}", self.name);
                return Err(Error::format(&path, expected, format!("a file of {end} bytes")));
            };
            self.load_raw(&mut external_file, data_type, count, &(*offset..to))?
        } else if let Some(raw) = &self.raw {
            self.load_raw(file, data_type, count, raw)?
        } else {
            self.load_packed(file, data_type, count)?
        };
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            let expected = format!("finite numbers in tensor \"{}\"", self.name);
            return Err(Error::format(file.path(), expected, format!("{} at position {at}", values[at])));
        }
        Ok(Tensor { shape, values })
    }

    /// Loads values from raw bytes.
    fn load_raw(
        &self,
        file: &mut ProtobufFile,
        data_type: DataType,
        count: usize,
        range: &Range<u64>,
    ) -> Result<Vec<f32>, Error> {
        let length = range.end - range.start;
        if length != (count * data_type.width()) as u64 {
            return Err(self.wrong_size(file, count, format!("{length} bytes")));
        }
        let mut values = vec![0.0; count];
        match data_type {
            DataType::F32 => file.read(range.start, bytemuck::cast_slice_mut(&mut values))?,
            DataType::Half(format) => {
                let mut halves = vec![0u16; count];
                file.read(range.start, bytemuck::cast_slice_mut(&mut halves))?;
                HalfKernels::detect().widen(format, &halves, &mut values);
            }
            DataType::F64 => convert(file, range, &mut values, |bytes| f64::from_le_bytes(bytes) as f32)?,
            DataType::U8 => convert(file, range, &mut values, |[byte]| f32::from(byte))?,
            DataType::I8 => convert(file, range, &mut values, |[byte]| f32::from(byte as i8))?,
            DataType::I32 => convert(file, range, &mut values, |bytes| i32::from_le_bytes(bytes) as f32)?,
            DataType::I64 => convert(file, range, &mut values, |bytes| i64::from_le_bytes(bytes) as f32)?,
        }
        Ok(values)
    }

    /// Loads values from the repeated field for their type. Integers and 16-bit floats are stored as varints.
    fn load_packed(
        &self,
        file: &mut ProtobufFile,
        data_type: DataType,
        count: usize,
    ) -> Result<Vec<f32>, Error> {
        let bytes = self.packed.iter().map(|range| range.end - range.start).sum::<u64>();
        if matches!(data_type, DataType::F32 | DataType::F64) {
            if bytes != (count * data_type.width()) as u64 {
                return Err(self.wrong_size(file, count, format!("{bytes} bytes")));
            }
            let mut values = Vec::with_capacity(count);
            for range in &self.packed {
                let count = (range.end - range.start) as usize / data_type.width();
                values.extend(self.load_raw(file, data_type, count, range)?);
            }
            return Ok(values);
        }
        // A varint has at least one byte.
        if bytes < count as u64 {
            return Err(self.wrong_size(file, count, format!("{bytes} bytes")));
        }
        let mut values = Vec::with_capacity(count);
        for range in &self.packed {
            let mut range = range.clone();
            while !range.is_empty() {
                let number = file.varint(&mut range)?;
                let mut value = [number as i64 as f32];
                if let DataType::Half(format) = data_type {
                    HalfKernels::detect().widen(format, &[number as u16], &mut value);
                }
                values.push(value[0]);
            }
        }
        if values.len() != count {
            return Err(self.wrong_size(file, count, format!("{} numbers", values.len())));
        }
        Ok(values)
    }

    /// Returns the error that a tensor does not have `count` values.
    fn wrong_size(&self, file: &ProtobufFile, count: usize, got: String) -> Error {
        let expected = format!("{count} numbers in tensor \"{}\" of shape {:?}", self.name, self.shape);
        Error::format(file.path(), expected, got)
    }
}

impl External {
    /// Decodes an entry of `TensorProto.external_data`, a key with a value.
    fn add_entry(&mut self, file: &mut ProtobufFile, mut message: Range<u64>) -> Result<(), Error> {
        let (mut key, mut value) = (String::new(), String::new());
        while let Some(field) = file.field(&mut message)? {
            match field.number {
                1 => key = file.text(&field.range)?,
                2 => value = file.text(&field.range)?,
                _ => {}
            }
        }
        let number = |text: &str| {
            let damaged = |_| file.damaged(format!("{text:?} as an offset or length in another file"));
            text.parse::<u64>().map_err(damaged)
        };
        match key.as_str() {
            "offset" => self.offset = number(&value)?,
            "length" => self.length = Some(number(&value)?),
            "location" => self.location = value,
            _ => {}
        }
        Ok(())
    }
}

/// Reads values of `N` bytes each and converts them, one block at a time.
fn convert<const N: usize>(
    file: &mut ProtobufFile,
    range: &Range<u64>,
    values: &mut [f32],
    convert_value: impl Fn([u8; N]) -> f32,
) -> Result<(), Error> {
    const BLOCK: usize = 8192;
    let mut bytes = vec![[0; N]; BLOCK.min(values.len())];
    for (at, block) in values.chunks_mut(BLOCK).enumerate() {
        let bytes = &mut bytes[..block.len()];
        file.read(range.start + (at * BLOCK * N) as u64, bytes.as_flattened_mut())?;
        block.iter_mut().zip(bytes).for_each(|(value, bytes)| *value = convert_value(*bytes));
    }
    Ok(())
}
