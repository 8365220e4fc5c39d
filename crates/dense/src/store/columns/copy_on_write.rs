use std::sync::Arc;

use bytemuck::{AnyBitPattern, NoUninit};
use kernels::Line;
use storage::{File, Writer};

use crate::Error;
use crate::store::columns::column::Column;
use crate::store::columns::reserve::reserve;

/// Numbers that lie in a mapped file until they change: then they are copied to memory, whole.
#[derive(Debug)]
pub(crate) enum Numbers<T> {
    Owned(Vec<T>),
    Mapped(Column<T>),
}

impl<T: AnyBitPattern + NoUninit> Numbers<T> {
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

    /// To change them, in memory.
    pub fn own(&mut self) -> &mut Vec<T> {
        if let Self::Mapped(column) = self {
            let mut numbers = Vec::new();
            reserve(&mut numbers, column.len());
            numbers.extend_from_slice(column.parts().0);
            *self = Self::Owned(numbers);
        }
        match self {
            Self::Owned(numbers) => numbers,
            Self::Mapped(_) => unreachable!("they were copied above"),
        }
    }

    /// Writes them as a section.
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

/// Bytes in whole lines, otherwise as [`Numbers`]: sections of files begin at multiples of a line.
#[derive(Debug)]
pub(crate) enum Lines {
    Owned(Vec<Line>),
    Mapped(Column<u8>),
}

impl Lines {
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

    /// To change them, in memory.
    pub fn own(&mut self) -> &mut Vec<Line> {
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

    /// Writes them as a section.
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
