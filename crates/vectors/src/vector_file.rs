//! Opens vector files of any format and streams their rows.

use std::path::Path;
use std::sync::Arc;

use crate::arrow::{ArrowFile, ArrowRows};
use crate::fixed::{FixedRows, Layout, fvecs, npy, raw, safetensors};
use crate::format::PREFIX_BYTES;
use crate::input::Input;
use crate::options::{IdSource, OpenOptions, check_options};
use crate::parquet::{ParquetFile, ParquetRows};
use crate::source::{Batch, RowSource};
use crate::{Error, IdList, VectorFormat};

/// Approximate number of bytes of vectors per batch.
const BATCH_BYTES: usize = 4 << 20;

/// Maximum number of rows per batch. It bounds the memory for ids if vectors are short.
const MAX_BATCH_ROWS: usize = 1 << 16;

/// An open vector file, whose header has been read and checked. [`batches`](Self::batches) reads the rows.
#[derive(Debug)]
pub struct VectorFile {
    input: Input,
    content: Content,
    format: VectorFormat,
    ids: Ids,
    prefix: String,
}

/// What was read from the header. Each variant has its own [`RowSource`].
#[derive(Debug)]
enum Content {
    Fixed(Layout),
    Parquet(ParquetFile),
    Arrow(ArrowFile),
}

/// Where the ids come from: an [`IdSource`] whose file has been read.
#[derive(Debug)]
enum Ids {
    RowNumbers,
    /// A column of the vector file, which the [`RowSource`] reads together with the vectors.
    Column,
    List(Arc<IdList>),
}

impl VectorFile {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the file cannot be read; [`Error::Format`] if it is not a valid vector file, or lacks the
    /// column or tensor that the options name; [`Error::Dimension`] if the vectors do not have the length in the
    /// options; [`Error::Count`] if a list of ids does not have one id per vector; [`Error::Option`] if an option does
    /// not apply to the format, or if a required option is missing.
    pub fn open(path: &Path, options: OpenOptions) -> Result<Self, Error> {
        let mut input = Input::open(path)?;
        let prefix = input.bytes_at(0, input.length().min(PREFIX_BYTES as u64) as usize)?;
        let format = options.format.resolve(path, &prefix, input.length())?;
        let id_column = match &options.ids {
            IdSource::Column(name) => Some(name.as_str()),
            _ => None,
        };
        check_options(format, &options, id_column)?;
        let (column, tensor) = (options.column.as_deref(), options.tensor.as_deref());
        let content = match format {
            VectorFormat::Auto => unreachable!("the format was resolved"),
            VectorFormat::Npy => Content::Fixed(npy::layout(&mut input)?),
            VectorFormat::Raw => Content::Fixed(raw::layout(path, input.length(), options.dim)?),
            VectorFormat::Safetensors => Content::Fixed(safetensors::layout(&mut input, tensor)?),
            VectorFormat::Fvecs => Content::Fixed(fvecs::layout(&mut input)?),
            VectorFormat::Parquet => Content::Parquet(ParquetFile::open(&input, column, id_column)?),
            VectorFormat::Arrow => Content::Arrow(ArrowFile::open(&mut input, column, id_column)?),
        };
        let ids = match options.ids {
            IdSource::RowNumbers => Ids::RowNumbers,
            IdSource::Column(_) => Ids::Column,
            IdSource::Path(ref ids) => Ids::List(Arc::new(IdList::read(ids)?)),
            IdSource::List(ref ids) => Ids::List(Arc::clone(ids)),
        };
        let file = Self { input, content, format, ids, prefix: options.prefix };
        // The dimension of a file without rows may be unknown.
        let has_dim = file.dim() > 0;
        if let Some(expected) = options.dim.filter(|&dim| has_dim && dim != file.dim()) {
            return Err(Error::Dimension { path: path.to_path_buf(), expected, got: file.dim() });
        }
        if let Ids::List(list) = &file.ids
            && list.len() as u64 != file.rows()
        {
            let path = if let IdSource::Path(ids) = options.ids { ids } else { path.to_path_buf() };
            return Err(Error::Count { path, expected: file.rows(), got: list.len() as u64 });
        }
        Ok(file)
    }

    /// Returns the format of the file, which is never [`VectorFormat::Auto`].
    #[must_use]
    pub fn format(&self) -> VectorFormat {
        self.format
    }

    /// Returns the number of vectors.
    #[must_use]
    pub fn rows(&self) -> u64 {
        match &self.content {
            Content::Fixed(layout) => layout.rows,
            Content::Parquet(file) => file.rows(),
            Content::Arrow(file) => file.rows(),
        }
    }

    /// Returns the length of the vectors, or 0 if the file has no vectors and does not state a length.
    #[must_use]
    pub fn dim(&self) -> usize {
        match &self.content {
            Content::Fixed(layout) => layout.dim,
            Content::Parquet(file) => file.dim(),
            Content::Arrow(file) => file.dim(),
        }
    }

    /// Returns whether the ids come from a list, a file of ids or a column. Unlike row numbers, such ids may contain
    /// duplicates.
    #[must_use]
    pub fn has_own_ids(&self) -> bool {
        !matches!(self.ids, Ids::RowNumbers)
    }

    /// Reads the rows in order, in batches.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the file cannot be read; [`Error::Format`] if it has been replaced by an invalid one.
    pub fn batches(&self) -> Result<Batches<'_>, Error> {
        let input = self.input.reopen()?;
        let source: Box<dyn RowSource> = match &self.content {
            Content::Fixed(layout) => Box::new(FixedRows::new(input, *layout)?),
            Content::Parquet(file) => Box::new(ParquetRows::new(file, input)?),
            Content::Arrow(file) => Box::new(ArrowRows::new(file, input)),
        };
        let max_rows = (BATCH_BYTES / (4 * self.dim().max(1))).clamp(1, MAX_BATCH_ROWS);
        Ok(Batches { file: self, source, next_row: 0, max_rows })
    }
}

/// Iterator over the rows of a file, in batches of a few MiB. It ends after the first error.
pub struct Batches<'a> {
    file: &'a VectorFile,
    source: Box<dyn RowSource + 'a>,
    next_row: u64,
    max_rows: usize,
}

impl Iterator for Batches<'_> {
    type Item = Result<Batch, Error>;

    fn next(&mut self) -> Option<Result<Batch, Error>> {
        let rows_left = self.file.rows() - self.next_row;
        if rows_left == 0 {
            return None;
        }
        let mut batch = Batch::default();
        let max_rows = usize::try_from(rows_left).map_or(self.max_rows, |left| left.min(self.max_rows));
        if let Err(error) = self.source.read(max_rows, &mut batch) {
            self.next_row = self.file.rows();
            return Some(Err(error));
        }
        let rows = batch.vectors.len() / self.file.dim();
        if rows == 0 {
            self.next_row = self.file.rows();
            let expected = format!("{} rows, as its header says", self.file.rows());
            let got = format!("{rows_left} fewer");
            return Some(Err(Error::format(self.file.input.path(), expected, got)));
        }
        let prefix = &self.file.prefix;
        let row_numbers = self.next_row..self.next_row + rows as u64;
        match &self.file.ids {
            Ids::RowNumbers => batch.ids.extend(row_numbers.map(|row| format!("{prefix}{row}"))),
            Ids::List(ids) => {
                batch.ids.extend(row_numbers.map(|row| format!("{prefix}{}", ids.get(row as usize))))
            }
            Ids::Column if prefix.is_empty() => {}
            Ids::Column => batch.ids.iter_mut().for_each(|id| id.insert_str(0, prefix)),
        }
        self.next_row += rows as u64;
        Some(Ok(batch))
    }
}
