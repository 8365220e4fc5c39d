//! Opens files of passages and questions in any format.
//!
//! [`open_passages`] and [`open_questions`] detect the format ([`detect`]) and choose its reader from
//! [`formats`](crate::formats). They return an iterator, which either fails at the first invalid line or skips and
//! counts invalid lines. Passages can be split into shorter ones while they are read ([`split`]).

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
