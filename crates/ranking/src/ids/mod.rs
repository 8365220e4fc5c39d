//! Ids of passages. [`PassageIds`] looks them up, and [`IdInterner`] assigns numbers to them.

mod interner;
mod passage_ids;

pub use interner::IdInterner;
pub use passage_ids::PassageIds;
