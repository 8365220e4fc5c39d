//! Tensors of an ONNX file (`TensorProto` of onnx.proto): where they are, and their numbers as `f32`.

use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use kernels::half::{HalfFormat, HalfKernels};

use super::protobuf::ProtobufFile;
use crate::Error;
use crate::head::tensor::Tensor;

/// Where a tensor's numbers are.
#[derive(Debug, Default)]
pub(super) struct TensorInfo {
    pub name: String,
    shape: Vec<i64>,
    /// A number of `TensorProto.DataType`.
    kind: u64,
    /// Bytes in this file, the numbers one after the other.
    raw: Option<Range<u64>>,
    /// Packed numbers of a field of their own kind.
    packed: Vec<Range<u64>>,
    /// Bytes of another file.
    external: Option<External>,
}

/// A part of a file that stands beside the one with the graph.
#[derive(Debug, Default)]
struct External {
    location: String,
    offset: u64,
    length: Option<u64>,
}

/// The kinds of numbers that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Single,
    Double,
    Half(HalfFormat),
    Byte,
    SignedByte,
    Integer,
    LongInteger,
}

impl Kind {
    fn of(number: u64) -> Option<Self> {
        Some(match number {
            1 => Self::Single,
            2 => Self::Byte,
            3 => Self::SignedByte,
            6 => Self::Integer,
            7 => Self::LongInteger,
            10 => Self::Half(HalfFormat::F16),
            11 => Self::Double,
            16 => Self::Half(HalfFormat::Bf16),
            _ => return None,
        })
    }

    fn width(self) -> usize {
        match self {
            Self::Byte | Self::SignedByte => 1,
            Self::Half(_) => 2,
            Self::Single | Self::Integer => 4,
            Self::Double | Self::LongInteger => 8,
        }
    }
}

impl TensorInfo {
    pub fn read(source: &mut ProtobufFile, mut message: Range<u64>) -> Result<Self, Error> {
        let mut info = Self::default();
        let (mut entries, mut outside) = (External::default(), false);
        while let Some(field) = source.field(&mut message)? {
            match field.number {
                1 => info.shape.extend(source.integers(field)?),
                2 => info.kind = field.value.unwrap_or(0),
                4 | 5 | 7 | 10 => info.packed.push(field.range),
                8 => info.name = source.text(&field.range)?,
                9 => info.raw = Some(field.range),
                13 => entries.add(source, field.range)?,
                14 => outside = field.value == Some(1),
                _ => {}
            }
        }
        info.external = outside.then_some(entries);
        Ok(info)
    }

    /// The file that the numbers are in, where it is not that of the graph.
    ///
    /// # Errors
    ///
    /// [`Error::Format`] for a place outside the folder of the graph.
    pub fn outside(&self, graph: &Path) -> Result<Option<PathBuf>, Error> {
        let Some(External { location, .. }) = &self.external else { return Ok(None) };
        let inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if location.is_empty() || location.contains('\0') || !Path::new(location).components().all(inside) {
            let expected = format!("the weights of tensor \"{}\" in the folder of the graph", self.name);
            return Err(Error::format(graph, expected, format!("{location:?}")));
        }
        Ok(Some(graph.parent().unwrap_or(Path::new("")).join(location)))
    }

    /// Its numbers.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; [`Error::Format`] for another kind of numbers, for more or fewer than the shape says, and for numbers that
    /// are not finite.
    pub fn load(&self, source: &mut ProtobufFile) -> Result<Tensor, Error> {
        let Some(kind) = Kind::of(self.kind) else {
            let expected = format!(
                "numbers of type FLOAT, FLOAT16, BFLOAT16, INT8 or UINT8 in tensor \"{}\"",
                self.name
            );
            return Err(Error::format(source.path(), expected, format!("type {}", self.kind)));
        };
        let size = |&size: &i64| usize::try_from(size).ok();
        let shape: Option<Vec<usize>> = self.shape.iter().map(size).collect();
        let count = shape.as_ref().and_then(|shape| {
            let product = shape.iter().try_fold(1usize, |product, &size| product.checked_mul(size))?;
            product.checked_mul(kind.width()).map(|_| product)
        });
        let (Some(shape), Some(count)) = (shape, count) else {
            return Err(source.damaged(format!("tensor \"{}\" of shape {:?}", self.name, self.shape)));
        };
        let values = if let Some(path) = self.outside(source.path())? {
            let External { offset, length, .. } = self.external.as_ref().expect("it is outside");
            let mut other = ProtobufFile::open(&path)?;
            let end = other.whole().end;
            let length = length.unwrap_or_else(|| end.saturating_sub(*offset));
            let Some(to) = offset.checked_add(length).filter(|&to| to <= end) else {
                let expected = format!("{length} bytes of tensor \"{}\" from byte {offset}", self.name);
                return Err(Error::format(&path, expected, format!("a file of {end}")));
            };
            self.plain(&mut other, kind, count, &(*offset..to))?
        } else if let Some(raw) = &self.raw {
            self.plain(source, kind, count, raw)?
        } else {
            self.fields(source, kind, count)?
        };
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            let expected = format!("finite numbers in tensor \"{}\"", self.name);
            return Err(Error::format(source.path(), expected, format!("{} at place {at}", values[at])));
        }
        Ok(Tensor { shape, values })
    }

    /// Numbers as bytes.
    fn plain(
        &self,
        source: &mut ProtobufFile,
        kind: Kind,
        count: usize,
        range: &Range<u64>,
    ) -> Result<Vec<f32>, Error> {
        let length = range.end - range.start;
        if length != (count * kind.width()) as u64 {
            return Err(self.of_other_size(source, count, format!("{length} bytes")));
        }
        let mut values = vec![0.0; count];
        match kind {
            Kind::Single => source.read(range.start, bytemuck::cast_slice_mut(&mut values))?,
            Kind::Half(format) => {
                let mut halves = vec![0u16; count];
                source.read(range.start, bytemuck::cast_slice_mut(&mut halves))?;
                HalfKernels::detect().widen(format, &halves, &mut values);
            }
            Kind::Double => convert(source, range, &mut values, |bytes| f64::from_le_bytes(bytes) as f32)?,
            Kind::Byte => convert(source, range, &mut values, |[byte]| f32::from(byte))?,
            Kind::SignedByte => convert(source, range, &mut values, |[byte]| f32::from(byte as i8))?,
            Kind::Integer => convert(source, range, &mut values, |bytes| i32::from_le_bytes(bytes) as f32)?,
            Kind::LongInteger => {
                convert(source, range, &mut values, |bytes| i64::from_le_bytes(bytes) as f32)?
            }
        }
        Ok(values)
    }

    /// Numbers of the field for their kind; that for small ones has them as varints.
    fn fields(&self, source: &mut ProtobufFile, kind: Kind, count: usize) -> Result<Vec<f32>, Error> {
        let bytes = self.packed.iter().map(|range| range.end - range.start).sum::<u64>();
        if matches!(kind, Kind::Single | Kind::Double) {
            if bytes != (count * kind.width()) as u64 {
                return Err(self.of_other_size(source, count, format!("{bytes} bytes")));
            }
            let mut values = Vec::with_capacity(count);
            for range in &self.packed {
                let count = (range.end - range.start) as usize / kind.width();
                values.extend(self.plain(source, kind, count, range)?);
            }
            return Ok(values);
        }
        // A varint has a byte or more.
        if bytes < count as u64 {
            return Err(self.of_other_size(source, count, format!("{bytes} bytes")));
        }
        let mut values = Vec::with_capacity(count);
        for range in &self.packed {
            let mut range = range.clone();
            while !range.is_empty() {
                let number = source.varint(&mut range)?;
                let mut value = [number as i64 as f32];
                if let Kind::Half(format) = kind {
                    HalfKernels::detect().widen(format, &[number as u16], &mut value);
                }
                values.push(value[0]);
            }
        }
        if values.len() != count {
            return Err(self.of_other_size(source, count, format!("{} numbers", values.len())));
        }
        Ok(values)
    }

    fn of_other_size(&self, source: &ProtobufFile, count: usize, got: String) -> Error {
        let expected = format!("{count} numbers in tensor \"{}\" of shape {:?}", self.name, self.shape);
        Error::format(source.path(), expected, got)
    }
}

impl External {
    /// An entry of a tensor's list of texts with names.
    fn add(&mut self, source: &mut ProtobufFile, mut message: Range<u64>) -> Result<(), Error> {
        let (mut key, mut value) = (String::new(), String::new());
        while let Some(field) = source.field(&mut message)? {
            match field.number {
                1 => key = source.text(&field.range)?,
                2 => value = source.text(&field.range)?,
                _ => {}
            }
        }
        let number = |text: &str| {
            let damaged = |_| source.damaged(format!("{text:?} for a place in another file"));
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

/// Numbers of `N` bytes, a block at a time.
fn convert<const N: usize>(
    source: &mut ProtobufFile,
    range: &Range<u64>,
    values: &mut [f32],
    number: impl Fn([u8; N]) -> f32,
) -> Result<(), Error> {
    const BLOCK: usize = 8192;
    let mut bytes = vec![[0; N]; BLOCK.min(values.len())];
    for (at, block) in values.chunks_mut(BLOCK).enumerate() {
        let bytes = &mut bytes[..block.len()];
        source.read(range.start + (at * BLOCK * N) as u64, bytes.as_flattened_mut())?;
        block.iter_mut().zip(bytes).for_each(|(value, bytes)| *value = number(*bytes));
    }
    Ok(())
}
