//! Writes formats other than the container from beginning to end: to a file that is replaced, or to a stream. The main
//! type is [`Output`].

mod destination;
mod pair;
mod stop;
mod stream;

pub use destination::{Output, Written};
pub use pair::rename_both;
pub use stop::{Stop, never};
