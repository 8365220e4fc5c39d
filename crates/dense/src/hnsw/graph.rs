use std::sync::Arc;

use storage::{File, Writer};

use super::cells::{Cells, CellsView, Offsets};
use crate::Error;

/// The highest layer of a node. One of e^(32 ln m) nodes would stand above it.
pub(crate) const TOP_LAYER: usize = 32;

/// Links between rows, in layers: a row with level `l` is in the layers 0 to `l`.
///
/// A list of links is a record of fixed length: how many there are, then their ords. Layer 0 has a record for
/// each row; the records of the layers above stand behind one another in `upper`, those of row `r` from record
/// `offsets[r]` up to `offsets[r + 1]`.
#[derive(Debug)]
pub(crate) struct Graph {
    m: usize,
    ground: Cells,
    upper: Cells,
    offsets: Offsets,
    /// The row where every walk starts: one of the highest level. None as long as no row is linked.
    pub entry: Option<u32>,
}

impl Graph {
    pub fn new(m: usize) -> Self {
        Self { m, ground: Cells::new(), upper: Cells::new(), offsets: Offsets::new(), entry: None }
    }

    /// Appends rows without links, with these levels. A mapped graph is copied to memory first.
    pub fn grow(&mut self, levels: &[u8]) -> Result<(), Error> {
        let (ground_record, upper_record) = (self.ground_record(), self.upper_record());
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
        self.ground.resize(rows * ground_record);
        self.upper.resize(end as usize * upper_record);
        Ok(())
    }

    /// Takes back the rows from row `rows` on, to which no link may lead.
    pub fn truncate(&mut self, rows: usize) {
        let (ground_record, upper_record) = (self.ground_record(), self.upper_record());
        let offsets = self.offsets.own();
        offsets.truncate(rows + 1);
        let end = offsets[rows] as usize;
        self.ground.resize(rows * ground_record);
        self.upper.resize(end * upper_record);
    }

    pub fn view(&self) -> Links<'_> {
        let offsets = self.offsets.as_slice();
        Links { m: self.m, ground: self.ground.view(), upper: self.upper.view(), offsets }
    }

    /// Reads and checks the sections of a file, which stay there.
    pub fn open(file: &Arc<File>, m: usize, rows: usize, entry: Option<u32>) -> Result<Self, Error> {
        let (ground, upper) = (Cells::open(file, "ground")?, Cells::open(file, "upper")?);
        let offsets = Offsets::open(file, "offsets")?;
        let graph = Self { m, ground, upper, offsets, entry };
        graph.check(rows).map_err(|(expected, got)| storage::Error::corrupt(file.path(), expected, got))?;
        Ok(graph)
    }

    pub fn write(&self, writer: &mut Writer) -> Result<(), Error> {
        writer.section("offsets", bytemuck::cast_slice(self.offsets.as_slice()))?;
        writer.begin("ground")?;
        self.ground.write(writer, self.ground_record())?;
        writer.begin("upper")?;
        self.upper.write(writer, self.upper_record())
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
        let records = [
            ("ground", view.ground.len(), rows.checked_mul(self.ground_record())),
            ("upper", view.upper.len(), (offsets[rows] as usize).checked_mul(self.upper_record())),
        ];
        for (name, got, expected) in records {
            if expected != Some(got) {
                return Err((format!("links \"{name}\" for {rows} rows"), format!("{got} numbers")));
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
        for row in 0..rows as u32 {
            for layer in 0..=view.level(row) {
                let record = view.record(row, layer);
                let count = record.get(0) as usize;
                if count > view.room(layer) {
                    let expected = format!("up to {} links of row {row} in layer {layer}", view.room(layer));
                    return Err((expected, format!("{count} links")));
                }
                for at in 1..=count {
                    let to = record.get(at);
                    if to as usize >= rows || view.level(to) < layer {
                        let expected = format!("links of row {row} to rows of layer {layer}");
                        return Err((expected, format!("a link to {to}")));
                    }
                }
            }
        }
        Ok(())
    }

    fn ground_record(&self) -> usize {
        1 + 2 * self.m
    }

    fn upper_record(&self) -> usize {
        1 + self.m
    }
}

/// The links while they are walked, and while threads add to them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Links<'a> {
    m: usize,
    ground: CellsView<'a>,
    upper: CellsView<'a>,
    offsets: &'a [u32],
}

impl Links<'_> {
    pub fn level(&self, row: u32) -> usize {
        let row = row as usize;
        (self.offsets[row + 1] - self.offsets[row]) as usize
    }

    /// The most links of a row in a layer.
    pub fn room(&self, layer: usize) -> usize {
        if layer == 0 { 2 * self.m } else { self.m }
    }

    /// Puts the links of a row in `found`. While another thread sets them, some may be old and some new.
    pub fn get(&self, row: u32, layer: usize, found: &mut Vec<u32>) {
        found.clear();
        self.record(row, layer).read_list(found);
    }

    /// Replaces the links of a row. The caller lets no two threads do so at once. What is behind the last link
    /// stays as it was: a reader that knows of more links reads links of this layer, old or new.
    ///
    /// # Panics
    ///
    /// If there are more than there is room for, or the graph is mapped.
    pub fn set(&self, row: u32, layer: usize, links: &[u32]) {
        self.record(row, layer).write_list(links);
    }

    fn record(&self, row: u32, layer: usize) -> CellsView<'_> {
        let row = row as usize;
        if layer == 0 {
            let length = 1 + 2 * self.m;
            self.ground.slice(row * length, length)
        } else {
            let length = 1 + self.m;
            self.upper.slice((self.offsets[row] as usize + layer - 1) * length, length)
        }
    }
}
