//! The layers of the graph. [`Graph`] finds the adjacency list of a row in a layer, and checks a graph that is opened
//! from a file.

use std::sync::Arc;

use storage::{File, Writer};

use super::adjacency::{AdjacencyLists, AdjacencyView};
use crate::Error;
use crate::store::columns::copy_on_write::CowArray;

/// The maximum level of a row. The probability that a higher level is drawn is only m^−33.
pub(crate) const MAX_LEVEL: usize = 32;

/// Graphs of up to this many rows are checked completely when they are opened, which takes milliseconds.
const MAX_ROWS_CHECKED_ON_OPEN: usize = 1 << 15;

/// The layered graph; see the [module](super) for its layout.
#[derive(Debug)]
pub(crate) struct Graph {
    /// Layer 0: one list per row.
    layer0: AdjacencyLists,
    /// The layers above layer 0: the lists of each row, row by row.
    upper: AdjacencyLists,
    /// For each row, the index in `upper` at which its lists begin; then the number of lists in `upper`.
    offsets: CowArray<u32>,
    /// The row where every search starts: a row of the highest level. `None` until the first live row is inserted.
    pub entry_point: Option<u32>,
}

/// Why the graph in a file is invalid: what was expected, and what the file has instead.
pub(crate) struct Mismatch {
    pub expected: String,
    pub got: String,
}

/// A neighbor that is not a row of the list's layer. Only corrupt files have one.
struct InvalidNeighbor {
    row: u32,
    layer: usize,
    neighbor: u32,
}

impl Graph {
    pub fn new(m: usize) -> Self {
        let (layer0, upper) = (AdjacencyLists::new(2 * m), AdjacencyLists::new(m));
        Self { layer0, upper, offsets: CowArray::Owned(vec![0]), entry_point: None }
    }

    /// Returns the number of rows, with or without neighbors.
    pub fn num_rows(&self) -> usize {
        self.offsets.as_slice().len() - 1
    }

    /// Copies a mapped graph to memory, where it can be changed, and reserves space for `additional` rows.
    pub fn reserve(&mut self, additional: usize) {
        self.layer0.reserve(additional);
        // Each layer has about 1/m of the rows of the layer below, so that a row has 1/(m − 1) lists in `upper` on
        // average.
        self.upper.reserve(additional / (self.upper.capacity() - 1));
        self.offsets.to_mut().reserve(additional);
    }

    /// Appends one row for each of `levels`, without neighbors. A mapped graph is copied to memory first.
    pub fn append_rows(&mut self, levels: &[u8]) -> Result<(), Error> {
        let offsets = self.offsets.to_mut();
        let before = offsets.len();
        let mut end = offsets[before - 1];
        for &level in levels {
            let next = end.checked_add(u32::from(level));
            let Some(next) = next else {
                offsets.truncate(before);
                return Err(Error::Full { expected: before - 1, got: before - 1 + levels.len() });
            };
            end = next;
            offsets.push(end);
        }
        let num_rows = offsets.len() - 1;
        self.layer0.resize(num_rows);
        self.upper.resize(end as usize);
        Ok(())
    }

    /// Keeps the first `num_rows` rows and removes the others, which must not be neighbors of rows that are kept.
    pub fn truncate(&mut self, num_rows: usize) {
        let offsets = self.offsets.to_mut();
        offsets.truncate(num_rows + 1);
        let end = offsets[num_rows] as usize;
        self.layer0.resize(num_rows);
        self.upper.resize(end);
    }

    pub fn view(&self) -> GraphView<'_> {
        GraphView { layer0: self.layer0.view(), upper: self.upper.view(), offsets: self.offsets.as_slice() }
    }

    /// Opens and checks the sections of a file, without copying them to memory.
    pub fn open(
        file: &Arc<File>,
        m: usize,
        num_rows: usize,
        entry_point: Option<u32>,
    ) -> Result<Self, Error> {
        let layer0 = AdjacencyLists::open(file, "ground", 2 * m)?;
        let upper = AdjacencyLists::open(file, "upper", m)?;
        let offsets = CowArray::open(file, "offsets")?;
        let graph = Self { layer0, upper, offsets, entry_point };
        let checked = graph.check(num_rows);
        checked.map_err(|Mismatch { expected, got }| storage::Error::corrupt(file.path(), expected, got))?;
        Ok(graph)
    }

    pub fn write(&self, writer: &mut Writer) -> Result<(), Error> {
        self.offsets.write(writer, "offsets")?;
        self.layer0.write(writer, "ground")?;
        self.upper.write(writer, "upper")
    }

    /// Returns the number of bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.layer0.memory_bytes() + self.upper.memory_bytes() + self.offsets.memory_bytes()
    }

    /// Checks everything that the memory safety of searches depends on and, in small graphs, also the neighbors.
    fn check(&self, num_rows: usize) -> Result<(), Mismatch> {
        let view = self.view();
        let offsets = view.offsets;
        if offsets.len() != num_rows + 1 || offsets[0] != 0 {
            let expected = format!("{} offsets from 0", num_rows + 1);
            return Err(Mismatch { expected, got: format!("{} offsets", offsets.len()) });
        }
        for (row, pair) in offsets.windows(2).enumerate() {
            if pair[1].checked_sub(pair[0]).is_none_or(|level| level as usize > MAX_LEVEL) {
                let expected = format!("row {row} in up to {MAX_LEVEL} layers above layer 0");
                return Err(Mismatch { expected, got: format!("offsets {} and {}", pair[0], pair[1]) });
            }
        }
        let num_upper = offsets[num_rows] as usize;
        for (section, lists, expected) in
            [("ground", &self.layer0, num_rows), ("upper", &self.upper, num_upper)]
        {
            if lists.len() != Some(expected) {
                let expected = format!("{expected} adjacency lists in section \"{section}\"");
                let got = lists.len().map_or_else(|| "an incomplete list".to_owned(), |got| got.to_string());
                return Err(Mismatch { expected, got });
            }
        }
        // A graph whose rows were all deleted before they were inserted has no entry point, and is never searched.
        if let Some(entry_point) = self.entry_point {
            let highest = (0..num_rows as u32).map(|row| view.level(row)).max();
            if entry_point as usize >= num_rows || Some(view.level(entry_point)) != highest {
                let expected = format!("an entry point of the highest level among {num_rows} rows");
                return Err(Mismatch { expected, got: format!("row {entry_point}") });
            }
        }
        if self.layer0.len() <= Some(MAX_ROWS_CHECKED_ON_OPEN) { self.check_neighbors() } else { Ok(()) }
    }

    /// Checks that all neighbors in each list are rows of the list's layer. Searching a graph is safe even if they are
    /// not: a search reads a list up to the first number that is not a row, and reads no list in layers above a row's
    /// level.
    pub fn check_neighbors(&self) -> Result<(), Mismatch> {
        match self.view().find_invalid_neighbor() {
            None => Ok(()),
            Some(InvalidNeighbor { row, layer, neighbor }) => Err(Mismatch {
                expected: format!("neighbors of row {row} that are rows of layer {layer}"),
                got: format!("row {neighbor}"),
            }),
        }
    }
}

/// A view of a [`Graph`] that several threads can search and, in memory, change.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GraphView<'a> {
    layer0: AdjacencyView<'a>,
    upper: AdjacencyView<'a>,
    offsets: &'a [u32],
}

/// One adjacency list of a view.
struct ListRef<'a> {
    lists: &'a AdjacencyView<'a>,
    index: usize,
}

impl GraphView<'_> {
    /// Returns the number of rows, with or without neighbors.
    pub fn num_rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns the highest layer that a row is in.
    pub fn level(&self, row: u32) -> usize {
        let row = row as usize;
        (self.offsets[row + 1] - self.offsets[row]) as usize
    }

    /// Returns the maximum number of neighbors of a row in a layer.
    pub fn max_neighbors(&self, layer: usize) -> usize {
        if layer == 0 { self.layer0.capacity() } else { self.upper.capacity() }
    }

    /// Returns the neighbors of a row in a layer. While another thread writes them, some may be old and some new.
    /// Iterating with `for_each` is faster than with a `for` loop.
    #[inline]
    pub fn neighbors(&self, row: u32, layer: usize) -> impl Iterator<Item = u32> {
        // In a corrupt file, a search may reach a row that is not in the layer. All rows are in layer 0, so a search of
        // layer 0 need not read the offsets.
        let is_in_layer = layer == 0 || layer <= self.level(row);
        let ListRef { lists, index } = self.list(row, if is_in_layer { layer } else { 0 });
        lists.neighbors(index, if is_in_layer { self.num_rows() as u32 } else { 0 })
    }

    /// Replaces the contents of `neighbors` with the neighbors of a row in a layer.
    pub fn read_neighbors(&self, row: u32, layer: usize, neighbors: &mut Vec<u32>) {
        neighbors.clear();
        self.neighbors(row, layer).for_each(|neighbor| neighbors.push(neighbor));
    }

    /// Replaces the neighbors of a row in a layer. The caller makes sure that no two threads do so at the same time;
    /// readers need no lock.
    ///
    /// # Panics
    ///
    /// If there are more than [`max_neighbors`](Self::max_neighbors), or the graph is mapped.
    pub fn set_neighbors(&self, row: u32, layer: usize, neighbors: &[u32]) {
        let ListRef { lists, index } = self.list(row, layer);
        lists.write(index, neighbors);
    }

    /// Prefetches the neighbors of a row that is in the layer.
    pub fn prefetch(&self, row: u32, layer: usize) {
        let ListRef { lists, index } = self.list(row, layer);
        lists.prefetch(index);
    }

    fn find_invalid_neighbor(&self) -> Option<InvalidNeighbor> {
        (0..self.num_rows() as u32).find_map(|row| {
            (0..=self.level(row)).find_map(|layer| {
                let ListRef { lists, index } = self.list(row, layer);
                let is_invalid =
                    |&neighbor: &u32| neighbor as usize >= self.num_rows() || self.level(neighbor) < layer;
                let invalid = lists.neighbors(index, u32::MAX).find(is_invalid);
                invalid.map(|neighbor| InvalidNeighbor { row, layer, neighbor })
            })
        })
    }

    /// Finds the adjacency list of a row in a layer.
    fn list(&self, row: u32, layer: usize) -> ListRef<'_> {
        let row = row as usize;
        if layer == 0 {
            ListRef { lists: &self.layer0, index: row }
        } else {
            ListRef { lists: &self.upper, index: self.offsets[row] as usize + layer - 1 }
        }
    }
}
