//! Adjacency lists that all have the same capacity. They are in a mapped file, or in memory, where several threads may
//! change them.
//!
//! A list takes whole cache lines, so that no two lists share a cache line:
//!
//! ```text
//! capacity 20:  | n0 n1 … n15 | n16 … n19 – – … |     – is NO_NEIGHBOR, which ends the list
//!                 line 0 (64 B)  line 1 (64 B)
//! ```
//!
//! Readers take no lock. A writer stores the neighbors one by one and then, unless the list is full, one terminator. It
//! does not change the entries after the terminator. A concurrent reader therefore sees old or new neighbors, all of
//! them valid. Two threads must not write the same list at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rayon::iter::Either;
use storage::{File, Writer};

use crate::Error;
use crate::store::columns::column::Column;
use crate::store::columns::reserve::reserve;

/// Number of neighbors in one cache line of 64 bytes.
const NEIGHBORS_PER_LINE: usize = 16;
/// Ends a list that is shorter than its capacity.
const NO_NEIGHBOR: u32 = u32::MAX;

/// Adjacency lists of up to `capacity` neighbors.
#[derive(Debug)]
pub(crate) struct AdjacencyLists {
    capacity: usize,
    memory: Memory,
}

/// Where the lists are.
#[derive(Debug)]
enum Memory {
    /// On the heap, where they can be changed.
    Owned(Vec<Line>),
    /// In a mapped file.
    Mapped(Column<u32>),
}

/// A cache line of a list.
#[derive(Debug)]
#[repr(align(64))]
struct Line([AtomicU32; NEIGHBORS_PER_LINE]);

/// A view of [`AdjacencyLists`] that several threads can read and, in memory, write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AdjacencyView<'a> {
    capacity: usize,
    memory: MemoryView<'a>,
}

#[derive(Debug, Clone, Copy)]
enum MemoryView<'a> {
    Owned(&'a [Line]),
    Mapped(&'a [u32]),
}

impl AdjacencyLists {
    /// Creates a store without lists. Each list that is added later can have up to `capacity` neighbors.
    pub fn new(capacity: usize) -> Self {
        Self { capacity, memory: Memory::Owned(Vec::new()) }
    }

    /// Opens a section of a file, without copying it to memory. The caller checks that the lists are valid.
    pub fn open(file: &Arc<File>, section: &'static str, capacity: usize) -> Result<Self, Error> {
        Ok(Self { capacity, memory: Memory::Mapped(Column::open(file, section)?) })
    }

    /// Returns the maximum number of neighbors in a list.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the number of lists; `None` if the section of a file ends in the middle of a list.
    pub fn len(&self) -> Option<usize> {
        let entries = match &self.memory {
            Memory::Owned(lines) => lines.len() * NEIGHBORS_PER_LINE,
            Memory::Mapped(column) => column.len(),
        };
        let entries_per_list = self.lines_per_list() * NEIGHBORS_PER_LINE;
        entries.is_multiple_of(entries_per_list).then_some(entries / entries_per_list)
    }

    pub fn view(&self) -> AdjacencyView<'_> {
        let memory = match &self.memory {
            Memory::Owned(lines) => MemoryView::Owned(lines),
            Memory::Mapped(column) => MemoryView::Mapped(column.parts().0),
        };
        AdjacencyView { capacity: self.capacity, memory }
    }

    /// Copies mapped lists to memory, where they can be changed.
    fn copy_to_memory(&mut self) {
        if let Memory::Mapped(column) = &self.memory {
            let mut lines = Vec::new();
            reserve(&mut lines, column.len() / NEIGHBORS_PER_LINE);
            let chunks = column.parts().0.chunks_exact(NEIGHBORS_PER_LINE);
            lines.extend(chunks.map(|neighbors| Line::from_fn(|at| neighbors[at])));
            self.memory = Memory::Owned(lines);
        }
    }

    /// Copies mapped lists to memory, where they can be changed, and reserves space for `additional` lists.
    pub fn reserve(&mut self, additional: usize) {
        self.copy_to_memory();
        let additional = additional * self.lines_per_list();
        if let Memory::Owned(lines) = &mut self.memory {
            reserve(lines, additional);
        }
    }

    /// Copies mapped lists to memory, and then adds empty lists at the end, or removes lists from the end, until there
    /// are `count`.
    pub fn resize(&mut self, count: usize) {
        self.copy_to_memory();
        let line_count = count * self.lines_per_list();
        if let Memory::Owned(lines) = &mut self.memory {
            reserve(lines, line_count.saturating_sub(lines.len()));
            lines.resize_with(line_count, || Line::from_fn(|_| NO_NEIGHBOR));
        }
    }

    /// Writes all lists as a section. Entries after a terminator are written as terminators, so that equal graphs have
    /// equal files.
    pub fn write(&self, writer: &mut Writer, section: &str) -> Result<(), Error> {
        writer.begin(section)?;
        let lines = match &self.memory {
            Memory::Mapped(column) => return column.write(writer),
            Memory::Owned(lines) => lines,
        };
        let view = self.view();
        let mut neighbors = Vec::with_capacity(self.lines_per_list() * NEIGHBORS_PER_LINE);
        for list in 0..lines.len() / self.lines_per_list() {
            neighbors.clear();
            view.neighbors(list, NO_NEIGHBOR).for_each(|neighbor| neighbors.push(neighbor));
            neighbors.resize(self.lines_per_list() * NEIGHBORS_PER_LINE, NO_NEIGHBOR);
            writer.append(bytemuck::cast_slice(&neighbors))?;
        }
        Ok(())
    }

    /// Returns the number of bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        match &self.memory {
            Memory::Owned(lines) => lines.capacity() * size_of::<Line>(),
            Memory::Mapped(_) => 0,
        }
    }

    fn lines_per_list(&self) -> usize {
        self.capacity.div_ceil(NEIGHBORS_PER_LINE)
    }
}

impl Line {
    fn from_fn(mut neighbor: impl FnMut(usize) -> u32) -> Self {
        Self(std::array::from_fn(|at| AtomicU32::new(neighbor(at))))
    }
}

impl AdjacencyView<'_> {
    /// Returns the maximum number of neighbors in a list.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the neighbors in a list, up to the first entry that is not below `num_rows`: the terminator, or an
    /// invalid number in a corrupt file. While another thread writes the list, some neighbors may be old and some new.
    /// Iterating with `for_each` is faster than with a `for` loop.
    #[inline]
    pub fn neighbors(&self, list: usize, num_rows: u32) -> impl Iterator<Item = u32> {
        let lines_per_list = self.capacity.div_ceil(NEIGHBORS_PER_LINE);
        let is_row = move |neighbor: &u32| *neighbor < num_rows;
        match self.memory {
            MemoryView::Mapped(entries) => {
                let entries = &entries[list * lines_per_list * NEIGHBORS_PER_LINE..][..self.capacity];
                Either::Left(entries.iter().copied().take_while(is_row))
            }
            MemoryView::Owned(lines) => {
                let lines = &lines[list * lines_per_list..][..lines_per_list];
                let neighbors = lines.iter().flat_map(|Line(neighbors)| neighbors);
                let neighbors =
                    neighbors.map(|neighbor| neighbor.load(Ordering::Relaxed)).take(self.capacity);
                Either::Right(neighbors.take_while(is_row))
            }
        }
    }

    /// Replaces a list. The caller makes sure that no two threads write the same list at the same time; readers need no
    /// lock.
    ///
    /// # Panics
    ///
    /// If there are more neighbors than the list's capacity, or the lists are in a file.
    pub fn write(&self, list: usize, neighbors: &[u32]) {
        let MemoryView::Owned(lines) = self.memory else {
            panic!("a graph is copied to memory before it changes");
        };
        let (got, capacity) = (neighbors.len(), self.capacity);
        assert!(got <= capacity, "neighbors: expected at most {capacity}, got {got}");
        let lines_per_list = self.capacity.div_ceil(NEIGHBORS_PER_LINE);
        let lines = &lines[list * lines_per_list..][..lines_per_list];
        let places = lines.iter().flat_map(|Line(places)| places);
        for (place, &neighbor) in places.zip(neighbors.iter().chain([&NO_NEIGHBOR])) {
            place.store(neighbor, Ordering::Relaxed);
        }
    }

    /// Prefetches a list.
    #[inline]
    pub fn prefetch(&self, list: usize) {
        let lines_per_list = self.capacity.div_ceil(NEIGHBORS_PER_LINE);
        match self.memory {
            MemoryView::Owned(lines) => {
                kernels::prefetch(&lines[list * lines_per_list..][..lines_per_list]);
            }
            MemoryView::Mapped(entries) => {
                kernels::prefetch(&entries[list * lines_per_list * NEIGHBORS_PER_LINE..][..self.capacity]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_a_shorter_list_keeps_valid_neighbors_after_its_terminator() {
        const NUM_ROWS: u32 = 1000;
        for capacity in [3, 16, 20] {
            let mut lists = AdjacencyLists::new(capacity);
            lists.resize(2);
            let read = |lists: &AdjacencyLists, list: usize| {
                lists.view().neighbors(list, NUM_ROWS).collect::<Vec<u32>>()
            };
            assert_eq!((lists.len(), read(&lists, 1)), (Some(2), vec![]));
            let full: Vec<u32> = (0..capacity as u32).collect();
            lists.view().write(1, &full);
            assert_eq!(read(&lists, 1), full);
            lists.view().write(1, &[5]);
            assert_eq!((read(&lists, 0), read(&lists, 1)), (vec![], vec![5]));
            let Memory::Owned(lines) = &lists.memory else { panic!("in memory") };
            // Half of the lines belong to list 0.
            let entries = &lines[lines.len() / 2].0[..3];
            assert_eq!(
                entries.iter().map(|entry| entry.load(Ordering::Relaxed)).collect::<Vec<_>>(),
                [5, NO_NEIGHBOR, 2]
            );
        }
    }
}
