//! Formats whose rows have a fixed size and follow one another: NumPy, safetensors, raw numbers and fvecs.
//!
//! The module of each format has a function `layout` that reads the header and returns the [`Layout`] of the rows.
//! [`FixedRows`] reads the rows of any layout.

pub(crate) mod fvecs;
mod layout;
pub(crate) mod npy;
pub(crate) mod raw;
mod rows;
pub(crate) mod safetensors;

pub(crate) use layout::Layout;
pub(crate) use rows::FixedRows;
