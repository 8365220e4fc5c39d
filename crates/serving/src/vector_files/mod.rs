//! Vectors from files into indexes, and out of them.

mod export;
mod import;

pub use export::export_vectors;
pub use import::{import_vectors, in_file};
