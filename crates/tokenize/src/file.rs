//! Reads `tokenizer.json` files of bounded size.

use std::fs;
use std::io::{Error as IoError, ErrorKind, Read};
use std::path::Path;

use crate::Error;

/// Maximum size of a `tokenizer.json`. One of the largest, the file of Gemma 3, has 33 MB.
const MAX_BYTES: u64 = 256 << 20;

/// Reads the content of a `tokenizer.json`.
///
/// # Errors
///
/// [`Error::Io`], also for a FIFO or a device, because reading it could block forever; [`Error::Format`] for a file of
/// more than 256 MiB.
pub fn read_tokenizer_file(path: &Path) -> Result<Vec<u8>, Error> {
    let io = |source| Error::Io { path: path.to_path_buf(), source };
    let metadata = fs::metadata(path).map_err(io)?;
    if !metadata.is_file() && !metadata.is_dir() {
        return Err(io(IoError::new(ErrorKind::InvalidInput, "expected a regular file, got something else")));
    }
    let mut bytes = Vec::with_capacity(metadata.len().min(MAX_BYTES) as usize);
    fs::File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(io)?;
    if bytes.len() as u64 > MAX_BYTES {
        let (expected, got) = ("at most 256 MiB", "a longer file".to_owned());
        return Err(Error::Format { path: path.to_path_buf(), expected, got });
    }
    Ok(bytes)
}
