//! Destinations of formats that are written from beginning to end: a file that is replaced, or a stream.

mod destination;
mod pair;
mod stop;
mod stream;

pub use destination::{Output, Written};
pub use pair::rename_both;
pub use stop::{Stop, never};
