//! Functions that several test files use.

use std::fs;
use std::io::Write;
use std::path::Path;

use storage::{Error, Output, never};

/// Writes a file through [`Output`].
pub fn write_output(target: &Path, content: &[u8]) -> Result<(), Error> {
    let mut output = Output::create(target, never())?;
    output.write_all(content).map_err(Error::io("write", target))?;
    output.finish()
}

/// Returns the sorted names of the entries of a folder.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
