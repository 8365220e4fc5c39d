//! Saving and opening. What is opened has been checked as far as that takes milliseconds; walks stay inside a damaged
//! graph too.
//!
//! The format, version 4, is a container of `storage` with these sections, all numbers little-endian, and is the same on
//! every CPU:
//!
//! | section | holds |
//! |---|---|
//! | `vectors` | `[rows, dim]` f32, scaled to length 1 for cosine |
//! | `ids`, `id_ends` | ids in UTF-8 one behind the other, and where each ends, u64 |
//! | `deleted` | a bit for each row, in u64 words, up to the last deleted row |
//! | `offsets` | u32, one more than rows: the records of row `r` in `upper` are those from `offsets[r]` up to `offsets[r + 1]` |
//! | `ground` | of each row, links in layer 0: up to `2 * m` u32, then `u32::MAX` up to a multiple of 16 |
//! | `upper` | the same for the layers above, up to `m` links each |
//! | `codes` | of each row, 64 bytes for each 128 numbers: byte `i` has number `i` in its lower half and `64 + i` in its upper; up to dimension 64 a byte for each number, plus 128 |
//! | `scales` | f32 of each row: what a step of its codes is worth |
//! | `signs` | above dimension 128, unless `layout` is `compact`: of each row 64 bytes: bits of its first 384 numbers, set where they are not negative; in the last 16 bytes four f32: `squared length / sum of the sizes of these numbers`, the error of a closeness by signs for a query of length 1, the bias or 0, and the scale |
//! | `biases` | of each row minus half its squared length, f32; for L2 only |
//! | `squared_lengths` | of each row, f32; for `augmentedL2` only |
//!
//! The table has `dim`, `rows`, `similarity`, `metadata`, `m`, `efConstruction`, `seed`, `keepPruned`, `innerProduct`, `layout`
//! and `entry`, the row where walks start. Codes are of vectors rotated as `codes/rotation.rs` says, by signs that follow
//! from the dimension.

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
use crate::store::row_file::number;
use crate::store::rows::Rows;

/// Files of the HNSW index.
const KIND: FileKind = FileKind { magic: *b"PKHNSW\0\0", version: 4, name: "HNSW index" };

/// What a file holds.
pub(crate) struct Parts {
    pub rows: Rows,
    pub graph: Graph,
    pub codes: Codes,
    pub lengths: Option<SquaredLengths>,
    pub options: HnswOptions,
}

pub(crate) fn save(
    path: &Path,
    rows: &Rows,
    graph: &Graph,
    codes: &Codes,
    lengths: Option<&SquaredLengths>,
    options: &HnswOptions,
) -> Result<(), Error> {
    let mut writer = Writer::create(path, KIND)?;
    rows.write(&mut writer)?;
    graph.write(&mut writer)?;
    codes.write(&mut writer)?;
    if let Some(lengths) = lengths {
        writer.begin("squared_lengths")?;
        lengths.column().write(&mut writer)?;
    }
    let mut table = rows.table();
    table["m"] = json!(options.m);
    table["efConstruction"] = json!(options.ef_construction);
    table["seed"] = json!(options.seed);
    table["keepPruned"] = json!(options.keep_pruned);
    table["innerProduct"] = json!(options.inner_product.name());
    table["layout"] = json!(options.layout.name());
    table["entry"] = json!(graph.entry);
    Ok(writer.finish(table)?)
}

pub(crate) fn open(path: &Path, how: OpenOptions) -> Result<Parts, Error> {
    let file = Arc::new(File::open_with(path, KIND, how)?);
    let rows = Rows::open(&file)?;
    let options = options(&file)?;
    let table = file.metadata();
    let corrupt =
        |expected: &str, name: &str| storage::Error::corrupt(path, expected, table[name].to_string());
    let entry = match &table["entry"] {
        serde_json::Value::Null => None,
        entry => {
            let ord = entry.as_u64().and_then(|ord| u32::try_from(ord).ok());
            Some(ord.ok_or_else(|| corrupt("an entry row", "entry"))?)
        }
    };
    let graph = Graph::open(&file, options.m, rows.len(), entry)?;
    let codes = Codes::open(&file, rows.dim(), rows.len(), rows.similarity(), options.layout)?;
    let lengths = if SquaredLengths::needed(rows.similarity(), options.inner_product) {
        let column = Column::open(&file, "squared_lengths")?;
        let lengths = SquaredLengths::from_column(column, rows.len());
        let expected = format!("{} squared lengths, finite and not negative", rows.len());
        Some(lengths.ok_or_else(|| storage::Error::corrupt(path, expected, "others".to_owned()))?)
    } else {
        None
    };
    Ok(Parts { rows, graph, codes, lengths, options })
}

fn options(file: &File) -> Result<HnswOptions, Error> {
    let table = file.metadata();
    let corrupt = |expected: &str, got: String| storage::Error::corrupt(file.path(), expected, got);
    let inner_product = table["innerProduct"].as_str().and_then(InnerProduct::from_name);
    let layout = table["layout"].as_str().and_then(Layout::from_name);
    let options = HnswOptions {
        m: number(file, "m", usize::MAX)?,
        ef_construction: number(file, "efConstruction", usize::MAX)?,
        seed: table["seed"].as_u64().ok_or_else(|| corrupt("a seed", table["seed"].to_string()))?,
        keep_pruned: (table["keepPruned"].as_bool())
            .ok_or_else(|| corrupt("keepPruned true or false", table["keepPruned"].to_string()))?,
        inner_product: inner_product
            .ok_or_else(|| corrupt("innerProduct graph or augmentedL2", table["innerProduct"].to_string()))?,
        layout: layout.ok_or_else(|| corrupt("layout fast or compact", table["layout"].to_string()))?,
    };
    options.check().map_err(|error| corrupt("options of an HNSW index", error.to_string()))?;
    Ok(options)
}
