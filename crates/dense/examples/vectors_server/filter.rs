//! Files of filters: a byte for each row, which is not 0 where the row may be found.

use std::fs;
use std::path::Path;

use dense::RowSet;

use crate::Outcome;

/// The rows of a file that may be found.
///
/// # Errors
///
/// Unless it has a byte for each of `count` rows.
pub fn read(path: &Path, count: usize) -> Outcome<RowSet> {
    let flags = fs::read(path)?;
    if flags.len() != count {
        let got = flags.len();
        return Err(format!("{}: expected {count} bytes, got {got}", path.display()).into());
    }
    Ok(flags.iter().zip(0u32..).filter(|(flag, _)| **flag != 0).map(|(_, row)| row).collect())
}
