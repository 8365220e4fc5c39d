//! What a path leads to: a regular file, a folder, a FIFO or a device.

mod regular;
mod target;

pub use regular::{check_regular, file_type_name};
pub(crate) use target::{Target, folder_of, unsuitable};
