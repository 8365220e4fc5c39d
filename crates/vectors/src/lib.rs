//! Reads vectors from files of other tools: NumPy, safetensors, Parquet, Arrow, fvecs and raw `f32`. Writes NumPy
//! files.
//!
//! [`VectorFile::open`] detects the format and reads the header. [`VectorFile::batches`] reads the rows in batches of a
//! few MiB, so the file may be larger than memory. Numbers of other types are converted to the nearest `f32`. This
//! crate does not check whether numbers are finite; the index that receives them does.
//!
//! The format is detected from the content, and from the file name only if the content does not determine it.
//!
//! ```
//! use vectors::{NpyWriter, OpenOptions, VectorFile};
//!
//! let path = std::env::temp_dir().join(format!("vectors-doc-{}.npy", std::process::id()));
//! let mut writer = NpyWriter::create(&path, 2, 3, storage::never())?;
//! writer.push(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
//! writer.finish()?;
//!
//! let file = VectorFile::open(&path, OpenOptions::default())?;
//! assert_eq!((file.rows(), file.dim()), (2, 3));
//! for batch in file.batches()? {
//!     let batch = batch?;
//!     assert_eq!(batch.ids, ["0", "1"]);
//!     assert_eq!(batch.vectors, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
//! }
//! # std::fs::remove_file(path).ok();
//! # Ok::<(), vectors::Error>(())
//! ```

#[cfg(target_endian = "big")]
compile_error!("vector files are little-endian and are read without conversion");

mod arrow;
mod element;
mod error;
mod fixed;
mod format;
mod id_list;
mod input;
mod npy_writer;
mod options;
mod parquet;
mod source;
mod vector_file;

pub use error::Error;
pub use format::VectorFormat;
pub use id_list::IdList;
pub use npy_writer::NpyWriter;
pub use options::{IdSource, OpenOptions};
pub use source::Batch;
pub use vector_file::{Batches, VectorFile};
