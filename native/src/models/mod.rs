//! ONNX models. `encoder` has models that turn texts into vectors, and `reader` has models that extract answers from
//! passages. `model_files` opens the files of both; `reader_options` parses options of readers.

mod encoder;
mod model_files;
mod reader;
mod reader_options;

pub use encoder::NativeEncoder;
pub use reader::NativeReader;
pub use reader_options::{parse_merge, parse_scoring};
