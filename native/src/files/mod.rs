//! Files: options for opening them, and writing them for TypeScript.

mod open_options;
mod write;

pub use open_options::NativeOpenOptions;
