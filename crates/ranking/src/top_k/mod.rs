//! Selects the k best hits: with a heap, for hits in any order ([`TopK`]), or with a buffer and quickselect, for hits
//! in ascending order of ords ([`TopKBuffer`]).

mod buffer;
mod heap;

pub use buffer::TopKBuffer;
pub use heap::TopK;
