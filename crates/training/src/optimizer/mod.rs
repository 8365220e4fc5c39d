//! The optimizer: AdamW with a [`Schedule`] of the learning rate.

mod adam_w;
mod schedule;

pub use adam_w::AdamOptions;
pub(crate) use adam_w::AdamW;
pub use schedule::Schedule;
