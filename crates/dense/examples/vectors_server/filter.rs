//! Reads filter files: one byte per row, which is 0 if the row must not be found.

use std::fs;
use std::path::Path;

use dense::RowSet;

use crate::Outcome;

/// Reads from the file at `path` which rows a search may return.
///
/// # Errors
///
/// If the file cannot be read, or does not have one byte for each of `count` rows.
pub fn read(path: &Path, count: usize) -> Outcome<RowSet> {
    let flags = fs::read(path)?;
    if flags.len() != count {
        let got = flags.len();
        return Err(format!("{}: expected {count} bytes, got {got}", path.display()).into());
    }
    Ok(flags.iter().zip(0u32..).filter(|(flag, _)| **flag != 0).map(|(_, row)| row).collect())
}
