//! Where the links of a graph are: in a mapped file, or in memory, where several threads may change them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rayon::iter::Either;
use storage::{File, Writer};

use crate::Error;
use crate::store::columns::column::Column;
use crate::store::columns::reserve::reserve;

/// Links that fill a line of memory.
const LINKS: usize = 16;
/// No link: what is behind the last of a record.
const NONE: u32 = u32::MAX;

/// Records of up to a number of links, each in lines of its own.
#[derive(Debug)]
pub(crate) struct Cells {
    room: usize,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Owned(Vec<Line>),
    Mapped(Column<u32>),
}

#[derive(Debug)]
#[repr(align(64))]
struct Line([AtomicU32; LINKS]);

/// Records while they are walked, and while threads change them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CellsView<'a> {
    room: usize,
    place: PlaceView<'a>,
}

#[derive(Debug, Clone, Copy)]
enum PlaceView<'a> {
    Owned(&'a [Line]),
    Mapped(&'a [u32]),
}

impl Cells {
    /// No records; one will have room for `room` links.
    pub fn new(room: usize) -> Self {
        Self { room, place: Place::Owned(Vec::new()) }
    }

    /// Reads a section, which stays in its file. Whether the records are sound the caller checks.
    pub fn open(file: &Arc<File>, section: &'static str, room: usize) -> Result<Self, Error> {
        Ok(Self { room, place: Place::Mapped(Column::open(file, section)?) })
    }

    /// How many records there are; none if there are no whole ones.
    pub fn len(&self) -> Option<usize> {
        let (numbers, record) = match &self.place {
            Place::Owned(lines) => (lines.len() * LINKS, self.lines() * LINKS),
            Place::Mapped(column) => (column.len(), self.lines() * LINKS),
        };
        numbers.is_multiple_of(record).then_some(numbers / record)
    }

    pub fn view(&self) -> CellsView<'_> {
        let place = match &self.place {
            Place::Owned(lines) => PlaceView::Owned(lines),
            Place::Mapped(column) => PlaceView::Mapped(column.parts().0),
        };
        CellsView { room: self.room, place }
    }

    /// Copies them to memory.
    fn load(&mut self) {
        if let Place::Mapped(column) = &self.place {
            let mut lines = Vec::new();
            reserve(&mut lines, column.len() / LINKS);
            lines.extend(column.parts().0.chunks_exact(LINKS).map(|links| Line::of(|at| links[at])));
            self.place = Place::Owned(lines);
        }
    }

    /// Makes them so many, in memory; new ones have no links.
    pub fn resize(&mut self, records: usize) {
        self.load();
        let length = records * self.lines();
        if let Place::Owned(lines) = &mut self.place {
            reserve(lines, length.saturating_sub(lines.len()));
            lines.resize_with(length, || Line::of(|_| NONE));
        }
    }

    /// Writes all records as a section. What is left behind in them is not written, so that equal graphs are equal
    /// files.
    pub fn write(&self, writer: &mut Writer, section: &str) -> Result<(), Error> {
        writer.begin(section)?;
        let lines = match &self.place {
            Place::Mapped(column) => return column.write(writer),
            Place::Owned(lines) => lines,
        };
        let view = self.view();
        let mut links = Vec::with_capacity(self.lines() * LINKS);
        for record in 0..lines.len() / self.lines() {
            links.clear();
            view.links(record, NONE).for_each(|link| links.push(link));
            links.resize(self.lines() * LINKS, NONE);
            writer.append(bytemuck::cast_slice(&links))?;
        }
        Ok(())
    }

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        match &self.place {
            Place::Owned(lines) => lines.capacity() * size_of::<Line>(),
            Place::Mapped(_) => 0,
        }
    }

    fn lines(&self) -> usize {
        self.room.div_ceil(LINKS)
    }
}

impl Line {
    fn of(mut link: impl FnMut(usize) -> u32) -> Self {
        Self(std::array::from_fn(|at| AtomicU32::new(link(at))))
    }
}

impl CellsView<'_> {
    /// The most links of a record.
    pub fn room(&self) -> usize {
        self.room
    }

    /// The links of a record: those before the first that does not lead to one of so many rows. While another thread sets
    /// them, some may be old and some new. `for_each` is the quickest way through them.
    #[inline]
    pub fn links(&self, record: usize, rows: u32) -> impl Iterator<Item = u32> {
        let lines = self.room.div_ceil(LINKS);
        let there = move |link: &u32| *link < rows;
        match self.place {
            PlaceView::Mapped(numbers) => {
                let links = &numbers[record * lines * LINKS..][..self.room];
                Either::Left(links.iter().copied().take_while(there))
            }
            PlaceView::Owned(all) => {
                let links = all[record * lines..][..lines].iter().flat_map(|Line(links)| links);
                let links = links.map(|link| link.load(Ordering::Relaxed)).take(self.room);
                Either::Right(links.take_while(there))
            }
        }
    }

    /// Replaces the links of a record, where no other thread does so at once. What is behind the last but one stays as
    /// it was: a reader that is half-way reads links of this record, old or new.
    ///
    /// # Panics
    ///
    /// If there are more than there is room for, or the record is in a file.
    pub fn write(&self, record: usize, links: &[u32]) {
        let PlaceView::Owned(all) = self.place else {
            panic!("a graph is copied to memory before it changes");
        };
        assert!(links.len() <= self.room, "links: expected at most {}, got {}", self.room, links.len());
        let lines = self.room.div_ceil(LINKS);
        let cells = all[record * lines..][..lines].iter().flat_map(|Line(cells)| cells);
        for (cell, &link) in cells.zip(links.iter().chain([&NONE])) {
            cell.store(link, Ordering::Relaxed);
        }
    }

    /// Asks for a record to be fetched.
    #[inline]
    pub fn prefetch(&self, record: usize) {
        let lines = self.room.div_ceil(LINKS);
        match self.place {
            PlaceView::Owned(all) => {
                all[record * lines..][..lines].iter().for_each(kernels::prefetch_value);
            }
            PlaceView::Mapped(numbers) => {
                let links = &numbers[record * lines * LINKS..][..self.room];
                kernels::prefetch_bytes(bytemuck::cast_slice(links));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_list_leaves_valid_links_behind_for_slow_readers() {
        for room in [3, 16, 20] {
            let mut cells = Cells::new(room);
            cells.resize(2);
            let read = |cells: &Cells, record: usize| {
                let mut found = vec![1];
                found.extend(cells.view().links(record, 1000));
                found
            };
            assert_eq!((cells.len(), read(&cells, 1)), (Some(2), vec![1]));
            let full: Vec<u32> = (0..room as u32).collect();
            cells.view().write(1, &full);
            assert_eq!(read(&cells, 1)[1..], full);
            cells.view().write(1, &[5]);
            assert_eq!((read(&cells, 0), read(&cells, 1)), (vec![1], vec![1, 5]));
            let Place::Owned(lines) = &cells.place else { panic!("in memory") };
            let left = &lines[lines.len() / 2].0[..3];
            assert_eq!(
                left.iter().map(|link| link.load(Ordering::Relaxed)).collect::<Vec<_>>(),
                [5, NONE, 2]
            );
        }
    }
}
