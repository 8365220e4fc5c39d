//! Reads columns of Parquet files with the column readers of the `parquet` crate. Its Arrow readers are not used,
//! because they take longer to compile than the rest of this crate.
//!
//! A Parquet file consists of row groups. [`ParquetRows`] reads the vector column and the id column of one row group
//! after another. The vector column is a column of lists; the numbers are in its leaf column (innermost nested column).

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

/// The columns of a Parquet file that are read, and its shape.
#[derive(Debug)]
pub(crate) struct ParquetFile {
    /// Index of the leaf column with the numbers of the vectors.
    vectors: usize,
    /// Index of the leaf column of the ids, if the ids are a column.
    ids: Option<usize>,
    rows: u64,
    dim: usize,
}

impl ParquetFile {
    /// Reads the schema and the first row. `column` is the name of the vector column; without it, the file must have
    /// only one suitable column. `ids` is the name of the id column, if the ids are a column.
    pub fn open(input: &Input, column: Option<&str>, ids: Option<&str>) -> Result<Self, Error> {
        without_panics(input.path(), || Self::open_unguarded(input, column, ids))
    }

    fn open_unguarded(input: &Input, column: Option<&str>, ids: Option<&str>) -> Result<Self, Error> {
        let path = input.path();
        let reader = SerializedFileReader::new(input.reopen()?.into_file()).map_err(corrupt(path))?;
        let metadata = reader.metadata().file_metadata();
        let schema = metadata.schema_descr();
        let vectors = vector_column(path, schema, column)?;
        let ids = ids.map(|name| id_column(path, schema, name)).transpose()?;
        let rows = u64::try_from(metadata.num_rows())
            .map_err(|_| Error::format(path, "a number of rows", metadata.num_rows().to_string()))?;
        let mut file = Self { vectors, ids, rows, dim: 0 };
        if rows > 0 {
            // The schema does not contain the dimension, so the first row is read.
            let mut first = Batch::default();
            ParquetRows::with_reader(&file, path, reader).read_group(1, &mut first)?;
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
    /// Index of the next row group.
    next_group: usize,
    group: Option<Group>,
    /// Number of the next row in the file, from 0.
    next_row: u64,
    /// Definition levels of the numbers read last: below the maximum for nulls and empty lists.
    definition: Vec<i16>,
    /// Repetition levels of the numbers read last: 0 for the first number of each list.
    repetition: Vec<i16>,
}

/// The current row group.
struct Group {
    rows_left: usize,
    vectors: ColumnReader,
    ids: Option<ColumnReader>,
}

impl<'a> ParquetRows<'a> {
    pub fn new(file: &'a ParquetFile, input: Input) -> Result<Self, Error> {
        let path = input.path().to_path_buf();
        let reader =
            without_panics(&path, || SerializedFileReader::new(input.into_file()).map_err(corrupt(&path)))?;
        Ok(Self::with_reader(file, &path, reader))
    }

    fn with_reader(file: &'a ParquetFile, path: &Path, reader: SerializedFileReader<File>) -> Self {
        let (definition, repetition) = (Vec::new(), Vec::new());
        let path = path.to_path_buf();
        Self { file, path, reader, next_group: 0, group: None, next_row: 0, definition, repetition }
    }

    /// Reads up to `max_rows` rows of the current row group, or of the next one if the current one has no rows left.
    /// Returns the number of rows read, which is 0 at the end of the file.
    fn read_group(&mut self, max_rows: usize, batch: &mut Batch) -> Result<usize, Error> {
        while self.group.as_ref().is_none_or(|group| group.rows_left == 0) {
            if self.next_group == self.reader.num_row_groups() {
                return Ok(0);
            }
            self.group = Some(self.open_group()?);
            self.next_group += 1;
        }
        let group = self.group.as_mut().expect("opened above");
        let count = max_rows.min(group.rows_left);
        group.rows_left -= count;
        self.definition.clear();
        self.repetition.clear();
        let (definition, repetition) = (Some(&mut self.definition), Some(&mut self.repetition));
        let corrupt = corrupt(&self.path);
        let start = batch.vectors.len();
        let records = match &mut group.vectors {
            ColumnReader::FloatColumnReader(reader) => {
                reader.read_records(count, definition, repetition, &mut batch.vectors).map_err(corrupt)?.0
            }
            ColumnReader::DoubleColumnReader(reader) => {
                let mut numbers: Vec<f64> = Vec::new();
                let records =
                    reader.read_records(count, definition, repetition, &mut numbers).map_err(corrupt)?.0;
                batch.vectors.extend(numbers.iter().map(|&number| number as f32));
                records
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                let mut numbers: Vec<FixedLenByteArray> = Vec::new();
                let records =
                    reader.read_records(count, definition, repetition, &mut numbers).map_err(corrupt)?.0;
                let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.data()).copied().collect();
                Element::F16.append(&bytes, &mut batch.vectors);
                records
            }
            _ => unreachable!("the column was chosen by its type"),
        };
        self.check_lists(count, records, batch.vectors.len() - start)?;
        if let Some(ids) = &mut self.group.as_mut().expect("opened above").ids {
            let before = batch.ids.len();
            let is_unsigned = self
                .file
                .ids
                .is_some_and(|leaf| is_unsigned(self.reader.metadata().file_metadata().schema_descr(), leaf));
            read_ids(&self.path, ids, count, is_unsigned, &mut batch.ids)?;
            if batch.ids.len() - before != count {
                let expected = format!("an id in each of {count} rows from row {} on", self.next_row);
                return Err(Error::format(
                    &self.path,
                    expected,
                    format!("{} ids and otherwise nulls", batch.ids.len() - before),
                ));
            }
        }
        self.next_row += count as u64;
        Ok(count)
    }

    /// Opens the column readers of the next row group.
    fn open_group(&self) -> Result<Group, Error> {
        let group = self.reader.get_row_group(self.next_group).map_err(corrupt(&self.path))?;
        let column = |leaf| group.get_column_reader(leaf).map_err(corrupt(&self.path));
        let rows_left = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        Ok(Group {
            rows_left,
            vectors: column(self.file.vectors)?,
            ids: self.file.ids.map(column).transpose()?,
        })
    }

    /// Checks that `records`, the number of lists read, is `count`, and that each list has no nulls and is as long as
    /// the first list of the file. `values` is how many numbers were read. If the dimension is not known yet, only the
    /// first row was read, and `values` is the dimension.
    fn check_lists(&self, count: usize, records: usize, values: usize) -> Result<(), Error> {
        if records != count {
            let expected = format!("{count} rows from row {} on", self.next_row);
            return Err(Error::format(&self.path, expected, format!("{records}")));
        }
        let schema = self.reader.metadata().file_metadata().schema_descr();
        let max_definition = schema.column(self.file.vectors).max_def_level();
        let dim = if self.file.dim == 0 { values } else { self.file.dim };
        let starts = self.repetition.iter().enumerate().filter(|(_, level)| **level == 0).map(|(at, _)| at);
        let ends = starts.clone().skip(1).chain([self.repetition.len()]);
        for (row, (start, end)) in (self.next_row..).zip(starts.zip(ends)) {
            let levels = &self.definition[start..end];
            if levels.len() == dim && levels.iter().all(|&level| level == max_definition) {
                continue;
            }
            let expected = format!("lists of {dim} numbers, like the first one");
            let got = match levels {
                &[only] if only < max_definition => format!("an empty list or a null at row {row}"),
                _ if levels.iter().any(|&level| level < max_definition) => {
                    format!("a null in the list at row {row}")
                }
                _ => format!("{} at row {row}", levels.len()),
            };
            return Err(Error::format(&self.path, expected, got));
        }
        Ok(())
    }
}

impl RowSource for ParquetRows<'_> {
    fn read(&mut self, max_rows: usize, batch: &mut Batch) -> Result<(), Error> {
        let mut count_read = 0;
        while count_read < max_rows {
            let path = self.path.clone();
            match without_panics(&path, || self.read_group(max_rows - count_read, batch))? {
                0 => break,
                rows => count_read += rows,
            }
        }
        Ok(())
    }
}

/// Reads `count` ids and appends those that are not null.
fn read_ids(
    path: &Path,
    ids: &mut ColumnReader,
    count: usize,
    is_unsigned: bool,
    out: &mut Vec<String>,
) -> Result<(), Error> {
    let mut levels = Vec::new();
    let levels = Some(&mut levels);
    match ids {
        ColumnReader::ByteArrayColumnReader(reader) => {
            let mut values: Vec<ByteArray> = Vec::new();
            reader.read_records(count, levels, None, &mut values).map_err(corrupt(path))?;
            for value in &values {
                let id = value
                    .as_utf8()
                    .map_err(|error| Error::format(path, "ids in UTF-8", error.to_string()))?;
                out.push(id.to_owned());
            }
        }
        ColumnReader::Int32ColumnReader(reader) => {
            let mut values: Vec<i32> = Vec::new();
            reader.read_records(count, levels, None, &mut values).map_err(corrupt(path))?;
            let id = |&value: &i32| {
                if is_unsigned { value.cast_unsigned().to_string() } else { value.to_string() }
            };
            out.extend(values.iter().map(id));
        }
        ColumnReader::Int64ColumnReader(reader) => {
            let mut values: Vec<i64> = Vec::new();
            reader.read_records(count, levels, None, &mut values).map_err(corrupt(path))?;
            let id = |&value: &i64| {
                if is_unsigned { value.cast_unsigned().to_string() } else { value.to_string() }
            };
            out.extend(values.iter().map(id));
        }
        _ => unreachable!("the column was chosen by its type"),
    }
    Ok(())
}

/// Returns a function that converts an error of the `parquet` crate.
fn corrupt(path: &Path) -> impl Fn(parquet::errors::ParquetError) -> Error + use<> {
    let path = path.to_path_buf();
    move |error| Error::format(&path, "a valid Parquet file", error.to_string())
}

/// Runs `work`, which calls the `parquet` crate, and turns a panic into an error: the crate panics on some corrupt
/// files (version 60.1 does so on negative offsets). This is unwind safe, because the values that `work` changes are
/// not used again after an error.
fn without_panics<T>(path: &Path, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let message = panics::description(&*panic);
        Err(Error::format(path, "a valid Parquet file", format!("one that contradicts itself: {message}")))
    })
}
