//! Columns of Parquet files, through the `parquet` crate's own column readers: its Arrow side takes longer to build than
//! all the rest of this crate.

mod columns;

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use parquet::column::reader::ColumnReader;
use parquet::data_type::{ByteArray, FixedLenByteArray};
use parquet::file::reader::{FileReader, SerializedFileReader};

use self::columns::{id_column, is_unsigned, vector_column};
use crate::Error;
use crate::element::Element;
use crate::input::Input;
use crate::source::{Batch, RowSource};

/// A Parquet file with the columns that are read.
#[derive(Debug)]
pub(crate) struct ParquetFile {
    vectors: usize,
    ids: Option<usize>,
    rows: u64,
    dim: usize,
}

impl ParquetFile {
    pub fn open(input: &Input, column: Option<&str>, ids: Option<&str>) -> Result<Self, Error> {
        guarded(input.path(), || Self::opened(input, column, ids))
    }

    fn opened(input: &Input, column: Option<&str>, ids: Option<&str>) -> Result<Self, Error> {
        let path = input.path();
        let reader = SerializedFileReader::new(input.again()?.into_file()).map_err(damaged(path))?;
        let metadata = reader.metadata().file_metadata();
        let schema = metadata.schema_descr();
        let vectors = vector_column(path, schema, column)?;
        let ids = ids.map(|name| id_column(path, schema, name)).transpose()?;
        let rows = u64::try_from(metadata.num_rows())
            .map_err(|_| Error::format(path, "a number of rows", metadata.num_rows().to_string()))?;
        let mut file = Self { vectors, ids, rows, dim: 0 };
        if rows > 0 {
            // Only the rows say how long they are.
            let mut first = Batch::default();
            ParquetRows::over(&file, path, reader).read_group(1, &mut first)?;
            file.dim = first.vectors.len();
            if file.dim == 0 {
                return Err(Error::format(path, "lists of one number or more", "an empty list at row 0"));
            }
        }
        Ok(file)
    }

    pub fn rows(&self) -> u64 {
        self.rows
    }

    pub fn dim(&self) -> usize {
        self.dim
    }
}

/// Reads the rows of a [`ParquetFile`] in order.
pub(crate) struct ParquetRows<'a> {
    file: &'a ParquetFile,
    path: PathBuf,
    reader: SerializedFileReader<File>,
    next_group: usize,
    group: Option<Group>,
    next_row: u64,
    definition: Vec<i16>,
    repetition: Vec<i16>,
}

/// The row group that is being read.
struct Group {
    left: usize,
    vectors: ColumnReader,
    ids: Option<ColumnReader>,
}

impl<'a> ParquetRows<'a> {
    pub fn new(file: &'a ParquetFile, input: Input) -> Result<Self, Error> {
        let path = input.path().to_path_buf();
        let reader = guarded(&path, || SerializedFileReader::new(input.into_file()).map_err(damaged(&path)))?;
        Ok(Self::over(file, &path, reader))
    }

    fn over(file: &'a ParquetFile, path: &Path, reader: SerializedFileReader<File>) -> Self {
        let (definition, repetition) = (Vec::new(), Vec::new());
        let path = path.to_path_buf();
        Self { file, path, reader, next_group: 0, group: None, next_row: 0, definition, repetition }
    }

    /// Up to `most` rows of one group; 0 at the end.
    fn read_group(&mut self, most: usize, batch: &mut Batch) -> Result<usize, Error> {
        while self.group.as_ref().is_none_or(|group| group.left == 0) {
            if self.next_group == self.reader.num_row_groups() {
                return Ok(0);
            }
            self.group = Some(self.open_group()?);
            self.next_group += 1;
        }
        let group = self.group.as_mut().expect("opened above");
        let count = most.min(group.left);
        group.left -= count;
        self.definition.clear();
        self.repetition.clear();
        let (levels, repeated) = (Some(&mut self.definition), Some(&mut self.repetition));
        let bad = damaged(&self.path);
        let start = batch.vectors.len();
        let records = match &mut group.vectors {
            ColumnReader::FloatColumnReader(reader) => {
                reader.read_records(count, levels, repeated, &mut batch.vectors).map_err(bad)?.0
            }
            ColumnReader::DoubleColumnReader(reader) => {
                let mut numbers: Vec<f64> = Vec::new();
                let records = reader.read_records(count, levels, repeated, &mut numbers).map_err(bad)?.0;
                batch.vectors.extend(numbers.iter().map(|&number| number as f32));
                records
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                let mut numbers: Vec<FixedLenByteArray> = Vec::new();
                let records = reader.read_records(count, levels, repeated, &mut numbers).map_err(bad)?.0;
                let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.data()).copied().collect();
                Element::F16.append(&bytes, &mut batch.vectors);
                records
            }
            _ => unreachable!("the column was chosen by its type"),
        };
        self.check_lists(count, records, batch.vectors.len() - start)?;
        if let Some(ids) = &mut self.group.as_mut().expect("opened above").ids {
            let before = batch.ids.len();
            let unsigned = self
                .file
                .ids
                .is_some_and(|leaf| is_unsigned(self.reader.metadata().file_metadata().schema_descr(), leaf));
            read_ids(&self.path, ids, count, unsigned, &mut batch.ids)?;
            if batch.ids.len() - before != count {
                let expected = format!("an id at each of {count} rows from {} on", self.next_row);
                return Err(Error::format(
                    &self.path,
                    expected,
                    format!("{} and nulls", batch.ids.len() - before),
                ));
            }
        }
        self.next_row += count as u64;
        Ok(count)
    }

    fn open_group(&self) -> Result<Group, Error> {
        let group = self.reader.get_row_group(self.next_group).map_err(damaged(&self.path))?;
        let column = |leaf| group.get_column_reader(leaf).map_err(damaged(&self.path));
        let left = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        Ok(Group { left, vectors: column(self.file.vectors)?, ids: self.file.ids.map(column).transpose()? })
    }

    /// That `count` rows came, each a list of as many numbers as the first of the file, and no nulls.
    fn check_lists(&self, count: usize, records: usize, values: usize) -> Result<(), Error> {
        if records != count {
            let expected = format!("{count} rows from {} on", self.next_row);
            return Err(Error::format(&self.path, expected, format!("{records}")));
        }
        let schema = self.reader.metadata().file_metadata().schema_descr();
        let full = schema.column(self.file.vectors).max_def_level();
        let dim = if self.file.dim == 0 { values } else { self.file.dim };
        let starts = self.repetition.iter().enumerate().filter(|(_, level)| **level == 0).map(|(at, _)| at);
        let ends = starts.clone().skip(1).chain([self.repetition.len()]);
        for (row, (start, end)) in (self.next_row..).zip(starts.zip(ends)) {
            let levels = &self.definition[start..end];
            if levels.len() == dim && levels.iter().all(|&level| level == full) {
                continue;
            }
            let expected = format!("lists of {dim} numbers, as the first one");
            let got = match levels {
                &[only] if only < full => format!("an empty list or a null at row {row}"),
                _ if levels.iter().any(|&level| level < full) => format!("a null in the list at row {row}"),
                _ => format!("{} at row {row}", levels.len()),
            };
            return Err(Error::format(&self.path, expected, got));
        }
        Ok(())
    }
}

impl RowSource for ParquetRows<'_> {
    fn read(&mut self, most: usize, batch: &mut Batch) -> Result<(), Error> {
        let mut taken = 0;
        while taken < most {
            let path = self.path.clone();
            match guarded(&path, || self.read_group(most - taken, batch))? {
                0 => break,
                rows => taken += rows,
            }
        }
        Ok(())
    }
}

fn read_ids(
    path: &Path,
    ids: &mut ColumnReader,
    count: usize,
    unsigned: bool,
    out: &mut Vec<String>,
) -> Result<(), Error> {
    // Nulls are left out of the values; the caller misses them.
    let mut levels = Vec::new();
    let levels = Some(&mut levels);
    match ids {
        ColumnReader::ByteArrayColumnReader(reader) => {
            let mut values: Vec<ByteArray> = Vec::new();
            reader.read_records(count, levels, None, &mut values).map_err(damaged(path))?;
            for value in &values {
                let id = value
                    .as_utf8()
                    .map_err(|error| Error::format(path, "ids in UTF-8", error.to_string()))?;
                out.push(id.to_owned());
            }
        }
        ColumnReader::Int32ColumnReader(reader) => {
            let mut values: Vec<i32> = Vec::new();
            reader.read_records(count, levels, None, &mut values).map_err(damaged(path))?;
            let id =
                |&value: &i32| if unsigned { value.cast_unsigned().to_string() } else { value.to_string() };
            out.extend(values.iter().map(id));
        }
        ColumnReader::Int64ColumnReader(reader) => {
            let mut values: Vec<i64> = Vec::new();
            reader.read_records(count, levels, None, &mut values).map_err(damaged(path))?;
            let id =
                |&value: &i64| if unsigned { value.cast_unsigned().to_string() } else { value.to_string() };
            out.extend(values.iter().map(id));
        }
        _ => unreachable!("the column was chosen by its type"),
    }
    Ok(())
}

fn damaged(path: &Path) -> impl Fn(parquet::errors::ParquetError) -> Error + use<> {
    let path = path.to_path_buf();
    move |error| Error::format(&path, "a sound Parquet file", error.to_string())
}

/// The `parquet` crate panics where some damaged files contradict themselves (version 60.1, negative offsets). What
/// `work` leaves half done is not used again.
fn guarded<T>(path: &Path, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let said = panics::description(&*panic);
        Err(Error::format(path, "a sound Parquet file", format!("one that contradicts itself: {said}")))
    })
}
