//! Reads and writes files of rows: little-endian f32 without a header or, if the name ends in `.flat`, a flat index
//! whose ids are row numbers. An HNSW index can be built from a flat index without a copy of its rows in memory.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;

use dense::{FlatIndex, FlatWriter, Similarity, Storage};
use serde_json::Value;

use crate::Outcome;

/// The maximum number of values read or written at a time; they take 16 MiB.
const CHUNK_VALUES: usize = 1 << 22;

/// Reads the first `count` rows `[count * dim]` of a file.
///
/// # Errors
///
/// If the file has fewer rows, or cannot be read.
pub fn read(path: &Path, count: usize, dim: usize) -> Outcome<Vec<f32>> {
    let mut all = Vec::with_capacity(count * dim);
    for_each_chunk(path, count, dim, |rows| {
        all.extend_from_slice(rows);
        Ok(())
    })?;
    Ok(all)
}

/// Reads the first `count` rows of a file into a flat index whose ids are row numbers.
///
/// # Errors
///
/// As [`read`]; also if the index rejects a row.
pub fn read_index(
    path: &Path,
    count: usize,
    dim: usize,
    similarity: Similarity,
    storage: Storage,
) -> Outcome<FlatIndex> {
    let mut index = FlatIndex::with_storage(dim, similarity, storage, Value::Null)?;
    for_each_chunk(path, count, dim, |rows| {
        let first = index.len();
        let ids = (first..first + rows.len() / dim).map(|row| row.to_string()).collect();
        Ok(index.add(ids, rows)?)
    })?;
    Ok(index)
}

/// Returns whether a file of rows is a flat index.
pub fn is_flat(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "flat")
}

/// Opens a flat index of exactly `count` rows, which stay in their file.
///
/// # Errors
///
/// If the number of rows, the dimension or the similarity of the index differs, or if the index cannot be opened.
pub fn open_flat(path: &Path, count: usize, dim: usize, similarity: Similarity) -> Outcome<FlatIndex> {
    let index = FlatIndex::open(path)?;
    let expected = (count, dim, similarity);
    let got = (index.len(), index.dim(), index.similarity());
    if got != expected {
        return Err(format!("{}: expected rows {expected:?}, got {got:?}", path.display()).into());
    }
    Ok(index)
}

/// Calls `visit` with the first `count` rows of a file, in order and in chunks of at most 16 MiB.
///
/// # Errors
///
/// As [`read`], and the errors of `visit`.
pub fn for_each_chunk(
    path: &Path,
    count: usize,
    dim: usize,
    mut visit: impl FnMut(&[f32]) -> Outcome<()>,
) -> Outcome<()> {
    if is_flat(path) {
        // `write` uses this similarity for all flat indexes, because it stores vectors unchanged.
        let index = open_flat(path, count, dim, Similarity::Dot)?;
        let mut chunk = Vec::with_capacity(CHUNK_VALUES);
        for row in 0..count as u32 {
            chunk.extend_from_slice(&index.vector(row));
            if chunk.len() + dim > CHUNK_VALUES || row as usize + 1 == count {
                visit(&chunk)?;
                chunk.clear();
            }
        }
        return Ok(());
    }
    let mut file = File::open(path)?;
    let mut chunk = vec![0.0f32; (CHUNK_VALUES / dim).clamp(1, count.max(1)) * dim];
    let mut remaining = count * dim;
    while remaining > 0 {
        let num_values = remaining.min(chunk.len());
        file.read_exact(bytemuck::cast_slice_mut(&mut chunk[..num_values])).map_err(|error| {
            format!("expected {count} rows of {dim} values in {}: {error}", path.display())
        })?;
        visit(&chunk[..num_values])?;
        remaining -= num_values;
    }
    Ok(())
}

/// Writes `count` rows, chunk by chunk. `fill(first, chunk)` computes the rows of a chunk, which begins with row
/// `first`. On an error, the file at `path` does not change.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write(path: &Path, count: usize, dim: usize, fill: impl Fn(usize, &mut [f32])) -> Outcome<()> {
    if is_flat(path) {
        let mut writer = FlatWriter::create(path, dim, Similarity::Dot)?;
        for_each_filled(count, dim, fill, |rows| {
            let first = writer.len();
            let ids: Vec<String> = (first..first + rows.len() / dim).map(|row| row.to_string()).collect();
            Ok(writer.push(&ids, rows)?)
        })?;
        return Ok(writer.finish(&Value::Null)?);
    }
    let new_path = path.with_extension("new");
    let mut file = BufWriter::new(File::create(&new_path)?);
    for_each_filled(count, dim, fill, |rows| Ok(file.write_all(bytemuck::cast_slice(rows))?))?;
    file.flush()?;
    Ok(std::fs::rename(new_path, path)?)
}

/// Computes `count` rows with `fill`, in chunks, and calls `visit` with each chunk.
fn for_each_filled(
    count: usize,
    dim: usize,
    fill: impl Fn(usize, &mut [f32]),
    mut visit: impl FnMut(&[f32]) -> Outcome<()>,
) -> Outcome<()> {
    let mut chunk = vec![0.0f32; (CHUNK_VALUES / dim).clamp(1, count.max(1)) * dim];
    let mut first = 0;
    while first < count {
        let num_rows = (count - first).min(chunk.len() / dim);
        fill(first, &mut chunk[..num_rows * dim]);
        visit(&chunk[..num_rows * dim])?;
        first += num_rows;
    }
    Ok(())
}
