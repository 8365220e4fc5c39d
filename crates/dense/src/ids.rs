use std::sync::Arc;

use storage::{File, Writer};

use crate::Error;
use crate::column::Column;
use crate::id_table::IdTable;
use crate::tombstones::Tombstones;

/// The ids of all rows, deleted ones too, and the rows of all ids that are not deleted.
#[derive(Debug)]
pub(crate) struct Ids {
    names: Names,
    table: IdTable,
}

/// The ids one after another.
#[derive(Debug)]
struct Names {
    bytes: Column<u8>,
    /// Where each id ends in `bytes`.
    ends: Column<u64>,
}

impl Ids {
    pub fn new() -> Self {
        let names = Names { bytes: Column::new(), ends: Column::new() };
        Self { names, table: IdTable::default() }
    }

    /// How many rows there are, deleted ones too.
    pub fn len(&self) -> usize {
        self.names.ends.len()
    }

    /// The id of a row, deleted or not.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn id(&self, ord: u32) -> &str {
        self.names.get(ord)
    }

    /// The row of an id that is not deleted.
    pub fn ord(&self, id: &str) -> Option<u32> {
        self.table.get(id, |ord| self.names.get(ord))
    }

    /// Appends ids; if one is empty or not new, none.
    pub fn extend<S: AsRef<str>>(&mut self, ids: &[S]) -> Result<(), Error> {
        let before = self.len();
        self.table.reserve(before + ids.len(), |ord| self.names.get(ord));
        for (row, id) in ids.iter().enumerate() {
            let id = id.as_ref();
            let ord = u32::try_from(before + row).expect("the caller checked that ords suffice");
            let refused = if id.is_empty() {
                Some(Error::EmptyId { row })
            } else {
                let found = self.table.insert(id, ord, |ord| self.names.get(ord));
                found.map(|found| Error::DuplicateId {
                    id: id.to_owned(),
                    row,
                    first: (found as usize).checked_sub(before),
                })
            };
            if let Some(error) = refused {
                self.truncate(before);
                return Err(error);
            }
            self.names.push(id);
        }
        Ok(())
    }

    /// Takes back the ids appended from row `rows` on.
    pub fn truncate(&mut self, rows: usize) {
        for ord in rows..self.len() {
            let ord = ord as u32;
            self.table.remove(self.names.get(ord), ord, |ord| self.names.get(ord));
        }
        self.names.truncate(rows);
    }

    /// Makes the id of a row that was deleted free again.
    pub fn release(&mut self, ord: u32) {
        self.table.remove(self.names.get(ord), ord, |ord| self.names.get(ord));
    }

    /// Reads the ids of a file, which stay there, and checks that they are text, and distinct where not deleted.
    pub fn open(file: &Arc<File>, rows: usize, deleted: &Tombstones) -> Result<Self, Error> {
        let names = Names { bytes: Column::open(file, "ids")?, ends: Column::open(file, "id_ends")? };
        let corrupt = |expected: String, got: String| storage::Error::corrupt(file.path(), expected, got);
        let ((bytes, _), (ends, _)) = (names.bytes.parts(), names.ends.parts());
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
        let mut table = IdTable::default();
        table.reserve(rows - deleted.count(), |ord| names.get(ord));
        for ord in (0..rows as u32).filter(|&ord| !deleted.contains(ord)) {
            let id = names.get(ord);
            if let Some(first) = table.insert(id, ord, |ord| names.get(ord)) {
                return Err(corrupt(
                    "distinct ids".to_owned(),
                    format!("\"{id}\" at rows {first} and {ord}"),
                )
                .into());
            }
        }
        Ok(Self { names, table })
    }

    /// Writes the sections that [`open`](Self::open) reads.
    pub fn write(&self, writer: &mut Writer) -> Result<(), Error> {
        writer.begin("ids")?;
        self.names.bytes.write(writer)?;
        writer.begin("id_ends")?;
        self.names.ends.write(writer)
    }

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.names.bytes.memory_bytes() + self.names.ends.memory_bytes() + self.table.memory_bytes()
    }
}

impl Names {
    fn get(&self, ord: u32) -> &str {
        let ord = ord as usize;
        let start = self.end_before(ord);
        let bytes = self.bytes.slice(start, self.ends.get(ord) as usize - start);
        std::str::from_utf8(bytes)
            .expect("ids are text: they were strings, or checked when the file was opened")
    }

    fn push(&mut self, id: &str) {
        self.bytes.extend(id.as_bytes());
        self.ends.extend(&[self.bytes.len() as u64]);
    }

    fn truncate(&mut self, rows: usize) {
        let end = self.end_before(rows);
        self.bytes.truncate(end);
        self.ends.truncate(rows);
    }

    /// Where the ids before `row` end.
    fn end_before(&self, row: usize) -> usize {
        if row == 0 { 0 } else { self.ends.get(row - 1) as usize }
    }
}
