//! Options for opening index files, as JavaScript passes them.

use napi_derive::napi;
use storage::OpenOptions;

/// How to open the files of an index or a passage store.
#[napi(object)]
pub struct NativeOpenOptions {
    /// Whether to read the file into memory; otherwise it is memory-mapped.
    pub in_memory: bool,
    /// Whether to compare all bytes with the checksums in the file.
    pub verify: bool,
}

impl NativeOpenOptions {
    pub fn parse(&self) -> OpenOptions {
        OpenOptions { in_memory: self.in_memory, verify: self.verify }
    }
}
