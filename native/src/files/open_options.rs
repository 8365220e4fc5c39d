//! Options for opening files, as JavaScript passes them.

use napi_derive::napi;
use storage::OpenOptions;

/// How to open a file.
#[napi(object)]
pub struct NativeOpenOptions {
    /// Whether to read the file into memory; otherwise it is memory-mapped.
    pub in_memory: bool,
    /// Whether to compare all bytes with the checksums.
    pub verify: bool,
}

impl NativeOpenOptions {
    pub fn parse(&self) -> OpenOptions {
        OpenOptions { in_memory: self.in_memory, verify: self.verify }
    }
}
