//! Files that are checked when they are opened and replaced atomically when they are saved.
//!
//! [`Writer`] and [`File`] write and open the container format of vector indexes, passage stores and other files of our
//! own: a 64-byte header, named sections that start at multiples of 64 bytes, and a JSON table with the caller's
//! metadata and the offset, length and CRC-32 of each section. All binary numbers are little-endian. A file is written
//! under a temporary name in the same folder, synced, and renamed to its target, so that readers see either the
//! complete old file or the complete new one.
//!
//! Files in other formats are written through a [`Replacement`], which replaces a regular file in the same way, or
//! through an [`Output`], which also writes directly to devices and pipes. [`replace()`] replaces a file in one call,
//! [`rename_both`] replaces two files together, and [`exchange`] exchanges two files or folders.
//!
//! ```
//! use storage::{File, FileKind, Writer};
//!
//! const KIND: FileKind = FileKind { magic: *b"PKDEMO\0\0", version: 1, name: "demo" };
//! let path = std::env::temp_dir().join(format!("storage-doc-{}", std::process::id()));
//!
//! let mut writer = Writer::create(&path, KIND)?;
//! writer.section("numbers", bytemuck::cast_slice(&[1.0f32, 2.0]))?;
//! writer.finish(serde_json::json!({"rows": 2}))?;
//!
//! let file = File::open(&path, KIND)?;
//! assert_eq!(file.metadata()["rows"], 2);
//! assert_eq!(file.section_as::<f32>("numbers")?, [1.0, 2.0]);
//! # std::fs::remove_file(path).ok();
//! # Ok::<(), storage::Error>(())
//! ```

mod container;
mod error;
mod memory;
mod output;
mod path;
mod replace;

pub use container::{File, FileKind, OpenOptions, Writer};
pub use error::Error;
pub use memory::prefer_huge_pages;
pub use output::{Output, Stop, Written, never, rename_both};
pub use path::{check_regular, file_type_name};
pub use replace::{Replacement, exchange, remove_unfinished, replace};
