//! An append-only column of numbers whose first part may stay in a mapped file.

use std::sync::Arc;

use bytemuck::AnyBitPattern;
use storage::{File, Writer};

use super::reserve::reserve;
use crate::Error;

/// A column of numbers: first the numbers in a mapped file, if there is one, then the appended numbers, in memory.
#[derive(Debug)]
pub(crate) struct Column<T> {
    mapped: Option<Mapped>,
    appended: Vec<T>,
}

/// A section of a mapped file.
#[derive(Debug)]
struct Mapped {
    file: Arc<File>,
    section: &'static str,
    /// How many numbers the section has.
    length: usize,
}

impl<T: AnyBitPattern + bytemuck::NoUninit> Column<T> {
    pub fn new() -> Self {
        Self { mapped: None, appended: Vec::new() }
    }

    /// Opens a section of a file. Its numbers stay in the file.
    pub fn open(file: &Arc<File>, section: &'static str) -> Result<Self, Error> {
        let length = file.section_as::<T>(section)?.len();
        Ok(Self { mapped: Some(Mapped { file: Arc::clone(file), section, length }), appended: Vec::new() })
    }

    pub fn len(&self) -> usize {
        self.mapped_len() + self.appended.len()
    }

    /// Returns the mapped numbers and the appended numbers.
    pub fn parts(&self) -> (&[T], &[T]) {
        let mapped = self.mapped.as_ref().map_or(&[][..], |mapped| {
            mapped.file.section_as(mapped.section).expect("the section was read when the file was opened")
        });
        (mapped, &self.appended)
    }

    /// Returns `length` numbers from the position `start` on. They must be all mapped or all appended.
    pub fn slice(&self, start: usize, length: usize) -> &[T] {
        match start.checked_sub(self.mapped_len()) {
            Some(start) => &self.appended[start..][..length],
            None => &self.parts().0[start..][..length],
        }
    }

    pub fn get(&self, at: usize) -> T {
        self.slice(at, 1)[0]
    }

    /// Reserves space for `additional` numbers.
    pub fn reserve(&mut self, additional: usize) {
        reserve(&mut self.appended, additional);
    }

    pub fn extend(&mut self, values: &[T]) {
        reserve(&mut self.appended, values.len());
        self.appended.extend_from_slice(values);
    }

    /// Keeps the first `length` numbers and removes the others, which must be appended ones.
    pub fn truncate(&mut self, length: usize) {
        self.appended.truncate(length - self.mapped_len());
    }

    /// Writes all numbers to the current section of `writer`.
    pub fn write(&self, writer: &mut Writer) -> Result<(), Error> {
        let (mapped, appended) = self.parts();
        writer.append(bytemuck::cast_slice(mapped))?;
        Ok(writer.append(bytemuck::cast_slice(appended))?)
    }

    /// Returns the number of bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.appended.capacity() * size_of::<T>()
    }

    fn mapped_len(&self) -> usize {
        self.mapped.as_ref().map_or(0, |mapped| mapped.length)
    }
}
