use std::sync::Arc;

use bytemuck::AnyBitPattern;
use storage::{File, Writer};

use crate::Error;
use crate::store::columns::reserve::reserve;

/// Numbers of which the first may lie in a mapped file; those appended are owned.
#[derive(Debug)]
pub(crate) struct Column<T> {
    base: Option<Mapped>,
    tail: Vec<T>,
}

#[derive(Debug)]
struct Mapped {
    file: Arc<File>,
    section: &'static str,
    length: usize,
}

impl<T: AnyBitPattern + bytemuck::NoUninit> Column<T> {
    pub fn new() -> Self {
        Self { base: None, tail: Vec::new() }
    }

    /// A section of a file, which stays there.
    pub fn open(file: &Arc<File>, section: &'static str) -> Result<Self, Error> {
        let length = file.section_as::<T>(section)?.len();
        Ok(Self { base: Some(Mapped { file: Arc::clone(file), section, length }), tail: Vec::new() })
    }

    pub fn len(&self) -> usize {
        self.base_len() + self.tail.len()
    }

    /// What is mapped, and what follows it.
    pub fn parts(&self) -> (&[T], &[T]) {
        let base = self.base.as_ref().map_or(&[][..], |base| {
            base.file.section_as(base.section).expect("the section was read when the file was opened")
        });
        (base, &self.tail)
    }

    /// `length` numbers from `start`, none of which are in the other part.
    pub fn slice(&self, start: usize, length: usize) -> &[T] {
        match start.checked_sub(self.base_len()) {
            Some(start) => &self.tail[start..][..length],
            None => &self.parts().0[start..][..length],
        }
    }

    pub fn get(&self, at: usize) -> T {
        self.slice(at, 1)[0]
    }

    pub fn extend(&mut self, values: &[T]) {
        reserve(&mut self.tail, values.len());
        self.tail.extend_from_slice(values);
    }

    /// Takes back what was appended beyond `length`.
    pub fn truncate(&mut self, length: usize) {
        self.tail.truncate(length - self.base_len());
    }

    /// Appends all numbers to the section begun last.
    pub fn write(&self, writer: &mut Writer) -> Result<(), Error> {
        let (base, tail) = self.parts();
        writer.append(bytemuck::cast_slice(base))?;
        Ok(writer.append(bytemuck::cast_slice(tail))?)
    }

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.tail.capacity() * size_of::<T>()
    }

    fn base_len(&self) -> usize {
        self.base.as_ref().map_or(0, |base| base.length)
    }
}
