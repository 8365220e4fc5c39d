//! Files of HNSW indexes. Opening checks what can be checked in milliseconds; a search of a damaged graph reads no memory
//! outside it.
//!
//! The format, version 4, is a container of `storage` with these sections. All numbers are little-endian, and files are the
//! same on every CPU.
//!
//! | section | contents |
//! |---|---|
//! | `vectors` | `[rows, dim]` f32, scaled to length 1 for cosine |
//! | `ids`, `id_ends` | all ids in UTF-8 without separators, and where each ends, u64 |
//! | `deleted` | one bit per row, in u64 words, up to the last deleted row |
//! | `offsets` | u32, one more than rows: the lists of row `r` in `upper` are those from `offsets[r]` up to `offsets[r + 1]` |
//! | `ground` | per row its neighbors in layer 0: up to `2 * m` u32, then `u32::MAX` up to a multiple of 16 |
//! | `upper` | the same for the layers above, up to `m` neighbors each |
//! | `codes` | per row 64 bytes for each 128 numbers: byte `i` has number `i` in its lower half and number `64 + i` in its upper half; up to dimension 64 one byte per number, plus 128 |
//! | `scales` | f32 per row: the quantization scale of its codes |
//! | `signs` | above dimension 128, unless `layout` is `compact`: the sketch of each row, in 64 bytes (`codes/sign_sketch.rs`) |
//! | `biases` | f32 per row: minus half its squared length; for L2 only |
//! | `squared_lengths` | f32 per row; for `augmentedL2` only |
//!
//! The metadata has `dim`, `rows`, `similarity`, `metadata` (the caller's), `m`, `efConstruction`, `seed`, `keepPruned`,
//! `innerProduct`, `layout` and `entry`, the row where searches start. Codes and sketches are of rotated rows
//! (`codes/rotation.rs`); the rotation follows from the dimension.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use storage::{File, FileKind, OpenOptions, Writer};

use super::codes::Codes;
use super::graph::Graph;
use super::options::{HnswOptions, InnerProduct, Layout};
use super::squared_lengths::SquaredLengths;
use crate::Error;
use crate::store::columns::column::Column;
use crate::store::row_file::metadata_number;
use crate::store::rows::Rows;

const KIND: FileKind = FileKind { magic: *b"PKHNSW\0\0", version: 4, name: "HNSW index" };

/// The contents of a file.
pub(crate) struct Parts {
    pub rows: Rows,
    pub graph: Graph,
    pub codes: Codes,
    pub squared_lengths: Option<SquaredLengths>,
    pub options: HnswOptions,
}

pub(crate) fn save(
    path: &Path,
    rows: &Rows,
    graph: &Graph,
    codes: &Codes,
    squared_lengths: Option<&SquaredLengths>,
    options: &HnswOptions,
) -> Result<(), Error> {
    let mut writer = Writer::create(path, KIND)?;
    rows.write(&mut writer)?;
    graph.write(&mut writer)?;
    codes.write(&mut writer)?;
    if let Some(squared_lengths) = squared_lengths {
        writer.begin("squared_lengths")?;
        squared_lengths.column().write(&mut writer)?;
    }
    let mut metadata = rows.file_metadata();
    metadata["m"] = json!(options.m);
    metadata["efConstruction"] = json!(options.ef_construction);
    metadata["seed"] = json!(options.seed);
    metadata["keepPruned"] = json!(options.keep_pruned);
    metadata["innerProduct"] = json!(options.inner_product.name());
    metadata["layout"] = json!(options.layout.name());
    metadata["entry"] = json!(graph.entry_point);
    Ok(writer.finish(metadata)?)
}

pub(crate) fn open(path: &Path, open_options: OpenOptions) -> Result<Parts, Error> {
    let file = Arc::new(File::open_with(path, KIND, open_options)?);
    let rows = Rows::open(&file)?;
    let options = read_options(&file)?;
    let metadata = file.metadata();
    let corrupt =
        |expected: &str, name: &str| storage::Error::corrupt(path, expected, metadata[name].to_string());
    let entry_point = match &metadata["entry"] {
        serde_json::Value::Null => None,
        entry => {
            let ord = entry.as_u64().and_then(|ord| u32::try_from(ord).ok());
            Some(ord.ok_or_else(|| corrupt("an entry row", "entry"))?)
        }
    };
    let graph = Graph::open(&file, options.m, rows.len(), entry_point)?;
    let codes = Codes::open(&file, rows.dim(), rows.len(), rows.similarity(), options.layout)?;
    let squared_lengths = if SquaredLengths::are_needed(rows.similarity(), options.inner_product) {
        let column = Column::open(&file, "squared_lengths")?;
        let squared_lengths = SquaredLengths::from_column(column, rows.len());
        let expected = format!("{} squared lengths, finite and not negative", rows.len());
        Some(squared_lengths.ok_or_else(|| storage::Error::corrupt(path, expected, "others".to_owned()))?)
    } else {
        None
    };
    Ok(Parts { rows, graph, codes, squared_lengths, options })
}

fn read_options(file: &File) -> Result<HnswOptions, Error> {
    let metadata = file.metadata();
    let corrupt = |expected: &str, got: String| storage::Error::corrupt(file.path(), expected, got);
    let inner_product = metadata["innerProduct"].as_str().and_then(InnerProduct::from_name);
    let layout = metadata["layout"].as_str().and_then(Layout::from_name);
    let options = HnswOptions {
        m: metadata_number(file, "m", usize::MAX)?,
        ef_construction: metadata_number(file, "efConstruction", usize::MAX)?,
        seed: metadata["seed"].as_u64().ok_or_else(|| corrupt("a seed", metadata["seed"].to_string()))?,
        keep_pruned: (metadata["keepPruned"].as_bool())
            .ok_or_else(|| corrupt("keepPruned true or false", metadata["keepPruned"].to_string()))?,
        inner_product: inner_product.ok_or_else(|| {
            corrupt("innerProduct graph or augmentedL2", metadata["innerProduct"].to_string())
        })?,
        layout: layout.ok_or_else(|| corrupt("layout fast or compact", metadata["layout"].to_string()))?,
    };
    options.check().map_err(|error| corrupt("options of an HNSW index", error.to_string()))?;
    Ok(options)
}
