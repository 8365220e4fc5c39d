//! Files that are checked when they are opened and replaced whole when they are saved.
//!
//! A file is a 64-byte header, named sections that start on 64-byte boundaries, and a table (JSON) of their
//! places, lengths and CRC-32s beside free metadata. All numbers are little-endian. It is written to a
//! temporary name in the same folder, synced, and renamed over the old one, so a reader sees the old file or
//! the new one and never a half.
//!
//! Files in other formats are written through [`Output`], which replaces a regular file in the same way, and writes
//! directly to devices and pipes.
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
pub use output::{Output, Stop, Written, never, put_both};
pub use path::{check_regular, file_type_name};
pub use replace::{Replacement, exchange, remove_unfinished, replace};
