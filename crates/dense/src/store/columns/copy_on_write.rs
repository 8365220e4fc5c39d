//! Arrays that are read from a mapped file until they are first changed, and then copied to memory whole.
//!
//! They suit what a search reads at random: all of it is one slice. What only grows is a
//! [`Column`](super::column::Column), which keeps its mapped part where it is.

use std::sync::Arc;

use bytemuck::{AnyBitPattern, NoUninit};
use kernels::Line;
use storage::{File, Writer};

use super::column::Column;
use super::reserve::reserve;
use crate::Error;

/// An array of numbers.
#[derive(Debug)]
pub(crate) enum CowArray<T> {
    Owned(Vec<T>),
    Mapped(Column<T>),
}

impl<T: AnyBitPattern + NoUninit> CowArray<T> {
    pub fn new() -> Self {
        Self::Owned(Vec::new())
    }

    /// A section of a file, which stays there.
    pub fn open(file: &Arc<File>, section: &'static str) -> Result<Self, Error> {
        Ok(Self::Mapped(Column::open(file, section)?))
    }

    pub fn as_slice(&self) -> &[T] {
        match self {
            Self::Owned(numbers) => numbers,
            Self::Mapped(column) => column.parts().0,
        }
    }

    /// The array in memory, where it can be changed.
    pub fn to_mut(&mut self) -> &mut Vec<T> {
        if let Self::Mapped(column) = self {
            let mut numbers = Vec::new();
            reserve(&mut numbers, column.len());
            numbers.extend_from_slice(column.parts().0);
            *self = Self::Owned(numbers);
        }
        match self {
            Self::Owned(numbers) => numbers,
            Self::Mapped(_) => unreachable!("it was copied above"),
        }
    }

    /// Writes the array as a section.
    pub fn write(&self, writer: &mut Writer, section: &str) -> Result<(), Error> {
        Ok(writer.section(section, bytemuck::cast_slice(self.as_slice()))?)
    }

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        match self {
            Self::Owned(numbers) => numbers.capacity() * size_of::<T>(),
            Self::Mapped(_) => 0,
        }
    }
}

/// Bytes in whole cache lines, otherwise like [`CowArray`]. Sections of files begin at multiples of a line, so that mapped
/// lines are aligned too.
#[derive(Debug)]
pub(crate) enum CowLines {
    Owned(Vec<Line>),
    Mapped(Column<u8>),
}

impl CowLines {
    pub fn new() -> Self {
        Self::Owned(Vec::new())
    }

    /// A section of a file, which stays there.
    pub fn open(file: &Arc<File>, section: &'static str) -> Result<Self, Error> {
        Ok(Self::Mapped(Column::open(file, section)?))
    }

    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Owned(lines) => Line::bytes(lines),
            Self::Mapped(column) => column.parts().0,
        }
    }

    /// The lines in memory, where they can be changed.
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
            Self::Mapped(_) => unreachable!("they were copied above"),
        }
    }

    /// Writes the lines as a section.
    pub fn write(&self, writer: &mut Writer, section: &str) -> Result<(), Error> {
        Ok(writer.section(section, self.bytes())?)
    }

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        match self {
            Self::Owned(lines) => lines.capacity() * size_of::<Line>(),
            Self::Mapped(_) => 0,
        }
    }
}
