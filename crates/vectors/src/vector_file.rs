use std::path::Path;
use std::sync::Arc;

use crate::arrow::{ArrowFile, ArrowRows};
use crate::fixed::{FixedRows, Layout, fvecs, npy, raw, safetensors};
use crate::format::PREFIX;
use crate::input::Input;
use crate::options::{IdSource, OpenOptions, check_options};
use crate::parquet::{ParquetFile, ParquetRows};
use crate::source::{Batch, RowSource};
use crate::{Error, IdList, VectorFormat};

/// Bytes of vectors in a batch, about.
const BATCH_BYTES: usize = 4 << 20;

/// Rows of a batch at most: ids take memory too.
const BATCH_ROWS: usize = 1 << 16;

/// A file of vectors whose kind, shape and columns are known and sound as far as its header says; the rows are read by
/// [`batches`](Self::batches).
#[derive(Debug)]
pub struct VectorFile {
    input: Input,
    content: Content,
    format: VectorFormat,
    ids: Ids,
    prefix: String,
}

#[derive(Debug)]
enum Content {
    Fixed(Layout),
    Parquet(ParquetFile),
    Arrow(ArrowFile),
}

#[derive(Debug)]
enum Ids {
    RowNumbers,
    /// The source of the vectors gives them.
    Column,
    List(Arc<IdList>),
}

impl VectorFile {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; [`Error::Format`] for what is not a file of vectors, and for columns that are not there;
    /// [`Error::Dimension`]; [`Error::Count`]; [`Error::Option`] for an option that this format has no use for.
    pub fn open(path: &Path, options: OpenOptions) -> Result<Self, Error> {
        let mut input = Input::open(path)?;
        let prefix = input.bytes_at(0, input.length().min(PREFIX as u64) as usize)?;
        let format = options.format.resolve(path, &prefix, input.length())?;
        let id_column = match &options.ids {
            IdSource::Column(name) => Some(name.as_str()),
            _ => None,
        };
        check_options(format, &options, id_column)?;
        let (column, tensor) = (options.column.as_deref(), options.tensor.as_deref());
        let content = match format {
            VectorFormat::Auto => unreachable!("resolved above"),
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
        // Without rows, some formats do not say.
        let known = file.dim() > 0;
        if let Some(expected) = options.dim.filter(|&dim| known && dim != file.dim()) {
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

    /// The format that the file was found to have.
    #[must_use]
    pub fn format(&self) -> VectorFormat {
        self.format
    }

    /// How many vectors there are.
    #[must_use]
    pub fn rows(&self) -> u64 {
        match &self.content {
            Content::Fixed(layout) => layout.rows,
            Content::Parquet(file) => file.rows(),
            Content::Arrow(file) => file.rows(),
        }
    }

    /// How long they are; 0 only where there are none and the file does not say.
    #[must_use]
    pub fn dim(&self) -> usize {
        match &self.content {
            Content::Fixed(layout) => layout.dim,
            Content::Parquet(file) => file.dim(),
            Content::Arrow(file) => file.dim(),
        }
    }

    /// Whether the ids were given or are a column: row numbers are distinct, these may not be.
    #[must_use]
    pub fn has_own_ids(&self) -> bool {
        !matches!(self.ids, Ids::RowNumbers)
    }

    /// Reads the rows in order, from the first.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; [`Error::Format`]
    pub fn batches(&self) -> Result<Batches<'_>, Error> {
        let input = self.input.again()?;
        let source: Box<dyn RowSource> = match &self.content {
            Content::Fixed(layout) => Box::new(FixedRows::new(input, *layout)?),
            Content::Parquet(file) => Box::new(ParquetRows::new(file, input)?),
            Content::Arrow(file) => Box::new(ArrowRows::new(file, input)),
        };
        let most = (BATCH_BYTES / (4 * self.dim().max(1))).clamp(1, BATCH_ROWS);
        Ok(Batches { file: self, source, next: 0, most })
    }
}

/// The rows of a file in order, a few MiB at a time. Ends after an error.
pub struct Batches<'a> {
    file: &'a VectorFile,
    source: Box<dyn RowSource + 'a>,
    next: u64,
    most: usize,
}

impl Iterator for Batches<'_> {
    type Item = Result<Batch, Error>;

    fn next(&mut self) -> Option<Result<Batch, Error>> {
        let left = self.file.rows() - self.next;
        if left == 0 {
            return None;
        }
        let mut batch = Batch::default();
        let most = usize::try_from(left).map_or(self.most, |left| left.min(self.most));
        if let Err(error) = self.source.read(most, &mut batch) {
            self.next = self.file.rows();
            return Some(Err(error));
        }
        let rows = batch.vectors.len() / self.file.dim();
        if rows == 0 {
            self.next = self.file.rows();
            let expected = format!("{} rows, as its header says", self.file.rows());
            let got = format!("{left} fewer");
            return Some(Err(Error::format(self.file.input.path(), expected, got)));
        }
        let prefix = &self.file.prefix;
        let numbers = self.next..self.next + rows as u64;
        match &self.file.ids {
            Ids::RowNumbers => batch.ids.extend(numbers.map(|row| format!("{prefix}{row}"))),
            Ids::List(ids) => {
                batch.ids.extend(numbers.map(|row| format!("{prefix}{}", ids.get(row as usize))))
            }
            Ids::Column if prefix.is_empty() => {}
            Ids::Column => batch.ids.iter_mut().for_each(|id| id.insert_str(0, prefix)),
        }
        self.next += rows as u64;
        Some(Ok(batch))
    }
}
