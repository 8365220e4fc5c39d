//! Moves vectors between files and indexes: `import` adds the vectors of a file to an index, `export` writes the
//! vectors of an index to a file, and `build` converts a file of vectors to an index file.

mod build;
mod export;
mod import;

pub use build::{FlatFileOptions, build_flat_file};
pub use export::export_vectors;
pub use import::import_vectors;
