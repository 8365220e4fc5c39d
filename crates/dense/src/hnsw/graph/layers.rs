use std::sync::Arc;

use storage::{File, Writer};

use super::adjacency::{AdjacencyLists, AdjacencyView};
use crate::Error;
use crate::store::columns::copy_on_write::CowArray;

/// The highest level of a row. A row would be above it with a probability of m^−33.
pub(crate) const MAX_LEVEL: usize = 32;

/// Graphs of up to this many rows are checked in full when they are opened: that takes milliseconds.
const MAX_ROWS_CHECKED_ON_OPEN: usize = 1 << 15;

/// The layered graph; see the [module](super) for its layout.
#[derive(Debug)]
pub(crate) struct Graph {
    /// Layer 0: one list per row.
    layer0: AdjacencyLists,
    /// All layers above layer 0, row after row.
    upper: AdjacencyLists,
    /// Where the lists of a row begin in `upper`; one entry more than rows.
    offsets: CowArray<u32>,
    /// The row where every search starts: one of the highest level. `None` until a row is inserted.
    pub entry_point: Option<u32>,
}

/// What a file must hold for a graph to be valid, and what it holds instead.
pub(crate) struct Mismatch {
    pub expected: String,
    pub got: String,
}

/// A neighbor that is no row of the list's layer, as only damaged files have.
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

    /// Appends rows of these levels, without neighbors. A mapped graph is copied to memory first.
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

    /// Removes the rows from row `num_rows` on, which must be no row's neighbors.
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

    /// Opens and checks the sections of a file, which stay there.
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

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.layer0.memory_bytes() + self.upper.memory_bytes() + self.offsets.memory_bytes()
    }

    /// Checks that no search reads outside the lists.
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
                let got = lists.len().map_or_else(|| "a part of one".to_owned(), |got| got.to_string());
                return Err(Mismatch { expected, got });
            }
        }
        // A graph has no entry point if all its rows were deleted before they were inserted; nothing searches it then.
        if let Some(entry_point) = self.entry_point {
            let highest = (0..num_rows as u32).map(|row| view.level(row)).max();
            if entry_point as usize >= num_rows || Some(view.level(entry_point)) != highest {
                let expected = format!("an entry among {num_rows} rows, of the highest level");
                return Err(Mismatch { expected, got: format!("row {entry_point}") });
            }
        }
        if self.layer0.len() <= Some(MAX_ROWS_CHECKED_ON_OPEN) { self.check_neighbors() } else { Ok(()) }
    }

    /// Checks that all neighbors are rows of the list's layer. A search of a graph where they are not is safe: it ends a
    /// list at the first number that is no row, and finds no neighbors of a row in a layer above the row's level.
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

/// A [`Graph`] during a search, and while threads insert rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GraphView<'a> {
    layer0: AdjacencyView<'a>,
    upper: AdjacencyView<'a>,
    offsets: &'a [u32],
}

/// One list of a view.
struct ListRef<'a> {
    lists: &'a AdjacencyView<'a>,
    index: usize,
}

impl GraphView<'_> {
    /// The number of rows, with neighbors or without.
    pub fn num_rows(&self) -> usize {
        self.offsets.len() - 1
    }

    pub fn level(&self, row: u32) -> usize {
        let row = row as usize;
        (self.offsets[row + 1] - self.offsets[row]) as usize
    }

    /// The maximum number of neighbors of a row in a layer.
    pub fn max_neighbors(&self, layer: usize) -> usize {
        if layer == 0 { self.layer0.capacity() } else { self.upper.capacity() }
    }

    /// The neighbors of a row. While another thread writes them, some may be old and some new. Internal iteration
    /// (`for_each`) is faster than a `for` loop.
    #[inline]
    pub fn neighbors(&self, row: u32, layer: usize) -> impl Iterator<Item = u32> {
        // A damaged file may lead a search to a row that is not in the layer. All rows are in layer 0, where searches
        // therefore do not wait for the offsets.
        let is_in_layer = layer == 0 || layer <= self.level(row);
        let ListRef { lists, index } = self.list(row, if is_in_layer { layer } else { 0 });
        lists.neighbors(index, if is_in_layer { self.num_rows() as u32 } else { 0 })
    }

    /// Replaces the contents of `neighbors` by the neighbors of a row.
    pub fn read_neighbors(&self, row: u32, layer: usize, neighbors: &mut Vec<u32>) {
        neighbors.clear();
        self.neighbors(row, layer).for_each(|neighbor| neighbors.push(neighbor));
    }

    /// Replaces the neighbors of a row. The caller makes sure that no two threads do so at once; readers need no lock.
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

    fn list(&self, row: u32, layer: usize) -> ListRef<'_> {
        let row = row as usize;
        if layer == 0 {
            ListRef { lists: &self.layer0, index: row }
        } else {
            ListRef { lists: &self.upper, index: self.offsets[row] as usize + layer - 1 }
        }
    }
}
