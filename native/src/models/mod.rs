//! ONNX models: encoders and readers. `model_files` opens the files of both; `reader_options` parses options of
//! readers.

mod encoder;
mod model_files;
mod reader;
mod reader_options;

pub use encoder::NativeEncoder;
pub use reader::NativeReader;
pub use reader_options::{parse_merge, parse_scoring};
