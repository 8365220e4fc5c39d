//! Where the numbers of a graph are: in a mapped file, or in memory, where several threads may change them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use storage::{File, Writer};

use crate::Error;
use crate::column::Column;

/// Records of links.
#[derive(Debug)]
pub(crate) struct Cells(Place<AtomicU32>);

/// Numbers that change only while nothing reads them.
#[derive(Debug)]
pub(crate) struct Offsets(Place<u32>);

#[derive(Debug)]
enum Place<T> {
    Owned(Vec<T>),
    Mapped(Column<u32>),
}

/// Some of the cells: all, or one record, which is how many links there are, then the links, then what an earlier
/// and longer list left behind.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CellsView<'a> {
    Owned(&'a [AtomicU32]),
    Mapped(&'a [u32]),
}

impl<T: From<u32>> Place<T> {
    fn open(file: &Arc<File>, section: &'static str) -> Result<Self, Error> {
        Ok(Self::Mapped(Column::open(file, section)?))
    }

    /// The numbers in memory, copied there from the file if need be.
    fn own(&mut self) -> &mut Vec<T> {
        if let Self::Mapped(column) = self {
            *self = Self::Owned(column.parts().0.iter().copied().map(T::from).collect());
        }
        match self {
            Self::Owned(numbers) => numbers,
            Self::Mapped(_) => unreachable!("it was copied above"),
        }
    }

    /// Bytes on the heap.
    fn memory_bytes(&self) -> usize {
        match self {
            Self::Owned(numbers) => numbers.capacity() * size_of::<T>(),
            Self::Mapped(_) => 0,
        }
    }
}

impl Cells {
    pub fn new() -> Self {
        Self(Place::Owned(Vec::new()))
    }

    pub fn open(file: &Arc<File>, section: &'static str) -> Result<Self, Error> {
        Place::open(file, section).map(Self)
    }

    pub fn view(&self) -> CellsView<'_> {
        match &self.0 {
            Place::Owned(cells) => CellsView::Owned(cells),
            Place::Mapped(column) => CellsView::Mapped(column.parts().0),
        }
    }

    /// Makes them so many, in memory; new ones are 0.
    pub fn resize(&mut self, length: usize) {
        self.0.own().resize_with(length, AtomicU32::default);
    }

    /// Appends all records, each of this length, to the section begun last. What is left behind in them becomes
    /// zeros, so that equal graphs are equal files.
    pub fn write(&self, writer: &mut Writer, length: usize) -> Result<(), Error> {
        let cells = match &self.0 {
            Place::Mapped(column) => return column.write(writer),
            Place::Owned(cells) => cells,
        };
        let mut written = Vec::with_capacity(length);
        for record in cells.chunks_exact(length) {
            written.clear();
            CellsView::Owned(record).read_list(&mut written);
            written.insert(0, written.len() as u32);
            written.resize(length, 0);
            writer.append(bytemuck::cast_slice(&written))?;
        }
        Ok(())
    }

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.0.memory_bytes()
    }
}

impl<'a> CellsView<'a> {
    pub fn len(self) -> usize {
        match self {
            Self::Owned(cells) => cells.len(),
            Self::Mapped(cells) => cells.len(),
        }
    }

    pub fn get(self, at: usize) -> u32 {
        match self {
            Self::Owned(cells) => cells[at].load(Ordering::Relaxed),
            Self::Mapped(cells) => cells[at],
        }
    }

    pub fn slice(self, start: usize, length: usize) -> CellsView<'a> {
        match self {
            Self::Owned(cells) => Self::Owned(&cells[start..][..length]),
            Self::Mapped(cells) => Self::Mapped(&cells[start..][..length]),
        }
    }

    /// Appends the links of this record to `found`.
    pub fn read_list(self, found: &mut Vec<u32>) {
        match self {
            Self::Mapped(record) => found.extend_from_slice(&record[1..][..record[0] as usize]),
            Self::Owned(record) => {
                // Acquire, with the release in `write_list`: links are not read before they were written.
                let count = record[0].load(Ordering::Acquire) as usize;
                found.extend(record[1..][..count].iter().map(|cell| cell.load(Ordering::Relaxed)));
            }
        }
    }

    /// Replaces the links of this record, where no other thread does so at once. What is behind the last stays
    /// as it was: a reader that still knows of more links reads links of this record, old or new.
    ///
    /// # Panics
    ///
    /// If there are more than there is room for, or the record is in a file.
    pub fn write_list(self, links: &[u32]) {
        let Self::Owned(record) = self else {
            panic!("a graph is copied to memory before it changes");
        };
        for (cell, &link) in record[1..][..links.len()].iter().zip(links) {
            cell.store(link, Ordering::Relaxed);
        }
        record[0].store(links.len() as u32, Ordering::Release);
    }
}

impl Offsets {
    /// The one that precedes all rows.
    pub fn new() -> Self {
        Self(Place::Owned(vec![0]))
    }

    pub fn open(file: &Arc<File>, section: &'static str) -> Result<Self, Error> {
        Place::open(file, section).map(Self)
    }

    pub fn as_slice(&self) -> &[u32] {
        match &self.0 {
            Place::Owned(offsets) => offsets,
            Place::Mapped(column) => column.parts().0,
        }
    }

    /// To change them, in memory.
    pub fn own(&mut self) -> &mut Vec<u32> {
        self.0.own()
    }

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.0.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_list_leaves_valid_links_behind_for_slow_readers() {
        let mut cells = Cells::new();
        cells.resize(4);
        let mut found = Vec::new();
        cells.view().write_list(&[7, 8, 9]);
        cells.view().write_list(&[5]);
        cells.view().read_list(&mut found);
        assert_eq!(found, [5]);
        assert_eq!([1, 2, 3].map(|at| cells.view().get(at)), [5, 8, 9]);
    }
}
