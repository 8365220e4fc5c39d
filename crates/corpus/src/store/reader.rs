//! Reads passages from a passage store: [`PassageStore`].

use std::path::Path;

use serde_json::Value;
use storage::{File, OpenOptions};

use super::record::{self, PassageRef};
use super::{KIND, id_table};
use crate::Error;

/// An open passage store. The passages that it returns borrow from the file, which is memory-mapped by default.
#[derive(Debug)]
pub struct PassageStore {
    file: File,
    passages: u32,
    metadata: Value,
}

impl PassageStore {
    /// Opens a store and checks its header, the lengths of its sections, and the checksums of sections up to 16 MiB.
    /// [`verify`](Self::verify) checks all checksums.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if the file cannot be read, is corrupt, or has an unsupported format version.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_with(path, OpenOptions::default())
    }

    /// Opens a store with options: memory-mapped or read into memory, and with or without a check of all checksums.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    pub fn open_with(path: impl AsRef<Path>, options: OpenOptions) -> Result<Self, Error> {
        let store = Self::from_file(File::open_with(path.as_ref(), KIND, options)?)?;
        if options.verify {
            store.verify()?;
        }
        Ok(store)
    }

    fn from_file(file: File) -> Result<Self, Error> {
        let corrupt = |expected: &str, got: String| storage::Error::corrupt(file.path(), expected, got);
        let count = file.metadata().get("passages").and_then(Value::as_u64);
        let passages = count.and_then(|count| u32::try_from(count).ok()).ok_or_else(|| {
            let got = file.metadata().get("passages").map_or("none".to_owned(), Value::to_string);
            corrupt("a number of passages below 2³²", got)
        })?;
        let records = file.section("records")?.len() as u64;
        let offsets = file.section_as::<u64>("offsets")?;
        if offsets.len() as u64 != u64::from(passages) + 1 {
            let got = format!("{} for {passages} passages", offsets.len());
            return Err(corrupt("one more offset than there are passages", got).into());
        }
        let (first, last) = (offsets[0], offsets[passages as usize]);
        if (first, last) != (0, records) {
            let got = format!("{first} to {last} for {records} bytes");
            return Err(corrupt("offsets from 0 to the length of the records", got).into());
        }
        let slots = file.section_as::<u64>("ids")?.len();
        if !id_table::fits(slots, passages as usize) {
            let got = format!("{slots} slots for {passages} passages");
            return Err(corrupt("a table of ids that is at most three quarters full", got).into());
        }
        let metadata = file.metadata().get("metadata").cloned().unwrap_or_default();
        Ok(Self { file, passages, metadata })
    }

    /// Number of passages.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.passages
    }

    /// Whether there are no passages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.passages == 0
    }

    /// The metadata that was passed to [`PassageStoreWriter::finish`](crate::PassageStoreWriter::finish).
    #[must_use]
    pub fn metadata(&self) -> &Value {
        &self.metadata
    }

    /// Path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Length of the file in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.file.bytes()
    }

    /// Returns the passage with this ord.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if the ord is not less than [`len`](Self::len); [`Error::Storage`] if the passage is
    /// corrupt.
    pub fn get(&self, ord: u32) -> Result<PassageRef<'_>, Error> {
        if ord >= self.passages {
            let expected = format!("less than {}, the number of passages", self.passages);
            return Err(Error::argument("ord", expected, ord.to_string()));
        }
        self.view()?.passage(ord)
    }

    /// Returns the ord of the passage with this id, or `None` if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if a record that is compared with the id is corrupt.
    pub fn find(&self, id: &str) -> Result<Option<u32>, Error> {
        let view = self.view()?;
        let slots = self.file.section_as::<u64>("ids")?;
        let mut failed = None;
        let found = id_table::find(slots, id_table::hash(id.as_bytes()), |ord| match view.id(ord) {
            Ok(stored) => stored == id.as_bytes(),
            Err(error) => {
                failed.get_or_insert(error);
                false
            }
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(found),
        }
    }

    /// Iterates over the passages in the order of their ords. For a corrupt passage, the iterator returns an error and
    /// then continues with the next passage.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Result<PassageRef<'_>, Error>> {
        (0..self.passages).map(|ord| self.get(ord))
    }

    /// Reads the whole file and compares it with its checksums.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] for the first section that does not match its checksum.
    pub fn verify(&self) -> Result<(), Error> {
        Ok(self.file.verify()?)
    }

    fn view(&self) -> Result<View<'_>, Error> {
        let offsets = self.file.section_as("offsets")?;
        Ok(View { path: self.file.path(), records: self.file.section("records")?, offsets })
    }
}

/// The sections that contain the passages. Their content may be corrupt, because opening does not check the checksums
/// of large sections.
struct View<'a> {
    path: &'a Path,
    records: &'a [u8],
    offsets: &'a [u64],
}

impl<'a> View<'a> {
    fn passage(&self, ord: u32) -> Result<PassageRef<'a>, Error> {
        record::decode(self.record(ord)?).ok_or_else(|| self.invalid_record(ord))
    }

    /// Returns the id of a passage, which may be invalid UTF-8.
    fn id(&self, ord: u32) -> Result<&'a [u8], Error> {
        record::id(self.record(ord)?).ok_or_else(|| self.invalid_record(ord))
    }

    /// Returns the bytes of a record.
    fn record(&self, ord: u32) -> Result<&'a [u8], Error> {
        let at = ord as usize;
        let (Some(&start), Some(&end)) = (self.offsets.get(at), self.offsets.get(at + 1)) else {
            return Err(self.corrupt(format!("ords below {}", self.offsets.len() - 1), ord.to_string()));
        };
        let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        range.and_then(|(start, end)| self.records.get(start..end)).ok_or_else(|| {
            let expected = format!("increasing offsets inside {} bytes", self.records.len());
            self.corrupt(expected, format!("{start} and {end} for ord {ord}"))
        })
    }

    fn invalid_record(&self, ord: u32) -> Error {
        self.corrupt(format!("a valid passage at ord {ord}"), "invalid bytes")
    }

    fn corrupt(&self, expected: impl Into<String>, got: impl Into<String>) -> Error {
        storage::Error::corrupt(self.path, expected, got).into()
    }
}
