//! Vectors from files into indexes and out of them, without JavaScript.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dense::{FlatWriter, Longest, Put};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use storage::{Output, Stop, put_both};
use vectors::{Batch, IdList, IdSource, NpyWriter, OpenOptions, VectorFile};

use super::any_index::AnyIndex;
use super::batch::{PushedIds, VectorBatch};
use super::index::NativeVectorIndex;
use super::opened::Opened;
use super::options::{NativeFlatOptions, metadata, parsed_similarity, parsed_storage};
use crate::control::{Control, or_new};
use crate::error::Failure;
use crate::task::{Outcome, spawn};

#[napi(object)]
pub struct NativeVectorFileOptions {
    pub format: String,
    pub prefix: String,
    pub tensor: Option<String>,
    pub column: Option<String>,
    pub id_column: Option<String>,
    pub ids_path: Option<String>,
}

#[napi]
impl NativeVectorIndex {
    /// Empties the batch of ids. Resolves to how many vectors there were.
    #[napi(ts_return_type = "Promise<number>", catch_unwind)]
    pub fn add_file<'env>(
        &self,
        env: &'env Env,
        path: String,
        options: NativeVectorFileOptions,
        ids: Option<&mut VectorBatch>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (control, ids) = (or_new(control), ids.map(|batch| batch.take().0));
        self.change(env, move |index| {
            let file = open(&path, options, ids.map(PushedIds::apart), Some(index.dim as usize))?;
            put(index, &file, Path::new(&path), &control)
        })
    }

    /// Writes the vectors, and the ids beside them. Resolves to how many there were.
    #[napi(ts_return_type = "Promise<number>", catch_unwind)]
    pub fn export_vectors<'env>(
        &self,
        env: &'env Env,
        path: String,
        ids_path: Option<String>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (index, control) = (self.opened(), or_new(control));
        spawn(env, move || {
            index?.read(|index| export(index, Path::new(&path), ids_path.as_deref().map(Path::new), &control))
        })
    }
}

/// Writes the vectors of a file to a flat index file. Empties the batch of ids. `dim` is 0 where the file says it.
#[napi(ts_return_type = "Promise<void>", catch_unwind)]
pub fn build_flat_from_file<'env>(
    env: &'env Env,
    source: String,
    output: String,
    options: NativeVectorFileOptions,
    ids: Option<&mut VectorBatch>,
    index: NativeFlatOptions,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let control = or_new(control);
    let ids = ids.map(|batch| batch.take().0);
    spawn(env, move || {
        let NativeFlatOptions { dim, similarity, storage, metadata: json } = index;
        let (similarity, storage) = (parsed_similarity(&similarity)?, parsed_storage(&storage)?);
        let metadata = metadata(&json)?;
        let file = open(&source, options, ids.map(PushedIds::apart), (dim > 0).then_some(dim as usize))?;
        // A file without rows may not say how long they would be.
        let dim = if file.dim() > 0 { file.dim() } else { dim as usize };
        let mut writer = FlatWriter::with_storage(Path::new(&output), dim, similarity, storage)?;
        control.set_total(file.rows());
        let mut row = 0;
        for batch in file.batches()? {
            control.check()?;
            let batch = batch?;
            let pushed = writer.push(&batch.ids, &batch.vectors);
            pushed.map_err(|error| in_file(&file, Path::new(&source), row, error))?;
            row += batch.ids.len();
            control.advance(batch.ids.len() as u64);
        }
        Ok(writer.finish(&metadata)?)
    })
}

fn open(
    path: &str,
    options: NativeVectorFileOptions,
    ids: Option<Vec<String>>,
    dim: Option<usize>,
) -> Outcome<VectorFile> {
    let NativeVectorFileOptions { format, prefix, tensor, column, id_column, ids_path } = options;
    let ids = match (ids, id_column, ids_path) {
        (Some(ids), ..) => IdSource::List(Arc::new(ids.into_iter().collect())),
        (_, Some(column), _) => IdSource::Column(column),
        (_, _, Some(path)) => IdSource::Path(PathBuf::from(path)),
        _ => IdSource::RowNumbers,
    };
    let options = OpenOptions { format: format.parse()?, dim, tensor, column, ids, prefix };
    Ok(VectorFile::open(Path::new(path), options)?)
}

/// Adds the rows of a file: all in one moment or, on an error or when cancelled, none. The file is read twice: first
/// for what an index refuses, so that a bad row costs neither the time of linking those before it nor space.
fn put(index: &Opened, file: &VectorFile, path: &Path, control: &control::Control) -> Outcome<u32> {
    control.set_total(file.rows());
    let (mut longest, mut seen, mut row) = (Vec::new(), Seen::default(), 0);
    for batch in file.batches()? {
        control.check()?;
        let Batch { ids, vectors } = batch?;
        index.read(|index| {
            let checked = index.check_rows(Put::Add, &ids, &vectors);
            checked.map_err(|error| in_file(file, path, row, error))
        })?;
        if file.has_own_ids()
            && let Some((first, again)) = seen.add(&ids, row, |id, end| first_row(file, id, end))
        {
            let (id, row) = (ids[again - row].clone(), again);
            let error = dense::Error::DuplicateId { operation: "add", id, row, first: Some(first) };
            return Err(Failure::from(error).about(path));
        }
        longest.push(Longest::of(file.dim(), &vectors));
        row += ids.len();
    }
    index.in_one_moment(&longest, || {
        for batch in file.batches()? {
            let Batch { ids, vectors } = batch?;
            index.stage(Put::Add, ids, &vectors, control)?;
        }
        Ok(())
    })?;
    Ok(row as u32)
}

/// Hashes of ids: a fraction of what the ids would take.
#[derive(Default)]
struct Seen {
    hashes: HashSet<u64>,
    hasher: RandomState,
}

impl Seen {
    /// Takes in the ids of the rows from `start` on. If one was there, its row, and that of the other. `earlier` finds
    /// the row of an id before another row: hashes may be the same by chance.
    fn add(
        &mut self,
        ids: &[String],
        start: usize,
        earlier: impl Fn(&str, usize) -> Option<usize>,
    ) -> Option<(usize, usize)> {
        ids.iter().zip(start..).find_map(|(id, row)| {
            let new = self.hashes.insert(self.hasher.hash_one(id));
            let first = if new { None } else { earlier(id, row) };
            first.map(|first| (first, row))
        })
    }
}

/// An error of the rows from `start` on, with the file's name and the positions in it.
fn in_file(file: &VectorFile, path: &Path, start: usize, error: dense::Error) -> Failure {
    let mut error = error.moved_by(start);
    match &mut error {
        dense::Error::EmptyId { row, .. } => *row += start,
        dense::Error::DuplicateId { id, row, first, .. } => {
            *first = match *first {
                Some(first) => Some(first + start),
                // What stands earlier in the file is as if in the index by now.
                None => first_row(file, id, start),
            };
            *row += start;
        }
        dense::Error::Cancelled(_) => return error.into(),
        _ => {}
    }
    Failure::from(error).about(path)
}

/// The row of a file with this id, if there is one before `end`.
fn first_row(file: &VectorFile, id: &str, end: usize) -> Option<usize> {
    let mut start = 0;
    for batch in file.batches().ok()? {
        let ids = batch.ok()?.ids;
        let found = ids.iter().position(|other| other == id).map(|row| start + row);
        start += ids.len();
        if found.is_some() || start >= end {
            return found.filter(|&row| row < end);
        }
    }
    None
}

/// Rows between looks at the control.
const ROWS_AT_A_TIME: usize = 1024;

/// Writes both files, or neither on an error or cancellation.
fn export(
    index: &AnyIndex,
    path: &Path,
    ids_path: Option<&Path>,
    control: &Arc<control::Control>,
) -> Outcome<u32> {
    let rows: Vec<u32> = index.live().iter().collect();
    control.set_total(rows.len() as u64);
    // Checked first, before any byte goes to a stream.
    let ids = ids_path.map(|ids_path| -> Outcome<_> {
        Output::check(ids_path)?;
        if Output::is_same_file(path, ids_path) {
            let message =
                format!("exportVectors: expected two files, got {} for vectors and ids", path.display());
            return Err(Failure::argument(message));
        }
        let ids: IdList = rows.iter().map(|&ord| index.id(ord)).collect();
        Ok((ids_path, ids.to_file(ids_path)?))
    });
    let ids = ids.transpose()?;
    let written = write_both(index, &rows, path, ids, control);
    // A canceled wait for the reader of a FIFO returns a file error: report the cancellation instead.
    written.or_else(|failure| {
        control.check()?;
        Err(failure)
    })?;
    Ok(rows.len() as u32)
}

fn write_both(
    index: &AnyIndex,
    rows: &[u32],
    path: &Path,
    ids: Option<(&Path, Vec<u8>)>,
    control: &Arc<control::Control>,
) -> Outcome<()> {
    let stop = || -> Stop {
        let control = Arc::clone(control);
        Box::new(move || control.is_cancelled())
    };
    let mut writer = NpyWriter::create(path, rows.len() as u64, index.dim(), stop())?;
    for rows in rows.chunks(ROWS_AT_A_TIME) {
        control.check()?;
        for &ord in rows {
            writer.push(&index.vector(ord))?;
        }
        control.advance(rows.len() as u64);
    }
    let vectors = writer.complete()?;
    let Some((ids_path, ids)) = ids else { return Ok(vectors.put()?) };
    let mut output = Output::create(ids_path, stop())?;
    output.write_all(&ids).map_err(storage::Error::io("write", ids_path))?;
    Ok(put_both(output.complete()?, vectors)?)
}
