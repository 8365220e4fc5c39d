//! An append-only column of numbers whose first part may stay in a mapped file.

use std::sync::Arc;

use bytemuck::AnyBitPattern;
use storage::{File, Writer};

use super::reserve::reserve;
use crate::Error;

/// A column of numbers: the mapped ones of a file, if any, then those appended, in memory.
#[derive(Debug)]
pub(crate) struct Column<T> {
    mapped: Option<Mapped>,
    appended: Vec<T>,
}

#[derive(Debug)]
struct Mapped {
    file: Arc<File>,
    section: &'static str,
    length: usize,
}

impl<T: AnyBitPattern + bytemuck::NoUninit> Column<T> {
    pub fn new() -> Self {
        Self { mapped: None, appended: Vec::new() }
    }

    /// A section of a file, which stays there.
    pub fn open(file: &Arc<File>, section: &'static str) -> Result<Self, Error> {
        let length = file.section_as::<T>(section)?.len();
        Ok(Self { mapped: Some(Mapped { file: Arc::clone(file), section, length }), appended: Vec::new() })
    }

    pub fn len(&self) -> usize {
        self.mapped_len() + self.appended.len()
    }

    /// The mapped numbers, and those appended to them.
    pub fn parts(&self) -> (&[T], &[T]) {
        let mapped = self.mapped.as_ref().map_or(&[][..], |mapped| {
            mapped.file.section_as(mapped.section).expect("the section was read when the file was opened")
        });
        (mapped, &self.appended)
    }

    /// `length` numbers from `start`, all of which lie in the same part.
    pub fn slice(&self, start: usize, length: usize) -> &[T] {
        match start.checked_sub(self.mapped_len()) {
            Some(start) => &self.appended[start..][..length],
            None => &self.parts().0[start..][..length],
        }
    }

    pub fn get(&self, at: usize) -> T {
        self.slice(at, 1)[0]
    }

    pub fn extend(&mut self, values: &[T]) {
        reserve(&mut self.appended, values.len());
        self.appended.extend_from_slice(values);
    }

    /// Removes the numbers from `length` on, which must have been appended.
    pub fn truncate(&mut self, length: usize) {
        self.appended.truncate(length - self.mapped_len());
    }

    /// Appends all numbers to the section that `writer` began last.
    pub fn write(&self, writer: &mut Writer) -> Result<(), Error> {
        let (mapped, appended) = self.parts();
        writer.append(bytemuck::cast_slice(mapped))?;
        Ok(writer.append(bytemuck::cast_slice(appended))?)
    }

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.appended.capacity() * size_of::<T>()
    }

    fn mapped_len(&self) -> usize {
        self.mapped.as_ref().map_or(0, |mapped| mapped.length)
    }
}
