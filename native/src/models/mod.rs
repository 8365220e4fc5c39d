//! Models: encoders and readers.

mod encoder;
mod model_files;
mod reader;
mod reader_options;

pub use encoder::NativeEncoder;
pub use reader::{NativeReader, ReaderOrigin, to_window};
pub use reader_options::{parse_merge, parse_scoring};
