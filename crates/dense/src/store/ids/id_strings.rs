//! The ids of rows as strings, by ord: first the ids in a mapped file, then the appended ids, in memory. Snapshots
//! share the strings with the index.

use std::hint::black_box;
use std::sync::Arc;

use ranking::Hit;
use storage::{File, Writer};

use crate::Error;
use crate::store::columns::column::Column;

/// Number of appended ids in a chunk. If a snapshot exists, the next append copies the last chunk.
const ROWS_PER_CHUNK: usize = 1024;
/// Number of ids in a file that are looked up together, so that their cache misses overlap.
const LOOKUPS_AT_ONCE: usize = 64;

/// A snapshot of the ids of an index, including the ids of deleted rows. Later changes to the index do not affect it.
/// [`row_ids`](crate::FlatIndex::row_ids) creates a snapshot, which is cheap, because it shares the strings with the
/// index.
#[derive(Debug, Clone)]
pub struct RowIds(IdStrings);

impl RowIds {
    pub(super) fn new(strings: IdStrings) -> Self {
        Self(strings)
    }

    /// Returns the id of a row, deleted or not.
    ///
    /// # Panics
    ///
    /// If the index had no such row when the snapshot was created.
    #[must_use]
    pub fn id(&self, ord: u32) -> &str {
        self.0.get(ord)
    }

    /// Calls `visit` with the id of each hit, in order. This is faster than calling [`id`](Self::id) for each hit.
    ///
    /// # Panics
    ///
    /// If the index did not have the row of a hit when the snapshot was created.
    pub fn for_each_id(&self, hits: &[Hit], visit: impl FnMut(&str)) {
        self.0.for_each_id(hits, visit);
    }

    /// Returns the number of rows, including deleted ones.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no rows, not even deleted ones.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether two snapshots of an index have the same ids, because the ids of the index did not change in
    /// between.
    #[must_use]
    pub fn has_same_ids_as(&self, other: &Self) -> bool {
        let IdStrings { mapped, chunks } = &self.0;
        // A chunk that is shared with a snapshot is replaced before it changes, and all later chunks are then new too.
        // It is therefore enough to compare the last chunks.
        let is_same_file = mapped.as_ref().map(Arc::as_ptr) == other.0.mapped.as_ref().map(Arc::as_ptr);
        let last = |chunks: &[Arc<Chunk>]| chunks.last().map(Arc::as_ptr);
        is_same_file && chunks.len() == other.0.chunks.len() && last(chunks) == last(&other.0.chunks)
    }
}

/// The ids of all rows, by ord. A clone shares the strings.
#[derive(Debug, Clone, Default)]
pub(crate) struct IdStrings {
    mapped: Option<Arc<Mapped>>,
    /// Appended ids. All chunks but the last are full.
    chunks: Vec<Arc<Chunk>>,
}

/// The ids in a file.
#[derive(Debug)]
struct Mapped {
    bytes: Column<u8>,
    /// The offset in `bytes` at which each id ends.
    ends: Column<u64>,
}

/// Up to [`ROWS_PER_CHUNK`] consecutive appended ids.
#[derive(Debug, Clone, Default)]
struct Chunk {
    text: String,
    /// The offset in `text` at which each id ends.
    ends: Vec<usize>,
}

/// The offsets of an id in the bytes of a file.
#[derive(Clone, Copy, Default)]
struct Span {
    start: usize,
    /// 0 for an id that is not in the file. Because no id is empty, this is not the end of any id in the file.
    end: usize,
}

impl IdStrings {
    pub fn len(&self) -> usize {
        let last = self.chunks.last().map_or(0, |chunk| chunk.ends.len());
        self.mapped_len() + self.chunks.len().saturating_sub(1) * ROWS_PER_CHUNK + last
    }

    /// Returns the number of rows whose ids are in the file.
    pub fn mapped_len(&self) -> usize {
        self.mapped.as_ref().map_or(0, |mapped| mapped.ends.len())
    }

    pub fn get(&self, ord: u32) -> &str {
        let ord = ord as usize;
        match (ord.checked_sub(self.mapped_len()), &self.mapped) {
            (None, Some(mapped)) => mapped.get(ord),
            (at, _) => {
                let at = at.expect("a row before the appended ones is in the file");
                self.chunks[at / ROWS_PER_CHUNK].get(at % ROWS_PER_CHUNK)
            }
        }
    }

    /// Calls `visit` with the id of each hit, in order.
    pub fn for_each_id(&self, hits: &[Hit], mut visit: impl FnMut(&str)) {
        let Some(mapped) = &self.mapped else {
            hits.iter().for_each(|hit| visit(self.get(hit.ord)));
            return;
        };
        let ((bytes, _), (ends, _)) = (mapped.bytes.parts(), mapped.ends.parts());
        for hits in hits.chunks(LOOKUPS_AT_ONCE) {
            // Reads all spans first, then the first byte of each id, so that the cache misses of all hits overlap.
            let mut spans = [Span::default(); LOOKUPS_AT_ONCE];
            for (span, hit) in spans.iter_mut().zip(hits) {
                let row = hit.ord as usize;
                if let Some(&end) = ends.get(row) {
                    let start = if row == 0 { 0 } else { ends[row - 1] as usize };
                    *span = Span { start, end: end as usize };
                }
            }
            let first_byte = |span: &Span| if span.end == 0 { 0 } else { bytes[span.start] };
            // `black_box` keeps the compiler from removing these reads.
            black_box(spans.iter().fold(0, |all, span| all ^ first_byte(span)));
            for (hit, &Span { start, end }) in hits.iter().zip(&spans) {
                visit(if end == 0 { self.get(hit.ord) } else { text(&bytes[start..end]) });
            }
        }
    }

    pub fn push(&mut self, id: &str) {
        if self.chunks.last().is_none_or(|last| last.ends.len() == ROWS_PER_CHUNK) {
            self.chunks.push(Arc::default());
        }
        let last = Arc::make_mut(self.chunks.last_mut().expect("one was pushed"));
        last.text.push_str(id);
        last.ends.push(last.text.len());
        if last.ends.len() == ROWS_PER_CHUNK {
            last.text.shrink_to_fit();
        }
    }

    /// Keeps the ids of the first `num_rows` rows and removes the others, which must be appended ones.
    pub fn truncate(&mut self, num_rows: usize) {
        let kept = num_rows - self.mapped_len();
        self.chunks.truncate(kept.div_ceil(ROWS_PER_CHUNK));
        if let Some(last) = self.chunks.last_mut().filter(|_| !kept.is_multiple_of(ROWS_PER_CHUNK)) {
            let last = Arc::make_mut(last);
            last.ends.truncate(kept % ROWS_PER_CHUNK);
            last.text.truncate(last.ends[kept % ROWS_PER_CHUNK - 1]);
        }
    }

    /// Opens the ids of a file, without copying them to memory, and checks that the bytes are UTF-8 and that the
    /// offsets split all of them, at character boundaries, into ids that are not empty.
    pub fn open(file: &Arc<File>, num_rows: usize) -> Result<Self, Error> {
        let mapped = Mapped { bytes: Column::open(file, "ids")?, ends: Column::open(file, "id_ends")? };
        let corrupt = |expected: String, got: String| storage::Error::corrupt(file.path(), expected, got);
        let ((bytes, _), (ends, _)) = (mapped.bytes.parts(), mapped.ends.parts());
        if ends.len() != num_rows {
            return Err(corrupt(format!("{num_rows} ids"), format!("{} ids", ends.len())).into());
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|error| corrupt("ids in UTF-8".to_owned(), error.to_string()))?;
        let mut start = 0;
        for (row, &end) in ends.iter().enumerate() {
            let valid = usize::try_from(end).ok().filter(|&end| end > start && text.is_char_boundary(end));
            let Some(valid) = valid else {
                let expected = format!("the end of id {row} between {start} and {}", bytes.len());
                return Err(corrupt(expected, end.to_string()).into());
            };
            start = valid;
        }
        if start != bytes.len() {
            let expected = format!("{start} bytes of ids");
            return Err(corrupt(expected, format!("{} bytes", bytes.len())).into());
        }
        Ok(Self { mapped: Some(Arc::new(mapped)), chunks: Vec::new() })
    }

    /// Writes the sections that [`open`](Self::open) reads.
    pub fn write(&self, writer: &mut Writer) -> Result<(), Error> {
        writer.begin("ids")?;
        if let Some(mapped) = &self.mapped {
            mapped.bytes.write(writer)?;
        }
        for chunk in &self.chunks {
            writer.append(chunk.text.as_bytes())?;
        }
        writer.begin("id_ends")?;
        let mut start = 0;
        if let Some(mapped) = &self.mapped {
            mapped.ends.write(writer)?;
            start = mapped.bytes.len();
        }
        for chunk in &self.chunks {
            let ends: Vec<u64> = chunk.ends.iter().map(|end| (start + end) as u64).collect();
            writer.append(bytemuck::cast_slice(&ends))?;
            start += chunk.text.len();
        }
        Ok(())
    }

    /// Returns the number of bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        let chunk_bytes =
            |chunk: &Arc<Chunk>| chunk.text.capacity() + chunk.ends.capacity() * size_of::<usize>();
        self.chunks.iter().map(chunk_bytes).sum::<usize>() + self.chunks.capacity() * size_of::<Arc<Chunk>>()
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
    std::str::from_utf8(bytes).expect("ids are UTF-8, as was checked when the file was opened")
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
    fn changes_to_the_ids_do_not_affect_a_snapshot() {
        let mut strings = IdStrings::default();
        // One full chunk of 1024 ids and a part of another.
        (0..1500).for_each(|row| strings.push(&format!("row {row}")));
        let before = RowIds(strings.clone());
        assert!(before.has_same_ids_as(&RowIds(strings.clone())));
        let mut ids = Vec::new();
        let hits = [1499, 0, 1024].map(|ord| Hit { ord, score: 0.0 });
        before.for_each_id(&hits, |id| ids.push(id.to_owned()));
        assert_eq!(ids, ["row 1499", "row 0", "row 1024"]);
        strings.truncate(1030);
        (0..2000).for_each(|row| strings.push(&format!("new {row}")));
        assert!(!before.has_same_ids_as(&RowIds(strings.clone())));
        assert_eq!((before.len(), before.id(0), before.id(1499)), (1500, "row 0", "row 1499"));
        assert_eq!((strings.len(), strings.get(1029), strings.get(1030)), (3030, "row 1029", "new 0"));
        for rows in [2048, 1024, 1, 0] {
            strings.truncate(rows);
            assert_eq!(strings.len(), rows);
        }
        assert_eq!(before.id(1023), "row 1023");
    }
}
