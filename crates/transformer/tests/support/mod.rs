//! Random models, and a forward pass in `f64` to compare with.

#![allow(dead_code, reason = "each test file uses some of these functions")]

pub mod reference;
pub mod weights;
