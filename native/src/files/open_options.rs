//! Options for opening files, as JavaScript passes them.

use napi_derive::napi;
use storage::OpenOptions;

/// How to open a file: into memory or mapped, and whether to check all its bytes.
#[napi(object)]
pub struct NativeOpenOptions {
    pub in_memory: bool,
    pub verify: bool,
}

impl NativeOpenOptions {
    pub fn parse(&self) -> OpenOptions {
        OpenOptions { in_memory: self.in_memory, verify: self.verify }
    }
}
