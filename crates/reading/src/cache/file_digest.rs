//! Digests of model files. They are part of a reader's identity, so that a cache is not used with another model.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::Error;

/// Maximum number of bytes that are read at a time.
const CHUNK_BYTES: usize = 1 << 18;

/// Returns the SHA-256 of the concatenated contents of files, in hexadecimal.
///
/// # Errors
///
/// [`Error::Storage`] if a file cannot be read.
pub fn files_sha256(paths: &[&Path]) -> Result<String, Error> {
    let mut hash = Sha256::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    for path in paths {
        let opened = storage::check_regular(path).and_then(|()| File::open(path));
        let mut file = opened.map_err(storage::Error::io("open", path))?;
        loop {
            let read = file.read(&mut chunk).map_err(storage::Error::io("read", path))?;
            if read == 0 {
                break;
            }
            hash.update(&chunk[..read]);
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
