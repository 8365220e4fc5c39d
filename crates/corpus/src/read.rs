//! Opens files of passages and questions in any format.
//!
//! [`open_passages`] and [`open_questions`] detect the format ([`detect`]), choose its reader from
//! [`formats`](crate::formats), split documents if asked to ([`split`]), and return an iterator that counts or refuses bad
//! lines.

mod detect;
mod format;
mod options;
mod passages;
mod questions;
mod split;

pub use format::{PassageFormat, QuestionFormat};
pub use options::ReadOptions;
pub use passages::{PassageReader, open_passages};
pub use questions::{QuestionReader, open_questions};
pub use split::passages_of;
