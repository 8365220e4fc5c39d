//! Copy-on-write arrays: read from a mapped file until they are first changed, and then copied to memory completely.
//!
//! A copy-on-write array is always a single slice, which is the fastest to read at random positions. A
//! [`Column`](super::column::Column) has two parts, but never copies the mapped one.

use std::sync::Arc;

use bytemuck::{AnyBitPattern, NoUninit};
use kernels::Line;
use storage::{File, Writer};

use super::column::Column;
use super::reserve::reserve;
use crate::Error;

/// A copy-on-write array of numbers.
#[derive(Debug)]
pub(crate) enum CowArray<T> {
    Owned(Vec<T>),
    Mapped(Column<T>),
}

impl<T: AnyBitPattern + NoUninit> CowArray<T> {
    pub fn new() -> Self {
        Self::Owned(Vec::new())
    }

    /// Opens a section of a file. Its numbers stay in the file until the array is changed.
    pub fn open(file: &Arc<File>, section: &'static str) -> Result<Self, Error> {
        Ok(Self::Mapped(Column::open(file, section)?))
    }

    pub fn as_slice(&self) -> &[T] {
        match self {
            Self::Owned(numbers) => numbers,
            Self::Mapped(column) => column.parts().0,
        }
    }

    /// Returns the array in memory, where it can be changed. A mapped array is copied first.
    pub fn to_mut(&mut self) -> &mut Vec<T> {
        if let Self::Mapped(column) = self {
            let mut numbers = Vec::new();
            reserve(&mut numbers, column.len());
            numbers.extend_from_slice(column.parts().0);
            *self = Self::Owned(numbers);
        }
        match self {
            Self::Owned(numbers) => numbers,
            Self::Mapped(_) => unreachable!("a mapped array was copied above"),
        }
    }

    /// Writes the array as a section.
    pub fn write(&self, writer: &mut Writer, section: &str) -> Result<(), Error> {
        Ok(writer.section(section, bytemuck::cast_slice(self.as_slice()))?)
    }

    /// Returns the number of bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        match self {
            Self::Owned(numbers) => numbers.capacity() * size_of::<T>(),
            Self::Mapped(_) => 0,
        }
    }
}

/// A copy-on-write array of cache lines. Sections of files begin at multiples of a cache line, so that mapped lines are
/// aligned too.
#[derive(Debug)]
pub(crate) enum CowLines {
    Owned(Vec<Line>),
    Mapped(Column<u8>),
}

impl CowLines {
    pub fn new() -> Self {
        Self::Owned(Vec::new())
    }

    /// Opens a section of a file. Its bytes stay in the file until the array is changed.
    pub fn open(file: &Arc<File>, section: &'static str) -> Result<Self, Error> {
        Ok(Self::Mapped(Column::open(file, section)?))
    }

    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Owned(lines) => Line::bytes(lines),
            Self::Mapped(column) => column.parts().0,
        }
    }

    /// Returns the lines in memory, where they can be changed. Mapped lines are copied first.
    pub fn to_mut(&mut self) -> &mut Vec<Line> {
        if let Self::Mapped(column) = self {
            let bytes = column.parts().0;
            let (mut lines, count) = (Vec::new(), bytes.len().div_ceil(size_of::<Line>()));
            reserve(&mut lines, count);
            lines.resize(count, Line::ZERO);
            Line::bytes_mut(&mut lines)[..bytes.len()].copy_from_slice(bytes);
            *self = Self::Owned(lines);
        }
        match self {
            Self::Owned(lines) => lines,
            Self::Mapped(_) => unreachable!("mapped lines were copied above"),
        }
    }

    /// Writes the lines as a section.
    pub fn write(&self, writer: &mut Writer, section: &str) -> Result<(), Error> {
        Ok(writer.section(section, self.bytes())?)
    }

    /// Returns the number of bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        match self {
            Self::Owned(lines) => lines.capacity() * size_of::<Line>(),
            Self::Mapped(_) => 0,
        }
    }
}
