//! The ids of rows, and the rows of ids.

pub(crate) mod id_strings;
mod id_table;

use std::sync::{Arc, OnceLock};

use ranking::Hit;
use storage::{File, Writer};

use self::id_strings::{Names, RowIds};
use self::id_table::IdTable;
use crate::phrases::passage_of;
use crate::store::staged::{Put, Staged};
use crate::{Error, RowSet};

/// Ids of files with up to so many rows are listed when they are opened.
const CHECKED_ROWS: usize = 1 << 15;

/// The ids of all rows, deleted ones too, and the rows of all ids that are not deleted.
#[derive(Debug)]
pub(crate) struct Ids {
    names: Names,
    /// Made when it is needed, where there are many ids in a file.
    table: OnceLock<IdTable>,
    /// Rows that were deleted when the file was opened.
    unlisted: RowSet,
    staged: Option<Staged>,
    /// Whether a passage has several rows.
    by_passage: bool,
}

impl Ids {
    /// None. With `by_passage` those of [phrases](crate::PHRASES).
    pub fn new(by_passage: bool) -> Self {
        let (names, table) = (Names::default(), OnceLock::from(IdTable::new(by_passage)));
        Self { names, table, unlisted: RowSet::new(), staged: None, by_passage }
    }

    /// How many rows there are, deleted and staged ones too.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// The id of a row, deleted or not.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn id(&self, ord: u32) -> &str {
        self.names.get(ord)
    }

    /// Calls `with` for the id of each hit, in order.
    pub fn for_each_id(&self, hits: &[Hit], with: impl FnMut(&str)) {
        self.names.for_each_id(hits, with);
    }

    /// The row of an id that is neither deleted nor staged.
    pub fn ord(&self, id: &str) -> Option<u32> {
        let shown = self.shown();
        self.table().find(id, |ord| (ord as usize) < shown && self.names.get(ord) == id)
    }

    /// The rows of a passage that are neither deleted nor staged, in the order in which they were added.
    pub fn rows_of_passage(&self, passage: &str) -> Vec<u32> {
        let (shown, mut rows) = (self.shown(), Vec::new());
        self.table().for_each(passage, |ord| {
            if (ord as usize) < shown && passage_of(self.names.get(ord)) == passage {
                rows.push(ord);
            }
        });
        rows.sort_unstable();
        rows
    }

    /// The ids as they are now.
    pub fn snapshot(&self) -> RowIds {
        RowIds(self.names.clone())
    }

    /// Rows from this one on are staged.
    pub fn shown(&self) -> usize {
        self.staged.as_ref().map_or(self.len(), |staged| staged.first)
    }

    /// The rows that are staged, if any are or may be.
    pub fn staged(&mut self) -> &mut Option<Staged> {
        &mut self.staged
    }

    /// Whether rows are being staged now.
    pub fn staging(&self) -> bool {
        self.staged.as_ref().is_some_and(|staged| staged.open)
    }

    /// Appends ids; if one is empty or not as it should be, none.
    pub fn extend<S: AsRef<str>>(&mut self, ids: &[S]) -> Result<(), Error> {
        if let Some(staged) = self.staged.as_ref().filter(|staged| !staged.open) {
            return Err(Error::Staged { count: self.len() - staged.first });
        }
        let before = self.len();
        self.table();
        table_of(&mut self.table).reserve(before + ids.len(), |ord| self.names.get(ord));
        for (row, id) in ids.iter().enumerate() {
            let id = id.as_ref();
            if let Err(error) = self.push(id, row, before) {
                self.truncate(before);
                return Err(error);
            }
            self.names.push(id);
        }
        Ok(())
    }

    /// Takes `row` of a batch that starts at `before` into the table.
    fn push(&mut self, id: &str, row: usize, before: usize) -> Result<(), Error> {
        let ord = u32::try_from(before + row).expect("the caller checked that ords suffice");
        let operation = self.staged.as_ref().map_or(Put::Add, |staged| staged.put).name();
        if id.is_empty() {
            return Err(Error::EmptyId { operation, row });
        }
        let names = &self.names;
        let table = table_of(&mut self.table);
        let duplicate = |found: u32| {
            let first = (found as usize).checked_sub(before);
            Error::DuplicateId { operation, id: id.to_owned(), row, first }
        };
        match self.staged.as_mut().filter(|staged| staged.put != Put::Add) {
            None => match table.insert(id, ord, |ord| names.get(ord)) {
                Some(found) => Err(duplicate(found)),
                None => Ok(()),
            },
            Some(staged) => {
                let find = |staged_ones: bool| {
                    let first = staged.first;
                    let is_it = |ord: u32| (ord as usize >= first) == staged_ones && names.get(ord) == id;
                    table.find(id, is_it)
                };
                if let Some(found) = find(true) {
                    return Err(duplicate(found));
                }
                match find(false) {
                    Some(old) => staged.replaced.push((old, ord)),
                    None if staged.put == Put::Update => {
                        return Err(Error::UnknownId { operation, id: id.to_owned(), row });
                    }
                    None => {}
                }
                table.insert_beside(id, ord);
                Ok(())
            }
        }
    }

    /// Takes back the ids appended from row `rows` on.
    pub fn truncate(&mut self, rows: usize) {
        for ord in rows..self.len() {
            self.release(ord as u32);
        }
        if let Some(staged) = &mut self.staged {
            staged.replaced.retain(|&(_, new)| (new as usize) < rows);
        }
        self.names.truncate(rows);
    }

    /// Makes the id of a row free again, as far as this row had it.
    pub fn release(&mut self, ord: u32) {
        self.table();
        table_of(&mut self.table).remove(self.names.get(ord), ord, |ord| self.names.get(ord));
    }

    /// Reads the ids of a file, which stay there, and checks that they are text; if they are few, also that they are
    /// distinct where not deleted.
    pub fn open(file: &Arc<File>, rows: usize, deleted: &RowSet, by_passage: bool) -> Result<Self, Error> {
        let names = Names::open(file, rows)?;
        let ids = Self { names, table: OnceLock::new(), unlisted: deleted.clone(), staged: None, by_passage };
        if rows <= CHECKED_ROWS {
            ids.verify(file)?;
        }
        Ok(ids)
    }

    /// Whether the ids that a file had when it was opened are distinct where not deleted.
    pub fn verify(&self, file: &File) -> Result<(), Error> {
        let Some((first, row)) = self.list().1 else { return Ok(()) };
        let got = format!("\"{}\" at rows {first} and {row}", self.names.get(row));
        Err(storage::Error::corrupt(file.path(), "distinct ids".to_owned(), got).into())
    }

    /// Whether [`ord`](Self::ord) takes a moment. The first time, ids of a file have to be listed.
    pub fn listed(&self) -> bool {
        self.table.get().is_some()
    }

    fn table(&self) -> &IdTable {
        self.table.get_or_init(|| self.list().0)
    }

    /// The table of all ids in the file, and two rows that have one id, if there are. Of these the first is found.
    fn list(&self) -> (IdTable, Option<(u32, u32)>) {
        let (mut table, names) = (IdTable::new(self.by_passage), &self.names);
        let (rows, mut twice) = (names.base_len(), None);
        table.reserve(rows, |ord| names.get(ord));
        for ord in (0..rows as u32).filter(|&ord| !self.unlisted.contains(ord)) {
            let found = table.insert(names.get(ord), ord, |ord| names.get(ord));
            twice = twice.or(found.map(|first| (first, ord)));
        }
        (table, twice)
    }

    /// Writes the sections that [`open`](Self::open) reads.
    pub fn write(&self, writer: &mut Writer) -> Result<(), Error> {
        self.names.write(writer)
    }

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.names.memory_bytes() + self.table.get().map_or(0, IdTable::memory_bytes)
    }
}

/// The table, to change it; it is there.
fn table_of(table: &mut OnceLock<IdTable>) -> &mut IdTable {
    table.get_mut().expect("it was asked for before")
}
