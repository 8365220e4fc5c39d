//! The options for opening index files, and functions with which TypeScript writes files.

mod open_options;
mod text_file;
mod write;

pub use open_options::NativeOpenOptions;
