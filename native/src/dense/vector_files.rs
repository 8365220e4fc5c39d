//! Reads vectors from files into indexes, and writes them to files, so that no vector passes through JavaScript.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serving::{FlatFileOptions, build_flat_file, export_vectors, import_vectors};
use vectors::{IdSource, OpenOptions, VectorFile};

use super::index::NativeVectorIndex;
use super::options::{NativeFlatOptions, parse_metadata, parse_similarity, parse_storage};
use super::vector_batch::{PushedIds, VectorBatch};
use crate::call::{CallResult, Control, control_or_new, spawn};

/// How to read a file of vectors, and where their ids are.
#[napi(object)]
pub struct NativeVectorFileOptions {
    pub format: String,
    /// Prefix of every id.
    pub prefix: String,
    /// Name of the tensor in a safetensors file.
    pub tensor: Option<String>,
    /// Name of the column of vectors in a Parquet or Arrow file.
    pub column: Option<String>,
    /// Name of the column of ids in the same file.
    pub id_column: Option<String>,
    /// Path of a file of ids. The ids are row numbers if neither this path, `idColumn` nor a list of ids is given.
    pub ids_path: Option<String>,
}

#[napi]
impl NativeVectorIndex {
    /// Adds the vectors of a file. `ids`, if given, has the ids of the vectors; the call empties it. Resolves to the
    /// number of vectors.
    #[napi(ts_return_type = "Promise<number>", catch_unwind)]
    pub fn add_file<'env>(
        &self,
        env: &'env Env,
        path: String,
        options: NativeVectorFileOptions,
        ids: Option<&mut VectorBatch>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (control, ids) = (control_or_new(control), ids.map(|batch| batch.take().0));
        self.change(env, move |index| {
            let file = open(&path, options, ids.map(PushedIds::into_vec), Some(index.dim as usize))?;
            Ok(import_vectors(index, &file, Path::new(&path), &control)?)
        })
    }

    /// Writes the vectors to a NumPy file and, with `idsPath`, their ids to that file. Resolves to the number of
    /// vectors.
    #[napi(ts_return_type = "Promise<number>", catch_unwind)]
    pub fn export_vectors<'env>(
        &self,
        env: &'env Env,
        path: String,
        ids_path: Option<String>,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (index, control) = (self.shared(), control_or_new(control));
        spawn(env, move || {
            let ids_path = ids_path.as_deref().map(Path::new);
            Ok(index?.read(|index| export_vectors(index, Path::new(&path), ids_path, &control))??)
        })
    }
}

/// Builds a flat index file from a file of vectors. `ids`, if given, has the ids of the vectors; the call empties it.
/// The `dim` of `index` may be 0 if the file contains the dimension of its vectors.
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
    let control = control_or_new(control);
    let ids = ids.map(|batch| batch.take().0);
    spawn(env, move || {
        let NativeFlatOptions { dim, similarity, storage, metadata: json } = index;
        let (similarity, storage) = (parse_similarity(&similarity)?, parse_storage(&storage)?);
        let (dim, metadata) = (dim as usize, parse_metadata(&json)?);
        let file = open(&source, options, ids.map(PushedIds::into_vec), (dim > 0).then_some(dim))?;
        let index = FlatFileOptions { dim, similarity, storage, metadata };
        Ok(build_flat_file(&file, Path::new(&source), Path::new(&output), &index, &control)?)
    })
}

/// Opens a file of vectors. `ids` are the ids that the caller gave; `dim` is the expected dimension, if it is known.
fn open(
    path: &str,
    options: NativeVectorFileOptions,
    ids: Option<Vec<String>>,
    dim: Option<usize>,
) -> CallResult<VectorFile> {
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
