use std::hint::black_box;
use std::sync::Arc;

use ranking::Hit;
use storage::{File, Writer};

use crate::Error;
use crate::store::columns::column::Column;

/// Ids appended together in memory. A snapshot that is still held costs a copy of so many when more are appended.
const CHUNK_ROWS: usize = 1024;
/// Ids looked up together.
const AT_ONCE: usize = 64;

/// The ids of the rows of an index as they were when they were [asked for](crate::FlatIndex::row_ids), deleted rows'
/// too. Made in a moment, as it shares what it shows, and right whatever becomes of the index.
#[derive(Debug, Clone)]
pub struct RowIds(pub(crate) Names);

impl RowIds {
    /// The id of a row, also of a deleted one.
    ///
    /// # Panics
    ///
    /// If there was no such row.
    #[must_use]
    pub fn id(&self, ord: u32) -> &str {
        self.0.get(ord)
    }

    /// Calls `with` for the id of each hit, in order: faster than one [`id`](Self::id) after another.
    ///
    /// # Panics
    ///
    /// If there was no such row.
    pub fn for_each_id(&self, hits: &[Hit], with: impl FnMut(&str)) {
        self.0.for_each_id(hits, with);
    }

    /// How many rows there were, deleted ones too.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there were no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether nothing happened to the ids of the index between two snapshots; a snapshot still held is told from all
    /// later ones.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        let Names { base, chunks } = &self.0;
        let bases = base.as_ref().map(Arc::as_ptr) == other.0.base.as_ref().map(Arc::as_ptr);
        let last = |chunks: &[Arc<Chunk>]| chunks.last().map(Arc::as_ptr);
        bases && chunks.len() == other.0.chunks.len() && last(chunks) == last(&other.0.chunks)
    }
}

/// The ids of all rows, one after another. A clone shares them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    base: Option<Arc<Mapped>>,
    /// What was appended: all but the last are full.
    chunks: Vec<Arc<Chunk>>,
}

/// Ids in a file.
#[derive(Debug)]
struct Mapped {
    bytes: Column<u8>,
    /// Where each id ends in `bytes`.
    ends: Column<u64>,
}

#[derive(Debug, Clone, Default)]
struct Chunk {
    text: String,
    /// Where each id ends in `text`.
    ends: Vec<usize>,
}

impl Names {
    pub fn len(&self) -> usize {
        let last = self.chunks.last().map_or(0, |chunk| chunk.ends.len());
        self.base_len() + self.chunks.len().saturating_sub(1) * CHUNK_ROWS + last
    }

    pub fn get(&self, ord: u32) -> &str {
        let ord = ord as usize;
        match (ord.checked_sub(self.base_len()), &self.base) {
            (None, Some(base)) => base.get(ord),
            (at, _) => {
                let at = at.expect("there is a base");
                self.chunks[at / CHUNK_ROWS].get(at % CHUNK_ROWS)
            }
        }
    }

    /// Calls `with` for the id of each hit, in order.
    pub fn for_each_id(&self, hits: &[Hit], mut with: impl FnMut(&str)) {
        let Some(base) = &self.base else {
            hits.iter().for_each(|hit| with(self.get(hit.ord)));
            return;
        };
        let ((bytes, _), (ends, _)) = (base.bytes.parts(), base.ends.parts());
        for hits in hits.chunks(AT_ONCE) {
            // All places, then a byte of all texts: what waits for memory waits together.
            let mut places = [(0, 0); AT_ONCE];
            for (place, hit) in places.iter_mut().zip(hits) {
                let row = hit.ord as usize;
                if let Some(&end) = ends.get(row) {
                    *place = (if row == 0 { 0 } else { ends[row - 1] as usize }, end as usize);
                }
            }
            let first = |&(start, end): &(usize, usize)| if end == 0 { 0 } else { bytes[start] };
            black_box(places.iter().fold(0, |all, place| all ^ first(place)));
            for (hit, &(start, end)) in hits.iter().zip(&places) {
                // No id is empty.
                with(if end == 0 { self.get(hit.ord) } else { text(&bytes[start..end]) });
            }
        }
    }

    pub fn push(&mut self, id: &str) {
        if self.chunks.last().is_none_or(|last| last.ends.len() == CHUNK_ROWS) {
            self.chunks.push(Arc::default());
        }
        let last = Arc::make_mut(self.chunks.last_mut().expect("one was pushed"));
        last.text.push_str(id);
        last.ends.push(last.text.len());
        if last.ends.len() == CHUNK_ROWS {
            last.text.shrink_to_fit();
        }
    }

    /// Takes back the ids appended from row `rows` on.
    pub fn truncate(&mut self, rows: usize) {
        let kept = rows - self.base_len();
        self.chunks.truncate(kept.div_ceil(CHUNK_ROWS));
        if let Some(last) = self.chunks.last_mut().filter(|_| !kept.is_multiple_of(CHUNK_ROWS)) {
            let last = Arc::make_mut(last);
            last.ends.truncate(kept % CHUNK_ROWS);
            last.text.truncate(last.ends[kept % CHUNK_ROWS - 1]);
        }
    }

    /// Reads the ids of a file, which stay there, and checks that they are text.
    pub fn open(file: &Arc<File>, rows: usize) -> Result<Self, Error> {
        let base = Mapped { bytes: Column::open(file, "ids")?, ends: Column::open(file, "id_ends")? };
        let corrupt = |expected: String, got: String| storage::Error::corrupt(file.path(), expected, got);
        let ((bytes, _), (ends, _)) = (base.bytes.parts(), base.ends.parts());
        if ends.len() != rows {
            return Err(corrupt(format!("{rows} ids"), format!("{} ids", ends.len())).into());
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|error| corrupt("ids in UTF-8".to_owned(), error.to_string()))?;
        let mut start = 0;
        for (row, &end) in ends.iter().enumerate() {
            let inside = usize::try_from(end).ok().filter(|&end| end > start && text.is_char_boundary(end));
            let Some(inside) = inside else {
                let expected = format!("the end of id {row} between {start} and {}", bytes.len());
                return Err(corrupt(expected, end.to_string()).into());
            };
            start = inside;
        }
        if start != bytes.len() {
            let expected = format!("ids of {start} bytes in all");
            return Err(corrupt(expected, format!("{} bytes", bytes.len())).into());
        }
        Ok(Self { base: Some(Arc::new(base)), chunks: Vec::new() })
    }

    /// Writes the sections that [`open`](Self::open) reads.
    pub fn write(&self, writer: &mut Writer) -> Result<(), Error> {
        writer.begin("ids")?;
        if let Some(base) = &self.base {
            base.bytes.write(writer)?;
        }
        for chunk in &self.chunks {
            writer.append(chunk.text.as_bytes())?;
        }
        writer.begin("id_ends")?;
        let mut start = 0;
        if let Some(base) = &self.base {
            base.ends.write(writer)?;
            start = base.bytes.len();
        }
        for chunk in &self.chunks {
            let ends: Vec<u64> = chunk.ends.iter().map(|end| (start + end) as u64).collect();
            writer.append(bytemuck::cast_slice(&ends))?;
            start += chunk.text.len();
        }
        Ok(())
    }

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        let of = |chunk: &Arc<Chunk>| chunk.text.capacity() + chunk.ends.capacity() * size_of::<usize>();
        self.chunks.iter().map(of).sum::<usize>() + self.chunks.capacity() * size_of::<Arc<Chunk>>()
    }

    /// Rows whose ids are in the file.
    pub fn base_len(&self) -> usize {
        self.base.as_ref().map_or(0, |base| base.ends.len())
    }
}

impl Mapped {
    fn get(&self, row: usize) -> &str {
        let start = if row == 0 { 0 } else { self.ends.get(row - 1) as usize };
        let bytes = self.bytes.slice(start, self.ends.get(row) as usize - start);
        text(bytes)
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("ids are text, as was checked when the file was opened")
}

impl Chunk {
    fn get(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start..self.ends[at]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_stays_as_it_was() {
        let mut names = Names::default();
        (0..1500).for_each(|row| names.push(&format!("row {row}")));
        let before = RowIds(names.clone());
        assert!(before.same(&RowIds(names.clone())));
        let mut named = Vec::new();
        let hits = [1499, 0, 1024].map(|ord| Hit { ord, score: 0.0 });
        before.for_each_id(&hits, |id| named.push(id.to_owned()));
        assert_eq!(named, ["row 1499", "row 0", "row 1024"]);
        names.truncate(1030);
        (0..2000).for_each(|row| names.push(&format!("new {row}")));
        assert!(!before.same(&RowIds(names.clone())));
        assert_eq!((before.len(), before.id(0), before.id(1499)), (1500, "row 0", "row 1499"));
        assert_eq!((names.len(), names.get(1029), names.get(1030)), (3030, "row 1029", "new 0"));
        for rows in [2048, 1024, 1, 0] {
            names.truncate(rows);
            assert_eq!(names.len(), rows);
        }
        assert_eq!(before.id(1023), "row 1023");
    }
}
