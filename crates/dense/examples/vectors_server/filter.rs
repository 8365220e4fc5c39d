//! Files of filters: one byte per row, not 0 if the row may be found.

use std::fs;
use std::path::Path;

use dense::RowSet;

use crate::Outcome;

/// Reads the rows that may be found.
///
/// # Errors
///
/// If the file does not have one byte for each of `count` rows.
pub fn read(path: &Path, count: usize) -> Outcome<RowSet> {
    let flags = fs::read(path)?;
    if flags.len() != count {
        let got = flags.len();
        return Err(format!("{}: expected {count} bytes, got {got}", path.display()).into());
    }
    Ok(flags.iter().zip(0u32..).filter(|(flag, _)| **flag != 0).map(|(_, row)| row).collect())
}
