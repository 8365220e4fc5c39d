use std::sync::Arc;

use storage::{File, Writer};

use super::adjacency::{Cells, CellsView};
use crate::Error;
use crate::store::columns::copy_on_write::Numbers;

/// The highest layer of a node. One of e^(32 ln m) nodes would stand above it.
pub(crate) const TOP_LAYER: usize = 32;

/// Graphs of up to so many rows are read whole when they are opened.
const CHECKED_ROWS: usize = 1 << 15;

/// Links between rows, in layers: a row with level `l` is in the layers 0 to `l`.
///
/// Layer 0 has a record of links for each row; the records of the layers above stand behind one another in `upper`,
/// those of row `r` from record `offsets[r]` up to `offsets[r + 1]`.
#[derive(Debug)]
pub(crate) struct Graph {
    ground: Cells,
    upper: Cells,
    offsets: Numbers<u32>,
    /// The row where every walk starts: one of the highest level. None as long as no row is linked.
    pub entry: Option<u32>,
}

impl Graph {
    pub fn new(m: usize) -> Self {
        let (ground, upper) = (Cells::new(2 * m), Cells::new(m));
        Self { ground, upper, offsets: Numbers::Owned(vec![0]), entry: None }
    }

    /// Appends rows without links, with these levels. A mapped graph is copied to memory first.
    pub fn grow(&mut self, levels: &[u8]) -> Result<(), Error> {
        let offsets = self.offsets.own();
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
        let rows = offsets.len() - 1;
        self.ground.resize(rows);
        self.upper.resize(end as usize);
        Ok(())
    }

    /// Takes back the rows from row `rows` on, to which no link may lead.
    pub fn truncate(&mut self, rows: usize) {
        let offsets = self.offsets.own();
        offsets.truncate(rows + 1);
        let end = offsets[rows] as usize;
        self.ground.resize(rows);
        self.upper.resize(end);
    }

    pub fn view(&self) -> Links<'_> {
        Links { ground: self.ground.view(), upper: self.upper.view(), offsets: self.offsets.as_slice() }
    }

    /// Reads and checks the sections of a file, which stay there.
    pub fn open(file: &Arc<File>, m: usize, rows: usize, entry: Option<u32>) -> Result<Self, Error> {
        let (ground, upper) = (Cells::open(file, "ground", 2 * m)?, Cells::open(file, "upper", m)?);
        let offsets = Numbers::open(file, "offsets")?;
        let graph = Self { ground, upper, offsets, entry };
        graph.check(rows).map_err(|(expected, got)| storage::Error::corrupt(file.path(), expected, got))?;
        Ok(graph)
    }

    pub fn write(&self, writer: &mut Writer) -> Result<(), Error> {
        self.offsets.write(writer, "offsets")?;
        self.ground.write(writer, "ground")?;
        self.upper.write(writer, "upper")
    }

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.ground.memory_bytes() + self.upper.memory_bytes() + self.offsets.memory_bytes()
    }

    /// Whether every walk stays inside: what was expected and what is there instead.
    fn check(&self, rows: usize) -> Result<(), (String, String)> {
        let view = self.view();
        let offsets = view.offsets;
        if offsets.len() != rows + 1 || offsets[0] != 0 {
            return Err((format!("{} offsets from 0", rows + 1), format!("{} offsets", offsets.len())));
        }
        for (row, pair) in offsets.windows(2).enumerate() {
            if pair[1].checked_sub(pair[0]).is_none_or(|level| level as usize > TOP_LAYER) {
                let expected = format!("row {row} in up to {TOP_LAYER} layers above layer 0");
                return Err((expected, format!("offsets {} and {}", pair[0], pair[1])));
            }
        }
        let upper = offsets[rows] as usize;
        for (name, cells, expected) in [("ground", &self.ground, rows), ("upper", &self.upper, upper)] {
            if cells.len() != Some(expected) {
                return Err((format!("{expected} records of links \"{name}\""), "others".to_owned()));
            }
        }
        // Without an entry nothing walks: so it is where all rows were deleted before they were linked.
        if let Some(entry) = self.entry {
            let highest = (0..rows as u32).map(|row| view.level(row)).max();
            if entry as usize >= rows || Some(view.level(entry)) != highest {
                let expected = format!("an entry among {rows} rows, of the highest level");
                return Err((expected, format!("row {entry}")));
            }
        }
        if self.ground.len() <= Some(CHECKED_ROWS) { self.check_links() } else { Ok(()) }
    }

    /// Whether all links lead to rows of their layers: what was expected and what is there instead. Walks pass over
    /// others.
    pub fn check_links(&self) -> Result<(), (String, String)> {
        match self.view().astray() {
            None => Ok(()),
            Some((row, layer, to)) => {
                Err((format!("links of row {row} to rows of layer {layer}"), format!("a link to {to}")))
            }
        }
    }
}

/// The links while they are walked, and while threads add to them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Links<'a> {
    ground: CellsView<'a>,
    upper: CellsView<'a>,
    offsets: &'a [u32],
}

impl Links<'_> {
    /// Rows, with links or without.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    pub fn level(&self, row: u32) -> usize {
        let row = row as usize;
        (self.offsets[row + 1] - self.offsets[row]) as usize
    }

    /// The most links of a row in a layer.
    pub fn room(&self, layer: usize) -> usize {
        if layer == 0 { self.ground.room() } else { self.upper.room() }
    }

    /// The links of a row. While another thread sets them, some may be old and some new. `for_each` is the quickest way
    /// through them.
    #[inline]
    pub fn of(&self, row: u32, layer: usize) -> impl Iterator<Item = u32> {
        // A row that is not in the layer has no links there: a link to it is one that only a damaged file has. All are in
        // layer 0, and walks do not wait for the offsets there.
        let there = layer == 0 || layer <= self.level(row);
        let (cells, record) = self.record(row, if there { layer } else { 0 });
        cells.links(record, if there { self.rows() as u32 } else { 0 })
    }

    /// Puts the links of a row in `found`.
    pub fn get(&self, row: u32, layer: usize, found: &mut Vec<u32>) {
        found.clear();
        self.of(row, layer).for_each(|link| found.push(link));
    }

    /// Replaces the links of a row. The caller lets no two threads do so at once. What is behind the last link but one
    /// stays as it was: a reader that is half-way reads links of this layer, old or new.
    ///
    /// # Panics
    ///
    /// If there are more than there is room for, or the graph is mapped.
    pub fn set(&self, row: u32, layer: usize, links: &[u32]) {
        let (cells, record) = self.record(row, layer);
        cells.write(record, links);
    }

    /// Asks for the links of a row to be fetched, which is in the layer.
    pub fn prefetch(&self, row: u32, layer: usize) {
        let (cells, record) = self.record(row, layer);
        cells.prefetch(record);
    }

    /// A link that leads to no row of its layer, as only damaged files have: of which row, in which layer, and where to.
    fn astray(&self) -> Option<(u32, usize, u32)> {
        (0..self.rows() as u32).find_map(|row| {
            (0..=self.level(row)).find_map(|layer| {
                let (cells, record) = self.record(row, layer);
                let astray = |&to: &u32| to as usize >= self.rows() || self.level(to) < layer;
                cells.links(record, u32::MAX).find(astray).map(|to| (row, layer, to))
            })
        })
    }

    fn record(&self, row: u32, layer: usize) -> (&CellsView<'_>, usize) {
        let row = row as usize;
        if layer == 0 { (&self.ground, row) } else { (&self.upper, self.offsets[row] as usize + layer - 1) }
    }
}
