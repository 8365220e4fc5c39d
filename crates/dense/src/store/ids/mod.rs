//! Maps rows to ids, and ids to rows.
//!
//! [`Ids`] does both: [`IdStrings`](id_strings::IdStrings) has the ids by ord, and [`IdTable`](id_table::IdTable) is a
//! hash table from ids to ords. For ids in a file, the table is built when it is first needed. A
//! [staged](super::staging) row (stored, but not yet found by searches) is in the table together with the row that it
//! will replace.

pub(crate) mod id_strings;
mod id_table;

use std::sync::{Arc, OnceLock};

use ranking::Hit;
use storage::{File, Writer};

use self::id_strings::{IdStrings, RowIds};
use self::id_table::IdTable;
use super::staged::{Put, Staged};
use crate::phrases::passage_of;
use crate::{Error, RowSet};

/// Files of up to this many rows are checked for duplicate ids when they are opened: that takes milliseconds.
const MAX_ROWS_CHECKED_ON_OPEN: usize = 1 << 15;

/// The ids of all rows, including deleted ones, and a table from ids to the rows that are not deleted.
#[derive(Debug)]
pub(crate) struct Ids {
    strings: IdStrings,
    /// Set from the start in a new index. In an opened one, [`table`](Self::table) builds it when it is first needed.
    table: OnceLock<IdTable>,
    /// The rows that were already deleted when the file was opened. They are not in the table.
    deleted_in_file: RowSet,
    /// The state of staging; `None` if no rows are staged.
    staged: Option<Staged>,
    /// Whether the rows are [phrases](crate::PHRASES_KEY), so that the rows of a passage can be looked up.
    by_passage: bool,
}

/// The table of the ids in a file.
struct FileTable {
    table: IdTable,
    /// Two rows with the same id, if there are any. Only the first of them is in the table.
    duplicates: Option<(u32, u32)>,
}

impl Ids {
    /// Returns an empty list. If the rows are [phrases](crate::PHRASES_KEY), `by_passage` is true.
    pub fn new(by_passage: bool) -> Self {
        Self {
            strings: IdStrings::default(),
            table: OnceLock::from(IdTable::new(by_passage)),
            deleted_in_file: RowSet::new(),
            staged: None,
            by_passage,
        }
    }

    /// Returns the number of rows, including deleted and staged ones.
    pub fn len(&self) -> usize {
        self.strings.len()
    }

    /// Returns the number of published rows: all rows except the staged ones, which come last.
    pub fn published_len(&self) -> usize {
        self.staged.as_ref().map_or(self.len(), |staged| staged.first)
    }

    /// Returns the id of a row, deleted or not.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn id(&self, ord: u32) -> &str {
        self.strings.get(ord)
    }

    /// Calls `visit` with the id of each hit, in order.
    pub fn for_each_id(&self, hits: &[Hit], visit: impl FnMut(&str)) {
        self.strings.for_each_id(hits, visit);
    }

    /// Returns the row with this id, if there is one that is neither deleted nor staged.
    pub fn ord(&self, id: &str) -> Option<u32> {
        let published = self.published_len();
        self.table().find(id, |ord| (ord as usize) < published && self.strings.get(ord) == id)
    }

    /// Returns the rows of a passage that are neither deleted nor staged, in the order in which they were added.
    pub fn rows_of_passage(&self, passage: &str) -> Vec<u32> {
        let (published, mut rows) = (self.published_len(), Vec::new());
        self.table().for_each(passage, |ord| {
            if (ord as usize) < published && passage_of(self.strings.get(ord)) == passage {
                rows.push(ord);
            }
        });
        rows.sort_unstable();
        rows
    }

    /// Returns a snapshot of the ids of all rows.
    pub fn snapshot(&self) -> RowIds {
        RowIds::new(self.strings.clone())
    }

    /// Returns the state of staging; `None` if no rows are staged.
    pub fn staged_mut(&mut self) -> &mut Option<Staged> {
        &mut self.staged
    }

    /// Returns whether a slice of a batch is being staged at the moment.
    pub fn is_staging(&self) -> bool {
        self.staged.as_ref().is_some_and(|staged| staged.is_open)
    }

    /// Appends ids. If an id is empty or must not be added (see [`Put`]), appends none. Fails with [`Error::Staged`] if
    /// there are staged rows and no slice is being staged.
    pub fn extend<S: AsRef<str>>(&mut self, ids: &[S]) -> Result<(), Error> {
        if let Some(staged) = self.staged.as_ref().filter(|staged| !staged.is_open) {
            return Err(Error::Staged { count: self.len() - staged.first });
        }
        let before = self.len();
        self.table();
        table_mut(&mut self.table).reserve(before + ids.len(), |ord| self.strings.get(ord));
        for (row, id) in ids.iter().enumerate() {
            let id = id.as_ref();
            if let Err(error) = self.insert(id, row, before) {
                self.truncate(before);
                return Err(error);
            }
            self.strings.push(id);
        }
        Ok(())
    }

    /// Inserts an id into the table. `row` is the position of the id in its batch, and `before` the ord of the first
    /// row of the batch.
    fn insert(&mut self, id: &str, row: usize, before: usize) -> Result<(), Error> {
        let ord = u32::try_from(before + row).expect("the caller checked the number of rows");
        let operation = self.staged.as_ref().map_or(Put::Add, |staged| staged.put).operation();
        if id.is_empty() {
            return Err(Error::EmptyId { operation, row });
        }
        let strings = &self.strings;
        let table = table_mut(&mut self.table);
        let duplicate = |found: u32| {
            let first = (found as usize).checked_sub(before);
            Error::DuplicateId { operation, id: id.to_owned(), row, first }
        };
        match self.staged.as_mut().filter(|staged| staged.put != Put::Add) {
            None => match table.insert(id, ord, |ord| strings.get(ord)) {
                Some(found) => Err(duplicate(found)),
                None => Ok(()),
            },
            Some(staged) => {
                let find = |among_staged: bool| {
                    let first = staged.first;
                    table.find(id, |ord| (ord as usize >= first) == among_staged && strings.get(ord) == id)
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
                table.insert_another(id, ord);
                Ok(())
            }
        }
    }

    /// Keeps the ids of the first `num_rows` rows and removes the others, which must be appended ones.
    pub fn truncate(&mut self, num_rows: usize) {
        for ord in num_rows..self.len() {
            self.release(ord as u32);
        }
        if let Some(staged) = &mut self.staged {
            staged.replaced.retain(|&(_, new)| (new as usize) < num_rows);
        }
        self.strings.truncate(num_rows);
    }

    /// Removes a row from the table, if it is in the table, so that its id can be added again.
    pub fn release(&mut self, ord: u32) {
        self.table();
        table_mut(&mut self.table).remove(self.strings.get(ord), ord, |ord| self.strings.get(ord));
    }

    /// Opens the ids of a file, without copying them to memory, and checks that they are UTF-8. In a file of at most
    /// [`MAX_ROWS_CHECKED_ON_OPEN`] rows, also checks that the ids of live rows are distinct.
    pub fn open(
        file: &Arc<File>,
        num_rows: usize,
        deleted: &RowSet,
        by_passage: bool,
    ) -> Result<Self, Error> {
        let strings = IdStrings::open(file, num_rows)?;
        let deleted_in_file = deleted.clone();
        let ids = Self { strings, table: OnceLock::new(), deleted_in_file, staged: None, by_passage };
        if num_rows <= MAX_ROWS_CHECKED_ON_OPEN {
            ids.verify(file)?;
        }
        Ok(ids)
    }

    /// Checks that the ids in the file are distinct, except the ids of rows that were deleted when the file was opened.
    pub fn verify(&self, file: &File) -> Result<(), Error> {
        let Some((first, second)) = self.file_table().duplicates else { return Ok(()) };
        let got = format!("\"{}\" at rows {first} and {second}", self.strings.get(second));
        Err(storage::Error::corrupt(file.path(), "distinct ids".to_owned(), got).into())
    }

    /// Returns whether the table has been built. Otherwise, the first call that needs it, such as [`ord`](Self::ord),
    /// builds it.
    pub fn are_indexed(&self) -> bool {
        self.table.get().is_some()
    }

    /// Returns the table, and builds it if it has not been built.
    fn table(&self) -> &IdTable {
        self.table.get_or_init(|| self.file_table().table)
    }

    /// Builds a table of the ids in the file, without the ids of deleted rows.
    fn file_table(&self) -> FileTable {
        let (mut table, strings) = (IdTable::new(self.by_passage), &self.strings);
        let (num_rows, mut duplicates) = (strings.mapped_len(), None);
        table.reserve(num_rows, |ord| strings.get(ord));
        for ord in (0..num_rows as u32).filter(|&ord| !self.deleted_in_file.contains(ord)) {
            let found = table.insert(strings.get(ord), ord, |ord| strings.get(ord));
            duplicates = duplicates.or(found.map(|first| (first, ord)));
        }
        FileTable { table, duplicates }
    }

    /// Writes the sections that [`open`](Self::open) reads.
    pub fn write(&self, writer: &mut Writer) -> Result<(), Error> {
        self.strings.write(writer)
    }

    /// Returns the number of bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.strings.memory_bytes() + self.table.get().map_or(0, IdTable::memory_bytes)
    }
}

/// Returns the table, so that it can be changed. The caller has built it by calling [`Ids::table`].
fn table_mut(table: &mut OnceLock<IdTable>) -> &mut IdTable {
    table.get_mut().expect("`Ids::table` was called before")
}
